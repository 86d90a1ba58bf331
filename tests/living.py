"""The life of a graph written down a second time in plain Python: a dict of entities and a set of rows.

It shares no code with the package; `check` compares it with a graph on disk, part by part.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa

import clew
from clew.graph import Relation, read_entities, read_triples
from clew.graph.readers import stage
from clew.graph.staging import Problems
from clew.graph.updates.update import Changes, update_graph
from graphs import RELATIONS, TYPES, keywords
from oracle import Filter, Oracle, RawGraph, Row

__all__ = ["Change", "Model", "Stated", "as_table", "build", "check", "drawn_change", "drawn_model", "update"]

FLAGS = [Relation("resembles", symmetric=True), Relation("lacks", negated=True)]

COLUMNS = ("subject", "relation", "object", "source", "agent_type", "knowledge_level", "document")
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Stated(Row):
    """A row with its document."""

    document: str | None = None

    @property
    def key(self) -> Key:
        return self.subject, self.relation, self.object


@dataclass
class Model:
    """Entities with name and type, and what is stated."""

    entities: dict[str, tuple[str, str]] = field(default_factory=dict)  # id → name, type
    rows: set[Stated] = field(default_factory=set)
    symmetric: frozenset[str] = frozenset({"resembles"})
    negated: frozenset[str] = frozenset({"lacks"})

    def turned(self, row: Stated) -> Stated:
        if row.relation in self.symmetric and row.subject.encode() > row.object.encode():
            return replace(row, subject=row.object, object=row.subject)
        return row

    def add(self, rows: Iterable[Stated], entities: dict[str, tuple[str | None, str | None]]) -> None:
        for each, (name, type_) in entities.items():
            before = self.entities.get(each, (each, "Entity"))
            self.entities[each] = (name or before[0], type_ or before[1])
        self.rows |= {self.turned(row) for row in rows}

    def retract(self, keys: Iterable[tuple[Key, str | None]]) -> None:
        """Withdraw the statements of triples: all, or those of a source."""
        for (subject, relation, object_), source in keys:
            key = self.turned(Stated(subject, relation, object_)).key
            self.rows = {row for row in self.rows if row.key != key or source not in (None, row.source)}

    def retract_document(self, document: str) -> None:
        self.rows = {row for row in self.rows if row.document != document}

    def remove(self, entity: str) -> None:
        self.entities.pop(entity, None)
        self.rows = {row for row in self.rows if entity not in (row.subject, row.object)}

    def apply(self, change: "Change") -> None:
        for document in change.documents:
            self.retract_document(document)
        self.retract(change.retract)
        for entity in change.removed:
            self.remove(entity)
        self.add(change.add, change.entities)

    def raw(self) -> RawGraph:
        """For the oracle of walks."""
        types = {each: type_ for each, (_, type_) in self.entities.items()}
        return RawGraph(types, sorted(self.rows, key=str), self.symmetric, self.negated)


@dataclass(frozen=True)
class Change:
    """One update: what it withdraws, then what it adds."""

    add: frozenset[Stated] = frozenset()
    entities: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    retract: tuple[tuple[Key, str | None], ...] = ()
    documents: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def drawn_row(random: Random, ids: Sequence[str]) -> Stated:
    return Stated(
        random.choice(ids),
        random.choice(RELATIONS),
        random.choice(ids),
        source=random.choice("ST"),
        agent_type=random.choice((None, "manual_agent", "text_mining_agent")),
        knowledge_level=random.choice((None, "knowledge_assertion")),
        negated=random.random() < 0.2,
        frequency=random.choice((None, None, "rare")),
        document=random.choice((None, "D:1", "D:2", "D:3")),
    )


def drawn_model(random: Random) -> Model:
    """A small graph to begin with."""
    ids = [f"X:{number}" for number in range(random.randint(1, 9))]
    model = Model()
    rows = {drawn_row(random, ids) for _ in range(random.randint(0, 20))}
    model.add(rows, {each: (f"first {each}", random.choice(TYPES)) for each in ids})
    return model


def drawn_change(random: Random, model: Model) -> Change:
    """An update of any kind: additions, restatements, other names and types, retractions, removed entities."""
    kind = random.choice(("add", "add", "retract", "document", "entity", "mixed"))
    ids, rows = sorted(model.entities), sorted(model.rows, key=str)
    new = [f"Y:{random.randint(0, 30)}" for _ in range(random.randint(0, 3))]
    add: set[Stated] = set()
    entities: dict[str, tuple[str | None, str | None]] = {}
    retract: list[tuple[Key, str | None]] = []
    if kind in ("add", "mixed") and (ids or new):
        add = {drawn_row(random, ids + new) for _ in range(random.randint(0, 6))}
        add |= set(random.sample(rows, min(len(rows), 2)))
        entities = {end: (None, None) for row in add for end in (row.subject, row.object)}
        entities |= {each: (f"other {each}", random.choice(TYPES)) for each in ids if random.random() < 0.1}
        kinds = (None, *TYPES, "Late")
        entities |= {each: (random.choice((None, f"new {each}")), random.choice(kinds)) for each in new}
    if kind in ("retract", "mixed") and rows:
        some = random.sample(rows, min(len(rows), random.randint(1, 3)))
        retract = [(row.key, random.choice((None, row.source))) for row in some]
        retract += [((random.choice(ids), "has", random.choice(ids)), None), (("No:1", "nope", "No:2"), None)]
    documents = (random.choice(("D:1", "D:2", "D:9")),) if kind in ("document", "mixed") else ()
    removed = (*random.sample(ids, min(len(ids), random.randint(1, 2))), "No:3") if kind == "entity" else ()
    return Change(frozenset(add), entities, tuple(retract), documents, removed)


def build(model: Model, path: Path, *, wide: bool = False, partitions: int = 1) -> None:
    """The model as a new graph."""
    entities = _entity_table({each: (name, type_) for each, (name, type_) in model.entities.items()})
    rows = sorted(model.rows, key=str)
    clew.build(
        as_table(rows), entities=entities, relations=FLAGS, out=path, overwrite=True, wide=wide, partitions=partitions
    )


def update(path: Path, change: Change, *, compact: bool | None = False) -> bool:
    """Make a change to a graph; whether that changed anything."""
    problems = Problems("refuse")
    added = withdrawn = None
    if change.add or change.entities:
        entities = _entity_table(change.entities)
        rows = sorted(change.add, key=str)
        added = stage(as_table(rows), entities=entities, relations=FLAGS, problems=problems)
    if change.retract:
        columns = {name: [key[at] for key, _ in change.retract] for at, name in enumerate(COLUMNS[:3])}
        sources = pa.array([source for _, source in change.retract], pa.string())
        withdrawn = stage(pa.table({**columns, "source": sources}), problems=problems)
    changes = Changes(added, withdrawn, change.documents, change.removed)
    return bool(update_graph(path, changes, problems=problems, compact=compact).changes)


def _entity_table(entities: Mapping[str, tuple[str | None, str | None]]) -> pa.Table:
    names, types = ([each[at] for each in entities.values()] for at in (0, 1))
    synonyms = [[f"also {name}"] if name else None for name in names]
    return pa.table(
        {
            "id": pa.array(list(entities), pa.string()),
            "name": pa.array(names, pa.string()),
            "type": pa.array(types, pa.string()),
            "synonyms": pa.array(synonyms, pa.list_(pa.string())),
        }
    )


def as_table(rows: Iterable[Stated]) -> pa.Table:
    """Rows as `clew.build` and `clew.update` take them."""
    listed = list(rows)
    table = {name: pa.array([getattr(row, name) for row in listed], pa.string()) for name in COLUMNS}
    table["negated"] = pa.array([row.negated for row in listed], pa.bool_())
    table["qualifier:frequency"] = pa.array([row.frequency for row in listed], pa.string())
    return pa.table(table)


def state_of(graph: clew.Engine) -> tuple[dict[str, tuple[str, str]], set[Stated]]:
    """What a graph holds, in the words of the model."""
    entities = read_entities(graph, ("id", "name", "type"))
    ids = entities["id"].to_pylist()
    names, types = entities["name"].to_pylist(), entities["type"].to_pylist()
    relations = [relation.name for relation in graph.schema.relations]
    rows = set()
    stated = read_triples(graph, assertions=True).to_pylist()
    for each in stated:
        rows.add(
            Stated(
                ids[each["subject"]],
                relations[each["relation"]],
                ids[each["object"]],
                source=each.get("source"),
                agent_type=each.get("agent_type"),
                knowledge_level=each.get("knowledge_level"),
                negated=bool(each.get("negated")),
                frequency=each.get("qualifier:frequency"),
                document=each.get("document"),
            )
        )
    assert len(rows) == len(stated) == graph.counts["assertions"]
    assert len({row.key for row in rows}) == graph.counts["triples"]
    return dict(zip(ids, zip(names, types, strict=True), strict=True)), rows


def check(path: Path, model: Model, random: Random, *, backend: str = "numpy") -> None:
    """The graph on disk is the model: all that it holds, its schema, names, degrees, and a few walks."""
    graph = clew.open(path, backend=backend, verify=True)
    entities, rows = state_of(graph)
    assert entities == model.entities
    assert rows == model.rows
    assert {name: count for name, count in graph.schema.types.items() if count} == Counter(
        type_ for _, type_ in entities.values()
    )
    assert {each.name: each.triples for each in graph.schema.relations if each.triples} == Counter(
        relation for _, relation, _ in {row.key for row in rows}
    )
    oracle, ids = Oracle(model.raw()), list(entities)
    assert graph.degree(where=clew.Where(negated=True)).tolist() == [oracle.degree()[each] for each in ids]
    assert graph.lookup(ids).tolist() == list(range(len(ids)))
    for each in random.sample(ids, min(3, len(ids))):
        name = entities[each][0]
        assert [ids[number] for number in graph.lookup_name(name)] == [e for e in ids if entities[e][0] == name]
        assert each in {hit.id for hit in graph.find(name, limit=40)}
    for _ in range(4 if ids else 0):
        seeds, k = set(random.sample(ids, min(2, len(ids)))), random.randint(1, 3)
        mode = random.choice(("exact", "within", "shortest"))
        filter = Filter(
            direction=random.choice(("out", "in", "both")),
            with_negated=random.random() < 0.3,
            layer=random.choice(("all", "all", "curated")),
            max_degree=random.choice((None, None, 3)),
        )
        found = graph.hop(sorted(seeds), k, mode=mode, **keywords(filter)).ids
        assert set(graph.describe(found)["id"].to_pylist()) == oracle.hop(seeds, k, mode, filter)
    details = graph.details(np.arange(len(ids)))
    assert details["id"].to_pylist() == ids
