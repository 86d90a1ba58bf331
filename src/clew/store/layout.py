"""How a graph lies in a property graph: labels for types, UPPER_SNAKE names for relations, properties with kinds.

`lay_out` reads a graph and decides; the schema it gives knows the way back from every name. Names are unlike one
another even in lower case and across labels and relationships, because some stores keep them all in one drawer.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import UnknownName
from clew.graph import Graph, Where
from clew.graph.schema import RelationSchema

__all__ = ["LAYOUT_VERSION", "Ends", "Label", "Property", "Relationship", "StoreSchema", "lay_out", "upper_snake"]

LAYOUT_VERSION = 1  # part of a built store's identity: raised whenever the same graph would lie differently
PROVENANCE = (  # columns of assertions that relationships carry, each as a list with one element per assertion
    "source", "document", "evidence", "knowledge_level", "agent_type", "confidence", "negated", "valid_from",
    "valid_to", "license",
)  # fmt: skip
QUALIFIER = "qualifier:"
DENIAL = "NOT_"
UNSPEAKABLE = re.compile(r"[.,*~\x00-\x1f\x7f]")  # no store-independent name can hold these, even in backticks
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Property:
    """A property: its name in Cypher, its kind, and the column of the graph it comes from."""

    name: str
    kind: str  # string, integer, float, boolean; strings, integers, floats, booleans are lists of them
    column: str


@dataclass(frozen=True, slots=True)
class Label:
    """A type of entities as a label."""

    name: str
    type: str
    count: int


@dataclass(frozen=True, slots=True)
class Ends:
    """How many relationships of a name lead from one label to another."""

    subject: str
    object: str
    count: int


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relation as a relationship name; triples that are only denied stand under a name of their own."""

    name: str
    relation: str
    number: int  # of the relation in the graph
    denied: bool  # holds the triples whose every assertion is negated
    negated: bool  # each states that something does not hold: denied, or a relation that says so itself
    symmetric: bool
    ends: tuple[Ends, ...]
    properties: tuple[Property, ...]

    @property
    def count(self) -> int:
        return sum(each.count for each in self.ends)


@dataclass(frozen=True, slots=True)
class StoreSchema:
    """Everything a query can name, and what each name means in the graph it was made from."""

    snapshot: str
    labels: tuple[Label, ...]
    properties: tuple[Property, ...]  # of entities, beside id and name
    relationships: tuple[Relationship, ...]
    _types: dict[str, str] = field(init=False, repr=False, compare=False)
    _named: dict[str, Relationship] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_types", {label.name: label.type for label in self.labels})
        object.__setattr__(self, "_named", {each.name: each for each in self.relationships})

    @property
    def symmetric(self) -> frozenset[str]:
        """Names of relationships that mean the same both ways."""
        return frozenset(each.name for each in self.relationships if each.symmetric)

    @property
    def provenance(self) -> frozenset[str]:
        """Names of the text properties of relationships, each a list with an element for each assertion."""
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
        """The type a label stands for; a label that is not ours is its own type."""
        return self._types.get(label, label)

    def relationship(self, name: str) -> Relationship:
        """What a relationship name stands for."""
        if name in self._named:
            return self._named[name]
        raise UnknownName(f"this graph has no relationship {name!r}; known: {', '.join(self._named)}")

    def names_of(self, relation: str) -> tuple[str, ...]:
        """The relationship names of a relation: the plain one first, then that of its denials."""
        return tuple(each.name for each in self.relationships if each.relation == relation)


