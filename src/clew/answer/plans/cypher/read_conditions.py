"""The conditions and values of a Cypher statement, as a plan has them; what no plan can say is one sentence.

`Scope` knows what each variable stands for. Dates are text in every store, so date('2020-01-01') is its text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.operators import TEXTUAL, TURNED
from clew.answer.plans.plan import Measure, Slot
from clew.errors import QueryError
from clew.store.cypher import syntax as s
from clew.store.cypher.write import write

__all__ = [
    "AGGREGATES",
    "Scope",
    "called",
    "conjuncts",
    "counted_patterns",
    "is_aggregate",
    "is_count",
    "read_condition",
    "read_property",
    "read_value",
    "refused",
    "said",
]

AGGREGATES = ("count", "sum", "avg", "min", "max", "collect")
COMPARED = (*TURNED, "IN", *TEXTUAL)
LOWERING = ("tolower", "lower")
DATING = ("date", "datetime")
NUMBERING = ("tofloat", "tointeger")


@dataclass(slots=True)
class Scope:
    """What variables stand for: slots, steps, or (after WITH) columns; and the values of parameters."""

    parameters: Mapping[str, Any]
    slots: dict[str, Slot] = field(default_factory=dict)
    steps: set[str] = field(default_factory=set)
    aliases: dict[str, Asked | Measure] = field(default_factory=dict)

    def knows(self, name: str) -> bool:
        return name in self.slots or name in self.steps


def refused(what: str) -> QueryError:
    """What to raise where a statement says more than a plan can."""
    return QueryError(f"a plan cannot say {what}")


def said(part: s.Expression) -> str:
    """An expression as Cypher."""
    item = s.Return(s.Projection((s.Item(part),)))
    return write(s.Statement((s.Query((item,)),))).removeprefix("RETURN ")


def called(tree: Any, names: Mapping[str, str]) -> Any:
    """A part of a statement with other names for some of its variables."""

    def change(part: Any) -> Any:
        match part:
            case s.Variable(name) if name in names:
                return s.Variable(names[name])
            case s.Pattern() | s.EntityPattern() | s.RelationshipPattern() if part.variable in names:
                return replace(part, variable=names[str(part.variable)])
        return part

    return s.rewrite(tree, change) if names else tree


def conjuncts(condition: s.Expression | None) -> Iterator[s.Expression]:
    """The conditions that an AND joins."""
    match condition:
        case None:
            return
        case s.Binary("AND", left, right):
            yield from conjuncts(left)
            yield from conjuncts(right)
        case _:
            yield condition


def read_condition(condition: s.Expression, scope: Scope) -> Condition:
    """One condition on one property."""
    match condition:
        case s.Unary("NOT", inner):
            found = read_condition(inner, scope)
            if not found.or_absent:
                return replace(found, negated=not found.negated)
        case s.Binary("OR"):
            return _either(condition, scope)
        case s.Binary("<>", s.Variable(one), s.Variable(other)) if one in scope.slots and other in scope.slots:
            return Condition(one, "", "DIFFERS", other)
        case s.IsNull(of, negated) if (column := read_property(of, scope)) and column.key and not column.sized:
            return Condition(column.of, column.key, "IS NOT NULL" if negated else "IS NULL")
        case s.Binary(operator, left, right) if operator in COMPARED:
            found_condition = _compared(operator, left, right, scope)
            if found_condition is not None:
                return found_condition
        case s.Property() if (column := read_property(condition, scope)) and column.key:
            return Condition(column.of, column.key, "=", True)
    raise refused(f"the condition {said(condition)}")


def _compared(operator: str, left: s.Expression, right: s.Expression, scope: Scope) -> Condition | None:
    match left:
        case s.Call(function, (inner,)) if function.lower() in LOWERING and (column := read_property(inner, scope)):
            value = read_value(right, scope)
            lowered = value.lower() if isinstance(value, str) else value
            return Condition(column.of, column.key or "", operator, lowered, ignoring_case=True)
        case s.Call(function, (inner,)) if function.lower() == "share" and (column := read_property(inner, scope)):
            if column.of in scope.steps and operator in TURNED:
                return Condition(column.of, column.key or "", operator, read_value(right, scope), shared=True)
    if any(isinstance(side, s.Binary) for side in (left, right)):
        return _linear(operator, left, right, scope)
    column = read_property(left, scope)
    if column is not None and column.key is not None:
        value = read_property(right, scope) or read_value(right, scope)
        return Condition(column.of, column.key, operator, value, sized=column.sized, numeric=column.numeric)
    turned = read_property(right, scope)
    if turned is None or turned.key is None:
        return None
    if operator in TURNED:
        value = read_value(left, scope)
        return Condition(turned.of, turned.key, TURNED[operator], value, sized=turned.sized, numeric=turned.numeric)
    if operator == "IN" and not turned.sized:
        holds = "=" if turned.of in scope.steps else "HOLDS"  # of a step, each assertion has one value
        return Condition(turned.of, turned.key, holds, read_value(left, scope))
    return None


def _linear(operator: str, left: s.Expression, right: s.Expression, scope: Scope) -> Condition | None:
    """a.x >= b.x + 200, a.x - b.x > 5 and their like: at most one property on each side once they are sorted."""
    if operator not in TURNED:
        return None
    terms = [*_terms(left, scope), *((-times, each) for times, each in _terms(right, scope))]
    one = [(times, each) for times, each in terms if isinstance(each, Asked) and times > 0]
    other = [(times, each) for times, each in terms if isinstance(each, Asked) and times < 0]
    over = sum(times * each for times, each in terms if not isinstance(each, Asked))  # one + other + over against 0
    if not one:
        one, other, operator, over = [(-times, each) for times, each in other], [], TURNED[operator], -over
    if len(one) != 1 or len(other) > 1 or any(each.sized for _, each in (*one, *other)):
        return None
    (by, column), plus = one[0], _divided(-over, one[0][0])
    value = replace(other[0][1], plus=plus, times=_divided(-other[0][0], by)) if other else plus
    return Condition(column.of, str(column.key), operator, value, numeric=column.numeric)


def _divided(number: float, by: float) -> int | float:
    found = number / by
    return int(found) if found.is_integer() else found


def _terms(expression: s.Expression, scope: Scope) -> Iterator[tuple[int | float, Asked | int | float]]:
    """The properties and numbers that are added or taken away, and how many times each."""
    match expression:
        case s.Binary("+" | "-" as sign, left, right):
            yield from _terms(left, scope)
            yield from ((times if sign == "+" else -times, term) for times, term in _terms(right, scope))
        case s.Binary("*", s.Literal(int() | float() as by), many) | s.Binary(
            "*", many, s.Literal(int() | float() as by)
        ):
            yield from ((by * times, term) for times, term in _terms(many, scope))
        case s.Binary("/", many, s.Literal(int() | float() as by)) if by:
            yield from ((times / by, term) for times, term in _terms(many, scope))
        case _ if (column := read_property(expression, scope)) is not None and column.key is not None:
            yield 1, column
        case _:
            value = read_value(expression, scope)
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise refused(f"that {said(expression)} is added")
            yield 1, value


def read_property(expression: s.Expression, scope: Scope) -> Asked | None:
    """The property that an expression is, or the size or number of one; None for any other."""
    match expression:
        case s.Property(s.Variable(of), key) if scope.knows(of):
            return Asked(of, key)
        case s.Variable(name) if isinstance(column := scope.aliases.get(name), Asked) and column.key is not None:
            return column
        case s.Call(function, (s.Property(s.Variable(of), key),)) if function.lower() in (
            "size",
            "length",
        ) and scope.knows(of):
            return Asked(of, key, sized=True)
        case s.Call(function, (s.Property(s.Variable(of), key),)) if function.lower() in NUMBERING and scope.knows(of):
            return Asked(of, key, numeric=True)
    return None


def _either(condition: s.Binary, scope: Scope) -> Condition:
    """n.key = a OR n.key = b is n.key IN [a, b]; of CONTAINS and its like, one of the texts is enough.

    Of n.key >= a OR n.key IS NULL it is enough that nothing is stated.
    """
    left, right = read_condition(condition.left, scope), read_condition(condition.right, scope)
    for one, other in ((left, right), (right, left)):
        absent = one.operator == "IS NULL" and not one.negated and (one.of, one.key) == (other.of, other.key)
        if absent and other.operator in TURNED and not (other.negated or other.sized or other.or_absent):
            return replace(other, or_absent=True)
    same_kind = _kind(left) == _kind(right) and not left.negated and left.operator in ("=", "IN", *TEXTUAL)
    if not same_kind or isinstance(left.value, Asked) or isinstance(right.value, Asked):
        raise refused(f"the condition {said(condition)}")
    operator = "IN" if left.operator == "=" else left.operator
    return replace(left, operator=operator, value=(*_values(left), *_values(right)))


def _kind(condition: Condition) -> Condition:
    operator = "IN" if condition.operator == "=" else condition.operator
    return replace(condition, operator=operator, value=None)


def _values(condition: Condition) -> tuple[Any, ...]:
    several = isinstance(condition.value, tuple) and condition.operator != "="
    return condition.value if several else (condition.value,)  # type: ignore[return-value]


def read_value(value: s.Expression, scope: Scope) -> Any:
    """A literal value, or that of a parameter."""
    match value:
        case s.Literal(literal):
            return literal
        case s.Unary("-", s.Literal(int() | float() as number)) if not isinstance(number, bool):
            return -number
        case s.ListLiteral(items):
            return tuple(read_value(item, scope) for item in items)
        case s.Parameter(name):
            if name not in scope.parameters:
                raise QueryError(f"the parameter ${name} has no value")
            given = scope.parameters[name]
            return tuple(given) if isinstance(given, list | tuple) else given
        case s.Call(function, (s.Literal(str() as text),)) if function.lower() in (*DATING, *LOWERING):
            return text.lower() if function.lower() in LOWERING else text
        case s.Call(function, (s.Parameter() as inner,)) if function.lower() in (*DATING, *LOWERING):
            return read_value(inner, scope)
    raise refused(f"the value {said(value)}")


def is_count(expression: s.Expression) -> bool:
    """COUNT { … }, or size of a pattern."""
    match expression:
        case s.Subquery("COUNT") | s.Call("size", (s.PatternExpression(),)):
            return True
    return False


def counted_patterns(expression: s.Expression) -> tuple[tuple[s.Pattern, ...], s.Expression | None]:
    """What such a count counts."""
    match expression:
        case s.Subquery(_, patterns, where):
            return patterns, where
        case s.Call(_, (s.PatternExpression(pattern),)):
            return (pattern,), None
    raise AssertionError(expression)


def is_aggregate(expression: s.Expression) -> bool:
    """count(n) and its like: one value for many rows."""
    return isinstance(expression, s.CountAll) or (
        isinstance(expression, s.Call) and expression.function.lower() in AGGREGATES
    )
