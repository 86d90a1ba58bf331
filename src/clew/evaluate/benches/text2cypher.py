"""How much real-world Cypher is read: the share of Neo4j's text2cypher queries that parse, and that become plans.

In: pairs.jsonl.gz of the collection. Out: rates by kind of query, by the collection's own type, and why others fail.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from clew.answer.plans.cypher.read import read_plan
from clew.errors import InputError, QueryError
from clew.progress import Progress, silent, track
from clew.store.cypher import Statement, parse
from clew.store.cypher import syntax as s

__all__ = ["KINDS", "Attempt", "Pair", "attempt", "load_pairs", "query_kind", "rates_record", "reason_of"]

PAIRS = "pairs.jsonl.gz"
UNREAD = "not read"
# What a query does, the hardest first: a query is of the first kind that fits.
KINDS = (
    "union or unwind",
    "variable length",
    "optional or negated",
    "aggregation after aggregation",
    "aggregation",
    "multi-hop",
    "order and limit",
    "filter",
    "simple retrieval",
)
AGGREGATES = frozenset({"avg", "collect", "count", "max", "min", "stdev", "sum", "percentilecont", "percentiledisc"})


@dataclass(frozen=True, slots=True)
class Pair:
    """A question of the collection with its query."""

    type: str  # the collection's own
    question: str
    cypher: str
    database: str = ""  # whose schema it is about


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of a query: its kind, and why it was not read or became no plan."""

    pair: Pair
    kind: str  # of KINDS, or UNREAD
    unread: str | None = None  # why it does not parse
    unplanned: str | None = None  # why it parses and is no plan

    @property
    def parsed(self) -> bool:
        return self.unread is None

    @property
    def planned(self) -> bool:
        return self.parsed and self.unplanned is None


