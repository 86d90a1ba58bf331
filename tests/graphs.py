"""Hypothesis strategies for graphs and queries, and raw graphs made into real ones on disk."""

from pathlib import Path

import pyarrow as pa
from hypothesis import strategies as st

import clew
from clew.graph import Relation
from oracle import Filter, RawGraph, Row

TYPES = ("Gene", "Disease", "Phenotype")
RELATIONS = ("is_a", "has", "lacks", "resembles", "binds")
AGENTS = (None, "manual_agent", "text_mining_agent")
LEVELS = (None, "knowledge_assertion", "not_provided")
ODD = ("", " ", "|", '"', "\n", "\t", "\x00", "𝔊𝔢𝔫", "é", "a,b", "'; --", "\\", "🧬")


@st.composite
def raw_graphs(draw: st.DrawFn, *, most: int = 9) -> RawGraph:
    """Small graphs with self-loops, parallel triples, empty rows, isolated entities and odd names."""
    count = draw(st.integers(1, most))
    ids = [f"X:{number}{draw(st.sampled_from(ODD))}" for number in range(count)]
    types = {each: draw(st.sampled_from(TYPES)) for each in ids}
    row = st.builds(
        Row,
        subject=st.sampled_from(ids),
        relation=st.sampled_from(RELATIONS),
        object=st.sampled_from(ids),
        source=st.sampled_from(("S", "T")),
        agent_type=st.sampled_from(AGENTS),
        knowledge_level=st.sampled_from(LEVELS),
        negated=st.sampled_from((False, False, False, True)),
        frequency=st.sampled_from((None, "rare", "often")),
    )
    rows = draw(st.lists(row, max_size=3 * count + 2))
    return RawGraph(types, rows, symmetric=frozenset({"resembles"}), negated=frozenset({"lacks"}))


@st.composite
def filters(draw: st.DrawFn, k: int) -> Filter:
    """Any combination of filters for a query of k hops."""
    one = st.one_of(st.none(), st.frozensets(st.sampled_from(RELATIONS), max_size=3))
    relations = (
        draw(st.one_of(st.tuples(one), st.lists(one, min_size=k, max_size=k).map(tuple))) if k > 1 else (draw(one),)
    )
    kinds = st.one_of(st.none(), st.frozensets(st.sampled_from(TYPES), max_size=2))
    return Filter(
        relations=relations,
        direction=draw(st.sampled_from(("out", "in", "both"))),
        layer=draw(st.sampled_from(("all", "all", "curated", "no-extracted"))),
        frequency=draw(st.sampled_from((None, None, "rare"))),
        with_negated=draw(st.sampled_from((False, False, True))),
        types=draw(kinds),
        through=draw(kinds),
        max_degree=draw(st.one_of(st.none(), st.integers(0, 5))),
    )


def write(raw: RawGraph, out: Path, *, wide: bool = False, partitions: int = 1) -> None:
    """Build the raw graph on disk; relations and types it never uses are declared by an entity of their own."""
    columns = ("subject", "relation", "object", "source", "agent_type", "knowledge_level")
    table = {name: pa.array([getattr(row, name) for row in raw.rows], pa.string()) for name in columns}
    table["negated"] = pa.array([row.negated for row in raw.rows], pa.bool_())
    table["qualifier:frequency"] = pa.array([row.frequency for row in raw.rows], pa.string())
    entities = pa.table(
        {
            "id": pa.array(list(raw.types), pa.string()),
            "name": pa.array([f"name of {each}" for each in raw.types], pa.string()),
            "type": pa.array(list(raw.types.values()), pa.string()),
        }
    )
    flags = [Relation(name, symmetric=name in raw.symmetric, negated=name in raw.negated) for name in RELATIONS]
    clew.build(
        pa.table(table), entities=entities, relations=flags, out=out, overwrite=True, wide=wide, partitions=partitions
    )


def known(filter: Filter, graph: clew.Engine) -> bool:
    """Whether the graph knows every word of the filter; a drawn graph may lack a relation or type altogether."""
    relations = {relation.name for relation in graph.schema.relations}
    named = set().union(*(each for each in filter.relations if each is not None))
    kinds = (filter.types or frozenset()) | (filter.through or frozenset())
    return named <= relations and kinds <= set(graph.schema.types)


def keywords(filter: Filter) -> dict[str, object]:
    """The filter as keyword arguments of the engine."""
    metapath = [each if each is None else sorted(each) for each in filter.relations]
    return {
        "relations": metapath[0] if len(metapath) == 1 else metapath,
        "direction": filter.direction,
        "types": None if filter.types is None else sorted(filter.types),
        "through": None if filter.through is None else sorted(filter.through),
        "max_degree": filter.max_degree,
        "where": clew.Where(
            layer=filter.layer,
            negated=filter.with_negated,
            qualifiers={} if filter.frequency is None else {"frequency": filter.frequency},
        ),
    }
