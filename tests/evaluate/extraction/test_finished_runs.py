"""Finished runs before a judge, a baseline and held-out facts: from the stages on disk to rows."""

import shutil
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.end_to_end import read_extracted
from clew.evaluate.extraction.held_out.evaluation import held_out_rows, ranked_tails
from clew.evaluate.extraction.held_out.facts import read_facts
from clew.evaluate.extraction.held_out.queries import MANY_TAILS, ask_held_out, predict_held_out
from clew.evaluate.extraction.judge.evaluation import judged_rows, run_statements
from clew.evaluate.extraction.language_model.evaluation import baseline_statements, read_baseline
from clew.extract.filter.triples import read_triples
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.predictions import read_predictions
from clew.extract.predict.queries import read_queries
from clew.extract.predict.query_arrays import read_query_arrays
from clew.extract.predict.tails import prepare_tails, read_tails
from clew.extract.run.options import RunOptions
from clew.extract.run.pipeline import open_seed, run_all
from clew.extract.seed.held_out import HoldOutSettings, prepare_held_out, read_held_out
from clew.extract.sequences.texts import document_texts
from clew.extract.stage import write_stage
from clew.lm.clients.scripted import Scripted
from clew.traverse import Engine, open

HOLDING_OUT = HoldOutSettings(share=0.3, fewest=1)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on the toy corpus whose model has seen ten batches, and that keeps whatever it says."""
    out = tmp_path_factory.mktemp("toy") / "run"
    choices = RunOptions(size="tiny", steps=10, rank_epochs=1, confidence=0.0, beta=0.0)
    run_all(out, choices, device="cpu")
    prepare_held_out(out, open_seed(out, choices), settings=HOLDING_OUT)
    return out


@pytest.fixture(scope="module")
def seed(run: Path) -> Engine:
    return open(run / "seed.clew")


def test_held_out_facts_are_asked_with_one_model_and_scored_beside_the_baselines(
    run: Path, seed: Engine, tmp_path: Path
) -> None:
    predict_held_out(run, tmp_path / "full", seed, run / "model", device="cpu")
    facts = read_facts(read_held_out(run))
    asked = read_query_arrays(tmp_path / "full" / "queries")
    assert len(asked) == len({(fact.head, fact.relation) for fact in facts})
    tails = ranked_tails(read_tails(tmp_path / "full"), read_heads(run))
    assert {(fact.head, fact.relation) for fact in facts} == set(tails)
    assert max(map(len, tails.values())) > 20
    rows = held_out_rows(run, run / "seed.clew", runs={"full": tmp_path / "full"})
    found = {(row.name, row.half): row for row in rows}
    assert {half for _, half in found} == {"all", "head seen", "head unseen"}
    assert found["full, any tail", "all"].facts == found["full, any tail", "all"].asked == len(facts)
    assert found["full, any tail or none", "all"].asked <= len(facts)
    # Whoever lists the mentions of a sequence lists the right one: both ends stand in it.
    for every in ("full, tails among the mentions", "all mentions of a fitting type, the nearest first"):
        assert found[every, "all"].recall.mean > 0.9 > found[every, "all"].first.mean
    nearest = found["the nearest mention of a fitting type", "all"]
    assert nearest.first.mean == nearest.recall.mean
    assert found["P(tail | relation)", "head seen"].recall.mean > 0


def test_whoever_scores_the_right_mention_highest_is_right(run: Path, seed: Engine, tmp_path: Path) -> None:
    """A model that answers [NONE] for half of the facts, and the held-out tail for all others."""
    out = tmp_path / "full"
    predict_held_out(run, out, seed, run / "model", device="cpu")
    asked, entities = read_queries(out)[0].to_pylist(), read_heads(run)["entity"].to_pylist()
    facts = read_facts(read_held_out(run))
    right = {(fact.head, fact.relation, fact.object) for fact in facts}
    scores = []
    for at, row in enumerate(asked):
        named = [(row["head"], row["relation"], entities[mention]) in right for mention in row["mentions"]]
        scores.append([-1.0 if at % 2 else -99.0, *(-4.0 if each else -60.0 for each in named)])
    table = read_predictions(out)
    column = pa.array(scores, table.schema.field("scores").type)
    table = table.set_column(table.schema.get_field_index("scores"), table.schema.field("scores"), column)
    shutil.rmtree(out / "predictions")
    write_stage(out / "predictions", {"k": 20}, {"predictions": table}, {}, what="predictions of a model that knows")
    prepare_tails(out, seed, settings=MANY_TAILS)
    found = {(row.name, row.half): row for row in held_out_rows(run, run / "seed.clew", runs={"full": out})}
    assert found["full, any tail", "all"].first.mean > 0.95
    assert found["full, tails among the mentions", "all"].first.mean > 0.95
    sure = found["full, any tail or none", "all"]
    assert 0 < sure.asked < len(facts)
    assert sure.first.mean < 0.8


def test_runs_that_held_out_other_facts_are_not_compared(run: Path, seed: Engine, tmp_path: Path) -> None:
    (tmp_path / "heads").symlink_to(run / "heads")
    (tmp_path / "sequences").symlink_to(run / "sequences")
    prepare_held_out(tmp_path, seed, settings=HoldOutSettings(share=0.2, fewest=1, seed=1))
    with pytest.raises(InputError, match="other facts"):
        held_out_rows(run, run / "seed.clew", runs={"other": tmp_path})


def test_a_model_without_the_relations_cannot_be_asked(run: Path, seed: Engine, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="relation that the model knows"):
        ask_held_out(run, tmp_path / "out", seed, ("made_up",))


def test_triples_of_a_run_are_judged_by_a_calibrated_judge(run: Path, data: Path) -> None:
    answers = {"Yes": -1.0, "No": -2.0, "Maybe": -3.0, "yes": -1.0, "no": -2.0, "maybe": -3.0}
    model = Scripted(scores=defaultdict(lambda: -9.0, answers))
    rows, calibrations = judged_rows(model, run, run / "seed.clew", data / "bc5cdr", limit=7)
    by_name = {(row.name, row.judge.partition(",")[0]): row for row in rows}
    context = by_name["FActScore*, context only", "scripted"]
    assert context.triples == 7
    assert context.trust == "uncalibrated judge (0.50, 95 % 0.50-0.50)"  # it says the same of everything
    unjudged = by_name["ValidityScore", "signatures and types"]
    assert unjudged.triples > 7
    assert 0 < unjudged.yes.mean <= 1
    assert [(each.question, each.statements) for each in calibrations] == [
        ("context", 200),
        ("truth", 200),
        ("validity", 200),
    ]
    with pytest.raises(InputError, match="at least 1"):
        judged_rows(model, run, run / "seed.clew", data / "bc5cdr", limit=0)


def test_triples_are_judged_without_a_model_too(run: Path, data: Path) -> None:
    rows, calibrations = judged_rows(None, run, run / "seed.clew", data / "bc5cdr", by="keywords", limit=7)
    assert [each.question for each in calibrations] == ["context", "truth"]
    assert [row.name for row in rows if row.judge.startswith("keywords")] == [
        "FActScore*, context only",
        "FActScore*, context and general truth",
    ]
    with pytest.raises(InputError, match="needs a language model"):
        judged_rows(None, run, run / "seed.clew", data / "bc5cdr")
    with pytest.raises(InputError, match="not by 'dice'"):
        judged_rows(None, run, run / "seed.clew", data / "bc5cdr", by="dice")


def test_statements_are_in_the_words_of_the_text_with_the_subject_first(run: Path) -> None:
    drawn = run_statements(run, limit=10_000)
    table = read_triples(run).to_pylist()
    assert len(drawn.statements) == len(drawn.typed) == len(table)
    assert drawn.known == [row["known"] for row in table]
    assert drawn.confidence == [row["confidence"] for row in table]
    for row, said in zip(table, drawn.statements, strict=True):
        assert row["head_text"] == (said.object if row["turned"] else said.subject)
        assert row["head_text"] in said.text


def test_extracted_triples_of_one_relation_are_read_with_their_documents(run: Path) -> None:
    found = read_extracted(run, relation="treats")
    table = read_triples(run)
    assert len(found) == sum(name == "treats" for name in table["relation"].to_pylist()) > 0
    assert {each.document for each in found} <= set(table["document"].to_pylist())
    assert all(0 < each.score <= 1 for each in found)
    assert read_extracted(run) == []


def test_the_baseline_reads_the_same_documents_with_the_same_relations(run: Path, tmp_path: Path) -> None:
    report = read_baseline(Scripted(lambda _: "a | treats | b"), run, tmp_path / "baseline.parquet", limit=5)
    table = pq.read_table(tmp_path / "baseline.parquet")
    assert (report["chunks"], report["triples"]) == (5, 1)
    assert "treats" in report["relations"]
    assert table.to_pylist()[0]["times"] == 5
    assert table.to_pylist()[0]["documents"] == report["documents"]
    assert len(report["documents"]) == 5
    assert baseline_statements(table)[0].text in document_texts(run)[report["documents"][0]]
    with pytest.raises(InputError, match="at least 1"):
        read_baseline(Scripted([]), run, tmp_path / "no.parquet", limit=0)
    only = report["documents"][:2]
    again = read_baseline(Scripted(lambda _: "none"), run, tmp_path / "two.parquet", limit=5, documents=only)
    assert (again["documents"], again["triples"]) == (only, 0)
    with pytest.raises(InputError, match="is no document"):
        read_baseline(Scripted([]), run, tmp_path / "no.parquet", documents=["PMID:0"])