def load_pairs(data: Path) -> list[Pair]:
    """The pairs in a data folder, or in its folder text2cypher."""
    found = [path for path in (data / "text2cypher" / PAIRS, data / PAIRS) if path.is_file()]
    if not found:
        raise InputError(f"{data} holds no text2cypher/{PAIRS}: give the data folder with --data")
    try:
        with gzip.open(found[0], "rt", encoding="utf-8") as lines:
            return [
                Pair(row["type"], row["question"], row["cypher"], row.get("database", ""))
                for row in map(json.loads, lines)
            ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{found[0]} is not text2cypher's list of questions with queries: {error}") from error


def attempt(pair: Pair) -> Attempt:
    """Read a query and make a plan of it."""
    try:
        statement = parse(pair.cypher)
    except QueryError as error:
        return Attempt(pair, UNREAD, unread=str(error))
    kind = query_kind(statement)
    try:
        read_plan(statement)
    except QueryError as error:
        return Attempt(pair, kind, unplanned=str(error))
    return Attempt(pair, kind)


def query_kind(statement: Statement) -> str:
    """The hardest thing that a query does.

    >>> query_kind(parse("MATCH (g:Gene)-[:CAUSES]->(d:Disease) RETURN d.name, count(g) ORDER BY count(g) LIMIT 3"))
    'aggregation'
    """
    parts = list(s.walk(statement))
    return next(kind for kind in KINDS if TESTS[kind](statement, parts))


def _is_joined(statement: Statement, parts: Sequence[Any]) -> bool:
    return len(statement.queries) > 1 or any(isinstance(part, s.Unwind) for part in parts)


def _repeats(statement: Statement, parts: Sequence[Any]) -> bool:
    relationships = (part for part in parts if isinstance(part, s.RelationshipPattern))
    return any(isinstance(part, s.Pattern) and part.kind for part in parts) or any(r.repeated for r in relationships)


def _is_optional(statement: Statement, parts: Sequence[Any]) -> bool:
    denied = (part.operand for part in parts if isinstance(part, s.Unary) and part.operator == "NOT")
    patterns = (s.PatternExpression, s.Subquery)
    return any(isinstance(part, s.Match) and part.optional for part in parts) or any(
        isinstance(inner, patterns) for each in denied for inner in s.walk(each)
    )


def _aggregates(part: Any) -> bool:
    return any(
        isinstance(each, s.CountAll) or (isinstance(each, s.Call) and each.function.lower() in AGGREGATES)
        for each in s.walk(part)
    )


def _counting_clauses(parts: Sequence[Any]) -> int:
    return sum(_aggregates(part.projection) for part in parts if isinstance(part, s.With | s.Return))


def _hops(parts: Sequence[Any]) -> int:
    return sum(isinstance(part, s.RelationshipPattern) for part in parts)


def _is_ordered(statement: Statement, parts: Sequence[Any]) -> bool:
    return any(isinstance(part, s.Projection) and (part.order or part.limit is not None) for part in parts)


def _is_filtered(statement: Statement, parts: Sequence[Any]) -> bool:
    named = (s.EntityPattern, s.RelationshipPattern)
    return any(
        (isinstance(part, s.Match | s.With) and part.where is not None)
        or (isinstance(part, named) and part.properties is not None)
        for part in parts
    )


TESTS: dict[str, Callable[[Statement, Sequence[Any]], bool]] = {
    "union or unwind": _is_joined,
    "variable length": _repeats,
    "optional or negated": _is_optional,
    "aggregation after aggregation": lambda statement, parts: _counting_clauses(parts) > 1,
    "aggregation": lambda statement, parts: _counting_clauses(parts) == 1,
    "multi-hop": lambda statement, parts: _hops(parts) > 1,
    "order and limit": _is_ordered,
    "filter": _is_filtered,
    "simple retrieval": lambda statement, parts: True,
}


def reason_of(message: str) -> str:
    """A refusal without what is special to one query, so that alike ones count together.

    >>> reason_of("a plan cannot say the value datetime('2020-01-01')")
    'the value datetime(…)'
    >>> reason_of("cannot read the query at line 2, character 9, near 'GROUP BY t.type'")
    'cannot read on at GROUP'
    """
    near = re.search(r"near '\s*(\w+|.)", message)
    if near:
        return f"cannot read on at {near[1]}"
    refused = message.removeprefix("a plan cannot say ")
    special = re.match(r"(the \w+) (.*)", refused, re.DOTALL)
    if not special:
        return refused.partition(":")[0]
    call = re.match(r"(?:NOT )?(\w+) ?([({])", special[2])
    if call:
        return f"{special[1]} {call[1]}{'(…)' if call[2] == '(' else ' {…}'}"
    return f"{special[1]} of another form"


def rates_record(pairs: Sequence[Pair], *, progress: Progress = silent) -> dict[str, Any]:
    """Rates over all pairs as JSON: by kind, by the collection's own type, and the commonest reasons for refusal."""
    begun = perf_counter()
    tried = [attempt(pair) for pair in track(pairs, "reading queries", progress, total=len(pairs))]
    if not tried:
        raise InputError("there are no queries to read: the file of pairs is empty")
    kinds = [kind for kind in (*KINDS, UNREAD) if any(each.kind == kind for each in tried)]
    types = sorted({each.pair.type for each in tried})
    return {
        "bench": "text2cypher",
        **_rates(tried),
        "kinds": [{"kind": kind, **_rates([each for each in tried if each.kind == kind])} for kind in kinds],
        "types": [{"type": type_, **_rates([each for each in tried if each.pair.type == type_])} for type_ in types],
        "not_parsed": list(_reasons((each.unread, each.pair) for each in tried)),
        "not_planned": list(_reasons((each.unplanned, each.pair) for each in tried)),
        "seconds": round(perf_counter() - begun, 2),
    }


def _rates(tried: Sequence[Attempt]) -> dict[str, Any]:
    n, parsed, planned = len(tried), sum(each.parsed for each in tried), sum(each.planned for each in tried)
    return {"n": n, "parsed": parsed, "parse_rate": parsed / n, "planned": planned, "plan_rate": planned / n}


def _reasons(refused: Iterable[tuple[str | None, Pair]]) -> Iterator[dict[str, Any]]:
    """Why queries were refused, the commonest reason first, each with one of the queries."""
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for message, pair in refused:
        if message is not None:
            reason = reason_of(message)
            counts[reason] += 1
            examples.setdefault(reason, pair.cypher)
    for reason, count in counts.most_common():
        yield {"reason": reason, "n": count, "example": examples[reason]}
