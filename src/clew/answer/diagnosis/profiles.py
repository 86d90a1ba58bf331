"""The profiles of a graph's diagnoses as arrays: their findings with frequencies, and the findings they lack.

Read once from the graph and kept with its engine; ranking works on these arrays alone.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.answer.diagnosis.hierarchy import Hierarchy, Lists, build_hierarchy, information_content
from clew.answer.diagnosis.relations import ProfileRelations
from clew.answer.plans.assertions.shares import share_of
from clew.errors import InputError
from clew.graph import read_triples
from clew.traverse import GraphEngine

__all__ = ["Profiles", "read_profiles"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
QUALIFIER = "qualifier:"
UNKNOWN_FREQUENCY = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """Rows of all diagnoses: row r says that a diagnosis has the term `term[r]` in a share `frequency[r]` of cases.

    Diagnoses and terms are numbered from 0 here; `diagnoses` and `terms` hold their entities, ascending.
    """

    relations: ProfileRelations
    diagnoses: Ints  # (n,)
    terms: Ints  # (t,)
    hierarchy: Hierarchy  # of the terms
    starts: Ints  # (n + 1,) rows of each diagnosis, never empty
    term: Ints  # (m,)
    frequency: Floats  # (m,) 0.5 where the graph states none
    stated: NDArray[np.bool_]  # (m,) whether the graph states a frequency
    triple: Ints  # (m,)
    lacked: Lists  # terms that each diagnosis lacks
    lacked_triple: Ints  # the triple of each value of `lacked`
    information: Floats  # (t,) -log of the share of diagnoses with the term or a descendant of it

    @property
    def annotated(self) -> NDArray[np.bool_]:
        """(t,) Which terms some diagnosis has."""
        return np.bincount(self.term, minlength=len(self.terms)) > 0

    def rows_of(self, diagnosis: int) -> slice:
        return slice(int(self.starts[diagnosis]), int(self.starts[diagnosis + 1]))

    def find_terms(self, entities: Ints) -> Ints:
        """The number of each entity among the terms, -1 for what is no term."""
        return _places(self.terms, entities)

    def find_diagnoses(self, entities: Ints) -> Ints:
        """The number of each entity among the diagnoses, -1 for what is none."""
        return _places(self.diagnoses, entities)

    def without(self, rows: NDArray[np.bool_]) -> "Profiles":
        """The profiles as they would be without some rows; the first row of a diagnosis always stays."""
        kept = ~rows
        kept[self.starts[:-1]] = True
        owner = np.repeat(np.arange(len(self.diagnoses)), np.diff(self.starts))[kept]
        return Profiles(
            self.relations,
            self.diagnoses,
            self.terms,
            self.hierarchy,
            np.searchsorted(owner, np.arange(len(self.diagnoses) + 1)),
            self.term[kept],
            self.frequency[kept],
            self.stated[kept],
            self.triple[kept],
            self.lacked,
            self.lacked_triple,
            information_content(self.hierarchy, owner, self.term[kept], total=len(self.diagnoses)),
        )


def read_profiles(engine: GraphEngine, relations: ProfileRelations) -> Profiles:
    """Read the profiles of all diagnoses of a graph."""
    table = read_triples(engine, relations=[relations.finding], assertions=True)
    held = table.filter(pa.array(~_flags(table, "negated")))
    if not len(held):
        raise InputError(f"no diagnosis has a finding by the relation {relations.finding!r}: name another relation")
    number, subject, object_ = _columns(held)
    first = np.flatnonzero(np.diff(number, prepend=-1))  # assertions come in the order of triples
    shares = _shares(held)
    known = np.add.reduceat((~np.isnan(shares)).astype(float), first)
    mean = np.add.reduceat(np.nan_to_num(shares), first) / np.maximum(known, 1)
    denied = [_columns(table.filter(pa.array(_flags(table, "negated"))))]
    if relations.negated is not None:
        denied.append(_columns(read_triples(engine, relations=[relations.negated])))
    lacked_triple, denied_subject, denied_object = (np.concatenate(each) for each in zip(*denied, strict=True))
    children, parents = _hierarchy_pairs(engine, relations)
    terms = np.unique(np.concatenate([object_, children, parents, denied_object]))
    diagnoses = np.unique(subject)
    hierarchy = build_hierarchy(np.searchsorted(terms, children), np.searchsorted(terms, parents), len(terms))
    owner, term = np.searchsorted(diagnoses, subject[first]), np.searchsorted(terms, object_[first])
    order = np.lexsort((term, owner))
    who = _places(diagnoses, denied_subject)
    lacks = np.argsort(who, kind="stable")[int((who < 0).sum()) :]  # of diagnoses with a profile
    return Profiles(
        relations,
        diagnoses,
        terms,
        hierarchy,
        starts=np.searchsorted(owner[order], np.arange(len(diagnoses) + 1)),
        term=term[order],
        frequency=np.clip(np.where(known > 0, mean, UNKNOWN_FREQUENCY), 0.01, 1.0)[order],
        stated=(known > 0)[order],
        triple=number[first][order],
        lacked=Lists.of_pairs(who[lacks], np.searchsorted(terms, denied_object[lacks]), len(diagnoses)),
        lacked_triple=lacked_triple[lacks],
        information=information_content(hierarchy, owner, term, total=len(diagnoses)),
    )


def _hierarchy_pairs(engine: GraphEngine, relations: ProfileRelations) -> tuple[Ints, Ints]:
    """Children and parents among entities of the finding type."""
    if relations.hierarchy is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    table = read_triples(engine, relations=[relations.hierarchy])
    _, children, parents = _columns(table)
    wanted = engine.schema.type_number(relations.finding_type)
    kept = (engine.types_of(children) == wanted) & (engine.types_of(parents) == wanted)
    return children[kept], parents[kept]


def _shares(table: pa.Table) -> Floats:
    """The share that each assertion states, by the qualifier with most values that are shares; nan for none."""
    best = np.full(len(table), np.nan)
    for name in table.column_names:
        if name.startswith(QUALIFIER):
            column = table[name].combine_chunks()
            shares = [share_of(value) for value in column.dictionary.to_pylist()]
            values = np.array([np.nan if each is None else sum(each) / 2 for each in shares] + [np.nan])
            stated = values[column.indices.fill_null(len(values) - 1).to_numpy(zero_copy_only=False)]
            best = stated if np.isnan(stated).sum() < np.isnan(best).sum() else best
    return best


def _flags(table: pa.Table, column: str) -> NDArray[np.bool_]:
    if column not in table.column_names:
        return np.zeros(len(table), bool)
    return np.asarray(table[column].combine_chunks().fill_null(False).to_numpy(zero_copy_only=False), bool)


def _columns(table: pa.Table) -> tuple[Ints, Ints, Ints]:
    """Number, subject and object of triples."""
    number, subject, object_ = (np.asarray(table[name], np.int64) for name in ("number", "subject", "object"))
    return number, subject, object_


def _places(known: Ints, wanted: Ints) -> Ints:
    """Where each wanted value is among ascending known ones, -1 where it is not."""
    at = np.minimum(np.searchsorted(known, wanted), max(0, len(known) - 1))
    return np.where(known[at] == wanted, at, -1) if len(known) else np.full(len(wanted), -1)
