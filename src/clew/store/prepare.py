"""Prepare a query for a store: parsed, checked, capped and rendered in the store's dialect.

Every query passes through `prepare`, so only read-only statements reach a store.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from clew.errors import InputError, QueryError
from clew.store.cypher import Statement, parse, quote, render
from clew.store.cypher import syntax as s
from clew.store.deadline import Deadline
from clew.store.layout import StoreSchema
from clew.store.name_check import check_names
from clew.store.packing import unpack_properties

__all__ = ["DEFAULT_LIMIT", "DEFAULT_TIMEOUT", "Prepared", "cap", "exclude_negated", "prepare"]

DEFAULT_TIMEOUT = 30.0  # seconds
DEFAULT_LIMIT = 10_000  # rows
SMALLEST, LARGEST = -(2**63), 2**63 - 1
MAX_VALUES, MAX_VALUE_DEPTH = 250_000, 20  # of a parameter
RESERVED_KEYS = frozenset(("_ID", "_LABEL", "_SRC", "_DST", "_NODES", "_RELS"))  # they mark Ladybug's own values
MAX_RANGE = 10_000_000  # a store materialises the whole list, whatever its time and memory limits


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement ready to be sent, with its parameters and its column names if they are known."""

    text: str
    parameters: dict[str, Any]
    columns: tuple[str, ...] | None


def prepare(
    query: str | Statement,
    parameters: Mapping[str, Any] | None,
    *,
    schema: StoreSchema,
    dialect: str,
    deadline: Deadline,
    limit: int,
) -> Prepared:
    """Check and render a query in time; raises `QueryError` unless it is one read-only statement."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise InputError(f"limit must be a number of rows, 0 or more, not {limit!r}")
    statement = query if isinstance(query, Statement) else parse(query, deadline=deadline)
    given = dict(parameters or {})
    if missing := sorted(statement.parameters - given.keys()):
        raise QueryError(f"the query uses the parameter ${missing[0]}, which was not given")
    if unknown := sorted(given.keys() - statement.parameters):
        raise QueryError(f"the query has no parameter ${unknown[0]}")
    for name, value in given.items():
        _check_parameter(name, value)
    _check_calls(statement, given)
    deadline.check()
    check_names(statement, schema)
    capped = cap(exclude_negated(statement, schema), given, limit + 1)
    deadline.check()
    sent = {name: given[name] for name in capped.parameters}  # a cap may have replaced one
    if dialect == "ladybug":
        capped = unpack_properties(capped, schema.provenance)
        capped, sent = _plain_names(capped, sent)
    text = render(capped, dialect, symmetric=schema.symmetric, deadline=deadline)
    return Prepared(text, sent, statement.columns)


def _plain_names(statement: Statement, parameters: dict[str, Any]) -> tuple[Statement, dict[str, Any]]:
    """Parameters without names that need quoting, which Ladybug does not find."""
    odd = [name for name in sorted(parameters) if not name.isdigit() and quote(name) != name]
    if not odd:
        return statement, parameters
    names = {name: f"clew_p{number}" for number, name in enumerate(odd)}

    def change(part: Any) -> Any:
        return s.Parameter(names.get(part.name, part.name)) if isinstance(part, s.Parameter) else part

    return s.rewrite(statement, change), {names.get(name, name): value for name, value in parameters.items()}


def exclude_negated(statement: Statement, schema: StoreSchema) -> Statement:
    """The statement with untyped relationships limited to affirmed ones; negated ones are matched by name only."""
    affirmed = tuple(each.name for each in schema.relationships if not each.negated)
    if len(affirmed) in (0, len(schema.relationships)):
        return statement

    def change(part: Any) -> Any:
        if isinstance(part, s.RelationshipPattern) and not part.types:
            return replace(part, types=affirmed)
        return part

    rewritten: Statement = s.rewrite(statement, change)
    return rewritten


def cap(statement: Statement, parameters: Mapping[str, Any], rows: int) -> Statement:
    """The statement limited to its first `rows` rows, so that a store need not compute them all.

    A UNION is capped in each of its parts, which must then remove duplicates themselves.
    """
    union = len(statement.queries) > 1 and not statement.keep_all
    return replace(
        statement, queries=tuple(_capped(query, parameters, rows, union=union) for query in statement.queries)
    )


def _capped(query: s.Query, parameters: Mapping[str, Any], rows: int, *, union: bool) -> s.Query:
    returned = query.returned
    match returned.limit:
        case None if union and returned.order:
            return query  # DISTINCT could reject this order
        case None:
            capped = replace(returned, limit=s.Literal(rows), distinct=returned.distinct or union)
        case limit if not union and (asked := _number(limit, parameters)) is not None and asked > rows:
            capped = replace(returned, limit=s.Literal(rows))
        case _:
            return query
    return s.Query((*query.clauses[:-1], s.Return(capped)))


def _check_calls(statement: Statement, parameters: Mapping[str, Any]) -> None:
    """Reject ranges that are too long, and maps that look like entities or paths."""
    for part in s.walk(statement):
        if isinstance(part, s.MapLiteral) and (own := sorted(RESERVED_KEYS & {key for key, _ in part.entries})):
            raise QueryError(f"a map cannot have the key {own[0]}, which is reserved: rename it")
        if isinstance(part, s.Call) and part.function.lower() == "range" and len(part.arguments) in (2, 3):
            start, end, *step = (_number(each, parameters) for each in part.arguments)
            by = step[0] if step else 1
            if start is None or end is None or not by:
                continue
            length = (end - start) // by + 1
            if length > MAX_RANGE:
                raise QueryError(f"a range of {length:,} numbers is too long: at most {MAX_RANGE:,}")


def _number(expression: s.Expression, parameters: Mapping[str, Any]) -> int | None:
    """The value of an expression, if it is an integer literal or parameter."""
    match expression:
        case s.Literal(int(value)):
            return value
        case s.Parameter(name) if isinstance(parameters[name], int):
            return int(parameters[name])
        case s.Unary("-", operand) if (positive := _number(operand, parameters)) is not None:
            return -positive
    return None


def _check_parameter(name: str, parameter: Any) -> None:
    """Reject values that no store takes, too many values, or too deep ones."""
    stack, values = [(parameter, 0)], 0
    while stack:
        value, depth = stack.pop()
        values += 1
        if depth > MAX_VALUE_DEPTH:
            raise QueryError(f"the parameter ${name} is nested more than {MAX_VALUE_DEPTH} deep")
        if values > MAX_VALUES:
            raise QueryError(f"the parameter ${name} holds more than {MAX_VALUES:,} values")
        match value:
            case list() | tuple():
                stack += [(each, depth + 1) for each in value]
            case dict():
                stack += [(each, depth + 1) for each in value.values()]
                for key in value:
                    _check_key(name, key)
            case _:
                _check_value(name, value)


def _check_key(name: str, key: Any) -> None:
    if not isinstance(key, str) or key in RESERVED_KEYS:
        raise QueryError(f"the parameter ${name} has the key {key!r}: keys must be text and not reserved")
    _check_value(name, key)


def _check_value(name: str, value: Any) -> None:
    match value:
        case None | bool() | float():
            return
        case int():
            if not SMALLEST <= value <= LARGEST:
                raise QueryError(f"the parameter ${name} exceeds 64 bits: {value}")
        case str():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise QueryError(f"the parameter ${name} contains a lone surrogate, which is not valid text") from None
        case _:
            raise QueryError(
                f"the parameter ${name} is a {type(value).__name__}: give text, a number, true, false, null or a list"
            )
