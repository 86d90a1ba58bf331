"""Benches end to end on HPO: gold worked out, questions asked, scored, and their evidence looked at again."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import clew
from clew.answer import Asker
from clew.errors import UnknownName
from clew.evaluate.evidence import check_evidence
from clew.evaluate.questions import load_bench
from clew.evaluate.report import read_run, write_markdown, write_page
from clew.evaluate.runner import ask_all, run_record


@pytest.fixture(scope="module")
def asker(hpo: Path) -> Iterator[Asker]:
    """Without an encoder: what is tested must not hang on a model."""
    asker = Asker(clew.open(hpo))
    yield asker
    asker.store.close()


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
    run = read_run(record)
    assert "hpo-60" in write_markdown(run)
    assert write_page(run).lower().startswith("<!doctype html>")


def test_evidence_that_was_tampered_with_is_found(asker: Asker) -> None:
    answer = asker.ask("Which genes are linked to diseases that show both ectopia lentis and aortic root aneurysm?")
    assert list(check_evidence(answer, asker.engine)) == []
    triples, supports = answer.evidence.triples, answer.evidence.supports
    forged = replace(triples[0], relation="treats")
    for evidence in (
        replace(answer.evidence, triples=(forged, *triples[1:])),
        replace(answer.evidence, triples=(replace(triples[0], assertions=()), *triples[1:])),
        replace(answer.evidence, triples=triples[1:]),
        replace(answer.evidence, supports=(replace(supports[0], item="HP:0000001"), *supports[1:])),
        replace(answer.evidence, supports=tuple(each for each in supports if each.item != supports[0].item)),
    ):
        assert list(check_evidence(replace(answer, evidence=evidence), asker.engine))


def test_an_unknown_bench_is_named() -> None:
    with pytest.raises(UnknownName, match="known: hpo-60, hpo-held"):
        load_bench("hpo-61")
