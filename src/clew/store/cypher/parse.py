"""Cypher text → syntax tree: one read-only statement, or an error that says where it is not one."""

import re
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken, VisitError

from clew.errors import ClewError, QueryError
from clew.store.cypher.build import Build
from clew.store.cypher.syntax import Expression, Statement, held
from clew.store.deadline import Deadline

__all__ = ["parse"]

LONGEST_TEXT = 100_000  # characters; only generated queries are longer
LONGEST_CACHED = 1_000  # characters
MAX_TOKENS = 10_000
MAX_RECORDS = 50_000  # of the tree; a < b < c holds b twice, so nested comparisons can grow exponentially
MAX_DEPTH = 150  # nested expressions
ALLOWED = "queries are read-only: use MATCH, OPTIONAL MATCH, WHERE, UNWIND, WITH, RETURN and UNION"
WRITING = re.compile(
    r"(create|merge|set|delete|detach|remove|drop|alter|load|copy|call|foreach|insert|import|export|attach|install|"
    r"use|begin|commit|rollback|grant|deny|show|start|stop|explain|profile|checkpoint|comment)\b",
    re.IGNORECASE,
)

WORD = re.compile(r"[A-Za-z_]+")
KEYWORDS = (
    "AND", "AS", "ASC", "CASE", "CONTAINS", "DESC", "DISTINCT", "ELSE", "END", "ENDS WITH", "EXISTS", "IS NOT NULL",
    "IS NULL", "LIMIT", "MATCH", "NOT", "OPTIONAL MATCH", "ORDER BY", "RETURN", "SKIP", "STARTS WITH", "THEN", "UNION",
    "UNWIND", "WHEN", "WHERE", "WITH", "XOR",
)  # fmt: skip


def parse(text: str, *, deadline: Deadline | None = None) -> Statement:
    """Parse one statement; raises `QueryError` for anything else, in particular for anything that could write.

    >>> parse("MATCH (g:Gene) RETURN g.name LIMIT 3").columns
    ('g.name',)
    """
    if len(text) > LONGEST_TEXT:
        raise QueryError(f"a query of {len(text):,} characters is too long: at most {LONGEST_TEXT:,}")
    return _cached(text) if len(text) <= LONGEST_CACHED else _parsed(text, deadline)


@lru_cache(256)
def _cached(text: str) -> Statement:
    """Short queries parse in milliseconds and are often repeated with other parameters."""
    return _parsed(text, None)


def _parsed(text: str, deadline: Deadline | None) -> Statement:
    try:
        text.encode()
        statement: Statement = Build(text, deadline).transform(_tree(text, deadline))
    except UnicodeEncodeError as error:
        raise QueryError("the query contains a lone surrogate, which is not valid text", position=error.start) from None
    except UnexpectedInput as error:
        raise _explain(text, error) from None
    except VisitError as error:
        if isinstance(error.orig_exc, ClewError):
            raise error.orig_exc from None
        raise
    _check_size(statement)
    return statement


def _tree(text: str, deadline: Deadline | None) -> Tree[Token]:
    """Lark's parse tree; the number of tokens and the deadline are checked at every token."""
    parsing = _parser().parse_interactive(text)
    last = None
    for number, last in enumerate(parsing.iter_parse()):
        if number == MAX_TOKENS:
            raise QueryError(
                f"the query has more than {MAX_TOKENS:,} tokens: pass long lists as parameters",
                position=last.start_pos,
            )
        if deadline is not None:
            deadline.check()
    tree: Tree[Token] = parsing.feed_eof(last)  # type: ignore[no-untyped-call]
    return tree


def _check_size(statement: Statement) -> None:
    """Refuse trees too deep for recursive readers, or much larger than their text."""
    waiting: list[tuple[Any, int]] = [(statement, 0)]
    records = 0
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, Expression):
            depth += 1
        records += 1
        if depth > MAX_DEPTH:
            raise QueryError(f"expressions are nested more than {MAX_DEPTH} deep: simplify the query")
        if records > MAX_RECORDS:
            raise QueryError(f"the query expands to more than {MAX_RECORDS:,} expressions: simplify its comparisons")
        waiting += [(each, depth) for each in held(part)]


@cache
def _parser() -> Lark:
    grammar = files("clew.store.cypher").joinpath("cypher.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=False)


def _explain(text: str, error: UnexpectedInput) -> QueryError:
    at = error.pos_in_stream if error.pos_in_stream is not None else len(text)
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        what = "the query ends too early" if text.strip() else "the query is empty"
        return QueryError(f"{what}: expected MATCH … RETURN …", position=len(text))
    if found := WRITING.match(text, at):
        return QueryError(f"{found.group(1).upper()} is not allowed: {ALLOWED}", position=at)
    line = text.count("\n", 0, at) + 1
    near = " ".join(text[at : at + 30].split()) or "the end"
    return QueryError(
        f"cannot read the query at line {line}, character {at + 1}, near {near!r}{_suggestion(text, at)}", position=at
    )


def _suggestion(text: str, at: int) -> str:
    """The keyword that is meant, where a word there is nearly one."""
    word = WORD.match(text, at)
    close = get_close_matches(word.group().upper(), KEYWORDS, n=1, cutoff=0.7) if word else []
    return f": did you mean {close[0]}?" if close and word and word.group().upper() != close[0] else ""
