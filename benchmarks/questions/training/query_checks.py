"""Whether a query that a model wrote is right: it means the same as the annotator's, whatever its form."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from clew.answer.models.schema_grammar import NONE
from clew.answer.plans.canonical import same
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.plan import Plan
from clew.errors import ClewError
from clew.store.cypher import parse
from clew.store.cypher import syntax as s

__all__ = ["are_right", "is_right", "plan_of"]

AT_ONCE = 200  # pairs that a process compares before it takes the next


def is_right(written: str, query: str) -> bool:
    """Whether a written query means what another does; no query is right where there is no answer."""
    if NONE in (written, query):
        return False
    if written == query:
        return True
    try:
        return same(plan_of(parse(written)), plan_of(parse(query)))
    except (ClewError, ValueError):
        return False


def are_right(written: Sequence[str], queries: Sequence[str]) -> list[bool]:
    """The same for many, by as many processes as there are cores."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return list(pool.map(is_right, written, queries, chunksize=AT_ONCE))


def plan_of(statement: s.Statement) -> Plan:
    """The plan of a statement, with the names of its parameters for their values."""
    names = {each.name for each in s.walk(statement) if isinstance(each, s.Parameter)}
    return read_plan(statement, {name: (name,) for name in names})
