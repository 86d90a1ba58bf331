"""The content of a drawing: entities in columns, the triples between them, and their sources."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew import Assertion, GraphEngine, Path, Triple

__all__ = [
    "DrawnEntity",
    "DrawnTriple",
    "Scene",
    "Statement",
    "scene_of_paths",
    "scene_of_triples",
    "statement",
    "value_name",
]

CREDIT_ONLY = ("biocuration",)  # qualifiers about the curator, not about the statement


@dataclass(frozen=True, slots=True)
class Statement:
    """One source's assertion of a triple, as text."""

    source: str
    evidence: tuple[str, ...] = ()  # PMIDs, URLs, ids
    details: tuple[tuple[str, str], ...] = ()  # such as ("frequency", "Very frequent")


@dataclass(frozen=True, slots=True)
class DrawnEntity:
    """An entity in a column of the drawing; `role` marks the source and the target."""

    id: str
    name: str
    type: str
    column: int
    role: str = ""  # source, target or empty


@dataclass(frozen=True, slots=True)
class DrawnTriple:
    """A triple between two drawn entities, by their ids."""

    subject: str
    relation: str
    object: str
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything in a drawing."""

    title: str
    description: str
    entities: tuple[DrawnEntity, ...]
    triples: tuple[DrawnTriple, ...]
    credits: tuple[str, ...] = ()


def scene_of_paths(
    engine: "GraphEngine", source: str, target: str, paths: "Sequence[Path]", *, title: str, description: str
) -> Scene:
    """The union of paths from a source to a target, both given by id."""
    triples = {triple.number: triple for path in paths for triple in path.triples}
    column = _columns([path.ids for path in paths], source, target)
    credits = (text for each in engine.snapshot.sources for text in (each.attribution, each.license) if text)
    return Scene(
        title,
        description,
        tuple(_entities(engine, column, source, target)),
        tuple(_drawn(engine, triple) for triple in triples.values()),
        tuple(dict.fromkeys(credits)),
    )


def scene_of_triples(
    engine: "GraphEngine",
    numbers: Iterable[int],
    starts: Sequence[str],
    ends: Sequence[str],
    *,
    title: str,
    description: str,
) -> Scene:
    """A drawing of triples, given by number: `starts` on the left, everything else by distance from them."""
    triples = list(engine.numbered(numbers))
    column = _distances([(triple.subject, triple.object) for triple in triples], starts)
    credits = (text for each in engine.snapshot.sources for text in (each.attribution, each.license) if text)
    roles = {**dict.fromkeys(ends, "target"), **dict.fromkeys(starts, "source")}
    return Scene(
        title,
        description,
        tuple(replace(each, role=roles.get(each.id, "")) for each in _entities(engine, column, "", "")),
        tuple(_drawn(engine, triple) for triple in triples),
        tuple(dict.fromkeys(credits)),
    )


def _distances(joins: Sequence[tuple[str, str]], starts: Sequence[str]) -> dict[str, int]:
    """The distance of each entity from the nearest start; unreachable entities come last."""
    around: dict[str, set[str]] = {}
    for one, other in joins:
        around.setdefault(one, set()).add(other)
        around.setdefault(other, set()).add(one)
    column = {start: 0 for start in starts if start in around} or {one: 0 for one, _ in joins[:1]}
    waiting = list(column)
    for here in waiting:
        for there in sorted(around[here]):
            if there not in column:
                column[there] = column[here] + 1
                waiting.append(there)
    last = max(column.values(), default=0) + 1
    return {each: column.get(each, last) for each in around}


def _drawn(engine: "GraphEngine", triple: "Triple") -> DrawnTriple:
    statements = tuple(statement(engine, assertion) for assertion in engine.assertions(triple.number))
    return DrawnTriple(triple.subject, triple.relation, triple.object, statements)


def _columns(paths: Sequence[Sequence[str]], source: str, target: str) -> dict[str, int]:
    """The column of each entity: its distance from the source, or more if every path then runs left to right."""
    nearest = {source: 0, target: int(source != target)}
    for path in paths:
        for step, passed in enumerate(path):
            nearest[passed] = min(nearest.get(passed, step), step)
    steps = sorted({pair for path in paths for pair in pairwise(path)})
    longest = max(map(len, paths), default=1) - 1
    farthest = dict(nearest)
    for _ in range(longest + 1):
        behind = {end: farthest[start] + 1 for start, end in steps if farthest[end] <= farthest[start]}
        farthest |= behind
        if not behind and max(farthest.values()) <= longest:
            nearest = farthest
    if target != source:
        nearest[target] = max([1, *(at + 1 for each, at in nearest.items() if each not in (source, target))])
    return nearest


def _entities(engine: "GraphEngine", column: dict[str, int], source: str, target: str) -> Iterable[DrawnEntity]:
    ids = list(column)
    numbers = [int(engine.resolve(each)[0]) for each in ids]
    for row in engine.describe(numbers).to_pylist():
        role = "source" if row["id"] == source else "target" if row["id"] == target else ""
        yield DrawnEntity(row["id"], row["name"], row["type"], column[row["id"]], role)


def statement(engine: "GraphEngine", assertion: "Assertion") -> Statement:
    """An assertion as text; values that are entity ids get their names."""
    details: list[tuple[str, str]] = []
    for name, value in sorted((assertion.qualifiers or {}).items()):
        if name not in CREDIT_ONLY:
            details.append((name.replace("_", " "), value_name(engine, value)))
    for name, text in (
        ("document", assertion.document),
        ("valid from", assertion.valid_from and assertion.valid_from.isoformat()),
        ("valid to", assertion.valid_to and assertion.valid_to.isoformat()),
        ("confidence", None if assertion.confidence is None else f"{assertion.confidence:g}"),
        ("agent", assertion.agent_type and assertion.agent_type.replace("_", " ")),
        ("negated", "yes" if assertion.negated else None),
    ):
        if text:
            details.append((name, text))
    source = " ".join(each for each in (assertion.source, assertion.source_version) if each) or "source not stated"
    return Statement(source, assertion.evidence, tuple(details))


def value_name(engine: "GraphEngine", value: str) -> str:
    """The name of the entity with that id, or the value itself."""
    entity = int(engine.lookup([value])[0]) if ":" in value else -1
    if entity < 0:
        return value
    names: Sequence[dict[str, str]] = engine.describe([entity]).to_pylist()
    return f"{names[0]['name']} ({value})"
