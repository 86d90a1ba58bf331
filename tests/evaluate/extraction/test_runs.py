"""Finished runs before a judge, a baseline and planted facts: from the stages on disk to rows."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from clew.errors import InputError
from clew.evaluate.extraction.baseline_run import read_baseline
from clew.evaluate.extraction.comentions import make_comention_arrays
from clew.evaluate.extraction.end_to_end import read_extracted
from clew.evaluate.extraction.judge_run import judged_rows
from clew.evaluate.extraction.lessons import read_lessons
from clew.evaluate.extraction.planted import read_facts
from clew.evaluate.extraction.planted_queries import ask_planted, predict_planted, weigh_mentions
from clew.evaluate.extraction.planted_run import planted_rows, ranked_texts
from clew.extract.heads import read_heads
from clew.extract.model.storage import read_model
from clew.extract.pipeline import open_seed, run_all
from clew.extract.planted import Planting, prepare_planted, read_planted
from clew.extract.queries import read_queries
from clew.extract.stages import Choices
from clew.extract.tails import read_tails
from clew.extract.triples import read_triples
from clew.graph import Graph
from clew.lm.clients.scripted import Scripted

PLANTING = Planting(share=0.3, fewest=1)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on the toy corpus whose model has seen ten batches, and that keeps whatever it says."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # with more, tiny tensors wait longer than they compute
    out = tmp_path_factory.mktemp("toy") / "run"
    choices = Choices(size="tiny", steps=10, confidence=0.0, beta=0.0)
    try:
        run_all(out, choices, device="cpu")
        prepare_planted(out, open_seed(out, choices), settings=PLANTING)
        yield out
    finally:
        torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def seed(run: Path) -> Graph:
    return Graph(run / "seed.clew")


def test_planted_facts_are_asked_with_one_model_and_scored_beside_the_baselines(
    run: Path, seed: Graph, tmp_path: Path
) -> None:
    predict_planted(run, tmp_path / "full", seed, run / "model", device="cpu")
    facts = read_facts(read_planted(run))
    asked = read_queries(tmp_path / "full" / "queries")
    assert len(asked) == len({(fact.head, fact.relation) for fact in facts})
    texts = ranked_texts(read_tails(tmp_path / "full"))
    assert {(fact.head, fact.relation) for fact in facts} == set(texts)
    assert max(map(len, texts.values())) > 20
    rows = planted_rows(run, seed.path, runs={"full": tmp_path / "full"})
    found = {(row.name, row.half): row for row in rows}
    assert {half for _, half in found} == {"all", "head seen", "head unseen"}
    assert found["full, any tail", "all"].facts == found["full, any tail", "all"].asked == len(facts)
    # Whoever lists the mentions of a sequence lists the right one: both ends stand in it.
    every = found["all mentions of a fitting type, the nearest first", "all"]
    assert every.recall.mean > 0.9 > every.first.mean
    nearest = found["the nearest mention of a fitting type", "all"]
    assert nearest.first.mean == nearest.recall.mean == every.first.mean
    assert found["P(tail | relation)", "head seen"].recall.mean > 0


def test_mentions_of_the_sequence_are_weighed_as_tails(run: Path, seed: Graph, tmp_path: Path) -> None:
    relations = read_model(run / "model").relations
    counts = make_comention_arrays(run, seed, tmp_path / "asked", relations=relations)
    facts = read_facts(read_planted(run))
    assert counts["planted"]["queries"] == len({(fact.head, fact.relation) for fact in facts})
    known, planted = read_lessons(tmp_path / "asked" / "lessons"), read_lessons(tmp_path / "asked" / "planted")
    assert (planted.row_gold == -1).all()
    assert len(planted.learnable(without_fold=None)) == 0
    assert len(known.learnable(without_fold=None)) > 100
    assert set(known.fold.tolist()) == set(range(5))
    rows = json.loads((tmp_path / "asked" / "planted" / "pairs.json").read_text("utf-8"))
    asked = json.loads((tmp_path / "asked" / "planted" / "asked.json").read_text("utf-8"))
    right = {(fact.head, fact.relation, fact.object) for fact in facts}
    holds = np.array([(*asked[query], entity) in right for query, entity in rows])
    scores = np.full(planted.rows, -9.0, np.float32)
    scores[planted.member_row[holds[planted.member_pair]]] = -1.0
    found = planted_rows(run, seed.path, among_mentions={"full": (tmp_path / "asked" / "planted", scores)})
    best = {(row.name, row.half): row for row in found}["full, tails among the mentions", "all"]
    assert best.first.mean > 0.95  # whoever knows is right


def test_a_model_on_this_machine_weighs_mentions_itself(run: Path, seed: Graph, tmp_path: Path) -> None:
    folder, scores = weigh_mentions(run, tmp_path / "asked", seed, run / "model", device="cpu")
    assert len(scores) == read_lessons(folder).rows
    assert (scores < 0).all()


def test_nothing_that_was_taken_out_is_taught(run: Path, seed: Graph, tmp_path: Path) -> None:
    relations = read_model(run / "model").relations
    make_comention_arrays(run, seed, tmp_path / "asked", relations=relations)
    lessons = tmp_path / "asked" / "lessons"
    asked, pairs = (json.loads((lessons / f"{name}.json").read_text("utf-8")) for name in ("asked", "pairs"))
    row_gold = np.load(lessons / "row_gold.npy")
    members = zip(np.load(lessons / "member_row.npy"), np.load(lessons / "member_pair.npy"), strict=True)
    entity = dict(zip(*(read_heads(run)[name].to_pylist() for name in ("head", "entity")), strict=True))
    taught = set()
    for row, pair in members:
        query, object_ = pairs[pair]
        head, relation = asked[query]
        if row_gold[row] == 1:
            taught.add((entity[head], relation, object_))
    facts = {(fact.subject, fact.relation, fact.object) for fact in read_facts(read_planted(run))}
    assert len(taught) > 100
    assert taught.isdisjoint(facts)


def test_runs_that_planted_other_facts_are_not_compared(run: Path, seed: Graph, tmp_path: Path) -> None:
    (tmp_path / "heads").symlink_to(run / "heads")
    (tmp_path / "sequences").symlink_to(run / "sequences")
    prepare_planted(tmp_path, seed, settings=Planting(share=0.2, fewest=1, seed=1))
    with pytest.raises(InputError, match="other facts"):
        planted_rows(run, seed.path, runs={"other": tmp_path})


def test_a_model_without_the_relations_cannot_be_asked(run: Path, seed: Graph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="relation that the model knows"):
        ask_planted(run, tmp_path / "out", seed, ("made_up",))


def test_triples_of_a_run_are_judged_by_a_calibrated_judge(run: Path, data: Path) -> None:
    model = Scripted(scores={"yes": -1.0, "no": -2.0, "maybe": -3.0})
    rows = judged_rows(model, run, run / "seed.clew", data / "bc5cdr", limit=7)
    by_name = {(row.name, row.judge): row for row in rows}
    context = by_name["FActScore*, context only", "scripted, by scoring"]
    assert context.triples == 7
    assert context.trust == "uncalibrated judge (0.50)"  # it says the same of everything
    unjudged = by_name["ValidityScore", "signatures and types, no judge"]
    assert unjudged.triples > 7
    assert 0 < unjudged.yes.mean <= 1
    with pytest.raises(InputError, match="at least 1"):
        judged_rows(model, run, run / "seed.clew", data / "bc5cdr", limit=0)


def test_extracted_triples_of_one_relation_are_read_with_their_documents(run: Path) -> None:
    found = read_extracted(run, relation="treats")
    table = read_triples(run)
    assert len(found) == sum(name == "treats" for name in table["relation"].to_pylist()) > 0
    assert {each.document for each in found} <= set(table["document"].to_pylist())
    assert all(each.score < 0 for each in found)
    assert read_extracted(run) == []


def test_the_baseline_reads_the_same_documents_with_the_same_relations(run: Path, tmp_path: Path) -> None:
    def answer(request: object) -> str:
        return '{"triples": [{"subject": "a", "relation": "treats", "object": "b"}]}'

    report = read_baseline(Scripted(answer), run, tmp_path / "baseline.parquet", limit=5)
    table = pq.read_table(tmp_path / "baseline.parquet")
    assert (report["chunks"], report["triples"]) == (5, 1)
    assert "treats" in report["relations"]
    assert table.to_pylist()[0]["times"] == 5
    assert len(table.to_pylist()[0]["documents"]) == 5
    with pytest.raises(InputError, match="at least 1"):
        read_baseline(Scripted(answer), run, tmp_path / "no.parquet", limit=0)
