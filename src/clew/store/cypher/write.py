"""A syntax tree as Cypher text; `render` adapts it to one store first."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias, Union

from clew.errors import QueryError
from clew.store.cypher import syntax as s
from clew.store.deadline import Deadline

__all__ = ["quote", "quote_text", "write"]

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LEVELS = (  # precedence, lowest first
    ("OR",),
    ("XOR",),
    ("AND",),
    ("NOT",),
    ("=", "<>", "<", "<=", ">", ">=", "=~"),
    ("IN", "STARTS WITH", "ENDS WITH", "CONTAINS"),
    ("+", "-"),
    ("*", "/", "%"),
    ("^",),
)
BINDING = {operator: level for level, operators in enumerate(LEVELS) for operator in operators}
COMPARISON, PREDICATE, SIGN, POSTFIX = 4, 5, len(LEVELS), len(LEVELS) + 1
WORDS = """
    acyclic add all alter and any as asc ascending attach begin by call case cast check column comment commit
    constraint contains copy count create cycle database dbtype decimal default delete desc descending detach distinct
    drop else end ends exists explain export extension false for foreach from glob graph group headers if import in
    increment index install into is join key kind limit load logged macro mandatory match maxvalue merge minvalue
    multi_join no node none not null of on only optional or order primary profile project projection read rel
    rel_group relationship remove rename require return rollback scalar sequence set shortest show single skip start
    starts struct table then to trail transaction true type union unique unload unwind use uninstall using walk
    when where with write wshortest xor yield
"""  # keywords of all dialects, so that no name is parsed as a keyword
RESERVED = frozenset(WORDS.split())
PIECES_BETWEEN_CHECKS = 1024
Pieces: TypeAlias = Iterator[Union[str, "Pieces"]]


def quote(name: str) -> str:
    """An identifier that every store parses as this name."""
    if PLAIN.fullmatch(name) and name.lower() not in RESERVED:
        return name
    if not name:
        raise QueryError("a name in a query cannot be empty")
    return "`" + name.replace("`", "``") + "`"


def quote_text(text: str) -> str:
    """A string literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped.replace(chr(9), chr(92) + 't')}'"


def write(statement: s.Statement, *, longest: int | None = None, deadline: Deadline | None = None) -> str:
    """The statement as text, one clause per line; `parse` restores the same tree, except that the operands of a long
    AND or OR may be grouped differently. A text of more than `longest` characters is refused.

    >>> from clew.store.cypher.parse import parse
    >>> write(parse("match (n:Gene)  return n.name as name limit 3"))
    'MATCH (n:Gene)\\nRETURN n.name AS name LIMIT 3'
    """
    union = "\nUNION ALL\n" if statement.keep_all else "\nUNION\n"
    queries = [_joined("\n", map(_clause, query.clauses)) for query in statement.queries]
    done: list[str] = []
    length = 0
    for piece in _flat(_joined(union, queries)):
        done.append(piece)
        length += len(piece)
        if longest is not None and length > longest:
            raise QueryError(
                f"the query expands to more than {longest:,} characters in the store's dialect: simplify it"
            )
        if deadline is not None and len(done) % PIECES_BETWEEN_CHECKS == 0:
            deadline.check()
    return "".join(done)


def _flat(pieces: Pieces) -> Iterator[str]:
    """All strings in order, without recursion."""
    waiting = [pieces]
    while waiting:
        piece = next(waiting[-1], None)
        if piece is None:
            waiting.pop()
        elif isinstance(piece, str):
            yield piece
        else:
            waiting.append(piece)


def _joined(between: str, parts: Iterable[Pieces]) -> Pieces:
    for number, part in enumerate(parts):
        if number:
            yield between
        yield part


