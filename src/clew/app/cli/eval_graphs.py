"""The graphs of the benchmarks: built once, kept in the cache, rebuilt when their recipe changes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from clew.app.assemble import open_graph
from clew.app.cli.demo import cached_hpo
from clew.errors import GraphError
from clew.models import cache_directory
from clew.progress import Progress

if TYPE_CHECKING:
    from clew import GraphEngine

__all__ = ["bench_graph", "kept_graph"]


def bench_graph(bench: str, data: Path, progress: Progress) -> "GraphEngine":
    """The graph of a bench; `data` is the folder that ibkh and alzkb are built from."""
    if bench == "ibkh":
        from clew.evaluate.benches.graphs.ibkh import build_ibkh, ibkh_recipe

        return kept_graph(
            bench, ibkh_recipe(data), lambda out: build_ibkh(data, out, overwrite=True, progress=progress)
        )
    if bench == "alzkb":
        from clew.evaluate.benches.alzkb.names import shared_aliases
        from clew.evaluate.benches.graphs.hetionet import build_hetionet, hetionet_recipe

        def build(out: Path) -> None:
            build_hetionet(data, out, aliases=shared_aliases(data), overwrite=True, progress=progress)

        return kept_graph(bench, hetionet_recipe(data), build)
    return cached_hpo()[0]


def kept_graph(name: str, recipe: str, build: Callable[[Path], object]) -> "GraphEngine":
    """The kept graph of a recipe, built if it is not there or cannot be opened."""
    path = cache_directory() / f"{name}-{recipe}.clew"
    if path.exists():
        try:
            return open_graph(str(path))
        except GraphError:
            pass  # from an older version, or damaged: build it again
    path.parent.mkdir(parents=True, exist_ok=True)
    build(path)
    return open_graph(str(path))
