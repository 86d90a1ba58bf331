"""`pip install` by uv, in a quarter of the time and with pip's own settings; by pip itself where uv is not to be found.

Takes the options that both understand: `.venv/bin/python .ci/install.py --only-binary :all: --editable '.[test]'`.
"""

import ast
import os
import subprocess
import sys

PIP = [sys.executable, "-m", "pip"]
UV = "uv>=0.9,<1"
OPTIONS = {  # a setting of pip, which may hold several values: an option of uv
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
}


def main(arguments: list[str]) -> int:
    """Install, and return an exit code."""
    bootstrap = [*PIP, "install", "--quiet", "--no-compile", "--only-binary", ":all:", UV]
    if subprocess.run(bootstrap).returncode == 0:
        settings = read_settings(subprocess.run([*PIP, "config", "list"], capture_output=True, text=True).stdout)
        command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", sys.executable]
        # As pip does: the best version of all indexes; the project itself from its sources, though all else is wheels.
        command += ["--index-strategy", "unsafe-best-match", "--no-binary", "clew", *uv_options(settings), *arguments]
        if subprocess.run(command, env=uv_environment(settings)).returncode == 0:
            return 0
    print("uv cannot install this: pip tries", file=sys.stderr)
    return subprocess.run([*PIP, "install", "--quiet", "--no-compile", *arguments]).returncode


def read_settings(listed: str) -> dict[str, str]:
    """Settings from the lines of `pip config list`; those of the environment win, then those of the command."""
    found: dict[str, str] = {}
    for section in ("global.", "install.", ":env:."):
        for line in listed.splitlines():
            name, _, value = line.partition("=")
            if name.startswith(section):
                found[name.removeprefix(section)] = str(ast.literal_eval(value))
    return found


def uv_options(settings: dict[str, str]) -> list[str]:
    """The same settings as options of uv."""
    options = ["--no-index"] if settings.get("no-index", "").lower() in ("1", "true", "yes", "on") else []
    for name, option in OPTIONS.items():
        for value in settings.get(name, "").split():
            options += [option, value]
    return options


def uv_environment(settings: dict[str, str]) -> dict[str, str]:
    """The environment of uv, which reads certificates and the proxy there."""
    given = {"SSL_CERT_FILE": settings.get("cert"), "ALL_PROXY": settings.get("proxy")}
    return {**{name: value for name, value in given.items() if value}, **os.environ}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
