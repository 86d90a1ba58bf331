"""What every strategy answers with: the items, the text, the evidence, and how it all came about.

The complete distinct answer up to the row cap is in `items`; only displays shorten it. Evidence is attached by the
system, never written by a model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from clew.graph import Assertion

__all__ = [
    "Alternative",
    "Ambiguity",
    "Answer",
    "BoundWord",
    "Cell",
    "Cited",
    "Evidence",
    "Item",
    "Sense",
    "Support",
    "Usage",
]

SURE, DOUBTFUL = 0.8, 0.74  # confidence from which an answer is sure, and below which it is doubtful (docs/reading.md)


@dataclass(frozen=True, slots=True)
class Cell:
    """What a further column says of an item: a value, or an entity, which has an id."""

    column: str  # as people call it: fee, film
    name: str
    id: str = ""

    def __str__(self) -> str:
        return self.name if self.id else f"{self.column} {self.name}"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of the answer: an entity or a value, perhaps with a number or a day that goes with it."""

    id: str
    name: str
    type: str
    number: int | float | None = None
    value: str | None = None  # what it is sorted by, where that is no number
    beside: tuple[tuple[Cell, ...], ...] = ()  # what else was asked for, row by row

    def column(self, at: int) -> str:
        """What a further column says of it, by its place."""
        return "; ".join(dict.fromkeys(row[at].name for row in self.beside))


@dataclass(frozen=True, slots=True)
class Cited:
    """A triple that supports an answer, with its assertions."""

    triple: int
    subject: str  # ids
    relation: str
    object: str
    subject_name: str
    object_name: str
    assertions: tuple[Assertion, ...]

    def __str__(self) -> str:
        return f"{self.subject_name} --{self.relation}--> {self.object_name}"


@dataclass(frozen=True, slots=True)
class Support:
    """One way in which an item answers: what fills the slots of the plan, and the triples between them."""

    item: str | None  # id; None where the answer is a number or a yes
    slots: Mapping[str, str]  # slot → id
    triples: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The subgraph that supports an answer. `complete`: every item shown has its support here."""

    triples: tuple[Cited, ...] = ()
    supports: tuple[Support, ...] = ()
    complete: bool = True

    @property
    def documents(self) -> tuple[str, ...]:
        """Everything cited: PMIDs, URLs and other references, each once."""
        cited = (each for triple in self.triples for assertion in triple.assertions for each in assertion.evidence)
        return tuple(dict.fromkeys(cited))

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that state these triples, each once."""
        stated = (each.source for triple in self.triples for each in triple.assertions)
        return tuple(dict.fromkeys(filter(None, stated)))


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answer cost."""

    calls: int = 0  # of a language model
    prompt_tokens: int = 0
    completion_tokens: int = 0
    understanding: float = 0.0  # seconds
    execution: float = 0.0
    text: float = 0.0

    @property
    def seconds(self) -> float:
        return self.understanding + self.execution + self.text

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(Usage)))


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another interpretation of the question, less likely than the one that was answered."""

    query: str
    score: float
    interpretation: str


@dataclass(frozen=True, slots=True)
class Sense:
    """One entity that a name may mean."""

    id: str
    name: str
    type: str

    def __str__(self) -> str:
        return f"{self.name} ({self.type}, {self.id})"


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A name of the question that may mean several entities; `chosen` is None where none was sure enough."""

    text: str
    chosen: Sense | None
    others: tuple[Sense, ...]


@dataclass(frozen=True, slots=True)
class BoundWord:
    """Words of the question and the part of the plan that they stand for: a name, a type, a relation, a number, …"""

    text: str
    part: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its evidence; `abstained` is the reason where there is none."""

    question: str
    kind: str = "list"  # list, count, top, aggregate, value, exists, path, difference
    text: str = ""
    items: tuple[Item, ...] = ()
    value: int | float | bool | None = None  # the number or the yes or no that was asked for
    total: int = 0
    truncated: bool = False
    evidence: Evidence = field(default_factory=Evidence)
    query: str = ""
    named: tuple[str, ...] = ()  # ids of the entities the question names
    interpretation: tuple[str, ...] = ()
    bindings: tuple[BoundWord, ...] = ()  # what the words of the question stand for
    unrecognised: tuple[str, ...] = ()  # words of the question that were ignored
    repairs: tuple[str, ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    decided: str | None = None  # what a language model did, if one took part in the interpretation
    trace: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    confidence: float = 0.0  # the probability that the question was read rightly
    signs: Mapping[str, float] = field(default_factory=dict)  # what the confidence is made of
    uncovered: str = ""  # which years, days or texts of the question the graph records nothing of
    late: str = ""  # that a language model ran out of time, what that means for the answer, and what to do
    abstained: str | None = None
    suggestions: tuple[str, ...] = ()  # which strategies could try a question that was declined, and their cost

    @property
    def certainty(self) -> str:
        """In a word: sure, likely or doubtful. An answer that left words of the question out is not sure."""
        if self.confidence < DOUBTFUL:
            return "doubtful"
        return "sure" if self.confidence >= SURE and not self.unrecognised else "likely"
