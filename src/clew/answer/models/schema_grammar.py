"""The queries a graph can answer, as a grammar: a model that writes under it can name only what the graph has.

Labels, relationships with their ends, variables and the placeholders of what a question names all come from closed
lists; patterns are bounded; nothing that writes can be said. In: a schema and placeholders. Out: GBNF.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clew.answer.plans.plan import PATH_LENGTH
from clew.lm import literal
from clew.store.cypher.write import RESERVED, quote, quote_text
from clew.store.layout import StoreSchema

__all__ = ["Join", "Placeholder", "Vocabulary", "query_grammar", "vocabulary_of"]

MOST_JOINS = 60  # of a large schema the most frequent ones: a prompt has to hold them
HOPS, PATTERNS, CONDITIONS = 3, 3, 3
WANTED = {  # what is returned, by operation
    "list": "listed",
    "count": "counted",
    "top": "ranked",
    "exists": '"count(*) > 0" | "count(*) = 0"',
}
NUMERIC, TEXTUAL = ("integer", "float"), ("string",)


@dataclass(frozen=True, slots=True)
class Join:
    """One way in which a relationship joins two labels."""

    subject: str
    relationship: str
    object: str

    def __str__(self) -> str:
        return f"(:{quote(self.subject)})-[:{quote(self.relationship)}]->(:{quote(self.object)})"


@dataclass(frozen=True, slots=True)
class Placeholder:
    """An entity that a question names, as a query mentions it: $disease1 for Marfan syndrome, a Disease."""

    name: str
    label: str
    text: str

    def __str__(self) -> str:
        return f"${self.name} = {self.text} ({self.label})"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What queries may contain: joins, a variable for each label, and properties with their kinds."""

    joins: tuple[Join, ...]
    variables: dict[str, str]  # label → variable; further ones of the label have 2 and 3 behind it
    properties: dict[str, str]  # of entities: name → kind

    def label_of(self, variable: str) -> str | None:
        """The label a variable stands for."""
        return next((label for label, name in self.variables.items() if re.fullmatch(f"{name}[23]?", variable)), None)


def vocabulary_of(schema: StoreSchema) -> Vocabulary:
    """The vocabulary of a schema, the most frequent joins first."""
    joins = {Join(end.subject, each.name, end.object): end.count for each in schema.relationships for end in each.ends}
    kept = sorted(joins, key=lambda join: -joins[join])[:MOST_JOINS]
    properties = {"name": "string", **{each.name: each.kind for each in schema.properties}}
    return Vocabulary(tuple(kept), _variables(label.name for label in schema.labels), properties)


def _variables(labels: Iterable[str]) -> dict[str, str]:
    """A word for each label that is no keyword, like no other and does not end in a digit."""
    found: dict[str, str] = {}
    for label in labels:
        word = re.sub(r"[^a-z0-9]", "", label.lower())
        if not word or word in RESERVED or word[0].isdigit() or word in ("a", "b", "path", "number"):
            word = f"the{word}"
        if word[-1].isdigit():
            word = f"{word}x"
        while word in found.values():
            word = f"{word}x"
        found[label] = word
    return found


def query_grammar(
    vocabulary: Vocabulary,
    placeholders: Sequence[Placeholder],
    *,
    hops: int = HOPS,
    values: Sequence[str] = (),
    operation: str | None = None,
    asked: Sequence[str] = (),
    denying: bool = True,
) -> str:
    """The grammar of queries that say no more than a plan can.

    `values` are texts and numbers of the question. Only what the `operation` wants can be returned (anything: None), of
    the labels that are `asked` for (any: none), and only where something is denied can a pattern be absent.

    >>> small = Vocabulary((Join("Gene", "CAUSES", "Disease"),), {"Gene": "gene", "Disease": "disease"}, {})
    >>> print(query_grammar(small, [Placeholder("disease1", "Disease", "Gout")], hops=1).splitlines()[0])
    root ::= "MATCH " (pattern (", " pattern){0,2} where? " RETURN " wanted)
    """
    writer = _Writer(vocabulary, placeholders, hops, denying)
    return "\n".join(f"{name} ::= {body}" for name, body in writer.rules(values, operation, asked))


