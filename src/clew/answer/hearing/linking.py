"""Which part of a graph's schema the words of a question mean, if any: a type, a relation, an attribute or a column.

Question and schema are read together by one encoder: each part of the schema sees itself and the question, the
question sees everything. Trained on benchmarks/questions/schemas; figures in docs/asking-measured.md.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.answer.hearing.encoder import BEGIN, END, UNKNOWN, QuestionEncoder, Read, normed
from clew.answer.lexicon.forms import plain_name, word_table
from clew.answer.names.meanings import Meaning
from clew.answer.sketch.sketch import Word
from clew.answer.values.attributes import Attribute
from clew.graph.encode import UNTYPED
from clew.store.layout import NAMESPACE, Relationship, StoreSchema

__all__ = [
    "Has",
    "LinkedQuestion",
    "Meant",
    "SchemaItem",
    "SchemaLinker",
    "kind_of_name",
    "schema_items",
    "written_out",
]

Array = NDArray[np.float32]
Key = TypeVar("Key", bound=Hashable)
Has = Callable[[Meaning, str, bool], bool]
TYPE, RELATION, ATTRIBUTE, COLUMN = range(4)
FIRST_MARK = 2  # pieces that stand before a type, a relation, an attribute, a column: [unused1] to [unused4]
FIRST_PLACE = 200  # where the parts of a schema stand, each in the same place
LONGEST_ITEM = 24  # pieces
LONGEST_CODE = 4  # letters of an abbreviation
SMALL = frozenset(word_table("sketch.json")["small"])
SYNONYMS = "synonyms"  # a column that nobody asks for
REMEMBERED = 8  # questions
MOST_AT_ONCE, MOST_ITEMS = 60, 300  # parts of a schema that are read with a question at a time, and in all


@dataclass(frozen=True, slots=True)
class SchemaItem:
    """A part of a schema: a label, a relationship, an attribute of a label or a column of a relationship."""

    kind: int
    of: str
    key: str
    text: str  # in plain words
    name: str = ""  # of a relation, in the graph


def schema_items(schema: StoreSchema, attributes: Sequence[Attribute]) -> tuple[SchemaItem, ...]:
    """The parts of a schema that words can mean."""
    items = [
        SchemaItem(TYPE, label.name, "", plain_name(label.type)) for label in schema.labels if label.type != UNTYPED
    ]
    untyped = next((label.name for label in schema.labels if label.type == UNTYPED), None)
    stated = [each for each in schema.relationships if not each.negated and each.ends]
    if untyped is not None:  # the names of relations may say what their subjects are
        told = {owner for each in stated if untyped in _commonest(each) and (owner := _owner(each.relation))}
        items += [SchemaItem(TYPE, untyped, "", owner) for owner in sorted(told or {plain_name(UNTYPED)})]
    items += [SchemaItem(RELATION, each.name, "", _said(each, schema), each.relation) for each in stated]
    for each in attributes:
        if each.key == SYNONYMS:
            continue
        kind = {"time": "year" if each.years else "date", "text": "class" if each.values else "text"}
        text = f"{plain_name(schema.type_of(each.label))} {each.title} {kind.get(each.kind, each.kind)}"
        items.append(SchemaItem(ATTRIBUTE, each.label, each.key, text))
    for relation in stated:
        for column in relation.properties:
            name = plain_name(column.column.removeprefix("qualifier:"))
            items.append(SchemaItem(COLUMN, relation.name, column.name, f"{_said(relation, schema)} {name}"))
    return tuple(items[:MOST_ITEMS])


def _said(relation: Relationship, schema: StoreSchema) -> str:
    """A relation between the types that it connects most often: "ship calls at port"."""
    subject, object_ = (plain_name(schema.type_of(label)) for label in _commonest(relation))
    if subject == plain_name(UNTYPED):
        subject = _owner(relation.relation) or subject
    return f"{subject} {plain_name(relation.called)} {object_}"


def _commonest(relation: Relationship) -> tuple[str, str]:
    ends = max(relation.ends, key=lambda pair: pair.count)
    return ends.subject, ends.object


def _owner(relation: str) -> str:
    """What the name of a relation says of its subjects: "people__person__parents" are of a person."""
    parts = [part for part in NAMESPACE.split(relation) if part.strip("_")]
    return plain_name(parts[-2]) if len(parts) > 2 else ""


def written_out(items: Sequence[SchemaItem], words: Sequence[Word]) -> tuple[SchemaItem, ...]:
    """The parts of a schema with abbreviations written out as a question says them: EST as estates."""
    said = [word.text.lower() for word in words if word.name is None and word.text.isalpha()]
    codes = {code for item in items for code in item.text.split() if len(code) <= LONGEST_CODE}
    long = {
        code: next(word for word in said if word.startswith(code) and len(word) > len(code) + 1)
        for code in codes - SMALL - set(said)
        if any(word.startswith(code) and len(word) > len(code) + 1 for word in said)
    }
    return tuple(
        replace(item, text=" ".join(long.get(code, code) for code in item.text.split())) if long else item
        for item in items
    )


def kind_of_name(name: Meaning, items: Sequence[SchemaItem], has: Has | None) -> str:
    """The type of a name; of one whose type is not stated, what the names of its relations say of their subjects.

    `has` says whether an entity is the subject of a relationship.
    """
    if name.type != UNTYPED or has is None:
        return name.type
    owners = (_owner(item.name) for item in items if item.kind == RELATION and has(name, item.of, True))
    return next((owner for owner in owners if owner), name.type)


@dataclass(frozen=True, slots=True)
class Meant:
    """How probable it is that some words mean each part of a schema, or none of them."""

    types: Mapping[str, float]  # by label
    relations: Mapping[str, float]  # by relationship
    attributes: Mapping[tuple[str, str], float]  # by label and key
    columns: Mapping[tuple[str, str], float]  # by relationship and key
    forward: Mapping[str, float]  # that what stands before the words is the subject, by relationship
    none: float

    def likeliest(self) -> tuple[str, str] | None:
        """The relationship, or the label and the key of an attribute, that is likelier than all else together."""
        shares = {**{(name, ""): share for name, share in self.relations.items()}, **self.attributes}
        return next((key for key, share in shares.items() if share > 0.5), None)

    def relation(self, name: str, among: Iterable[str]) -> float:
        """How probable a relationship is among some, or nothing of the graph."""
        return _share(self.relations, name, among, self.none)

    def columns_of(self, relation: str) -> list[float]:
        """How probable each column of a relationship's statements is."""
        return [share for (name, _), share in self.columns.items() if name == relation]

    def attribute(self, key: tuple[str, str], among: Iterable[tuple[str, str]]) -> float:
        """How probable an attribute is among some, or nothing of the graph."""
        return _share(self.attributes, key, among, self.none)

    def column(self, key: tuple[str, str], among: Iterable[tuple[str, str]]) -> float:
        """How probable a column is among some, or nothing of the graph."""
        return _share(self.columns, key, among, self.none)

    def type(self, label: str) -> float:
        """How probable a type is among all, or nothing of the graph."""
        return _share(self.types, label, self.types, self.none)


