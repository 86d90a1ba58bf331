"""Seeds into entity numbers: a number is one already, a string is an exact id, then an exact name.

Ids are looked up together. Whatever is unknown or ambiguous is an error that lists close matches; nothing is dropped.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import AmbiguousName, UnknownName
from clew.graph.model import Graph

__all__ = ["distinct", "resolve_seeds"]

Ints = NDArray[np.integer]
DENSE = 16  # if one number in 16 may occur, numbers are marked and not sorted


def resolve_seeds(graph: Graph, seeds: int | str | Iterable[int | str] | Ints) -> Ints:
    """The entity of each seed, in the order given."""
    if isinstance(seeds, np.ndarray) and seeds.dtype.kind in "iu":
        numbers = seeds.reshape(-1)
    else:
        listed = [seeds] if isinstance(seeds, str | int | np.integer) else list(seeds)
        kinds = set(map(type, listed))
        if kinds == {str}:
            numbers = _entities(graph, listed)  # type: ignore[arg-type]
        elif str in kinds:
            numbers = _mixed(graph, listed)
        else:
            numbers = _numbers(graph, listed)
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= graph.entity_count):
        odd = numbers[(numbers < 0) | (numbers >= graph.entity_count)][0]
        raise UnknownName(f"no entity has the number {odd}: {_range(graph)}")
    return numbers.astype(graph.manifest.widths.entity, copy=False)


def distinct(numbers: Ints, *, below: int | None = None) -> Ints:
    """Sorted and without repeats; many numbers `below` a known limit are marked, which is faster than sorting.

    np.unique would import more of NumPy than a small hop should wait for.
    """
    if below is not None and len(numbers) * DENSE >= below:
        marked = np.zeros(below, bool)
        marked[numbers] = True
        return np.flatnonzero(marked)
    numbers = np.sort(numbers, axis=None)
    first = np.ones(len(numbers), bool)
    first[1:] = numbers[1:] != numbers[:-1]
    return numbers[first]


def _numbers(graph: Graph, listed: list[Any]) -> Ints:
    if not all(isinstance(seed, int | np.integer) and not isinstance(seed, bool) for seed in listed):
        odd = next(seed for seed in listed if not isinstance(seed, int | np.integer) or isinstance(seed, bool))
        raise UnknownName(f"a seed is an entity's number, id or name, not {odd!r}")
    try:
        return np.array(listed, np.int64)
    except OverflowError:
        largest = max((int(seed) for seed in listed), key=abs)
        raise UnknownName(f"no entity has the number {largest}: {_range(graph)}") from None


def _mixed(graph: Graph, listed: list[Any]) -> Ints:
    texts = [seed for seed in listed if isinstance(seed, str)]
    found = iter(_entities(graph, texts).tolist())
    return _numbers(graph, [next(found) if isinstance(seed, str) else seed for seed in listed])


def _entities(graph: Graph, texts: list[str]) -> Ints:
    numbers = graph.names.lookup(texts)
    for at in np.flatnonzero(numbers < 0).tolist():
        numbers[at] = _named(graph, texts[at])
    return numbers


def _named(graph: Graph, name: str) -> int:
    """The one entity of that name."""
    named = graph.names.by_name(name)
    if len(named) == 1:
        return named[0]
    if named:
        ids = tuple(graph.entities["id"][entity].as_py() for entity in named)
        shown = ", ".join(ids[:8]) + (" …" if len(ids) > 8 else "")
        raise AmbiguousName(f"{len(ids)} entities are called {name!r}: pass one of the ids {shown}", candidates=ids)
    close = graph.names.close(name)
    offer = f"did you mean {' or '.join(close)}?" if close else "try `clew find`"
    raise UnknownName(f"no entity has the id or name {name!r}; {offer}", close=close)


def _range(graph: Graph) -> str:
    last = graph.entity_count - 1
    return f"this graph numbers its entities 0 to {last}" if graph.entity_count else "this graph is empty"
