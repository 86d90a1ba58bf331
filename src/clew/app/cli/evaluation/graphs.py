"""The graphs of the benchmarks: built once, kept in the cache, rebuilt when their recipe changes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from clew.app.assemble import open_graph
from clew.app.cli.checkout import load_from_checkout
from clew.app.cli.demo import cached_hpo
from clew.cache import cache_directory
from clew.errors import GraphError
from clew.progress import Progress

if TYPE_CHECKING:
    from clew import GraphEngine

__all__ = ["bench_graph", "kept_graph"]

RECIPES = {"alzkb": "benchmarks.graphs.hetionet", "ibkh": "benchmarks.graphs.ibkh"}


def bench_graph(bench: str, data: Path, progress: Progress) -> "GraphEngine":
    """The graph of a benchmark; `data` is the folder that ibkh and alzkb are built from.

    The recipes of those two graphs are in the source checkout; elsewhere a graph is given with --graph.
    """
    if bench not in RECIPES:
        return cached_hpo()[0]
    recipe = load_from_checkout(
        RECIPES[bench],
        what=f"the recipe of the {bench} graph",
        remedy=f"run clew eval qa {bench} in a source checkout of Clew, or give a graph with --graph",
    )
    return kept_graph(
        bench, recipe.digest(data), lambda out: recipe.build(data, out, overwrite=True, progress=progress)
    )


def kept_graph(name: str, recipe: str, build: Callable[[Path], object]) -> "GraphEngine":
    """The kept graph of a recipe, built if it is not there or cannot be opened."""
    path = cache_directory() / "graphs" / f"{name}-{recipe}.clew"
    if path.exists():
        try:
            return open_graph(str(path))
        except GraphError:
            pass  # from an older version, or damaged: build it again
    path.parent.mkdir(parents=True, exist_ok=True)
    build(path)
    return open_graph(str(path))
