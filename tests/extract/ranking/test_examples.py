"""Lessons from a run and its seed: what is gold, what is drawn without a tail, and that nothing planted is taught."""

from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from clew.errors import InputError
from clew.extract.chains.graphs import FIRST_WORD, NONE
from clew.extract.chains.injection import read_injected
from clew.extract.mentions.heads import read_heads
from clew.extract.model.storage import read_model
from clew.extract.ranking.batches import Examples, read_examples
from clew.extract.ranking.examples import ExampleSettings, make_examples, prepare_examples
from clew.extract.seed.candidate_triples import collect_candidate_triples
from clew.extract.seed.held_out import HoldOutSettings, prepare_held_out, read_held_out
from clew.extract.sequences.packing import read_sequences
from clew.graph import read_entities
from clew.traverse import GraphEngine
from clew.traverse import open as open_graph


@pytest.fixture(scope="module")
def run(toy_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy run with planted facts, and its lessons made anew."""
    run = copytree(toy_run, tmp_path_factory.mktemp("examples") / "run")
    prepare_held_out(run, open_graph(run / "seed.clew"), settings=HoldOutSettings(share=0.3, fewest=1))
    prepare_examples(run, open_graph(run / "seed.clew"), relations=read_model(run / "model").relations)
    return run


def told(run: Path, lessons: Examples, folder: Path) -> list[tuple[str, str, set[str], set[str], bool]]:
    """Each query in words: the head's entity, the relation, gold entities, others, and whether [NONE] is gold."""
    heads, tokens = read_heads(run).to_pylist(), read_sequences(run)["tokens"].to_pylist()
    relations = read_model(run / "model").relations
    numbers = np.load(folder / "sequence_number.npy")
    found = []
    for query in range(len(lessons)):
        sequence = int(numbers[lessons.sequence[query]])
        there = [head for head in heads if head["sequence"] == sequence]
        (head, *_) = [each for each in there if each["first"] == lessons.first[query]]
        gold: set[str] = set()
        others: set[str] = set()
        begin, end = lessons.row_offsets[query : query + 2]
        for row in range(begin + 1, end):
            tail = [token for token in lessons.tokens[lessons.row_tail[row]].tolist() if token >= FIRST_WORD]
            named = {each["entity"] for each in there if tokens[sequence][each["first"] : each["last"]] == tail}
            (gold if lessons.row_gold[row] == 1 else others).update(named)
        found.append((head["entity"], relations[lessons.relation[query]], gold, others, bool(lessons.row_gold[begin])))
    return found


def known_tails(graph: GraphEngine) -> dict[tuple[str, str], set[str]]:
    offered = collect_candidate_triples(graph, fewest=1)
    ids = read_entities(graph, ("id",))["id"].to_pylist()
    known: dict[tuple[str, str], set[str]] = {}
    for subject, relation, object_ in zip(offered.subject, offered.relation, offered.object, strict=True):
        known.setdefault((ids[subject], offered.relations[relation]), set()).add(ids[object_])
    return known


def test_gold_is_what_the_seed_knows_and_none_where_it_knows_nothing(run: Path) -> None:
    lessons = read_examples(run / "examples")
    assert (lessons.tokens[lessons.row_tail[lessons.row_offsets[:-1]], 0] == NONE).all()
    known = known_tails(open_graph(run / "seed.clew"))
    planted = {(row["subject"], row["relation"], row["object"]) for row in read_held_out(run).to_pylist()}
    with_tail = without = 0
    for head, relation, gold, others, none in told(run, lessons, run / "examples"):
        right = known.get((head, relation), set())
        assert gold <= right
        assert none == (not gold)
        assert not {(head, relation, tail) for tail in gold} & planted
        if none:
            assert not {(head, relation, tail) for tail in others} & planted
            assert not others & right  # neither known nor planted
            without += 1
        else:
            with_tail += 1
    assert with_tail > 40
    assert 20 < without <= with_tail


def test_no_pair_that_a_leaf_shows_is_taught(toy_run: Path) -> None:
    injected = read_injected(toy_run)
    seen = set(map(frozenset, zip(injected["subject"].to_pylist(), injected["object"].to_pylist(), strict=True)))
    taught = {
        frozenset((head, tail))
        for head, _, gold, _, _ in told(toy_run, read_examples(toy_run / "examples"), toy_run / "examples")
        for tail in gold
    }
    assert len(taught) > 20
    assert taught.isdisjoint(seen)


def test_as_many_are_drawn_without_a_tail_as_the_settings_say(run: Path, tmp_path: Path) -> None:
    graph, relations = open_graph(run / "seed.clew"), read_model(run / "model").relations
    counts = [
        make_examples(run, graph, tmp_path / str(share), relations=relations, settings=ExampleSettings(negatives=share))
        for share in (0.0, 0.2, 0.2)
    ]
    assert counts[0]["queries without a tail"] == 0
    assert counts[1] == counts[2]
    share = counts[1]["queries without a tail"] / counts[1]["queries with a tail"]
    assert 0.15 < share < 0.25
    with pytest.raises(InputError, match="0 or more"):
        ExampleSettings(negatives=-1)


def test_triples_that_the_seed_is_taken_not_to_have_are_not_taught(run: Path, tmp_path: Path) -> None:
    graph, relations = open_graph(run / "seed.clew"), read_model(run / "model").relations
    counts = make_examples(run, graph, tmp_path / "none", relations=relations, without=range(graph.counts["triples"]))
    assert counts["queries with a tail"] == counts["queries"] == 0


def test_a_fold_leaves_out_whatever_touches_its_entities(run: Path) -> None:
    lessons = read_examples(run / "examples")
    ids = read_entities(open_graph(run / "seed.clew"), ("id",))["id"].to_pylist()
    fold = {entity: number % 5 for number, entity in enumerate(ids)}
    learnt = set(lessons.learnable(without_fold=2).tolist())
    for query, (head, _, gold, others, _) in enumerate(told(run, lessons, run / "examples")):
        assert lessons.fold[query] == fold[head]
        touched = {fold[head], *(fold[each] for each in gold | others)}
        assert (query in learnt) == (2 not in touched)
    assert 0 < len(learnt) < len(lessons)


def test_finished_lessons_are_kept(run: Path) -> None:
    before = (run / "examples" / "seal.json").stat().st_mtime_ns
    prepare_examples(run, open_graph(run / "seed.clew"), relations=read_model(run / "model").relations)
    assert (run / "examples" / "seal.json").stat().st_mtime_ns == before
