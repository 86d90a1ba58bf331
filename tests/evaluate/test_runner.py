"""Benches end to end on HPO: gold worked out, questions asked, scored, and their evidence looked at again."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

import clew
from clew.answer import Asker, Resources, Usage
from clew.errors import QueryError, UnknownName
from clew.evaluate.evidence import check_evidence
from clew.evaluate.metrics import GoldSet, GoldValue
from clew.evaluate.questions import GoldQuestion, load_bench, work_out
from clew.evaluate.report import read_run, write_markdown, write_page
from clew.evaluate.runner import ask_all, run_record


@pytest.fixture(scope="module")
def asker(hpo: Path) -> Iterator[Asker]:
    """Without an encoder: what is tested must not hang on a model."""
    asker = Asker(Resources(clew.open(hpo), encoder=None))
    yield asker
    asker.close()


@pytest.mark.soak  # the slow tier asks them through a loopback engine
def test_hpo_60_with_words_alone(asker: Asker) -> None:
    """What the issue asks of the defaults holds without any model at all."""
    asked = list(ask_all(load_bench("hpo-60"), asker))
    record = run_record("hpo-60", asked, asker, settings={"embedding": False})
    right = {level["level"]: level["measures"]["result_match"]["mean"] for level in record["summary"]["levels"]}
    assert right["simple"] >= 0.96
    assert right["medium"] >= 0.95
    assert right["complex"] >= 0.87
    assert record["summary"]["pooled"]["measures"]["reciprocal_rank"]["mean"] >= 0.95
    assert [each.question for each in asked if each.faults] == []
    assert record["version"] == clew.__version__
    assert {each["model_calls"] for each in record["questions"]} == {0}
    assert all(each["covered"] and "missing" not in each for each in record["questions"])
    run = read_run(record)
    assert "hpo-60" in write_markdown(run)
    assert write_page(run).lower().startswith("<!doctype html>")


def test_evidence_that_was_tampered_with_is_found(asker: Asker) -> None:
    answer = asker.ask("Which genes are linked to diseases that show both ectopia lentis and aortic root aneurysm?")
    assert list(check_evidence(answer, asker.resources.engine)) == []
    triples, supports = answer.evidence.triples, answer.evidence.supports
    forged = replace(triples[0], relation="treats")
    for evidence in (
        replace(answer.evidence, triples=(forged, *triples[1:])),
        replace(answer.evidence, triples=(replace(triples[0], assertions=()), *triples[1:])),
        replace(answer.evidence, triples=triples[1:]),
        replace(answer.evidence, supports=(replace(supports[0], item="HP:0000001"), *supports[1:])),
        replace(answer.evidence, supports=tuple(each for each in supports if each.item != supports[0].item)),
    ):
        assert list(check_evidence(replace(answer, evidence=evidence), asker.resources.engine))


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_a_chain_hangs_together_in_any_order(asker: Asker, order: tuple[int, ...]) -> None:
    """Four triples end to end, listed in every order; without the second they are two pieces."""
    answer = asker.ask("Which genes are linked to Marfan syndrome?")
    item, (first, *_) = answer.items[0], answer.evidence.triples
    ends = [item.id, "B", "C", "D", "E"]
    chain = [replace(first, triple=at, subject=ends[at], object=ends[at + 1]) for at in range(4)]
    support = replace(answer.evidence.supports[0], item=item.id, triples=order)
    whole = replace(answer.evidence, triples=tuple(chain), supports=(support,), complete=False)
    said = list(check_evidence(replace(answer, evidence=whole), asker.resources.engine))
    assert not [each for each in said if "hang together" in each]
    broken = replace(support, triples=tuple(at for at in order if at != 1))
    said = list(check_evidence(replace(answer, evidence=replace(whole, supports=(broken,))), asker.resources.engine))
    assert [each for each in said if "hang together" in each]


def test_coverage_is_known_before_anything_is_asked(asker: Asker) -> None:
    """What the graph does not have is missing, not wrong, and the gold of it is nothing."""
    asked_for = [
        ("Disease", "MATCH (d:Drug)-[:TREATS]->(x:Disease {name: 'Marfan syndrome'}) RETURN DISTINCT x.id AS id"),
        ("number", "MATCH (d:Drug)-[:TREATS]->(x:Disease) RETURN count(DISTINCT d) AS number"),
        ("boolean", "MATCH (d:Drug)-[:TREATS]->(x:Disease) RETURN count(*) > 0 AS answer"),
        ("Gene", "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d:Disease {name: 'Marfan syndrome'}) RETURN DISTINCT g.id AS id"),
    ]
    golds = [work_out(GoldQuestion("q", "simple", "?", (), kind, (query,)), asker)[0] for kind, query in asked_for]
    assert [each.missing for each in golds[:3]] == [("type Drug", "relation TREATS")] * 3
    assert [each.gold for each in golds[:3]] == [GoldSet(frozenset()), GoldValue(0), GoldValue(False)]
    assert golds[3].missing == ()
    assert golds[3].gold.ids


def test_a_gold_query_that_is_wrong_is_no_missing_part(asker: Asker) -> None:
    query = "MATCH (g:Gene) RETURN nothing.id AS id"
    with pytest.raises(QueryError):
        work_out(GoldQuestion("q", "simple", "?", (), "Gene", (query,)), asker)


def test_rows_say_what_is_missing_and_how_often_a_model_was_called(asker: Asker) -> None:
    known = "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d:Disease {name: 'Marfan syndrome'}) RETURN DISTINCT g.id AS id"
    questions = [
        GoldQuestion("a", "simple", "Which genes are linked to Marfan syndrome?", (), "Gene", (known,)),
        GoldQuestion("b", "simple", "Which genes are linked to Xyzzy?", (), "Gene", (known.replace("Marfan", "Xyz"),)),
    ]
    asked = list(ask_all(questions, asker))
    called = [replace(each, answer=each.answer and replace(each.answer, usage=Usage(calls=2))) for each in asked]
    record = run_record("two", called, asker, settings={})
    first, second = record["questions"]
    assert (first["covered"], second["covered"]) == (True, False)
    assert second["missing"] == ["Disease 'Xyz syndrome'"]
    assert first["model_calls"] == 2
    assert record["summary"]["pooled"]["coverage"] == 0.5
    assert "1 of 1 answers without fault" in record["notes"][0]  # the other abstained


def test_an_unknown_bench_is_named() -> None:
    with pytest.raises(UnknownName, match="known: hpo-60, hpo-held, ibkh"):
        load_bench("hpo-61")
