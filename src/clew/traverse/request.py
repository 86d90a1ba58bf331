"""Requests to an engine, as records that convert to JSON: snapshot, seeds and walk."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.errors import InputError, UnknownName
from clew.graph.contents import Seeds
from clew.graph.snapshot import Snapshot
from clew.traverse.walk import Walk

__all__ = ["KINDS", "HopRequest", "PathRequest", "as_ends", "check_snapshot"]

KINDS = ("simple", "walks", "shortest")
Ends = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class HopRequest:
    """A request for a hop: the snapshot, the seeds and the walk."""

    snapshot: str
    seeds: Ends
    walk: Walk

    def to_json(self) -> str:
        return json.dumps({"snapshot": self.snapshot, "seeds": list(self.seeds), "walk": self.walk.to_record()})

    @classmethod
    def from_json(cls, text: str | bytes) -> "HopRequest":
        body = _body(text, ("snapshot", "seeds", "walk"))
        return cls(_snapshot(body), _ends(body, "seeds"), Walk.from_record(body["walk"]))


@dataclass(frozen=True, slots=True)
class PathRequest:
    """A request for paths: the snapshot, sources and targets, the walk, the kind and the limit."""

    snapshot: str
    sources: Ends
    targets: Ends
    walk: Walk
    kind: str = "simple"
    limit: int = 100

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownName(f"no kind of path is called {self.kind!r}: known: {', '.join(KINDS)}")
        if isinstance(self.limit, bool) or not isinstance(self.limit, int | np.integer) or self.limit < 0:
            raise InputError(f"limit must be a number of paths, 0 or more, not {self.limit!r}")
        if self.walk.mode != "exact" or self.walk.types is not None:
            raise InputError("paths have neither a mode nor types: use kind=, and through= for intermediate types")

    def to_json(self) -> str:
        ends = {"sources": list(self.sources), "targets": list(self.targets)}
        rest = {"walk": self.walk.to_record(), "kind": self.kind, "limit": int(self.limit)}
        return json.dumps({"snapshot": self.snapshot, **ends, **rest})

    @classmethod
    def from_json(cls, text: str | bytes) -> "PathRequest":
        body = _body(text, ("snapshot", "sources", "targets", "walk", "kind", "limit"))
        sources, targets = _ends(body, "sources"), _ends(body, "targets")
        return cls(_snapshot(body), sources, targets, Walk.from_record(body["walk"]), body["kind"], body["limit"])


def as_ends(seeds: Seeds) -> Ends:
    """Seeds as a request holds them; the engine that resolves them refuses what is not a seed."""
    if isinstance(seeds, np.ndarray):
        return tuple(seeds.reshape(-1).tolist())
    if isinstance(seeds, str | int | np.integer):
        return (seeds if isinstance(seeds, str | bool) else int(seeds),)
    return tuple(int(each) if isinstance(each, np.integer) else each for each in seeds)


def check_snapshot(requested: str, snapshot: Snapshot) -> None:
    """Refuse a request for another snapshot."""
    if requested != snapshot.id:
        raise InputError(f"the request is for snapshot {requested}, but {snapshot} is snapshot {snapshot.id}")


def _body(text: str | bytes, names: tuple[str, ...]) -> Mapping[str, Any]:
    try:
        body = json.loads(text)
    except ValueError as error:
        raise InputError(f"a request is a JSON object with {', '.join(names)}: {error}") from error
    if not isinstance(body, dict) or set(body) != set(names) or not isinstance(body["walk"], dict):
        raise InputError(f"a request is a JSON object with {', '.join(names)}, and walk an object of options")
    return body


def _snapshot(body: Mapping[str, Any]) -> str:
    if not isinstance(body["snapshot"], str):
        raise InputError(f"snapshot must be the id of a snapshot, not {body['snapshot']!r}")
    return str(body["snapshot"])


def _ends(body: Mapping[str, Any], name: str) -> Ends:
    listed = body[name]
    if not isinstance(listed, list) or not all(type(each) in (int, str) for each in listed):
        raise InputError(f"{name} must be a list of entity numbers, ids and names, not {listed!r}")
    return tuple(listed)
