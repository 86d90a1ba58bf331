"""The property-graph schema of a graph: labels for types, UPPER_SNAKE names for relations, typed properties.

`lay_out` derives the schema from a graph; every name in it maps back to the graph. Names are unique ignoring case and
across labels and relationships, because some stores keep them in one namespace.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import UnknownName
from clew.graph import GraphContents, TripleColumns, Where, read_triples
from clew.graph.schema import RelationSchema
from clew.graph.storage.arrays import numbers_of

__all__ = [
    "LAYOUT_VERSION",
    "NAMESPACE",
    "Label",
    "LabelPair",
    "Property",
    "Relationship",
    "StoreSchema",
    "lay_out",
    "upper_snake",
]

LAYOUT_VERSION = 1  # part of a store's identity: incremented whenever the same graph would be laid out differently
PROVENANCE = (  # assertion columns stored on relationships, each as a list with one element per assertion
    "source", "document", "evidence", "knowledge_level", "agent_type", "confidence", "negated", "valid_from",
    "valid_to", "license",
)  # fmt: skip
QUALIFIER = "qualifier:"
REMEMBERED = 10_000  # names of relations, types and columns in other spellings
NEGATED_PREFIX = "NOT_"
ILLEGAL = re.compile(r"[.,*~\x00-\x1f\x7f]")  # not allowed in names on every store, even in backticks
Mask = NDArray[np.bool_]

NAMESPACE = re.compile(r"__|/|\.(?=[A-Za-z])|:")  # between the parts of people__person__parents
PREPOSITIONS = frozenset({"of", "in", "on", "at", "by", "for", "from", "to", "with", "into", "under"})


@dataclass(frozen=True, slots=True)
class Property:
    """A property: its name in Cypher, its kind, and its column in the graph."""

    name: str
    kind: str  # string, integer, float or boolean; strings, integers, floats and booleans are lists
    column: str


@dataclass(frozen=True, slots=True)
class Label:
    """An entity type as a label."""

    name: str
    type: str
    count: int


@dataclass(frozen=True, slots=True)
class LabelPair:
    """The number of relationships of a name from one label to another."""

    subject: str
    object: str
    count: int


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relation as a relationship name; triples with only negated assertions get a separate name."""

    name: str
    relation: str
    number: int  # of the relation in the graph's schema
    negated_only: bool  # the triples whose assertions are all negated
    negated: bool  # states an absence: `negated_only`, or a relation that is negated itself
    symmetric: bool
    ends: tuple[LabelPair, ...]
    properties: tuple[Property, ...]
    called: str = ""  # the relation without a type at its end: person.directs of person.directs.production

    def __post_init__(self) -> None:
        object.__setattr__(self, "called", self.called or self.relation)

    @property
    def count(self) -> int:
        return sum(each.count for each in self.ends)


@dataclass(frozen=True, slots=True)
class StoreSchema:
    """The names that a query can use, and what each stands for in the graph."""

    snapshot: str
    labels: tuple[Label, ...]
    properties: tuple[Property, ...]  # of entities, besides id and name
    relationships: tuple[Relationship, ...]
    _types: dict[str, str] = field(init=False, repr=False, compare=False)
    _named: dict[str, Relationship] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_types", {label.name: label.type for label in self.labels})
        object.__setattr__(self, "_named", {each.name: each for each in self.relationships})

    @property
    def symmetric(self) -> frozenset[str]:
        """Names of symmetric relationships."""
        return frozenset(each.name for each in self.relationships if each.symmetric)

    @property
    def provenance(self) -> frozenset[str]:
        """Names of the text properties of relationships, each a list with one element per assertion."""
        listed = (each for relationship in self.relationships for each in relationship.properties)
        return frozenset(each.name for each in listed if each.kind == "strings")

    @property
    def entity_count(self) -> int:
        return sum(label.count for label in self.labels)

    @property
    def relationship_count(self) -> int:
        return sum(each.count for each in self.relationships)

    def label_of(self, type: str) -> str:
        """The label of a type."""
        for label in self.labels:
            if label.type == type:
                return label.name
        raise UnknownName(f"this graph has no type {type!r}; known: {', '.join(each.type for each in self.labels)}")

    def type_of(self, label: str) -> str:
        """The type of a label; an unknown label is returned as it is."""
        return self._types.get(label, label)

    def relationship(self, name: str) -> Relationship:
        """The relationship of that name."""
        if name in self._named:
            return self._named[name]
        raise UnknownName(f"this graph has no relationship {name!r}; known: {', '.join(self._named)}")

    def names_of(self, relation: str) -> tuple[str, ...]:
        """The relationship names of a relation: first the affirmed triples, then the negated ones."""
        return tuple(each.name for each in self.relationships if each.relation == relation)


