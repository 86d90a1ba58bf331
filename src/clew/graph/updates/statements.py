"""What is stated of every triple that an update touches: old statements that stay, then new ones, each once."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.graph.adjacency import spans
from clew.graph.assertions import DEFAULT
from clew.graph.model import Graph
from clew.graph.storage.statements import decoded, distinct_statements, stored_statements
from clew.graph.updates.additions import Additions, find_triples
from clew.graph.updates.composition import one_chunk

__all__ = ["Restated", "restate"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Restated:
    """Triples whose statements change. Numbers from `graph.triple_count` on are new, in the order of `fresh`."""

    dead: Mask  # (t,) triples that nothing is stated of any more
    fresh: tuple[Ints, Ints, Ints]  # subject, relation and object of new triples
    changed: Ints  # ascending: triples with other statements than before, new ones included, dead ones not
    offsets: Ints  # (changed + 1,)
    statements: pa.Table
    positive: Mask  # (t + fresh,) whether a triple is walked by default, as it is now
    flipped: Ints  # changed triples for which that is otherwise than before
    added: int  # statements
    removed: int


def restate(graph: Graph, additions: Additions, gone: Mask) -> Restated:
    """The statements of all touched triples after statements `gone` were withdrawn and others added."""
    subject, relation, object_, owner = _distinct(additions)
    number = find_triples(graph, subject, relation, object_)
    new = np.flatnonzero(number < 0)
    number[new] = graph.triple_count + np.arange(len(new))
    offsets = graph.assertions.offsets
    withdrawn = np.searchsorted(offsets, np.flatnonzero(gone), side="right") - 1
    touched = np.unique(np.concatenate((number, withdrawn)))
    old = touched[touched < graph.triple_count]
    begin = offsets[old].astype(np.int64)
    rows = spans(begin, offsets[old + 1] - begin)  # all statements of touched triples so far
    before = np.repeat(np.searchsorted(touched, old), offsets[old + 1] - begin)
    after = np.searchsorted(touched, number[owner])  # the touched triple of each added row
    table = _together(graph.assertions.rows(rows), decoded(additions.statements))
    kept = np.flatnonzero(~gone[rows])
    candidates = np.concatenate((kept, len(rows) + np.arange(len(after))))
    holder = np.concatenate((before[kept], after))
    final, owners = _collapsed(table, candidates, holder, len(touched))
    count = np.bincount(owners, minlength=len(touched))
    was = np.bincount(before, minlength=len(touched))
    union, holders = _collapsed(
        table, np.concatenate((np.arange(len(rows)), final)), np.concatenate((before, owners)), len(touched)
    )
    same = (count == was) & (np.bincount(holders, minlength=len(touched)) == was)
    dead = np.zeros(graph.triple_count, bool)
    dead[touched[(count == 0) & (touched < graph.triple_count)]] = True
    stays = ~same & (count > 0)
    chosen = final[stays[owners]]
    span = np.zeros(int(stays.sum()) + 1, np.int64)
    np.cumsum(count[stays], out=span[1:])
    changed, statements = touched[stays], stored_statements(table, chosen)
    fresh = (subject[new], relation[new], object_[new])
    positive, flipped = _positive(graph, additions, fresh, changed, span, statements)
    return Restated(
        dead, fresh, changed, span, statements, positive, flipped,
        added=int((union >= len(rows)).sum()), removed=int(was.sum() + (union >= len(rows)).sum() - count.sum()),
    )  # fmt: skip


def _distinct(additions: Additions) -> tuple[Ints, Ints, Ints, Ints]:
    """Each added triple once, in (subject, object, relation) order, and which of them each row states."""
    parts = (additions.subject, additions.object, additions.relation)
    order = np.lexsort(parts[::-1])
    first = np.ones(len(order), bool)
    if len(order):
        first[1:] = np.any([part[order][1:] != part[order][:-1] for part in parts], axis=0)
    owner = np.empty(len(order), np.int64)
    owner[order] = np.cumsum(first) - 1
    chosen = order[first]
    return additions.subject[chosen], additions.relation[chosen], additions.object[chosen], owner


def _together(old: pa.Table, new: pa.Table) -> pa.Table:
    """Statements of both tables in one, each column with one small dictionary."""
    parts = [stored_statements(each, np.arange(each.num_rows)) for each in (old, new)]
    return pa.concat_tables(parts, promote_options="default").unify_dictionaries().combine_chunks()


def _collapsed(table: pa.Table, rows: Ints, holder: Ints, count: int) -> tuple[Ints, Ints]:
    """Rows by their holder, of identical ones of a holder the first alone, and the holder of each."""
    order = np.argsort(holder, kind="stable")
    rows, holder = rows[order], holder[order]
    offsets = np.searchsorted(holder, np.arange(count + 1))
    stays = distinct_statements(table, rows, offsets)
    return rows[stays], holder[stays]


def _positive(
    graph: Graph, additions: Additions, fresh: tuple[Ints, Ints, Ints], changed: Ints, span: Ints, statements: pa.Table
) -> tuple[Mask, Ints]:
    negated = np.array([each.negated for each in additions.relations], bool)
    stated = np.concatenate((graph.assertions.passing(DEFAULT), np.zeros(len(fresh[1]), bool)))
    before = stated[changed]
    if len(changed):
        said = np.ones(statements.num_rows, bool)
        if "negated" in statements.column_names:
            said = ~one_chunk(statements["negated"]).fill_null(False).to_numpy(zero_copy_only=False)
        stated[changed] = np.logical_or.reduceat(said, span[:-1])
    flipped = changed[(stated[changed] != before) & (changed < graph.triple_count)]
    if negated.any():
        stated &= ~np.concatenate((negated[graph.forward.relation], negated[fresh[1]]))
    return stated, flipped