def _share(shares: Mapping[Key, float], key: Key, among: Iterable[Key], none: float) -> float:
    """Between the share among all and the share among some: what the words mean elsewhere counts, but less."""
    own = shares.get(key, 0.0)
    whole = sum(shares.get(each, 0.0) for each in dict.fromkeys([key, *among])) + none
    return (own + own / whole) / 2 if whole > 0 else 0.0


class SchemaLinker:
    """Reads questions together with schemas; one object serves many threads."""

    def __init__(self, encoder: QuestionEncoder, heads: Mapping[str, Array]) -> None:
        self._encoder, self.heads = encoder, heads
        self._guard = Lock()
        self._remembered: dict[tuple[object, ...], Future[LinkedQuestion]] = {}

    def link(
        self,
        words: Sequence[Word],
        names: Sequence[Meaning],
        items: Sequence[SchemaItem],
        *,
        has: Has | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> "LinkedQuestion":
        """A question whose names, by their numbers, mean these entities, linked with the parts of a schema.

        `has` says whether an entity is the subject of a relationship; `check` raises once there is no time left. What
        was linked last is remembered.
        """
        known = written_out(items, words)
        types = tuple(kind_of_name(each, known, has) for each in names)
        key = (tuple(words), types, known)
        with self._guard:
            promise = self._remembered.get(key)
            mine = promise is None
            if promise is None:
                promise = self._remembered[key] = Future()
                for old in list(self._remembered)[:-REMEMBERED]:
                    del self._remembered[old]
        if mine:
            try:
                promise.set_result(self.read(words, types, known, check=check))
            except BaseException:
                with self._guard:
                    self._remembered.pop(key, None)
                promise.cancel()
                raise
        try:
            return promise.result()
        except CancelledError:  # who read it ran out of time, or was told to stop
            return self.link(words, names, items, has=has, check=check)

    def read(
        self,
        words: Sequence[Word],
        types: Sequence[str],
        items: Sequence[SchemaItem],
        *,
        check: Callable[[], None] = lambda: None,
    ) -> "LinkedQuestion":
        """A question whose names, by their numbers, have these types, linked with the parts of a schema.

        `check` is called before each part of the schema that is read, and ends it in time.
        """
        pieces, places = [BEGIN], list[tuple[int, int]]()
        for word in words:
            said = word.text if word.name is None else f"this {plain_name(types[word.name])}"
            own = self._encoder.pieces(said) or (UNKNOWN,)
            places.append((len(pieces), len(pieces) + len(own)))
            pieces += own
        pieces.append(END)
        parts = [self._part(each) for each in items]
        reads = []
        for first in range(0, max(len(parts), 1), MOST_AT_ONCE):
            check()
            reads.append(self._together(pieces, parts[first : first + MOST_AT_ONCE]))
        return LinkedQuestion(self.heads, tuple(items), places, reads)

    def _part(self, item: SchemaItem) -> list[int]:
        return [FIRST_MARK + item.kind, *self._encoder.pieces(item.text)[:LONGEST_ITEM]]

    def _together(self, question: list[int], parts: Sequence[list[int]]) -> tuple[Array, Array]:
        """The states of a question's pieces, and the mean state of each part of a schema."""
        pieces = [*question, *(piece for part in parts for piece in part)]
        lengths = [len(question), *map(len, parts)]
        places = np.concatenate([np.arange(len(question)), *(FIRST_PLACE + np.arange(len(each)) for each in parts)])
        starts = np.cumsum(lengths)[:-1]
        marks = np.zeros(len(pieces), np.int64)
        marks[starts] = [part[0] - FIRST_MARK + 1 for part in parts]
        kinds = np.repeat([0, 1], [len(question), len(pieces) - len(question)])
        states = self._encoder.read(Read(np.array(pieces), places, kinds, marks, lengths))
        states = normed(states, self.heads["norm.weight"], self.heads["norm.bias"])
        sums = np.add.reduceat(states, starts, axis=0) if parts else np.zeros((0, states.shape[1]), np.float32)
        return states[: len(question)], np.asarray(sums / np.array(lengths[1:], np.float32)[:, None], np.float32)


class LinkedQuestion:
    """A question that was read together with a schema; says what its words mean."""

    def __init__(
        self,
        heads: Mapping[str, Array],
        items: tuple[SchemaItem, ...],
        places: Sequence[tuple[int, int]],
        reads: Sequence[tuple[Array, Array]],
    ) -> None:
        self._heads, self._items, self._places, self._reads = heads, items, places, reads
        self._known: dict[tuple[int, ...], Meant] = {}

    def meant(self, numbers: Sequence[int]) -> Meant:
        """What the words of these numbers mean together."""
        key = tuple(sorted(set(numbers)))
        if key not in self._known:
            self._known[key] = self._meant(key)
        return self._known[key]

    def _meant(self, numbers: tuple[int, ...]) -> Meant:
        heads = self._heads
        pieces = [piece for at in numbers for piece in range(*self._places[at])]
        scores, directions, none = list[float](), list[float](), list[float]()
        for states, means in self._reads:
            phrase = states[pieces].mean(axis=0)
            query = heads["phrase.weight"] @ phrase + heads["phrase.bias"]
            root = np.sqrt(np.float32(len(query)))
            # The query is turned towards the parts, not every part towards the query: one row instead of a matrix.
            raw = means @ (query @ heads["item.weight"]) + heads["item.bias"] @ query
            scores += (raw / root * heads["scale"]).tolist()
            none.append(float(heads["none"] @ query / root + heads["bias"]))
            directions += list(self._directions(phrase, means))
        raised = np.array([*scores, max(none, default=0.0)], np.float64)
        shares = np.exp(raised - raised.max())
        shares /= shares.sum()
        by_kind: list[dict[tuple[str, str], float]] = [{}, {}, {}, {}]
        for item, share in zip(self._items, shares, strict=False):
            found = by_kind[item.kind]
            found[(item.of, item.key)] = found.get((item.of, item.key), 0.0) + float(share)
        forward = {item.of: way for item, way in zip(self._items, directions, strict=True) if item.kind == RELATION}
        types, relations = ({of: share for (of, _), share in each.items()} for each in by_kind[:2])
        return Meant(types, relations, by_kind[ATTRIBUTE], by_kind[COLUMN], forward, float(shares[-1]))

    def _directions(self, phrase: Array, means: Array) -> Iterator[float]:
        weight, bias = self._heads["way.weight"][0], self._heads["way.bias"][0]
        width = len(phrase)
        turned = means @ weight[width : 2 * width] + (means * phrase) @ weight[2 * width :] + phrase @ weight[:width]
        yield from (1 / (1 + np.exp(-(turned + bias)))).tolist()