@lru_cache(REMEMBERED)
def upper_snake(relation: str) -> str:
    """A relation's name in Cypher's style for relationships.

    >>> upper_snake("associated with"), upper_snake("hasPhenotype"), upper_snake("biolink:treats")
    ('ASSOCIATED_WITH', 'HAS_PHENOTYPE', 'BIOLINK_TREATS')
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", relation)
    return re.sub(r"[\W_]+", "_", parted).strip("_").upper() or "RELATION"


def lay_out(contents: GraphContents) -> StoreSchema:
    """Derive the property-graph schema of a graph."""
    names = _Names()
    labels = tuple(
        Label(names.take(ILLEGAL.sub("_", type)), type, count) for type, count in contents.schema.types.items()
    )
    relationships = tuple(_relationships(contents, labels, names))
    provenance = {each.name for relationship in relationships for each in relationship.properties}
    return StoreSchema(contents.snapshot.id, labels, _entity_properties(contents, provenance), relationships)


class _Names:
    """The names in use; a duplicate gets a number."""

    def __init__(self, *taken: str) -> None:
        self._taken = {name.lower() for name in taken}

    def take(self, wanted: str) -> str:
        name, number = wanted or "_", 2
        while name.lower() in self._taken:
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name.lower())
        return name


def _entity_properties(contents: GraphContents, provenance: set[str]) -> tuple[Property, ...]:
    """Entity properties never share a name with relationship properties, so the name alone identifies a property."""
    names, properties = _Names("id", "name", *provenance), []
    for column in contents.details([]).schema:
        if column.name != "id":
            name = _property_name(column.name)
            wanted = f"entity_{name}" if name in provenance else name
            properties.append(Property(names.take(wanted), kind_of(column.type), column.name))
    return tuple(properties)


def _property_name(column: str) -> str:
    name = ILLEGAL.sub("_", column)
    return f"p{name}" if name.startswith("_") else name  # a leading underscore is reserved by Ladybug


def kind_of(type: pa.DataType) -> str:
    """The property kind of a column; types that no store supports become text."""
    if pa.types.is_dictionary(type):
        return kind_of(type.value_type)
    if pa.types.is_list(type) or pa.types.is_large_list(type):
        inner = kind_of(type.value_type)
        return "string" if inner.endswith("s") else f"{inner}s"
    if pa.types.is_boolean(type):
        return "boolean"
    if pa.types.is_integer(type) and type != pa.uint64():
        return "integer"
    return "float" if pa.types.is_floating(type) else "string"


def _relationships(contents: GraphContents, labels: tuple[Label, ...], names: _Names) -> Iterator[Relationship]:
    """Affirmed names first, so that a relation called "not treats" keeps its name and negated "treats" gives way."""
    triples = contents.triple_columns()
    negated = np.ones(contents.counts["triples"], bool)
    negated[numbers_of(read_triples(contents, where=Where())["number"].combine_chunks())] = False
    negated_counts = np.bincount(triples.relation[negated], minlength=len(contents.schema.relations))
    columns = _columns_used(contents, triples, negated)
    plain = {each.number: names.take(upper_snake(each.name)) for each in contents.schema.relations}
    types = {label.name: label.type for label in labels}
    owners = {parts[0] for each in contents.schema.relations if len(parts := NAMESPACE.split(each.name)) > 1}
    for negated_only in (False, True):
        for each in contents.schema.relations:
            count = int(negated_counts[each.number])
            if (count if negated_only else each.triples - count) == 0:
                continue
            name = names.take(NEGATED_PREFIX + upper_snake(each.name)) if negated_only else plain[each.number]
            chosen = (
                (triples.relation == each.number) & (negated == negated_only) if negated_counts[each.number] else None
            )
            ends = _ends(contents, each, labels, triples, chosen)
            used = tuple(columns[each.number, negated_only])
            negates = negated_only or each.negated
            said = _called(each.name, {types[end] for pair in ends for end in (pair.subject, pair.object)} | owners)
            yield Relationship(name, each.name, each.number, negated_only, negates, each.symmetric, ends, used, said)


def _called(relation: str, things: Collection[str]) -> str:
    """A relation of several parts without the last, where that only says what the relation leads to; a preposition at
    its end belongs to the part before.

    >>> _called("person.directs.production", {"production"}), _called("aid.part.of", ())
    ('person.directs', 'aid.part_of')
    """
    between, parts = NAMESPACE.findall(relation), NAMESPACE.split(relation)
    if len(parts) > 2 and upper_snake(parts[-1]) in map(upper_snake, things):
        return relation.removesuffix(f"{between[-1]}{parts[-1]}")
    if len(parts) > 1 and parts[-1].lower() in PREPOSITIONS and parts[-2]:
        return f"{relation.removesuffix(between[-1] + parts[-1])}_{parts[-1]}"
    return relation


def _ends(
    contents: GraphContents,
    relation: RelationSchema,
    labels: tuple[Label, ...],
    triples: TripleColumns,
    chosen: Mask | None,
) -> tuple[LabelPair, ...]:
    if chosen is None:
        named = {label.type: label.name for label in labels}
        return tuple(LabelPair(named[each.subject], named[each.object], each.triples) for each in relation.signatures)
    types = contents.types_of().astype(np.int64)
    pairs = types[triples.subject[chosen]] * len(labels) + types[triples.object[chosen]]
    found, counts = np.unique(pairs, return_counts=True)
    rows = zip(found.tolist(), counts.tolist(), strict=True)
    return tuple(LabelPair(labels[pair // len(labels)].name, labels[pair % len(labels)].name, n) for pair, n in rows)


def _columns_used(
    contents: GraphContents, triples: TripleColumns, negated: Mask
) -> dict[tuple[int, bool], list[Property]]:
    """For each relation, affirmed and negated, the assertion columns that have values."""
    relations = len(contents.schema.relations)
    used: dict[tuple[int, bool], list[Property]] = {
        (at, negated_only): [] for at in range(relations) for negated_only in (False, True)
    }
    if not len(negated):
        return used
    table = read_triples(contents, assertions=True)
    group = (triples.relation.astype(np.int64) * 2 + negated)[numbers_of(table["number"].combine_chunks())]
    qualifiers = [column for column in table.column_names if column.startswith(QUALIFIER)]
    names = _Names("triple", *PROVENANCE)
    for column in (*PROVENANCE, *qualifiers):
        if column not in table.column_names or table[column].null_count == len(table):
            continue
        wanted = column if column in PROVENANCE else f"q_{_property_name(column.removeprefix(QUALIFIER))}"
        name = column if column in PROVENANCE else names.take(wanted)
        kind = {"confidence": "floats", "negated": "booleans"}.get(column, "strings")
        said = np.bincount(group[_with_value(table[column])], minlength=2 * relations)
        for at in np.flatnonzero(said).tolist():
            used[at // 2, bool(at % 2)].append(Property(name, kind, column))
    return used


def _with_value(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """The rows that have a value in a column."""
    import pyarrow.compute as pc

    if pa.types.is_boolean(column.type):
        said = column
    elif pa.types.is_list(column.type):
        said = pc.list_value_length(column)
    else:
        said = column.is_valid()
    return numbers_of(pc.indices_nonzero(said)).astype(np.int64)  # `to_numpy` would import pandas
