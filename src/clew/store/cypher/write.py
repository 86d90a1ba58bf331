"""A syntax tree as Cypher text; `render` adapts it to one store first."""

import json
import math
import re
from typing import Any

from clew.errors import QueryError
from clew.store.cypher import syntax as s

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


def write(statement: s.Statement) -> str:
    """The statement as text, one clause per line; `parse` restores the same tree.

    >>> from clew.store.cypher.parse import parse
    >>> write(parse("match (n:Gene)  return n.name as name limit 3"))
    'MATCH (n:Gene)\\nRETURN n.name AS name LIMIT 3'
    """
    union = "\nUNION ALL\n" if statement.keep_all else "\nUNION\n"
    return union.join("\n".join(map(_clause, query.clauses)) for query in statement.queries)


def _clause(clause: s.Clause) -> str:
    match clause:
        case s.Match(patterns, where, optional):
            text = f"{'OPTIONAL ' * optional}MATCH {', '.join(map(_pattern, patterns))}"
            return text + _where(where)
        case s.Unwind(items, variable):
            return f"UNWIND {_text(items)} AS {quote(variable)}"
        case s.With(projection, where):
            return f"WITH {_projection(projection)}{_where(where)}"
        case s.Return(projection):
            return f"RETURN {_projection(projection)}"
    raise AssertionError(clause)


def _where(condition: s.Expression | None, before: str = "\nWHERE ") -> str:
    return "" if condition is None else f"{before}{_text(condition)}"


def _projection(projection: s.Projection) -> str:
    items = [
        _text(item.expression) + ("" if item.alias is None else f" AS {quote(item.alias)}") for item in projection.items
    ]
    text = "DISTINCT " * projection.distinct + ", ".join((["*"] if projection.everything else []) + items)
    if projection.order:
        text += " ORDER BY " + ", ".join(_text(o.expression) + " DESC" * o.descending for o in projection.order)
    if projection.skip is not None:
        text += f" SKIP {_text(projection.skip)}"
    if projection.limit is not None:
        text += f" LIMIT {_text(projection.limit)}"
    return text


def _pattern(pattern: s.Pattern) -> str:
    text = "".join(
        _entity(each) if isinstance(each, s.EntityPattern) else _relationship(each) for each in pattern.elements
    )
    if pattern.kind:
        text = f"{'allShortestPaths' if pattern.kind == 'all' else 'shortestPath'}({text})"
    return text if pattern.variable is None else f"{quote(pattern.variable)} = {text}"


def _entity(entity: s.EntityPattern) -> str:
    text = "" if entity.variable is None else quote(entity.variable)
    text += ":" * bool(entity.labels) + "|".join(map(quote, entity.labels))
    return f"({_with_properties(text, entity.properties)})"


def _relationship(relationship: s.RelationshipPattern) -> str:
    text = "" if relationship.variable is None else quote(relationship.variable)
    text += ":" * bool(relationship.types) + "|".join(map(quote, relationship.types))
    text += _length(relationship)
    text = _with_properties(text, relationship.properties)
    inner = f"[{text}]" if text else ""
    return f"{'<' * (relationship.direction == 'in')}-{inner}-{'>' * (relationship.direction == 'out')}"


def _length(relationship: s.RelationshipPattern) -> str:
    if not relationship.repeated:
        return ""
    longest = "" if relationship.longest is None else relationship.longest
    manner = f" {relationship.manner} " if relationship.manner else ""
    return f"*{manner}{relationship.shortest}..{longest}"


def _with_properties(text: str, properties: s.Expression | None) -> str:
    return text if properties is None else f"{text} {_text(properties)}".strip()


def _text(part: s.Expression, outside: int = -1) -> str:
    """An expression, in brackets if its context has a higher precedence."""
    text, binding = _expression(part)
    return f"({text})" if binding < outside else text


