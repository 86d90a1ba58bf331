"""The syntax tree of a read-only Cypher statement: frozen records, equal if the statements are the same.

Statement      single queries combined by UNION
Query          reading clauses, then RETURN
Clause         Match, Unwind, With, Return
Pattern        entity patterns connected by relationship patterns, optionally named or shortest
Expression     literals, variables, properties, operators, calls, patterns as conditions
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

__all__ = [
    "Binary",
    "Call",
    "Case",
    "Clause",
    "CountAll",
    "EntityPattern",
    "Expression",
    "HasLabels",
    "Index",
    "IsNull",
    "Item",
    "Lambda",
    "ListComprehension",
    "ListLiteral",
    "Literal",
    "MapLiteral",
    "Match",
    "Order",
    "Parameter",
    "Pattern",
    "PatternComprehension",
    "PatternExpression",
    "Projection",
    "Property",
    "Quantifier",
    "Query",
    "RelationshipPattern",
    "Return",
    "Slice",
    "Statement",
    "StoreCall",
    "Subquery",
    "Unary",
    "Unwind",
    "Variable",
    "With",
    "conjunction",
    "declared",
    "held",
    "rewrite",
    "walk",
]


FIELDS = "__dataclass_fields__"  # faster than `fields`, which builds a tuple at every call


@dataclass(frozen=True, slots=True)
class Expression:
    """Anything that has a value."""


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Parameter(Expression):
    name: str


@dataclass(frozen=True, slots=True)
class Variable(Expression):
    name: str


@dataclass(frozen=True, slots=True)
class Property(Expression):
    of: Expression
    key: str


@dataclass(frozen=True, slots=True)
class Index(Expression):
    of: Expression
    at: Expression


@dataclass(frozen=True, slots=True)
class Slice(Expression):
    of: Expression
    start: Expression | None
    end: Expression | None  # not included


@dataclass(frozen=True, slots=True)
class HasLabels(Expression):
    """n:Label, or n:One|Other: any of the labels."""

    of: Expression
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    operator: str  # NOT, -, +
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    operator: str  # OR XOR AND = <> < <= > >= =~ IN STARTS WITH ENDS WITH CONTAINS + - * / % ^
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class IsNull(Expression):
    of: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class Call(Expression):
    function: str
    arguments: tuple[Expression, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class StoreCall(Expression):
    """A function of one store, used by rewrites only; the parser produces none."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class CountAll(Expression):
    """count(*)."""


