"""Build the data derived from a graph again, from the graph alone: nothing that came with it is trusted."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.app.assemble import open_graph
from clew.errors import ClewError, GraphError
from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew import GraphEngine

__all__ = ["rebuild"]

VECTORS = "vectors-"


def rebuild(graph: str, *, progress: Progress = silent) -> list[str]:
    """Remove what is derived from the current snapshot and build the same kinds again; their names.

    Where the graph's directory is read-only the new data goes to the cache, which comes first. Embeddings whose encoder
    is not here are removed; where they cannot be removed, that is an error.
    """
    from clew.files import remove
    from clew.graph.storage.derived import derived_folders

    engine = open_graph(graph)
    engine.verify()
    folders = derived_folders(Path(graph).absolute(), engine.snapshot.id)
    kinds = {each.name: _identity(each) for folder in folders for each in sorted(folder.iterdir()) if each.is_dir()}
    for folder in folders:
        remove(folder)
    built = []
    for kind, identity in kinds.items():
        if not kind.startswith(".") and _build(kind, identity, engine, progress):
            built.append(kind)
    return built


def _identity(folder: Path) -> dict[str, Any]:
    from clew.sealed import check_seal

    try:
        return dict(check_seal(folder, {}, what=folder.name, remedy="clew doctor"))
    except GraphError:
        return {}


def _build(kind: str, identity: dict[str, Any], engine: "GraphEngine", progress: Progress) -> bool:
    if kind == "names":
        from clew.link.names.indexing import build_names, write_names

        write_names(engine, build_names(engine, progress=progress))
    elif kind == "ladybug":
        from clew.store.embedded import build_embedded

        build_embedded(engine, progress=progress)
    elif kind.startswith(VECTORS):
        return _build_vectors(kind, identity, engine, progress)
    else:
        return False
    return True


def _build_vectors(kind: str, identity: dict[str, Any], engine: "GraphEngine", progress: Progress) -> bool:
    from clew.embed import open_encoder
    from clew.link.vectors import build_vectors, chosen_types

    try:
        encoder = open_encoder(kind.removeprefix(VECTORS))
    except ClewError as error:
        if engine.snapshot.derived(kind).exists():
            raise GraphError(
                f"{engine.snapshot.derived(kind)} can be neither removed nor built again ({error}): copy the graph"
            ) from error
        return False
    build_vectors(engine, encoder, types=chosen_types(identity), progress=progress)
    return True