def upper_snake(relation: str) -> str:
    """A relation's name as Cypher writes relationship names.

    >>> upper_snake("associated with"), upper_snake("hasPhenotype"), upper_snake("biolink:treats")
    ('ASSOCIATED_WITH', 'HAS_PHENOTYPE', 'BIOLINK_TREATS')
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", relation)
    return re.sub(r"[\W_]+", "_", parted).strip("_").upper() or "RELATION"


def lay_out(graph: Graph) -> StoreSchema:
    """Decide how a graph lies in a property graph."""
    names = _Names()
    labels = tuple(
        Label(names.take(UNSPEAKABLE.sub("_", type)), type, count) for type, count in graph.schema.types.items()
    )
    relationships = tuple(_relationships(graph, labels, names))
    provenance = {each.name for relationship in relationships for each in relationship.properties}
    return StoreSchema(graph.manifest.snapshot, labels, _entity_properties(graph, provenance), relationships)


class _Names:
    """Names given out so far; a second one alike gets a number."""

    def __init__(self, *taken: str) -> None:
        self._taken = {name.lower() for name in taken}

    def take(self, wanted: str) -> str:
        name, number = wanted or "_", 2
        while name.lower() in self._taken:
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name.lower())
        return name


def _entity_properties(graph: Graph, provenance: set[str]) -> tuple[Property, ...]:
    """No property of entities is called like one of relationships, so that a name alone says which is meant."""
    names, properties = _Names("id", "name", *provenance), []
    for column in graph.details([]).schema:
        if column.name != "id":
            name = _property_name(column.name)
            wanted = f"entity_{name}" if name in provenance else name
            properties.append(Property(names.take(wanted), kind_of(column.type), column.name))
    return tuple(properties)


def _property_name(column: str) -> str:
    name = UNSPEAKABLE.sub("_", column)
    return f"p{name}" if name.startswith("_") else name  # names that begin so are Ladybug's own


def kind_of(type: pa.DataType) -> str:
    """The kind of property a column becomes; what no store can hold becomes text."""
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


def _relationships(graph: Graph, labels: tuple[Label, ...], names: _Names) -> Iterator[Relationship]:
    """Plain names first, so that a relation called "not treats" keeps its name and the denials of "treats" give way."""
    denied = ~graph.assertions.passing(Where()) if graph.triple_count else np.zeros(0, bool)
    relation = np.asarray(graph.forward.relation)
    denials = np.bincount(relation[denied], minlength=len(graph.schema.relations))
    columns = _columns_used(graph, denied)
    plain = {each.number: names.take(upper_snake(each.name)) for each in graph.schema.relations}
    for of_denials in (False, True):
        for each in graph.schema.relations:
            count = int(denials[each.number])
            if (count if of_denials else each.triples - count) == 0:
                continue
            name = names.take(DENIAL + upper_snake(each.name)) if of_denials else plain[each.number]
            ends = _ends(graph, each, labels, denied if denials[each.number] else None, of_denials=of_denials)
            used = tuple(columns[each.number, of_denials])
            yield Relationship(
                name, each.name, each.number, of_denials, of_denials or each.negated, each.symmetric, ends, used
            )


def _ends(
    graph: Graph, relation: RelationSchema, labels: tuple[Label, ...], denied: Mask | None, *, of_denials: bool
) -> tuple[Ends, ...]:
    if denied is None:
        named = {label.type: label.name for label in labels}
        return tuple(Ends(named[each.subject], named[each.object], each.triples) for each in relation.signatures)
    triples = np.flatnonzero((graph.forward.relation == relation.number) & (denied == of_denials))
    types = graph.entity_types.astype(np.int64)
    pairs = types[graph.subject_of(triples)] * len(labels) + types[graph.forward.end[triples]]
    found, counts = np.unique(pairs, return_counts=True)
    rows = zip(found.tolist(), counts.tolist(), strict=True)
    return tuple(Ends(labels[pair // len(labels)].name, labels[pair % len(labels)].name, n) for pair, n in rows)


def _columns_used(graph: Graph, denied: Mask) -> dict[tuple[int, bool], list[Property]]:
    """For each relation, plain and denied, the columns of assertions in which anything is said."""
    relations = len(graph.schema.relations)
    used: dict[tuple[int, bool], list[Property]] = {
        (at, of_denials): [] for at in range(relations) for of_denials in (False, True)
    }
    if not graph.triple_count:
        return used
    table = graph.assertions.table
    group = np.repeat(graph.forward.relation.astype(np.int64) * 2 + denied, np.diff(graph.assertions.offsets))
    qualifiers = [column for column in table.column_names if column.startswith(QUALIFIER)]
    names = _Names("triple", *PROVENANCE)
    for column in (*PROVENANCE, *qualifiers):
        if column not in table.column_names or table[column].null_count == len(table):
            continue
        wanted = column if column in PROVENANCE else f"q_{_property_name(column.removeprefix(QUALIFIER))}"
        name = column if column in PROVENANCE else names.take(wanted)
        kind = {"confidence": "floats", "negated": "booleans"}.get(column, "strings")
        said = np.bincount(group[_says_something(table[column])], minlength=2 * relations)
        for at in np.flatnonzero(said).tolist():
            used[at // 2, bool(at % 2)].append(Property(name, kind, column))
    return used


def _says_something(column: pa.ChunkedArray) -> Mask:
    import pyarrow.compute as pc

    if pa.types.is_boolean(column.type):
        said = column.fill_null(False)
    elif pa.types.is_list(column.type):
        said = pc.greater(pc.list_value_length(column), 0).fill_null(False)
    else:
        said = column.is_valid()
    return np.asarray(said.combine_chunks().to_numpy(zero_copy_only=False), bool)
