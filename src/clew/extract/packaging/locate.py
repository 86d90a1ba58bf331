"""Which model is meant: a run's, one by its path or one that comes with Clew; and the graph that heads are found by.

A model that comes with Clew is a folder with `model` and `seed` (see `seed_tables`), such as weights/small of the
repository. Its seed becomes a graph in the cache when it is first used.
"""

import logging
from pathlib import Path

from clew.cache import cache_directory
from clew.errors import DerivedError, GraphError, InputError, MissingModel
from clew.extract.packaging.seed_tables import build_seed
from clew.extract.run.options import RECORD, RunOptions
from clew.extract.stage import seal_checksum
from clew.link.names.indexing import open_or_build
from clew.models import models_directory
from clew.progress import Progress, silent
from clew.sealed import check_seal
from clew.traverse import GraphEngine
from clew.traverse import open as open_graph

__all__ = ["MODEL", "SEED", "STATEMENTS", "find_model", "find_statements", "find_weights", "open_shipped_seed"]

MODEL, SEED, STATEMENTS = "model", "seed", "statements"
GRAPH = "seed.clew"  # beside a model or in a run
WEIGHTS = "weights"  # the folder of Clew's repository
CHECKOUT = Path(__file__).resolve().parents[4]
log = logging.getLogger(__name__)


def find_model(path: Path, *, seed_graph: str | None = None, progress: Progress = silent) -> tuple[Path, GraphEngine]:
    """A model directory and its seed graph; `seed_graph` goes before the one that the model comes with.

    `path` is that of a run, of a model, or of a folder with both, or the name of one that comes with Clew.
    """
    folder = _folder(Path(path))
    model = find_weights(folder)
    if seed_graph is None and (folder / RECORD).is_file():
        seed_graph = RunOptions.read(folder).seed_graph
    if seed_graph is not None:
        return model, open_graph(seed_graph)
    if (folder / GRAPH).is_dir():
        return model, open_graph(folder / GRAPH)
    if (folder / SEED).is_dir():
        return model, open_shipped_seed(folder, progress=progress)
    raise InputError(f"{path} has no seed graph beside it, by which heads are found: give one (--seed-graph)")


def find_weights(path: Path) -> Path:
    """The model directory that a path or a name means."""
    folder = _folder(Path(path))
    shipped = (folder / SEED).is_dir()
    model = folder / MODEL if shipped or (folder / MODEL).is_dir() else folder
    if shipped:
        check_seal(model, {}, what=f"the model at {model}", remedy=_remedy(folder), verify=True)
    if not (model / "config.json").is_file():
        raise InputError(f"{path} holds no trained model: give a run directory or a model directory (--model)")
    return model


def find_statements(path: Path) -> Path:
    """The folder of the statement model of a shipped model, by its folder or name."""
    folder = _folder(Path(path))
    if not (folder / SEED).is_dir() or not (folder / STATEMENTS).is_dir():
        raise InputError(
            f"{path} has no statement model with a seed: give a folder with {STATEMENTS} and {SEED}, or small"
        )
    check_seal(folder / STATEMENTS, {}, what=f"the statement model at {folder}", remedy=_remedy(folder), verify=True)
    return folder / STATEMENTS


def open_shipped_seed(folder: Path, *, progress: Progress = silent) -> GraphEngine:
    """The seed graph of a shipped model, with an index of its names; built in the cache if it is not there."""
    check_seal(folder / SEED, {}, what=f"the seed graph at {folder / SEED}", remedy=_remedy(folder))
    built = cache_directory() / "seeds" / f"{folder.name}-{seal_checksum(folder / SEED)[:16]}.clew"
    graph: GraphEngine
    try:
        graph = open_graph(built)
    except GraphError as error:
        log.info("building the seed graph of %s: %s", folder, error)
        graph = _build(folder, built, progress)
    open_or_build(graph, progress=progress)
    return graph


def _build(folder: Path, built: Path, progress: Progress) -> GraphEngine:
    try:
        build_seed(folder / SEED, built, remedy=_remedy(folder), progress=progress)
        return open_graph(built)
    except DerivedError:  # the folder itself is at fault
        raise
    except GraphError as error:
        raise GraphError(f"{error}: set CLEW_HOME to a folder where the seed graph can be kept") from error


def _folder(path: Path) -> Path:
    """The directory itself, or that of a model by its name: here, in the repository, or where models are kept."""
    if path.exists() or len(path.parts) != 1:
        return path
    places = (Path(WEIGHTS), CHECKOUT / WEIGHTS, models_directory())
    found = next((place / path for place in places if (place / path).is_dir()), None)
    if found is None:
        here = sorted({seed.parent.name for place in places for seed in place.glob(f"*/{SEED}")})
        known = f"found: {', '.join(here)}" if here else "none is installed"
        raise MissingModel(
            f"{path} is neither a directory nor an installed model ({known}): give a path (--model), or run "
            f"`clew models get {path}`"
        )
    return found


def _remedy(folder: Path) -> str:
    """The command that brings a damaged folder back: fetched again, or restored in a clone."""
    if folder.parent == models_directory():
        return f"clew models get {folder.name}"
    return f"git restore {folder}"
