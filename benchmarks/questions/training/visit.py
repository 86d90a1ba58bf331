"""A training on a machine with a GPU and no network, which takes files in parts and may end a command at any time.

    python -m benchmarks.questions.training.visit pack PARTS base.gguf packs.json …   # here: files in parts
    python visit.py take PARTS/part.07                    # there, for each part, in any order, twice does no harm
    python visit.py begin python query_adapter.py …       # there: joins the parts, runs a command in the background
    python visit.py wait 570 OUT                          # there: until it has ended or so many seconds have passed
    python -m benchmarks.questions.training.visit join OUT FOLDER   # here: what came back, whole

`pack` takes files and folders; what compresses is compressed. `begin` runs in the folder of all files, writes to
`said.log`, and what the command leaves in the folder `trained` comes back, in parts again. Every part is checked before
it counts. `wait` fails, with the last lines of the log, if the command failed or never began.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Sequence
from pathlib import Path

PART = 56 << 20  # bytes of a part that is sent
BACK = 15 << 20  # bytes of one that comes back
LISTED, PART_NAME = "parts.json", "part.{:02d}"
STORE = Path("~/visit").expanduser()
SAID, RUNNING, ENDED, RESULT = "said.log", "running", "ended", "trained"
LAST = 4_000  # characters of a log that are shown
EVERY = 2.0  # seconds between two looks


def split(files: Sequence[Path], folder: Path, *, size: int) -> None:
    """Files and folders as parts of an archive, with a list of their checksums."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / "whole.tar.gz"
    with tarfile.open(whole, "w:gz", compresslevel=3) as archive:
        for each in files:
            archive.add(each, each.name, filter=lambda one: None if "__pycache__" in one.name else one)
    sums = {}
    with whole.open("rb") as file:
        while block := file.read(size):
            name = PART_NAME.format(len(sums))
            (folder / name).write_bytes(block)
            sums[name] = _checksum(folder / name)
    whole.unlink()
    (folder / LISTED).write_text(json.dumps(sums))


def take(part: Path, store: Path) -> str:
    """Keep a part if it is whole; says how many there are."""
    sums = _listed(part.parent)
    if part.name not in sums or not part.exists():
        raise SystemExit(f"{part} is no part of {part.parent / LISTED}: these are {', '.join(sums) or 'none'}")
    if _checksum(part) != sums[part.name]:
        raise SystemExit(f"{part.name} is damaged: send it again")
    (store / "parts").mkdir(parents=True, exist_ok=True)
    for name in (LISTED, part.name):
        half = store / "parts" / f"{name}.half"
        shutil.copyfile(part.parent / name, half)
        half.replace(half.with_name(name))
    return f"{sum((store / 'parts' / name).exists() for name in sums)} of {len(sums)} parts"


def join(parts: Path, folder: Path) -> None:
    """The files of an archive whose parts are all there and whole."""
    sums = _listed(parts)
    missing = [name for name in sums if not (parts / name).exists()]
    damaged = [name for name in sums if name not in missing and _checksum(parts / name) != sums[name]]
    if missing or damaged:
        raise SystemExit(f"missing: {', '.join(missing) or 'none'}; damaged: {', '.join(damaged) or 'none'}")
    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / "whole.tar.gz"
    with whole.open("wb") as file:
        for name in sums:
            file.write((parts / name).read_bytes())
    with tarfile.open(whole) as archive:
        archive.extractall(folder, filter="data")
    whole.unlink()


def begin(command: Sequence[str], store: Path) -> None:
    """Run a command behind this process, in a session of its own; once, however often it is asked for."""
    if (store / RUNNING).exists():
        print("it has begun before")
        return
    join(store / "parts", store / "work")
    watched = [sys.executable, str(Path(__file__).resolve()), "--store", str(store), "watch", *command]
    with (store / SAID).open("w") as said:
        child = subprocess.Popen(watched, cwd=store / "work", stdout=said, stderr=said, start_new_session=True)
    (store / RUNNING).write_text(str(child.pid))


def watch(command: Sequence[str], store: Path) -> None:
    """Run a command and keep how it ended."""
    code = subprocess.run(command, check=False).returncode
    (store / ENDED).write_text(str(code))


def wait(seconds: float, out: Path, store: Path) -> int:
    """Until a command has ended, with its results in parts, or the time is up; its status, 0 while it runs."""
    if not (store / RUNNING).exists():
        print("nothing has begun")
        return 1
    until, pid = time.monotonic() + seconds, int((store / RUNNING).read_text())
    while not (store / ENDED).exists() and _is_alive(pid) and time.monotonic() < until:
        time.sleep(EVERY)
    print((store / SAID).read_text()[-LAST:])
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(store / SAID, out / SAID)
    if not (store / ENDED).exists():
        return 0 if _is_alive(pid) else 1
    if (store / "work" / RESULT).exists():
        split([store / "work" / RESULT], out, size=BACK)
    return int((store / ENDED).read_text())


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    told = Path(f"/proc/{pid}/stat")  # who was killed and whom nobody asked for is still listed, as a zombie
    return not (told.exists() and told.read_text().rpartition(")")[2].split()[0] == "Z")


def _listed(folder: Path) -> dict[str, str]:
    """The checksums of the parts that belong together."""
    try:
        sums: dict[str, str] = json.loads((folder / LISTED).read_text())
    except (OSError, ValueError) as error:
        raise SystemExit(f"{folder / LISTED} cannot be read ({error}): send the parts with their list") from error
    return sums


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _all(paths: Sequence[Path]) -> Sequence[Path]:
    """Files and folders that are there, each of another name: they come to lie beside each other."""
    if missing := [str(each) for each in paths if not each.exists()]:
        raise SystemExit(f"there is no {', '.join(missing)}")
    names = [each.name for each in paths]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SystemExit(f"several are called {', '.join(sorted(twice))}: rename all but one")
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", type=Path, default=STORE, help="where the parts are kept, there")
    doing = parser.add_subparsers(dest="doing", required=True)
    packing = doing.add_parser("pack")
    packing.add_argument("folder", type=Path)
    packing.add_argument("files", type=Path, nargs="+")
    packing.add_argument("--size", type=int, default=PART)
    doing.add_parser("take").add_argument("part", type=Path)
    joining = doing.add_parser("join")
    joining.add_argument("parts", type=Path)
    joining.add_argument("folder", type=Path)
    for name in ("begin", "watch"):
        doing.add_parser(name).add_argument("command", nargs=argparse.REMAINDER)
    waiting = doing.add_parser("wait")
    waiting.add_argument("seconds", type=float)
    waiting.add_argument("out", type=Path)
    given = parser.parse_args()
    if given.doing == "pack" and given.size < 1:
        parser.error(f"a part has at least one byte, not {given.size}")
    if given.doing == "begin" and not given.command:
        parser.error("say what to run: begin python query_adapter.py …")
    if given.doing == "pack":
        split(_all(given.files), given.folder, size=given.size)
    elif given.doing == "take":
        print(take(given.part, given.store))
    elif given.doing == "join":
        join(given.parts, given.folder)
    elif given.doing == "begin":
        begin(given.command, given.store)
    elif given.doing == "watch":
        watch(given.command, given.store)
    else:
        sys.exit(wait(given.seconds, given.out, given.store))


if __name__ == "__main__":
    main()
