"""A graph's schema as shown to a model: types with their fields, relations with their columns, an example of each.

In: a graph. Out: a `ShownSchema`, from which the prompt and the grammar of queries are made. Where only some entities
have a type, the ends of a relation are the types that are stated; the others have the label for untyped entities.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.answer.plans.assertions.shares import named_shares, share_of
from clew.answer.values.attributes import Attribute
from clew.graph import GraphContents, read_triples
from clew.graph.encode import UNTYPED
from clew.store.cypher.write import RESERVED, quote
from clew.store.layout import QUALIFIER, Relationship, StoreSchema

__all__ = ["Field", "Join", "ShownSchema", "show_schema", "variables_of"]

MOST_JOINS = 60  # the most frequent of a large schema: they have to fit into a prompt
MOST_LINES, MOST_FIELDS, MOST_EXAMPLES = 40, 10, 3  # lines of a prompt, fields of a type, examples of a field
LISTED = 300  # texts of a field that queries may mention
LOOKED_AT = 4_000  # statements of a relation whose columns are looked at
LOOKED_AT_NAMES = 40  # entities of a type whose names are looked at
LONGEST = 30  # letters of an example
SOME_NAMES, MORE_NAMES = 2, 4  # names that are shown of a type, and of entities without one, which differ more
NUMBER, YEAR, DAY, SHARE, TEXT = "number", "year", "day", "share", "text"
PATTERNS = {
    YEAR: re.compile(r"(1[0-9]|20)\d\d"),
    NUMBER: re.compile(r"[-+]?\d+(,\d{3})*(\.\d+)?"),
    DAY: re.compile(r"\d{4}-\d{2}(-\d{2})?"),
}
SYNONYMS = "synonyms"
BRACKETS = re.compile(r"[(){}\[\],|]")


@dataclass(frozen=True, slots=True)
class Join:
    """One way in which a relationship joins two labels."""

    subject: str
    relationship: str
    object: str


@dataclass(frozen=True, slots=True)
class Field:
    """A property of entities or a column of statements: its name in queries, its kind, its values or some of them."""

    name: str
    kind: str  # number, year, day, share or text
    examples: tuple[str, ...] = ()
    values: tuple[str, ...] = ()  # all of them, if they are texts and not too many
    ids: Mapping[str, str] = field(default_factory=dict, hash=False)  # of the values that are entities, by their names

    def __str__(self) -> str:
        shown = ", ".join(each[:LONGEST] for each in self.examples[:MOST_EXAMPLES])
        return f"{quote(self.name)} ({shown})" if shown else quote(self.name)


@dataclass(frozen=True, slots=True)
class ShownSchema:
    """What queries may contain: joins, a variable for each label, fields of labels and columns of relationships."""

    joins: tuple[Join, ...]  # the most frequent first
    variables: Mapping[str, str]  # label → variable; further ones of the label end in a number
    fields: Mapping[str, tuple[Field, ...]]  # by label
    columns: Mapping[str, tuple[Field, ...]]  # by relationship
    examples: Mapping[str, tuple[str, str]]  # a subject and an object by relationship
    untyped: str | None = None  # the label of entities without a type
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of some entities by label

    def label_of(self, variable: str) -> str | None:
        """The label a variable stands for."""
        forms = (variable, re.sub(r"\d+$", "", variable))
        return next((label for form in forms for label, name in self.variables.items() if name == form), None)

    def field(self, labels: Iterable[str], name: str) -> Field | None:
        """A property of entities of some labels, with the values of all of them."""
        own = [each for label in labels for each in self.fields.get(label, ()) if each.name == name]
        if not own:
            return None
        texts = dict.fromkeys(value for each in own for value in each.values)
        return replace(own[0], values=tuple(texts) if all(each.values for each in own) else ())

    def column(self, relationships: Iterable[str], name: str) -> Field | None:
        """A column of statements of some relationships."""
        own = (each for relation in relationships for each in self.columns.get(relation, ()))
        return next((each for each in own if each.name == name), None)

    def __str__(self) -> str:
        return self.described()

    def described(self, shown: Callable[[Field], str] = str) -> str:
        """A line for each type that has fields and for each relation, with an example; fields are as `shown`."""
        return "\n".join([*self._types(shown), *self._relations(shown)])

    def described_by_names(self, shown: Callable[[Field], str]) -> str:
        """A line for each type, with names that say what it is even where it is called OG, and for each relation."""
        return "\n".join([*self._named_types(shown), *self._relations(shown, examples=False)])

    def _types(self, shown: Callable[[Field], str]) -> Iterator[str]:
        for label, variable in self.variables.items():
            if self.fields.get(label):
                yield f"{variable}: {self._listed(label, shown)}"

    def _named_types(self, shown: Callable[[Field], str]) -> Iterator[str]:
        joined = {end for join in self.joins for end in (join.subject, join.object)}
        told = [label for label in self.variables if self.fields.get(label) or label in joined]
        for label in told[:MOST_LINES]:
            names, listed = ", ".join(self.names.get(label, ())), self._listed(label, shown)
            if names or listed:
                yield f"{self.variables[label]}{f' ({names})' if names else ''}{f': {listed}' if listed else ''}"

    def _listed(self, label: str, shown: Callable[[Field], str]) -> str:
        return ", ".join(map(shown, self.fields.get(label, ())[:MOST_FIELDS]))

    def _relations(self, shown: Callable[[Field], str], *, examples: bool = True) -> Iterator[str]:
        """A line for each relationship, with all labels at its ends."""
        ends: dict[str, list[Join]] = {}
        for join in self.joins:
            ends.setdefault(join.relationship, []).append(join)
        for name, joins in list(ends.items())[:MOST_LINES]:
            subjects, objects = (
                "|".join(dict.fromkeys(self.variables[getattr(join, end)] for join in joins))
                for end in ("subject", "object")
            )
            columns = ", ".join(map(shown, self.columns.get(name, ())))
            example = " → ".join(each[:LONGEST] for each in self.examples.get(name, ()) if examples)
            said = f" with {columns}" if columns else ""
            yield f"({subjects})-[:{quote(name)}]->({objects}){said}{f', e.g. {example}' if example else ''}"


def show_schema(contents: GraphContents, schema: StoreSchema, attributes: Sequence[Attribute]) -> ShownSchema:
    """The schema of a graph with the kinds of its values, and examples."""
    joins: dict[Join, int] = {}
    for relationship in schema.relationships:
        for join, count in _joins(relationship, schema):
            joins[join] = joins.get(join, 0) + count
    kept = sorted(joins, key=lambda join: -joins[join])[:MOST_JOINS]
    named = dict.fromkeys(join.relationship for join in kept)
    fields: dict[str, list[Field]] = {}
    table = pa.Table.from_batches(list(contents.scan_entities()))
    texts = _texts_of(table)
    columns = {each.name: each.column for each in schema.properties}
    for each in attributes:
        if not each.relation and each.key != SYNONYMS:
            values = texts(schema.type_of(each.label), columns[each.key])
            fields.setdefault(each.label, []).append(_field(each.key, values))
    return ShownSchema(
        tuple(kept),
        variables_of(label.name for label in schema.labels),
        {label: tuple(listed) for label, listed in fields.items()},
        {name: tuple(_columns(contents, schema.relationship(name))) for name in named},
        {name: found for name in named if (found := _example(contents, schema.relationship(name)))},
        _untyped(schema),
        {label.name: tuple(_names(table, label.type)) for label in schema.labels},
    )


def _joins(relationship: Relationship, schema: StoreSchema) -> Iterator[tuple[Join, int]]:
    """The joins of a relationship; where types are sparse every stated subject is joined with every stated object."""
    untyped = _untyped(schema)
    pairs = [(ends.subject, ends.object) for ends in relationship.ends]
    if untyped is not None and any(untyped in pair for pair in pairs):
        stated = [{side for side in sides if side != untyped} or {untyped} for sides in zip(*pairs, strict=True)]
        pairs = sorted(product(*stated))
    counts = {(ends.subject, ends.object): ends.count for ends in relationship.ends}
    for subject, object_ in pairs:
        yield Join(subject, relationship.name, object_), counts.get((subject, object_), 0)


def _untyped(schema: StoreSchema) -> str | None:
    return next((label.name for label in schema.labels if label.type == UNTYPED), None)


def _names(table: pa.Table, type: str) -> Iterator[str]:
    """Names of some entities of a type from all over the graph, rather those without brackets and commas."""
    own = np.flatnonzero(pc.equal(table["type"].cast(pa.string()), type).to_numpy(zero_copy_only=False))
    some = (
        own[np.unique(np.linspace(0, len(own), LOOKED_AT_NAMES, endpoint=False).astype(np.int64))] if len(own) else own
    )
    names = [str(each) for each in table["name"].take(pa.array(some)).to_pylist() if each]
    plain = [each for each in names if len(each) <= LONGEST and not BRACKETS.search(each)]
    number = MORE_NAMES if type == UNTYPED else SOME_NAMES
    kept = plain if len(plain) >= number else names
    for name in dict.fromkeys(kept[len(kept) * at // number] for at in range(number) if kept):
        yield BRACKETS.sub(" ", name)[:LONGEST].strip()


def _texts_of(table: pa.Table):  # type: ignore[no-untyped-def]
    types = table["type"].cast(pa.string()).to_pylist()

    def texts(type: str, column: str) -> list[str]:
        if column not in table.column_names:
            return []
        values = table[column].to_pylist()
        return [str(value) for value, own in zip(values, types, strict=True) if own == type and value is not None]

    return texts


def _field(name: str, texts: Sequence[str]) -> Field:
    distinct = list(dict.fromkeys(texts))
    kind = next((kind for kind, pattern in PATTERNS.items() if texts and all(map(pattern.fullmatch, texts))), TEXT)
    if kind == TEXT and texts and all(share_of(text) is not None for text in distinct):
        kind = SHARE
        distinct.sort(key=lambda text: text in named_shares())  # a fraction or a percentage first
    few = kind == TEXT and len(distinct) <= LISTED
    return Field(name, kind, tuple(distinct[: 1 if kind != TEXT else MOST_EXAMPLES]), tuple(distinct) if few else ())


def _columns(contents: GraphContents, relationship: Relationship) -> Iterator[Field]:
    own = [each for each in relationship.properties if each.column.startswith(QUALIFIER)]
    if not own:
        return
    rows = read_triples(contents, relations=[relationship.relation], assertions=[each.column for each in own])
    some = np.unique(np.linspace(0, rows.num_rows - 1, min(rows.num_rows, LOOKED_AT)).astype(np.int64))
    for each in own:
        values = rows[each.column].take(pa.array(some)).to_pylist()
        yield _named(_field(each.name, [str(value) for value in values if value is not None]), contents)


def _named(field: Field, contents: GraphContents) -> Field:
    """A field whose values are entities, with the names of these."""
    if field.kind != TEXT or not field.values:
        return field
    known = contents.lookup(list(field.values))
    if (known < 0).any():
        return field
    names = contents.describe(known)["name"].to_pylist()
    return Field(
        field.name, TEXT, tuple(names[:MOST_EXAMPLES]), tuple(names), dict(zip(names, field.values, strict=True))
    )


def _example(contents: GraphContents, relationship: Relationship) -> tuple[str, str] | None:
    numbers = read_triples(contents, relations=[relationship.relation])["number"].to_numpy()
    if not len(numbers):
        return None
    ends = contents.triple_columns(numbers[len(numbers) // 2 : len(numbers) // 2 + 1])
    subject, object_ = (str(contents.describe(each)["name"][0].as_py()) for each in (ends.subject, ends.object))
    return subject, object_


def variables_of(labels: Iterable[str]) -> dict[str, str]:
    """A distinct word for each label, which is no keyword and does not end in a digit."""
    found: dict[str, str] = {}
    for label in labels:
        word = re.sub(r"[^a-z0-9_]", "", label.lower())
        if not word or word in RESERVED or word[0].isdigit() or word in ("a", "b", "r", "path", "number"):
            word = f"the{word}"
        if word[-1].isdigit():
            word = f"{word}x"
        while word in found.values():
            word = f"{word}x"
        found[label] = word
    return found
