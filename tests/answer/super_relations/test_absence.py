"""Absence agrees with brute force: every walk of up to L hops, written down in plain Python."""

from collections.abc import Iterator
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.answer import Asker
from clew.answer.super_relations.absence import Wanted, find_absence
from clew.answer.super_relations.steps import Allowed
from graphs import RELATIONS, TYPES, raw_graphs, write
from oracle import RawGraph

Triple = tuple[str, str, str]


def stated(raw: RawGraph) -> set[Triple]:
    """Triples that some source states and none of a negated relation."""
    return {(row.subject, row.relation, row.object) for row in raw.rows if not row.negated and row.relation != "lacks"}


def walk_ends(triples: set[Triple], start: str, steps: int, allowed: frozenset[str]) -> Iterator[str]:
    """The end of every walk of 1 to `steps` hops, one walk at a time."""
    if steps:
        for subject, relation, object_ in triples:
            if relation in allowed:
                for near, far in ((subject, object_), (object_, subject)):
                    if near == start:
                        yield far
                        yield from walk_ends(triples, far, steps - 1, allowed)


@settings(max_examples=30)
@given(
    raw=raw_graphs(most=6),
    steps=st.integers(1, 3),
    allowed=st.frozensets(st.sampled_from(RELATIONS), min_size=1),
    types=st.lists(st.sampled_from(TYPES), max_size=2, unique=True),
    last=st.tuples(st.sampled_from(("is_a", "has", "resembles", "binds")), st.booleans()),
    data=st.data(),
)
def test_absence_is_what_brute_force_finds(raw, steps, allowed, types, last, data) -> None:
    start = data.draw(st.sampled_from(sorted(raw.types)))
    with TemporaryDirectory() as folder:
        write(raw, f"{folder}/g")
        graph = clew.open(f"{folder}/g")
        known = {relation.name for relation in graph.schema.relations}
        types = [each for each in types if each in graph.schema.types]
        allowed = allowed & known
        triples = stated(raw)
        reached = set(walk_ends(triples, start, steps, allowed))
        wanted = Wanted(tuple(types), (last,) if last[0] in known and not types else ())
        if wanted.types:
            expected = not any(raw.types[each] in wanted.types for each in reached)
        elif wanted.relations:
            name, forward = last
            far = {o if forward else s for s, r, o in triples if r == name}
            far |= {each for s, r, o in triples if r == name == "resembles" for each in (s, o)}
            expected = not reached & far
        else:
            expected = not reached
        (topic,) = graph.lookup([start]).tolist()
        found = find_absence(graph, [topic], wanted, steps=steps, allowed=Allowed(allowed))
        assert (found is not None) == expected


@pytest.mark.parametrize(
    ("wanted", "steps", "absent"),
    [
        (Wanted(("Phenotype",)), 1, True),
        (Wanted(("Phenotype",)), 2, False),
        (Wanted(("Place",)), 3, True),
        (Wanted(relations=(("is_a", True),)), 2, True),
        (Wanted(relations=(("has_phenotype", True),)), 2, False),
        (Wanted(), 1, False),
    ],
)
def test_absence_is_a_sentence(clinic: Asker, wanted: Wanted, steps: int, absent: bool) -> None:
    graph = clinic.resources.engine
    found = find_absence(graph, graph.resolve(["G:1"]).tolist(), wanted, steps=steps)
    assert (found is not None) == absent
    if found:
        assert str(wanted) in found
