"""Relations in groups: by names, by types, at random, and by meaning."""

from itertools import chain

import pyarrow as pa
import pytest

import clew
from clew.answer.super_relations.grouping import group_by_clusters, make_groups
from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import InputError
from clew.graph.schema import RelationSchema, Schema
from clew.graph.super_relations import (
    group_by_names,
    group_by_types,
    group_randomly,
    group_singly,
    load_groups,
    save_groups,
)

NAMES = (
    "/film/actor/film./film/performance/film",
    "/film/actor/award",
    "/base/x/celebrity/friend",
    "biolink:treats",
    "biolink:causes",
    "has_sign",
    "has_cause",
    "is_a",
)


def schema(*names: str) -> Schema:
    relations = tuple(
        RelationSchema(name, at, 5, joins="0,1,5" if at % 2 else "1,0,5", type_names=("Film", "Person"))
        for at, name in enumerate(names)
    )
    return Schema({"Film": 3, "Person": 2}, relations)


def test_by_names() -> None:
    groups = group_by_names(schema(*NAMES)).groups
    assert {label: len(members) for label, members in groups.items()} == {
        "base.x": 1,
        "biolink": 2,
        "film.actor": 2,
        "has": 2,
        "is_a": 1,
    }


def test_by_types_and_singly() -> None:
    made = group_by_types(schema(*NAMES))
    assert set(made.groups) == {"Film → Person", "Person → Film"}
    assert sorted(chain(*made.groups.values())) == sorted(NAMES)
    assert all(len(members) == 1 for members in group_singly(schema(*NAMES)).groups.values())


def test_random_groups_have_the_same_sizes_and_members() -> None:
    like = group_by_names(schema(*NAMES))
    drawn = group_randomly(like, seed=1)
    assert [len(members) for members in drawn.groups.values()] == [len(members) for members in like.groups.values()]
    assert sorted(chain(*drawn.groups.values())) == sorted(NAMES)
    assert drawn == group_randomly(like, seed=1) != group_randomly(like, seed=2)


def test_clusters_have_readable_labels() -> None:
    names = ("film_actor", "film_director", "film_actor_award", "birth_place", "death_place", "burial_place")
    made = group_by_clusters(schema(*names), HashedEncoder(dimension=256), count=2)
    assert {frozenset(members) for members in made.groups.values()} == {frozenset(names[:3]), frozenset(names[3:])}
    assert sorted(label.split()[0] for label in made.groups) == ["film", "place"]
    with pytest.raises(InputError, match="need an encoder"):
        make_groups("clusters", schema(*names))
    with pytest.raises(InputError, match="1 to 6 clusters"):
        group_by_clusters(schema(*names), HashedEncoder(), count=9)


def test_what_is_kept_with_a_graph(tmp_path) -> None:
    rows = [("a", name, "b") for name in ("p.q.r", "p.q.s", "t")]
    table = pa.table(dict(zip(("subject", "relation", "object"), zip(*rows, strict=True), strict=True)))
    graph = clew.build(table, out=tmp_path / "g.clew")
    made = load_groups(graph.snapshot, graph.schema)
    assert made.groups == {"p.q": ("p.q.r", "p.q.s"), "t": ("t",)}
    path = save_groups(graph.snapshot, made)
    assert load_groups(graph.snapshot, graph.schema) == made
    path.write_text('{"made_by": "me", "groups": {"mine": ["p.q.s", "t"]}}')
    own = load_groups(graph.snapshot, graph.schema)
    assert own.numbers(graph.schema) == [1, 0, 0]  # p.q.r is a group by itself
    for content, why in (
        ('{"groups": {}}', "holds no super-relations"),
        ('{"made_by": "me", "groups": {"one": ["t"], "two": ["t"]}}', "'one' and 'two'"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=why):
            load_groups(graph.snapshot, graph.schema)