def _clause(clause: s.Clause) -> Pieces:
    match clause:
        case s.Match(patterns, where, optional):
            yield f"{'OPTIONAL ' * optional}MATCH "
            yield _joined(", ", map(_pattern, patterns))
            yield _after(where)
        case s.Unwind(items, variable):
            yield "UNWIND "
            yield _text(items)
            yield f" AS {quote(variable)}"
        case s.With(projection, where):
            yield "WITH "
            yield _projection(projection)
            yield _after(where)
        case s.Return(projection):
            yield "RETURN "
            yield _projection(projection)
        case _:
            raise AssertionError(clause)


def _after(part: s.Expression | None, before: str = "\nWHERE ") -> Pieces:
    """A keyword and an expression, if there is one."""
    if part is not None:
        yield before
        yield _text(part)


def _projection(projection: s.Projection) -> Pieces:
    if projection.distinct:
        yield "DISTINCT "
    if projection.everything:
        yield "*, " if projection.items else "*"
    yield _joined(", ", map(_item, projection.items))
    if projection.order:
        yield " ORDER BY "
        yield _joined(", ", map(_order, projection.order))
    for word, number in (("SKIP", projection.skip), ("LIMIT", projection.limit)):
        yield _after(number, f" {word} ")


def _item(item: s.Item) -> Pieces:
    yield _text(item.expression)
    if item.alias is not None:
        yield f" AS {quote(item.alias)}"


def _order(order: s.Order) -> Pieces:
    yield _text(order.expression)
    if order.descending:
        yield " DESC"


def _pattern(pattern: s.Pattern) -> Pieces:
    if pattern.variable is not None:
        yield f"{quote(pattern.variable)} = "
    if pattern.kind:
        yield "allShortestPaths(" if pattern.kind == "all" else "shortestPath("
    for each in pattern.elements:
        yield _entity(each) if isinstance(each, s.EntityPattern) else _relationship(each)
    if pattern.kind:
        yield ")"


def _entity(entity: s.EntityPattern) -> Pieces:
    text = "" if entity.variable is None else quote(entity.variable)
    text += ":" * bool(entity.labels) + "|".join(map(quote, entity.labels))
    yield f"({text}"
    yield _properties(text, entity.properties)
    yield ")"


def _relationship(relationship: s.RelationshipPattern) -> Pieces:
    text = "" if relationship.variable is None else quote(relationship.variable)
    text += ":" * bool(relationship.types) + "|".join(map(quote, relationship.types))
    text += _length(relationship)
    inside = bool(text) or relationship.properties is not None
    yield "<" * (relationship.direction == "in") + "-" + "[" * inside + text
    yield _properties(text, relationship.properties)
    yield "]" * inside + "-" + ">" * (relationship.direction == "out")


def _length(relationship: s.RelationshipPattern) -> str:
    if not relationship.repeated:
        return ""
    longest = "" if relationship.longest is None else relationship.longest
    manner = f" {relationship.manner} " if relationship.manner else ""
    return f"*{manner}{relationship.shortest}..{longest}"


def _properties(before: str, properties: s.Expression | None) -> Pieces:
    return _after(properties, " " if before else "")


def _text(part: s.Expression, outside: int = -1) -> Pieces:
    """An expression, in brackets if its context has a higher precedence."""
    bracketed = _binding(part) < outside
    if bracketed:
        yield "("
    yield _expression(part)
    if bracketed:
        yield ")"


def _binding(part: s.Expression) -> int:
    match part:
        case s.Binary(operator):
            return BINDING[operator]
        case s.Unary("NOT"):
            return BINDING["NOT"]
        case s.Literal(int() | float() as value) if math.copysign(1, value) < 0:
            return SIGN
        case s.Unary():
            return SIGN
        case s.IsNull():
            return PREDICATE
    return POSTFIX


