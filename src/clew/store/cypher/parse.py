"""Cypher text → syntax tree: one read-only statement, or an error that says where it is not one."""

import re
from functools import cache
from importlib.resources import files

from lark import Lark
from lark.exceptions import UnexpectedInput, UnexpectedToken, VisitError

from clew.errors import QueryError
from clew.store.cypher.build import Build
from clew.store.cypher.syntax import Statement

__all__ = ["parse"]

LONGEST_TEXT = 100_000  # characters; only generated queries are longer
MAX_DEPTH = 200  # nested brackets
ALLOWED = "queries are read-only: use MATCH, OPTIONAL MATCH, WHERE, UNWIND, WITH, RETURN and UNION"
WRITING = re.compile(
    r"(create|merge|set|delete|detach|remove|drop|alter|load|copy|call|foreach|insert|import|export|attach|install|"
    r"use|begin|commit|rollback|grant|deny|show|start|stop|explain|profile|checkpoint|comment)\b",
    re.IGNORECASE,
)


def parse(text: str) -> Statement:
    """Parse one statement; raises `QueryError` for anything else, in particular for anything that could write.

    >>> parse("MATCH (g:Gene) RETURN g.name LIMIT 3").columns
    ('g.name',)
    """
    if len(text) > LONGEST_TEXT:
        raise QueryError(f"a query of {len(text):,} characters is too long: at most {LONGEST_TEXT:,}")
    _check_depth(text)
    try:
        tree = _parser().parse(text)
        return Build(text).transform(tree)  # type: ignore[no-any-return]
    except UnexpectedInput as error:
        raise _explain(text, error) from None
    except VisitError as error:
        if isinstance(error.orig_exc, QueryError):
            raise error.orig_exc from None
        raise


@cache
def _parser() -> Lark:
    grammar = files("clew.store.cypher").joinpath("cypher.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=False)


def _check_depth(text: str) -> None:
    depth = 0
    for each in text:
        depth += (each in "([{") - (each in ")]}")
        if depth > MAX_DEPTH:
            raise QueryError(f"brackets are nested more than {MAX_DEPTH} deep")


def _explain(text: str, error: UnexpectedInput) -> QueryError:
    at = error.pos_in_stream if error.pos_in_stream is not None else len(text)
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        what = "the query ends too early" if text.strip() else "the query is empty"
        return QueryError(f"{what}: expected MATCH … RETURN …", position=len(text))
    if found := WRITING.match(text, at):
        return QueryError(f"{found.group(1).upper()} is not allowed: {ALLOWED}", position=at)
    line = text.count("\n", 0, at) + 1
    near = " ".join(text[at : at + 30].split()) or "the end"
    return QueryError(f"cannot read the query at line {line}, character {at + 1}, near {near!r}", position=at)
