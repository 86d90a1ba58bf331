"""Download one wheel from the package index with pip, in a separate process, with a stall limit and clear errors."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from clew.errors import MissingDependency, ModelError, Timeout
from clew.progress import Progress, silent

__all__ = ["download_wheel"]

STALLED_SECONDS = 120.0  # without a new byte
LOOK_SECONDS = 0.2
QUIET = ("--disable-pip-version-check", "--no-input", "--quiet", "--progress-bar=off", "--no-color", "--retries=3")
REASONS = (  # pip's messages, most reliable first, and their meaning
    (re.compile(r"No space left on device|Disk quota exceeded", re.I), "the disk is full"),
    (re.compile(r"HASH(ES)? .*NOT MATCH|hash mismatch", re.I), "the file differs from what the package index states"),
    (
        re.compile(r"connection broken|NewConnectionError|name resolution|unreachable|ProxyError|timed out|SSLError"
                   r"|ConnectionError|Connection refused|connection aborted", re.I),
        "the package index cannot be reached: check the network, or point pip to an index you can reach",
    ),
    (
        re.compile(r"No matching distribution|Could not find a version", re.I),
        "the package index that pip uses does not have it",
    ),
)  # fmt: skip


def download_wheel(
    requirement: str, folder: Path, *, size: int, find_links: Path | None = None, progress: Progress = silent
) -> Path:
    """Download the wheel of `name==version` into `folder` and return its path; `size` is for the progress only.

    With `find_links`, a folder of wheels, it is looked for there only.
    """
    if importlib.util.find_spec("pip") is None:
        raise MissingDependency(f"downloading models needs pip in {sys.executable}: run `python -m ensurepip`")
    work = folder / "work"  # pip's temporary files: their growth is the progress, and a full disk shows here
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    command = [sys.executable, "-m", "pip", "download", *QUIET, "--no-deps", "--only-binary=:all:"]
    if find_links is not None:
        command += ["--no-index", "--find-links", str(find_links)]
    command += [*_resume_option(), "--dest", str(folder), requirement]
    try:
        with tempfile.TemporaryFile() as said:
            _run(command, said, work, lambda done: progress(f"fetching {requirement}", min(done, size), size))
            said.seek(0)
            output = said.read().decode("utf-8", "replace")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    wheels = sorted(folder.glob("*.whl"))
    if not wheels:
        raise ModelError(f"{requirement} could not be downloaded: {_reason(output)}")
    progress(f"fetching {requirement}", size, size)
    return wheels[-1]


def _run(command: list[str], said: IO[bytes], work: Path, report: Callable[[int], None]) -> None:
    """Run pip to its end; stop it if it stalls or the caller is interrupted."""
    environment = {**os.environ, "TMPDIR": str(work), "TEMP": str(work), "TMP": str(work)}
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, env=environment
    )
    most, moved = 0, time.monotonic()
    try:
        while process.poll() is None:
            if (done := _bytes_below(work)) > most:
                most, moved = done, time.monotonic()
            report(most)
            if time.monotonic() - moved > STALLED_SECONDS:
                raise Timeout(f"{command[-1]} could not be downloaded: nothing arrived for {STALLED_SECONDS:.0f} s")
            time.sleep(LOOK_SECONDS)
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _resume_option() -> list[str]:
    """pip 25.1 and later resume an interrupted download."""
    from importlib.metadata import version

    numbers = [int(part) for part in re.findall(r"\d+", version("pip"))[:2]]
    return ["--resume-retries=5"] if numbers >= [25, 1] else []


def _bytes_below(folder: Path) -> int:
    """Bytes of the files below a folder; pip removes files and folders meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(place, name).stat().st_size
    return total


def _reason(output: str) -> str:
    for pattern, reason in REASONS:
        if pattern.search(output):
            return reason
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["pip said nothing"]
    return re.sub(r"https?://\S+", "the package index", errors[-1])