def _expression(part: s.Expression) -> Pieces:
    match part:
        case s.Binary(operator, left, right):
            level = BINDING[operator]
            yield _text(left, level + (level == COMPARISON))  # a = b = c would mean a = b AND b = c
            yield f" {operator} "
            yield _text(right, level + 1)
        case s.Unary("NOT", operand):
            yield "NOT "
            yield _text(operand, BINDING["NOT"])
        case s.Unary(sign, operand):
            yield sign
            yield _text(operand, POSTFIX)
        case s.IsNull(of, negated):
            yield _text(of, PREDICATE)
            yield f" IS {'NOT ' * negated}NULL"
        case s.Literal(value):
            yield _literal(value)
        case s.Variable(name):
            yield quote(name)
        case s.Parameter(name):
            yield f"${quote(name) if not name.isdigit() else name}"
        case _:
            yield _atom(part)


def _literal(value: str | float | bool | None) -> str:
    if isinstance(value, str):
        return quote_text(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise QueryError("a number in a query must be finite")
    return _decimal(value) if isinstance(value, float) else str(value)


def _decimal(value: float) -> str:
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return text if "." in mantissa else f"{mantissa}.0{e}{exponent}"


def _atom(part: s.Expression) -> Pieces:
    """An expression that never needs brackets."""
    match part:
        case s.Property(of, key):
            yield _text(of, POSTFIX)
            yield f".{quote(key)}"
        case s.Index(of, at):
            yield _text(of, POSTFIX)
            yield _enclosed("[", [_text(at)], "]")
        case s.Slice(of, start, end):
            yield _text(of, POSTFIX)
            yield _enclosed("[", [_after(start, ""), iter([".."]), _after(end, "")], "]", between="")
        case s.HasLabels(of, labels):
            several = len(labels) > 1
            yield _enclosed("(" * several, (_has_label(of, label) for label in labels), ")" * several, between=" OR ")
        case s.CountAll():
            yield "count(*)"
        case s.Call(function, arguments, distinct):
            yield _enclosed(f"{function}({'DISTINCT ' * distinct}", map(_text, arguments), ")")
        case s.StoreCall(function, arguments):
            yield _enclosed(f"{function}(", map(_text, arguments), ")")
        case s.ListLiteral(items):
            yield _enclosed("[", map(_text, items), "]")
        case s.MapLiteral(entries):
            yield _enclosed("{", (_after(value, f"{quote(key)}: ") for key, value in entries), "}")
        case s.Case():
            yield _case(part)
        case _:
            yield _scoped(part)


def _has_label(of: s.Expression, label: str) -> Pieces:
    yield _text(of, POSTFIX)
    yield f":{quote(label)}"


def _scoped(part: s.Expression) -> Pieces:
    """An expression that binds variables."""
    match part:
        case s.Quantifier(kind, variable, items, where):
            yield f"{kind}({quote(variable)} IN "
            yield _text(items, PREDICATE + 1)
            yield _enclosed("", [_after(where, " WHERE ")], ")")
        case s.ListComprehension(variable, items, where, value):
            yield f"[{quote(variable)} IN "
            yield _text(items, PREDICATE + 1)
            yield _enclosed("", [_after(where, " WHERE "), _after(value, " | ")], "]", between="")
        case s.Lambda(variable, value):
            yield f"{quote(variable)} -> "
            yield _text(value)
        case s.PatternComprehension(pattern, where, value):
            pieces = [_pattern(pattern), _after(where, " WHERE "), _after(value, " | ")]
            yield _enclosed("[", pieces, "]", between="")
        case s.PatternExpression(pattern):
            yield _pattern(pattern)
        case s.Subquery(kind, patterns, where):
            yield _enclosed(f"{kind} {{ MATCH ", map(_pattern, patterns), "")
            yield _enclosed("", [_after(where, " WHERE ")], " }")
        case _:
            raise AssertionError(part)


def _enclosed(opening: str, parts: Iterable[Pieces], closing: str, *, between: str = ", ") -> Pieces:
    yield opening
    yield _joined(between, parts)
    yield closing


def _case(case: s.Case) -> Pieces:
    yield "CASE"
    yield _after(case.subject, " ")
    for condition, value in case.branches:
        yield _after(condition, " WHEN ")
        yield _after(value, " THEN ")
    yield _after(case.otherwise, " ELSE ")
    yield " END"
