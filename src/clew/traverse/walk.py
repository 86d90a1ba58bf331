"""The options of a traversal, declared once: `Walk`, validated as far as possible without a graph.

Python keywords, the command line and remote requests all become a `Walk`; it is hashable and serves as the key of an
engine's plans.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypedDict

import numpy as np

from clew.errors import InputError, UnknownName
from clew.graph import Where
from clew.graph.assertions import DEFAULT

__all__ = [
    "DIRECTIONS",
    "MODES",
    "Names",
    "PathOptions",
    "ReachOptions",
    "Relations",
    "StepOptions",
    "TripleOptions",
    "Walk",
    "WalkOptions",
    "as_walk",
]

MODES = ("exact", "within", "shortest")
DIRECTIONS = ("out", "in", "both")
Names = str | Iterable[str] | None
Relations = str | Iterable[str] | Sequence[Iterable[str] | None] | None
PLAIN = frozenset({str, int, type(None), Where})  # option values that mean the same if they compare equal


class TripleOptions(TypedDict, total=False):
    """Options that select triples."""

    relations: Names  # a name or a set of names; None allows all, an empty set none
    layer: str  # all, curated or no-extracted: short for where=Where(layer=…)
    where: Where | None  # conditions on assertions


class StepOptions(TripleOptions, total=False):
    """Options that select triples and a direction."""

    direction: str  # out, in or both


class PathOptions(TypedDict, total=False):
    """The options of paths."""

    direction: str  # out, in or both
    relations: Relations  # one set for all hops, or a list of k sets (a metapath)
    layer: str
    where: Where | None
    through: Names  # types of intermediate entities, except seeds
    max_degree: int | None  # of intermediate entities, except seeds


class ReachOptions(PathOptions, total=False):
    """The options of distances."""

    types: Names  # of the result


class WalkOptions(ReachOptions, total=False):
    """The options of a hop."""

    mode: str  # exact: reached by walks of k hops; within: distance at most k; shortest: distance exactly k


@dataclass(frozen=True, slots=True)
class Walk:
    """All options of a walk, in normalised form; `WalkOptions` lists the accepted types.

    >>> Walk(2, relations="has").relations
    frozenset({'has'})
    >>> Walk(2, relations=["has"]) == Walk(2, relations={"has"})
    True
    """

    k: int = 1
    mode: str = "exact"
    direction: str = "out"
    relations: frozenset[str] | tuple[frozenset[str] | None, ...] | None = None  # a tuple is a metapath
    types: frozenset[str] | None = None
    through: frozenset[str] | None = None
    max_degree: int | None = None
    where: Where = DEFAULT
    _hash: int = field(init=False, repr=False, compare=False)  # computed once: a walk is looked up at every hop

    def __init__(
        self,
        k: int = 1,
        *,
        mode: str = "exact",
        direction: str = "out",
        relations: Relations = None,
        types: Names = None,
        through: Names = None,
        max_degree: int | None = None,
        layer: str = "all",
        where: Where | None = None,
    ) -> None:
        _check(k, mode, direction, max_degree)
        if where is None:
            where = Where(layer=layer) if layer != "all" else DEFAULT
        elif layer != "all":
            raise InputError("give the layer inside where=Where(layer=…) or as layer=, not both")
        values = {
            "k": int(k),
            "mode": mode,
            "direction": direction,
            "relations": _relations(relations, int(k)),
            "types": _names(types, "types"),
            "through": _names(through, "through"),
            "max_degree": max_degree,
            "where": where,
        }
        for name, value in (*values.items(), ("_hash", hash(tuple(values.values())))):
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return Walk.from_record, (self.to_record(),)  # hashes differ between processes

    @property
    def metapath(self) -> bool:
        """Whether each hop has its own relations."""
        return isinstance(self.relations, tuple)

    def to_record(self) -> dict[str, Any]:
        """The walk as JSON values."""
        relations: Any = self.relations
        relations = [_sorted(each) for each in relations] if isinstance(relations, tuple) else _sorted(relations)
        return {
            "k": self.k,
            "mode": self.mode,
            "direction": self.direction,
            "relations": relations,
            "types": _sorted(self.types),
            "through": _sorted(self.through),
            "max_degree": self.max_degree,
            "where": self.where.to_record(),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Walk":
        """The inverse of `to_record`; missing options have their defaults."""
        given = dict(record)
        known = [name for name in cls.__slots__ if name != "_hash"]
        if unknown := given.keys() - set(known):
            raise InputError(f"a walk has no option {min(unknown)!r}: known: {', '.join(known)}")
        if "where" in given:
            given["where"] = Where.from_record(given["where"])
        return cls(given.pop("k", 1), **given)


def as_walk(k: int | Walk, options: Any) -> Walk:
    """The requested walk, given whole or in keywords; the same keywords give the same object while it is known."""
    if isinstance(k, Walk):
        if options:
            raise InputError(f"give {min(options)} inside the Walk, or k and options in place of a Walk")
        return k
    key = _key(options) if type(k) is int else None
    return Walk(k, **options) if key is None else _known(k, key)


@lru_cache(maxsize=256)
def _known(k: int, options: tuple[tuple[str, Any], ...]) -> Walk:
    return Walk(k, **dict(options))


def _key(options: Mapping[str, Any]) -> tuple[tuple[str, Hashable], ...] | None:
    """Options as a hashable key; None if equal options might not mean the same walk."""
    if not options:
        return ()
    key: list[tuple[str, Hashable]] = []
    for name, value in options.items():
        if isinstance(value, list | tuple | set | frozenset) and all(type(each) is str for each in value):
            key.append((name, frozenset(value)))  # one set for all hops; a metapath holds sets
        elif type(value) in PLAIN:
            key.append((name, value))
        else:
            return None
    return tuple(key)


def _check(k: Any, mode: str, direction: str, max_degree: Any) -> None:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
        raise InputError(f"k must be a number of hops, 0 or more, not {k!r}")
    if mode not in MODES:
        raise UnknownName(f"no mode is called {mode!r}: known: {', '.join(MODES)}")
    if direction not in DIRECTIONS:
        raise UnknownName(f"no direction is called {direction!r}: known: {', '.join(DIRECTIONS)}")
    if max_degree is not None and (isinstance(max_degree, bool) or not isinstance(max_degree, int) or max_degree < 0):
        raise InputError(f"max_degree must be a number of triples, 0 or more, not {max_degree!r}")


def _names(given: Names, option: str) -> frozenset[str] | None:
    if given is None:
        return None
    named = frozenset((given,) if isinstance(given, str) else given)
    if odd := next((each for each in named if not isinstance(each, str)), None):
        raise InputError(f"{option} must be a name or a list of names, not {odd!r}")
    return named


def _relations(given: Relations, k: int) -> frozenset[str] | tuple[frozenset[str] | None, ...] | None:
    if given is None or isinstance(given, str):
        return _names(given, "relations")
    listed = list(given)
    if not any(each is None or (not isinstance(each, str) and isinstance(each, Iterable)) for each in listed):
        return _names(listed, "relations")  # type: ignore[arg-type]
    if isinstance(given, set | frozenset):
        raise InputError("a metapath must be a list of relation sets, one for each hop; a set has no order")
    if len(listed) != k:
        raise InputError(f"a metapath has one relation set for each hop: {len(listed)} were given for k={k}")
    return tuple(_names(each, "relations") for each in listed)


def _sorted(names: frozenset[str] | None) -> list[str] | None:
    return None if names is None else sorted(names)