class _Writer:
    """Writes rule after rule; labels go by their number, since names of rules are letters, digits and hyphens."""

    def __init__(self, vocabulary: Vocabulary, placeholders: Sequence[Placeholder], hops: int, denying: bool) -> None:
        self.vocabulary = vocabulary
        self.labels = labels = list(vocabulary.variables)
        self.hops = hops
        self.denying = denying
        self.held = {label: [each.name for each in placeholders if each.label == label] for label in labels}
        self.moves: dict[str, list[tuple[str, int]]] = {label: [] for label in labels}
        for join in vocabulary.joins:
            name = quote(join.relationship)
            self.moves[join.subject].append((f"-[:{name}]->", labels.index(join.object)))
            self.moves[join.object].append((f"<-[:{name}]-", labels.index(join.subject)))

    def rules(self, values: Sequence[str], operation: str | None, asked: Sequence[str]) -> Iterator[tuple[str, str]]:
        places = range(len(self.labels))
        conditions = [*self._conditions(), *self._properties(values)]
        pattern = f'pattern (", " pattern){{0,{PATTERNS - 1}}}{" where?" if conditions else ""} " RETURN " wanted'
        path = f'"path = shortestPath(" first "-[*..{PATH_LENGTH}]-" last ") RETURN path"'
        forms = {"path": [path]}.get(operation or "", [pattern, path]) if self._two_held else [pattern]
        yield "root", f'"MATCH " ({_any(forms)})'
        yield "pattern", _any(f"end-{at}{self._walk(at, self.hops)}" for at in places)
        if conditions:
            yield "where", f'" WHERE " condition (" AND " condition){{0,{CONDITIONS - 1}}}'
            yield "condition", _any(name for name, _ in conditions)
            yield from conditions
        if self._two_held:
            yield "first", _any(self._held_as("a"))
            yield "last", _any(self._held_as("b"))
        yield "wanted", WANTED.get(operation or "", _any(WANTED.values()))
        yield "listed", '"DISTINCT " asked'
        yield "counted", '"count(DISTINCT " asked ")"'
        yield "ranked", 'asked ", count(DISTINCT " variable ") AS number ORDER BY number " order " LIMIT " limit'
        yield "order", '"DESC" | "ASC"'
        yield "limit", "[1-9] [0-9]{0,2}"
        yield "asked", _any(f"variable-{at}" for at in places if not asked or self.labels[at] in asked)
        yield "variable", _any(f"variable-{at}" for at in places)
        for at in places:
            yield from self._label(at)

    def _label(self, at: int) -> Iterator[tuple[str, str]]:
        """What stands in round brackets for a label, and where steps lead from there."""
        label = self.labels[at]
        held = self.held[label]
        yield f"variable-{at}", f"{literal(self.vocabulary.variables[label])} [23]?"
        yield f"known-{at}", f'"(" variable-{at} ")"'
        yield f"entity-{at}", f'"(" variable-{at}? {literal(f":{quote(label)}")}{f" held-{at}?" if held else ""} ")"'
        yield f"end-{at}", f"entity-{at} | known-{at}"
        if held:
            yield f"held-{at}", f'" {{id: " ({_any(literal(f"${name}") for name in held)}) "}}"'
        for left in range(1, self.hops + 1):
            if self.moves[label]:
                yield (
                    f"step-{at}-{left}",
                    _any(
                        f"{literal(arrow)} end-{there}{self._walk(there, left - 1)}"
                        for arrow, there in self.moves[label]
                    ),
                )

    def _walk(self, at: int, left: int) -> str:
        """Up to `left` further steps from a label."""
        return f" step-{at}-{left}?" if left and self.moves[self.labels[at]] else ""

    @property
    def _two_held(self) -> bool:
        return sum(map(len, self.held.values())) >= 2

    def _held_as(self, variable: str) -> Iterator[str]:
        """Every label that something named has, under a given variable."""
        for at, label in enumerate(self.labels):
            if self.held[label]:
                yield f'{literal(f"({variable}:{quote(label)}")} held-{at} ")"'

    def _conditions(self) -> Iterator[tuple[str, str]]:
        moving = [at for at, label in enumerate(self.labels) if self.moves[label]]
        if moving and self.denying:
            yield "absent", '"NOT " (' + _any(f"known-{at} step-{at}-{self.hops}" for at in moving) + ")"
        if moving:
            yield "differs", _any(f'variable-{at} " <> " variable-{at}' for at in moving)

    def _properties(self, values: Sequence[str]) -> Iterator[tuple[str, str]]:
        numbers = [value for value in values if value.isdecimal()]
        texts = [quote_text(value) for value in values if not value.isdecimal()]
        for rule, kinds, operators, given in (
            ("measured", NUMERIC, (" = ", " < ", " <= ", " > ", " >= "), numbers),
            ("described", TEXTUAL, (" = ", " CONTAINS ", " STARTS WITH "), texts),
        ):
            keys = [f".{quote(name)}" for name, kind in self.vocabulary.properties.items() if kind in kinds]
            if keys and given:
                yield rule, f"variable ({_texts(keys)}) ({_texts(operators)}) ({_texts(given)})"


def _any(alternatives: Iterable[str]) -> str:
    return " | ".join(alternatives)


def _texts(alternatives: Iterable[str]) -> str:
    return _any(map(literal, alternatives))
