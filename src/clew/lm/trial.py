"""Load a GGUF file once in a separate process: some damaged files make llama.cpp abort, and only that process may die.

A file that has passed is recorded, so that the trial is run once per file. Run as a program, with the path and a folder
for the socket, this file is the trial itself; it then imports nothing from Clew.
"""

import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["check_loads"]

TRIAL_SECONDS = 600.0
PASSED = "passed"
LONGEST_FOLDER = 80  # bytes of a path, which leaves room for the name of a socket


def check_loads(path: Path) -> None:
    """Raise `ModelError` unless the file loads and answers in a child process."""
    from importlib.metadata import version

    from clew.models import file_fact

    file_fact(path, f"loads with xllamacpp {version('xllamacpp')}", _try_in_child)


def _try_in_child(path: Path) -> str:
    from clew.errors import ModelError, Timeout

    environment = {**os.environ, "GGML_NO_BACKTRACE": "1"}
    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        command = [sys.executable, "-P", __file__, str(path), folder]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TRIAL_SECONDS, env=environment
            )
        except subprocess.TimeoutExpired:
            raise Timeout(f"{path} did not load within {TRIAL_SECONDS:.0f} s") from None
    if done.returncode != 0:
        why = "llama.cpp rejects it" if done.returncode == 1 else "llama.cpp crashes on it"
        raise ModelError(f"{path} does not load ({why}): it is damaged or of an unsupported kind; download it again")
    return PASSED


def _load(path: str, folder: str) -> int:
    from xllamacpp import CommonParams, Server

    parameters = CommonParams()
    parameters.model.path = path
    parameters.n_ctx = 256
    parameters.cpuparams.n_threads = 1
    parameters.warmup = False
    parameters.verbosity = -1
    parameters.api_keys = [secrets.token_urlsafe(32)]
    if sys.platform != "win32" and len(os.fsencode(folder)) < LONGEST_FOLDER:
        parameters.hostnames = [f"{folder}/trial.sock"]
    try:
        server = Server(parameters)
    except (RuntimeError, ValueError):
        return 1
    asked = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
    return 0 if "choices" in server.handle_chat_completions(asked) else 1


if __name__ == "__main__":
    sys.exit(_load(sys.argv[1], sys.argv[2]))