def _expression(part: s.Expression) -> tuple[str, int]:
    match part:
        case s.Binary(operator, left, right):
            level = BINDING[operator]
            on_left = level + (level == COMPARISON)  # a = b = c would mean a = b AND b = c
            return f"{_text(left, on_left)} {operator} {_text(right, level + 1)}", level
        case s.Unary("NOT", operand):
            return f"NOT {_text(operand, BINDING['NOT'])}", BINDING["NOT"]
        case s.Unary(sign, operand):
            return f"{sign}{_text(operand, POSTFIX)}", SIGN
        case s.IsNull(of, negated):
            return f"{_text(of, PREDICATE)} IS {'NOT ' * negated}NULL", PREDICATE
        case s.Literal(value):
            return _literal(value)
    return _atom(part), POSTFIX


def _literal(value: Any) -> tuple[str, int]:
    if isinstance(value, str):
        return quote_text(value), POSTFIX
    if value is None or isinstance(value, bool):
        return json.dumps(value), POSTFIX
    if isinstance(value, float) and not math.isfinite(value):
        raise QueryError("a number in a query must be finite")
    text = _decimal(value) if isinstance(value, float) else str(value)
    return text, SIGN if value < 0 or text.startswith("-") else POSTFIX


def _decimal(value: float) -> str:
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return text if "." in mantissa else f"{mantissa}.0{e}{exponent}"


def _atom(part: s.Expression) -> str:
    """An expression that never needs brackets."""
    match part:
        case s.Variable(name):
            return quote(name)
        case s.Parameter(name):
            return f"${quote(name) if not name.isdigit() else name}"
        case s.Property(of, key):
            return f"{_text(of, POSTFIX)}.{quote(key)}"
        case s.Index(of, at):
            return f"{_text(of, POSTFIX)}[{_text(at)}]"
        case s.Slice(of, start, end):
            return f"{_text(of, POSTFIX)}[{_optional(start)}..{_optional(end)}]"
        case s.HasLabels(of, (label,)):
            return f"{_text(of, POSTFIX)}:{quote(label)}"
        case s.HasLabels(of, labels):
            return f"({' OR '.join(f'{_text(of, POSTFIX)}:{quote(label)}' for label in labels)})"
        case s.CountAll():
            return "count(*)"
        case s.Call(function, arguments, distinct):
            return f"{function}({'DISTINCT ' * distinct}{', '.join(map(_text, arguments))})"
        case s.StoreCall(function, arguments):
            return f"{function}({', '.join(map(_text, arguments))})"
        case s.ListLiteral(items):
            return f"[{', '.join(map(_text, items))}]"
        case s.MapLiteral(entries):
            return "{" + ", ".join(f"{quote(key)}: {_text(value)}" for key, value in entries) + "}"
        case s.Case():
            return _case(part)
        case s.Quantifier(kind, variable, items, where):
            return f"{kind}({quote(variable)} IN {_text(items, PREDICATE + 1)} WHERE {_text(where)})"
        case s.ListComprehension(variable, items, where, value):
            taken = "" if value is None else f" | {_text(value)}"
            return f"[{quote(variable)} IN {_text(items, PREDICATE + 1)}{_where(where, ' WHERE ')}{taken}]"
        case s.Lambda(variable, value):
            return f"{quote(variable)} -> {_text(value)}"
        case s.PatternComprehension(pattern, where, value):
            return f"[{_pattern(pattern)}{_where(where, ' WHERE ')} | {_text(value)}]"
        case s.PatternExpression(pattern):
            return _pattern(pattern)
        case s.Subquery(kind, patterns, where):
            return f"{kind} {{ MATCH {', '.join(map(_pattern, patterns))}{_where(where, ' WHERE ')} }}"
    raise AssertionError(part)


def _optional(part: s.Expression | None) -> str:
    return "" if part is None else _text(part)


def _case(case: s.Case) -> str:
    subject = "" if case.subject is None else f" {_text(case.subject)}"
    branches = "".join(f" WHEN {_text(condition)} THEN {_text(value)}" for condition, value in case.branches)
    otherwise = "" if case.otherwise is None else f" ELSE {_text(case.otherwise)}"
    return f"CASE{subject}{branches}{otherwise} END"
