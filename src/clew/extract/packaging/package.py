"""From a run or a model folder to a wheel."""

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clew.extract.packaging.folder import make_folder
from clew.extract.packaging.locate import MODEL, SEED, find_model
from clew.extract.packaging.wheel import write_wheel
from clew.progress import Progress, silent

__all__ = ["Packaged", "package_model"]


@dataclass(frozen=True, slots=True)
class Packaged:
    """A wheel, and the counts of its folder if that was made for it."""

    name: str
    wheel: Path
    counts: dict[str, Any] = field(default_factory=dict)


def package_model(
    run: Path,
    out: Path,
    *,
    name: str,
    version: str,
    seed_graph: str | None = None,
    card: Path | None = None,
    numbers: str = "int8",
    progress: Progress = silent,
) -> Packaged:
    """Write the wheel of a run's model into `out`; a folder with model and seed is packed as it is."""
    if (run / MODEL).is_dir() and (run / SEED).is_dir():
        return Packaged(name, write_wheel(run, out, name=name, version=version))
    model, graph = find_model(run, seed_graph=seed_graph, progress=progress)
    with TemporaryDirectory(prefix="clew-model-") as place:
        folder = Path(place) / name
        counts = make_folder(model, graph, folder, numbers=numbers, card=card)
        return Packaged(name, write_wheel(folder, out, name=name, version=version), counts)
