"""Staged rows in the numbers of a graph: entities it knows or gains, triples, and what is stated of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.adjacency import gather
from clew.graph.encode import distinct_entities
from clew.graph.model import Graph
from clew.graph.schema import RelationSchema
from clew.graph.staging import Problems, Relation, Source, Staged
from clew.graph.storage.statements import statement_columns, stored_statements

__all__ = ["Additions", "find_triples", "read_additions", "read_triples"]

Ints = NDArray[np.integer]
TEXT = pa.string()


@dataclass(frozen=True, slots=True, eq=False)
class Additions:
    """Rows to add. Entities from `graph.entity_count` on are new, in the order of `described`."""

    described: pa.Table  # id and whatever the rows say of an entity
    entity: Ints  # (d,) the number of each described entity
    relations: tuple[Relation, ...]  # those of the graph, then new ones
    sources: tuple[Source, ...]
    subject: Ints  # (r,) one for every row
    relation: Ints
    object: Ints
    statements: pa.Table  # (r)


def read_additions(graph: Graph, staged: Staged, problems: Problems, *, keep_descriptions: bool = False) -> Additions:
    """Rows as they are to be added; rows that name unknown entities are problems.

    With `keep_descriptions`, what they say of entities and relations that the graph has is left out.
    """
    described = distinct_entities(staged, problems)
    ids = described["id"].combine_chunks().cast(TEXT)
    entity = graph.names.lookup(ids)
    if keep_descriptions:
        unknown = pa.array(np.flatnonzero(entity < 0))
        described, ids, entity = described.take(unknown), ids.take(unknown), entity[entity < 0]
    new = np.flatnonzero(entity < 0)
    entity[new] = graph.entity_count + np.arange(len(new))
    relations = _relations(graph, staged, check=not keep_descriptions)
    subject, relation, object_, rows = _numbered(graph, staged, relations, ids.take(pa.array(new)), problems)
    problems.settle()
    known = {source.name for source in graph.manifest.sources}
    sources = (*graph.manifest.sources, *(each for each in staged.sources if each.name not in known))
    statements = stored_statements(statement_columns(staged.triples), rows)
    return Additions(described, entity, relations, sources, subject, relation, object_, statements)


def read_triples(graph: Graph, staged: Staged, problems: Problems) -> tuple[Ints, Ints]:
    """The numbers of triples that rows name, -1 for those the graph does not have, and the rows."""
    relations = tuple(map(_plain, graph.schema.relations))
    names = pc.index_in(staged.triples["relation"].cast(TEXT), pa.array([each.name for each in relations], TEXT))
    known = np.flatnonzero(names.is_valid().to_numpy())
    some = Staged(staged.triples.take(pa.array(known)), triple_origin=staged.triple_origin)
    subject, relation, object_, rows = _numbered(graph, some, relations, pa.array([], TEXT), Problems("skip"))
    number = np.full(staged.triples.num_rows, -1, np.int64)
    number[known[rows]] = find_triples(graph, subject, relation, object_)
    return number, np.arange(len(number))


def _plain(relation: RelationSchema) -> Relation:
    return Relation(relation.name, relation.negated, relation.symmetric, relation.transitive, relation.inverse)


def _relations(graph: Graph, staged: Staged, *, check: bool) -> tuple[Relation, ...]:
    """The relations of the graph, then new ones by name; with `check`, flags of a known one must fit the graph."""
    known = {each.name: _plain(each) for each in graph.schema.relations}
    declared = {each.name: each for each in staged.relations}
    for name, relation in known.items() if check else ():
        given = declared.get(name, relation)
        for flag in ("symmetric", "negated"):
            if getattr(given, flag) and not getattr(relation, flag):
                raise InputError(
                    f"the relation {name!r} is declared {flag}, which it is not in this graph: leave that out, or "
                    "build the graph again"
                )
    used = staged.triples["relation"].unique().drop_null().cast(TEXT).to_pylist()
    return (*known.values(), *(declared.get(name, Relation(name)) for name in sorted(set(used) - known.keys())))


def _numbered(
    graph: Graph, staged: Staged, relations: Sequence[Relation], new: pa.Array, problems: Problems
) -> tuple[Ints, Ints, Ints, Ints]:
    """Subject, relation and object of every row whose ends are known, and the rows."""
    triples = staged.triples
    ends, missing = [], np.zeros(triples.num_rows, bool)
    for column in ("subject", "object"):
        encoded = triples[column].cast(TEXT).combine_chunks().dictionary_encode()
        number = graph.names.lookup(encoded.dictionary)
        added = pc.index_in(encoded.dictionary, value_set=new).fill_null(-1).to_numpy(zero_copy_only=False)
        number = np.where(number < 0, np.where(added < 0, -1, graph.entity_count + added), number)
        end = number[encoded.indices.to_numpy(zero_copy_only=False)] if len(number) else np.empty(0, np.int64)
        for row in np.flatnonzero((end < 0) & ~missing).tolist():
            what = f"{column} {triples[column][row].as_py()!r} is neither in the graph nor in the entity table"
            problems.add("dangling reference", staged.triple_origin(row), what)
        missing |= end < 0
        ends.append(end)
    names = pa.array([each.name for each in relations], TEXT)
    relation = pc.index_in(triples["relation"].cast(TEXT), value_set=names).to_numpy().astype(np.int64)
    symmetric = np.array([each.symmetric for each in relations], bool)
    turned = np.asarray(pc.greater(triples["subject"].cast(TEXT), triples["object"].cast(TEXT)).to_numpy(), bool)
    turned &= symmetric[relation] if len(relation) else turned  # the id that sorts first is the subject
    rows = np.flatnonzero(~missing)
    subject, object_ = np.where(turned, ends[1], ends[0]), np.where(turned, ends[0], ends[1])
    return subject[rows], relation[rows], object_[rows], rows


def find_triples(graph: Graph, subject: Ints, relation: Ints, object_: Ints) -> NDArray[np.int64]:
    """The number of each of some triples; -1 for those that the graph does not have."""
    found = np.full(len(subject), -1, np.int64)
    entities, relations = graph.entity_count, len(graph.schema.relations)
    maybe = np.flatnonzero((subject < entities) & (object_ < entities) & (relation < relations))
    owners = np.unique(subject[maybe])
    position, owner = gather(graph.forward.offsets, owners)
    end, kind = graph.forward.end[position].astype(np.int64), graph.forward.relation[position].astype(np.int64)
    stored = (owner * entities + end) * relations + kind  # ascending, as rows are
    at = np.searchsorted(owners, subject[maybe])
    wanted = (at * entities + object_[maybe]) * relations + relation[maybe]
    place = np.searchsorted(stored, wanted)
    place[place == len(stored)] = 0
    hit = stored[place] == wanted if len(stored) else np.zeros(len(wanted), bool)
    found[maybe[hit]] = position[place[hit]]
    return found
