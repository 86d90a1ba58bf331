"""The iBKH-shaped graph and its questions: gold as the raw files have it, all of it covered, every triple sourced."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.graphs.ibkh import build as build_ibkh
from benchmarks.questions.ibkh_gold import QUESTIONS, answers

import clew
from clew.answer import Asker, Resources
from clew.evaluate.metrics import GoldSet, GoldTop
from clew.evaluate.questions import load_bench, work_out
from clew.evaluate.runner import ask_all, run_record


@pytest.fixture(scope="module")
def asker(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    out = build_ibkh(data, tmp_path_factory.mktemp("ibkh") / "ibkh.clew")
    asker = Asker(Resources(clew.open(out), encoder=None))  # no encoder: what is tested must not hang on a model
    yield asker
    asker.close()


def test_the_bench_has_its_levels_and_paraphrases() -> None:
    bench = load_bench("ibkh")
    levels = [each.level for each in bench]
    assert {level: levels.count(level) for level in levels} == {"simple": 20, "medium": 18, "complex": 16}
    assert len({each.id for each in bench}) == len(bench)
    assert all(len(each.paraphrases) == 2 for each in bench)
    texts = [text for each in bench for text in (each.question, *each.paraphrases)]
    assert len(set(texts)) == len(texts)
    assert {each.id for each in bench} == set(QUESTIONS)


@pytest.mark.slow
def test_the_graph_has_its_types_and_relations(asker: Asker) -> None:
    engine = asker.resources.engine
    assert set(engine.schema.types) == {"Disease", "Drug", "Gene", "Pathway", "SideEffect", "Symptom"}
    counts = {each.name: each.triples for each in engine.schema.relations}
    assert counts["treats"] == 755  # all that Hetionet has
    assert counts["palliates"] == 390
    assert counts["participates_in"] == 5_000  # a part: the data folder has no more
    assert counts["causes"] > 100_000
    assert engine.schema.relation("resembles").symmetric
    assert engine.schema.relation("is_a").transitive
    names = {source.name for source in engine.snapshot.sources}
    assert {"Hetionet", "SIDER", "DrugBank", "HSDN", "DISEASES", "Disease Ontology"} <= names


@pytest.mark.slow
def test_every_triple_says_who_states_it(asker: Asker) -> None:
    engine = asker.resources.engine
    random = np.random.default_rng(5)
    known = {source.name for source in engine.snapshot.sources}
    for number in random.choice(engine.counts["triples"], 300, replace=False).tolist():
        stated = engine.assertions(number)
        assert stated
        assert {each.source for each in stated} <= known
    (drug,) = engine.resolve("Metformin")
    (triple, *_) = [each for each in engine.triples([drug]) if each.relation == "causes"]
    assert {each.license for each in engine.assertions(triple.number)} == {"CC BY-NC-SA 4.0"}


@pytest.mark.slow
def test_gold_is_what_the_raw_files_say(data: Path, asker: Asker) -> None:
    """Every first reading, by a script that shares no code with the builder, the store or the parser."""
    raw = answers(data)
    for question in load_bench("ibkh"):
        (reading,) = work_out(replace(question, cypher=question.cypher[:1]), asker)
        expected, gold = raw[question.id], reading.gold
        assert reading.missing == (), question.id
        if isinstance(gold, GoldSet):
            assert gold.ids == expected, question.id
            assert gold.ids, question.id
        elif isinstance(gold, GoldTop):
            assert isinstance(expected, list)
            rows = dict(gold.rows)
            assert all(rows[name] == number for name, number in expected), question.id
            least = min(number for _, number in expected)
            assert {name for name, number in rows.items() if number >= least} == {name for name, _ in expected}
        else:
            assert gold.value == expected, question.id


@pytest.mark.slow
def test_the_bench_runs_with_words_alone(asker: Asker) -> None:
    """A floor under the first blind run: it may only get better."""
    asked = list(ask_all(load_bench("ibkh"), asker))
    record = run_record("ibkh", asked, asker, settings={"embedding": False})
    assert record["summary"]["pooled"]["coverage"] == 1.0
    assert record["summary"]["pooled"]["measures"]["result_match"]["mean"] >= 0.5
    assert [each.question for each in asked if each.faults] == []
