"""The queries a graph can answer, as a grammar: a model that writes under it can name only what the graph has.

Relationships with their ends, variables (one for each label, which say the label), fields, columns and the placeholders
of what a question names all come from closed lists, and so do values: numbers of the question, and texts of the graph
that a word of the question resembles. Patterns are bounded, and nothing can be written to the graph. The other
sentence is NONE: the graph has no answer. In: a schema, a question and its placeholders. Out: GBNF.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clew.answer.lexicon.numbers import read_number
from clew.answer.models.shown_schema import DAY, TEXT, Field, ShownSchema
from clew.answer.plans.plan import PATH_LENGTH
from clew.lm import literal
from clew.store.cypher.write import quote, quote_text

__all__ = ["NONE", "Placeholder", "query_grammar"]

NONE = "NONE"
HOPS, PATTERNS, CONDITIONS = 3, 3, 3
COMPARED = ('" = "', '" < "', '" <= "', '" > "', '" >= "')
FIXED = (  # rules that are the same for every graph
    ("compared", " | ".join(COMPARED)),
    ("order", '" DESC" | " ASC"'),
    ("limit", "[1-9] [0-9]?"),
    ("way", '"avg" | "sum" | "min" | "max"'),
)
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
WORD = re.compile(r"[^\W\d_]{3,}")
ALIKE = 4  # first letters that a value and a word of the question share
SMALL = ("1", "2", "3")  # numbers for counts that no question states: several, both, more than one


@dataclass(frozen=True, slots=True)
class Placeholder:
    """An entity that a question names, as a query mentions it: $disease1 for Marfan syndrome, a Disease."""

    name: str
    labels: tuple[str, ...]  # of the entities it may stand for; empty for any
    text: str
    said: str = ""  # the label as it is shown

    def __str__(self) -> str:
        return f"${self.name} = {self.text}{f' ({self.said})' if self.said else ''}"


def query_grammar(
    schema: ShownSchema, placeholders: Sequence[Placeholder], question: str = "", *, none: bool = True
) -> str:
    """The grammar of queries that a plan can express, or (unless `none` is False) NONE.

    >>> from clew.answer.models.shown_schema import Join
    >>> genes = ShownSchema((Join("Gene", "CAUSES", "Disease"),), {"Gene": "gene", "Disease": "disease"}, {}, {}, {})
    >>> print(query_grammar(genes, [Placeholder("disease1", ("Disease",), "Gout")]).splitlines()[0])
    root ::= "NONE" | "MATCH " (pattern (further pattern){0,2} where? (having | " RETURN " wanted))
    """
    return "\n".join(f"{name} ::= {body}" for name, body in _Writer(schema, placeholders, question).rules(none))


class _Writer:
    """Writes rule after rule; labels go by their number, since names of rules are letters, digits and hyphens."""

    def __init__(self, schema: ShownSchema, placeholders: Sequence[Placeholder], question: str) -> None:
        self.schema = schema
        self.begun = {word[:ALIKE].lower() for word in WORD.findall(question)}
        said = [
            *NUMBER.findall(question),
            *(str(n) for w in question.split() if (n := read_number(w.strip(",.?")) or 0) > 1),
        ]
        self.numbers = tuple(dict.fromkeys(each.replace(",", "") for each in said))
        self.years = tuple(each for each in self.numbers if len(each) == len("2024"))
        self.labels = labels = list(schema.variables)
        self.held = {
            label: [each.name for each in placeholders if not each.labels or label in each.labels] for label in labels
        }
        self.two_held = len(placeholders) >= 2
        self.moves: dict[str, dict[str, list[int]]] = {label: {} for label in labels}  # arrow → labels it leads to
        ends: dict[str, tuple[set[str], set[str]]] = {}
        for join in schema.joins:
            subjects, objects = ends.setdefault(join.relationship, (set(), set()))
            subjects.add(join.subject)
            objects.add(join.object)
        for join in schema.joins:
            nested = not ends[join.relationship][0].isdisjoint(ends[join.relationship][1])
            inner = self._inner(join.relationship, nested)
            arrow = f'("-[" {inner} "]->" | "<-[" {inner} "]-")'  # `check_plan` reverses those that do not fit
            for here, there in dict.fromkeys([(join.subject, join.object), (join.object, join.subject)]):
                self.moves[here].setdefault(arrow, []).append(labels.index(there))

    @property
    def values(self) -> list[str]:
        """The rules of what has values: fields of entities and columns of statements, as far as there are any."""
        there = {"field": self.schema.fields, "column": self.schema.columns}
        return [name for name, known in there.items() if any(known.values())]

    def _inner(self, relationship: str, nested: bool) -> str:
        """The contents of square brackets: with a variable where statements have columns, repeated where it nests."""
        said = literal(f":{quote(relationship)}")
        variable = "step? " if self.schema.columns.get(relationship) else ""
        return f"{variable}{said}{' (' + literal('*') + ')?' if nested else ''}"

    def rules(self, none: bool) -> Iterator[tuple[str, str]]:
        places = range(len(self.labels))
        simple = list(self._simple())
        moving = [at for at in places if self.moves[self.labels[at]]]
        conditions = [*(["simple"] if simple else []), *(["absent", "counted"] if moving else [])]
        where = " where?" if conditions else ""
        pattern = f'pattern (further pattern){{0,{PATTERNS - 1}}}{where} (having | " RETURN " wanted)'
        path = f'"path = shortestPath(" first "-[*..{PATH_LENGTH}]-" last ") RETURN path"'
        forms = f'"MATCH " ({_any([pattern, path] if self.two_held else [pattern])})'
        yield "root", f"{literal(NONE)} | {forms}" if none else forms
        yield "pattern", _any(f"end-{at}{self._walk(at, HOPS)}" for at in places)
        if conditions:
            yield "where", f'" WHERE " condition (" AND " condition){{0,{CONDITIONS - 1}}}'
            yield "condition", _any(conditions)
        if moving:
            stepped = _any(f"end-{at} step-{at}-{HOPS}" for at in moving)
            yield "inside", f'" {{ " ({stepped}){" (" + literal(" WHERE ") + " simple)?" if simple else ""} " }}"'
            yield "absent", '"NOT EXISTS" inside'
            yield "counted", '"COUNT" inside compared (bound | "COUNT" inside)'
        if simple:
            yield "simple", _any(simple)
        yield "step", '"r" [23]?'
        if self.two_held:
            yield "first", self._held_as("a")
            yield "last", self._held_as("b")
        yield "further", '", " | (" WITH " variable)? " MATCH "'
        yield "bound", _any(map(literal, dict.fromkeys((*SMALL, *self.numbers))))
        passing = '"number" compared bound (" AND number" compared bound)?'
        yield "having", f'" WITH " variable ", " number " AS number WHERE " {passing} " RETURN " chosen'
        yield "chosen", _any(['variable ", number"?', '"count(DISTINCT " variable ")"', '"count(*) > 0"'])
        yield from self._wanted()
        yield "variable", _any(f"variable-{at}" for at in places)
        for at in places:
            yield from self._label(at)
        yield from FIXED

    def _wanted(self) -> Iterator[tuple[str, str]]:
        fields = [f"variable-{at} {_keys(fields)}" for at, fields in self._fields() if fields]
        columns = [each for listed in self.schema.columns.values() for each in listed]
        forms = ['"DISTINCT "? variable', '"count(DISTINCT " variable ")"', '"count(*) > 0"']
        forms += ['variable ", " number " AS number ORDER BY number" order? " LIMIT " limit', "number compared bound"]
        if fields:
            forms += ['variable " ORDER BY " field order? " LIMIT " limit']
            yield "field", _any(fields)
        if columns:
            yield "column", f"step {_keys(columns)}"
        totals = [f'way "(" ({_any(self.values)}) ")"'] if self.values else []
        yield "wanted", _any([*forms, *self.values, *totals])
        yield "number", _any(['"count(DISTINCT " variable ")"', *totals])

    def _fields(self) -> Iterator[tuple[int, tuple[Field, ...]]]:
        for at, label in enumerate(self.labels):
            yield at, self.schema.fields.get(label, ())

    def _simple(self) -> Iterator[str]:
        """Conditions on fields of entities and columns of statements, with values that the question may mean."""
        for at, fields in self._fields():
            yield from (f"variable-{at} {said}" for each in fields if (said := self._compared(each)))
        columns = dict.fromkeys(each for listed in self.schema.columns.values() for each in listed)
        yield from (f"step {said}" for each in columns if (said := self._compared(each)))
        shift = f' ((" + " | " - ") ({_any(map(literal, self.numbers))}))?' if self.numbers else ""
        yield from (f"{name} compared {name}{shift}" for name in self.values)

    def _compared(self, field: Field) -> str:
        """A field or a column with what it may be compared with; nothing where the question has no value for it."""
        key = literal(f".{quote(field.name)}")
        if field.kind == TEXT:
            own = [value for value in field.values if self._is_said(value)]
            return f'{key} (" = " | " <> ") ({_any(literal(quote_text(value)) for value in own)})' if own else ""
        if field.kind == DAY:
            years = _any(map(literal, self.years))
            return f"""{key} compared "'" ({years}) ("-" [0-9]{{2}} ("-" [0-9]{{2}})?)? "'" """ if years else ""
        return f"{key} compared ({_any(map(literal, self.numbers))})" if self.numbers else ""

    def _is_said(self, value: str) -> bool:
        """Whether a word of the question and one of a value begin alike: Japanese and Japan."""
        return any(word[:ALIKE].lower() in self.begun for word in WORD.findall(value))

    def _variable(self, at: int) -> str:
        return literal(self.schema.variables[self.labels[at]])

    def _label(self, at: int) -> Iterator[tuple[str, str]]:
        """The contents of round brackets for a label, and where steps lead from there."""
        label = self.labels[at]
        held = self.held[label]
        named = f" held-{at}?" if held else ""
        yield f"variable-{at}", f"{self._variable(at)} [23]?"
        yield f"end-{at}", f'"(" variable-{at}{named} ")"'
        yield f"other-{at}", f'"(" {self._variable(at)} [23]{named} ")"'
        if held:
            yield f"held-{at}", f'" {{id: " ({_any(literal(f"${name}") for name in held)}) "}}"'
        for left in range(1, HOPS + 1):
            if self.moves[label]:
                yield f"step-{at}-{left}", _any(self._steps(at, left))

    def _steps(self, at: int, left: int) -> Iterator[str]:
        """A step from a label and up to `left` - 1 further ones; another entity of the label has another variable."""
        for arrow, ends in self.moves[self.labels[at]].items():
            reached = _any(
                f"{'other' if there == at else 'end'}-{there}{self._walk(there, left - 1)}" for there in ends
            )
            yield f"{arrow} ({reached})"

    def _walk(self, at: int, left: int) -> str:
        """Up to `left` further steps from a label."""
        return f" step-{at}-{left}?" if left and self.moves[self.labels[at]] else ""

    def _held_as(self, variable: str) -> str:
        """What a question names, under a given variable."""
        names = dict.fromkeys(name for held in self.held.values() for name in held)
        return f'{literal(f"({variable} {{id: ")} ({_any(literal(f"${name}") for name in names)}) "}})"'


def _keys(fields: Iterable[Field]) -> str:
    return f"({_any(literal(f'.{quote(name)}') for name in dict.fromkeys(each.name for each in fields))})"


def _any(alternatives: Iterable[str]) -> str:
    return " | ".join(alternatives)
