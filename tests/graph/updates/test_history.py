"""The history of a graph: which snapshots there are, reading an earlier one, and what differs between two."""

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

import clew
from clew.errors import UnknownName
from clew.graph.storage.snapshots import prune
from clew.graph.updates.history import compare_snapshots, history
from clew.graph.updates.update import compact_graph
from living import build, drawn_change, drawn_model, state_of, update


def test_every_snapshot_of_a_life_can_be_read_and_compared(tmp_path: Path) -> None:
    random, path = Random(3), tmp_path / "g.clew"
    model = drawn_model(random)
    build(model, path)
    lives = {clew.open(path).snapshot.id: (dict(model.entities), set(model.rows))}
    for cycle in range(5):
        change = drawn_change(random, model)
        update(path, change)
        model.apply(change)
        lives[clew.open(path).snapshot.id] = (dict(model.entities), set(model.rows))
        if cycle == 2:
            compact_graph(path)
    for name, held in lives.items():
        assert state_of(clew.open(path, snapshot=name)) == held
    names = list(lives)
    for one, other in [*pairwise(names), *pairwise(names[::-1]), (names[0], names[-1])]:
        (entities, rows), (others, more) = lives[one], lives[other]
        found = compare_snapshots(path, one, other)
        assert found.entities_added == tuple(sorted(others.keys() - entities.keys()))
        assert found.entities_removed == tuple(sorted(entities.keys() - others.keys()))
        renamed = {each for each in entities.keys() & others.keys() if entities[each] != others[each]}
        assert renamed <= set(found.entities_changed)
        assert set(found.triples_added) == {row.key for row in more} - {row.key for row in rows}
        assert set(found.triples_removed) == {row.key for row in rows} - {row.key for row in more}
        assert [key for key, _ in found.assertions_added] == sorted(row.key for row in more - rows)
        assert [key for key, _ in found.assertions_removed] == sorted(row.key for row in rows - more)


def test_the_log_follows_parents(tmp_path: Path) -> None:
    random, path = Random(4), tmp_path / "g.clew"
    model = drawn_model(random)
    build(model, path)
    made = [clew.open(path).snapshot.id]
    while len(made) < 4:
        change = drawn_change(random, model)
        model.apply(change)
        if update(path, change):
            made.insert(0, clew.open(path).snapshot.id)
    compact_graph(path)
    entries = history(path)
    assert [each.snapshot for each in entries[1:]] == made
    assert [each.kind for each in entries] == ["compaction", "update", "update", "update", "build"]
    assert [each.current for each in entries] == [True, False, False, False, False]
    reader = clew.open(path, snapshot=made[-1][:6])
    assert prune(path, keep=1) == [*made[1:-1]]  # the newest is kept, the oldest is open
    assert len(reader.hop(0, 1)) >= 0
    assert [each.snapshot for each in history(path)] == [entries[0].snapshot, made[0], made[-1]]


def test_an_unknown_snapshot_is_named(tmp_path: Path) -> None:
    build(drawn_model(Random(1)), tmp_path / "g.clew")
    for name in ("beef", "abc", ""):
        with pytest.raises(UnknownName, match="expected at least 4 characters of the name of one"):
            clew.open(tmp_path / "g.clew", snapshot=name)
