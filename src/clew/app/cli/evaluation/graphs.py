"""The graphs of the benchmarks: built once, kept in the cache, rebuilt when their recipe changes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clew.app.assemble import open_graph
from clew.app.cli.checkout import load_from_checkout
from clew.app.cli.demo import cached_hpo
from clew.cache import cache_directory
from clew.errors import GraphError, InputError, UnknownName
from clew.progress import Progress

if TYPE_CHECKING:
    from clew import GraphEngine

__all__ = ["asked_graph", "bench_graph", "kept_graph", "named_graph"]

RECIPES = {
    "alzkb": "benchmarks.graphs.hetionet",
    "disease-genes": "benchmarks.graphs.disease_genes",
    "fb15k237": "benchmarks.graphs.fb15k237",
    "ibkh": "benchmarks.graphs.ibkh",
}
SHARED = {"hpo": "hpo-60", "hetionet": "alzkb"}  # a graph → the bench that has it
UNSEEN = "benchmarks.graphs.unseen.recipes"


def bench_graph(bench: str, data: Path, progress: Progress) -> "GraphEngine":
    """The graph of a benchmark, by the name of either; `data` is the folder that all but HPO are built from.

    The recipes of those graphs are in the source checkout; elsewhere a graph is given with --graph.
    """
    bench = SHARED.get(bench, bench)
    if bench not in RECIPES:
        return cached_hpo()[0]
    recipe = load_from_checkout(
        RECIPES[bench],
        what=f"the recipe of the {bench} graph",
        remedy="run the command in a source checkout of Clew, or give a graph with --graph",
    )
    return kept_graph(
        bench, recipe.digest(data), lambda out: recipe.build(data, out, overwrite=True, progress=progress)
    )


def asked_graph(name: str, known: Sequence[str], data: Path, progress: Progress) -> "GraphEngine":
    """The graph at a path, or the one of a benchmark with a known name."""
    if Path(name).exists():
        return open_graph(name)
    if name not in known:
        raise UnknownName(
            f"{name} is no graph on this machine and none of {', '.join(known)}: make one with `clew build`"
        )
    return bench_graph(name, data, progress)


def named_graph(name: str, data: Path, progress: Progress) -> "GraphEngine":
    """The graph that a file of unseen questions calls by this name; some are built from the folder `data`."""
    if name in SHARED:
        return bench_graph(name, data, progress)
    remedy = f"say where the graph is with --graph {name}=PATH"
    recipes = load_from_checkout(UNSEEN, what=f"the recipe of the graph {name!r}", remedy=remedy).RECIPES
    if name not in recipes:
        known = ", ".join(sorted((*recipes, *SHARED)))
        raise InputError(f"the questions are put to the graph {name!r}, which is none of {known}: {remedy}")
    recipe = recipes[name]
    return kept_graph(name, recipe.digest(data), lambda out: recipe.build(data, out, progress=progress))


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