@dataclass(frozen=True, slots=True)
class ListLiteral(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MapLiteral(Expression):
    entries: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Case(Expression):
    subject: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None


@dataclass(frozen=True, slots=True)
class Quantifier(Expression):
    """any, all, none or single of a list."""

    kind: str
    variable: str
    items: Expression
    where: Expression


@dataclass(frozen=True, slots=True)
class ListComprehension(Expression):
    variable: str
    items: Expression
    where: Expression | None
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """variable -> value: for stores without list comprehensions; the parser produces none."""

    variable: str
    value: Expression


@dataclass(frozen=True, slots=True)
class EntityPattern:
    """(variable:Label {key: value}); `labels` are alternatives, because an entity has one type."""

    variable: str | None = None
    labels: tuple[str, ...] = ()
    properties: Expression | None = None  # MapLiteral or Parameter


@dataclass(frozen=True, slots=True)
class RelationshipPattern:
    """-[variable:TYPE|OTHER*shortest..longest {key: value}]->; `longest` is None without an upper bound."""

    direction: str  # out, in or both
    variable: str | None = None
    types: tuple[str, ...] = ()
    repeated: bool = False
    shortest: int = 1
    longest: int | None = 1
    properties: Expression | None = None
    manner: str = ""  # a store's keyword for how repeats are traversed, set by its dialect


@dataclass(frozen=True, slots=True)
class Pattern:
    """Entities connected by relationships; `kind` is "" for any path, "one" or "all" for shortest paths."""

    elements: tuple[EntityPattern | RelationshipPattern, ...]
    variable: str | None = None
    kind: str = ""

    @property
    def entities(self) -> tuple[EntityPattern, ...]:
        return tuple(each for each in self.elements if isinstance(each, EntityPattern))

    @property
    def relationships(self) -> tuple[RelationshipPattern, ...]:
        return tuple(each for each in self.elements if isinstance(each, RelationshipPattern))


@dataclass(frozen=True, slots=True)
class PatternExpression(Expression):
    """A pattern as a condition (it exists), or as the argument of size() (its number of matches)."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class PatternComprehension(Expression):
    pattern: Pattern
    where: Expression | None
    value: Expression


@dataclass(frozen=True, slots=True)
class Subquery(Expression):
    """EXISTS { … } or COUNT { … }."""

    kind: str  # EXISTS, COUNT
    patterns: tuple[Pattern, ...]
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Item:
    expression: Expression
    alias: str | None = None
    text: str = ""  # as written: the name of a column without alias

    @property
    def column(self) -> str:
        return self.alias if self.alias is not None else self.text


@dataclass(frozen=True, slots=True)
class Order:
    expression: Expression
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Projection:
    items: tuple[Item, ...]
    everything: bool = False  # *
    distinct: bool = False
    order: tuple[Order, ...] = ()
    skip: Expression | None = None
    limit: Expression | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a query."""


@dataclass(frozen=True, slots=True)
class Match(Clause):
    patterns: tuple[Pattern, ...]
    where: Expression | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Unwind(Clause):
    items: Expression
    variable: str


@dataclass(frozen=True, slots=True)
class With(Clause):
    projection: Projection
    where: Expression | None = None


@dataclass(frozen=True, slots=True)
class Return(Clause):
    projection: Projection


@dataclass(frozen=True, slots=True)
class Query:
    clauses: tuple[Clause, ...]

    @property
    def returned(self) -> Projection:
        last = self.clauses[-1]
        assert isinstance(last, Return)
        return last.projection


@dataclass(frozen=True)
class Statement:
    """Single queries combined by UNION, which removes duplicate rows, or UNION ALL, which keeps them."""

    queries: tuple[Query, ...]
    keep_all: bool = False

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of all parameters."""
        return frozenset(each.name for each in walk(self) if isinstance(each, Parameter))

    @cached_property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the returned columns; None for RETURN *."""
        returned = self.queries[0].returned
        return None if returned.everything else tuple(item.column for item in returned.items)


def conjunction(*conditions: Expression | None) -> Expression | None:
    """All conditions connected by AND, or None."""
    whole: Expression | None = None
    for condition in conditions:
        if condition is not None:
            whole = condition if whole is None else Binary("AND", whole, condition)
    return whole


def walk(part: Any) -> Iterator[Any]:
    """Every record of a tree in pre-order, without recursion."""
    stack = [part]
    while stack:
        here = stack.pop()
        if hasattr(here, FIELDS):
            yield here
        stack += reversed(held(here))


def declared(patterns: tuple[Pattern, ...]) -> Iterator[str]:
    """The variables that patterns declare, in order, with repeats."""
    for part in walk(patterns):
        if isinstance(part, Pattern | EntityPattern | RelationshipPattern) and part.variable is not None:
            yield part.variable


def held(part: Any) -> tuple[Any, ...]:
    """The elements of a tuple or the fields of a record; nothing for other values."""
    if isinstance(part, tuple):
        return part
    return tuple([getattr(part, name) for name in getattr(part, FIELDS, ())])


def rewrite(part: Any, change: Callable[[Any], Any]) -> Any:
    """The tree with every record changed, bottom-up and without recursion."""
    stack: list[tuple[Any, tuple[Any, ...] | None]] = [(part, None)]
    done: list[Any] = []  # rewritten parts whose parent is not rewritten yet
    while stack:
        here, old = stack.pop()
        if old is not None:
            first = len(done) - len(old)
            new = done[first:]
            done[first:] = [_rebuilt(here, old, new, change)]
        elif isinstance(here, tuple) or hasattr(here, FIELDS):
            old = held(here)
            stack.append((here, old))
            stack += [(each, None) for each in reversed(old)]
        else:
            done.append(here)
    (whole,) = done
    return whole


def _rebuilt(part: Any, old: tuple[Any, ...], new: list[Any], change: Callable[[Any], Any]) -> Any:
    same = all(one is other for one, other in zip(old, new, strict=True))
    if isinstance(part, tuple):
        return part if same else tuple(new)
    if same:
        return change(part)
    return change(replace(part, **dict(zip(getattr(part, FIELDS), new, strict=True))))
