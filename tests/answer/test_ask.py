"""Questions over HPO: read, run, and shown with triples that are really in the graph."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.answer import Answer, Asker


@pytest.fixture(scope="module")
def asker(hpo: Path) -> Iterator[Asker]:
    """Ranks by words alone: what is tested here must not hang on a model."""
    asker = Asker(clew.open(hpo))
    yield asker
    asker.store.close()


def check_evidence(asker: Asker, answer: Answer) -> None:
    """Every cited triple is in the graph with these words, and every support hangs together."""
    engine = asker.engine
    cited = {triple.triple: triple for triple in answer.evidence.triples}
    for number, triple in cited.items():
        (found,) = engine.numbered([number])
        assert (found.subject, found.relation, found.object) == (triple.subject, triple.relation, triple.object)
        assert triple.assertions == tuple(engine.assertions(number))
    shown = {item.id for item in answer.items}
    for support in answer.evidence.supports:
        touched = {end for number in support.triples for end in (cited[number].subject, cited[number].object)}
        assert support.item is None or (support.item in shown and support.item in touched)


@pytest.mark.parametrize(
    ("question", "kind", "holds"),
    [
        ("Which genes are linked to arachnodactyly?", "list", "FBN1"),
        ("What are the symptoms of Marfan syndrome?", "list", "Arachnodactyly"),
        ("Which diseases show both arachnodactyly and ectopia lentis?", "list", "Marfan syndrome"),
        ("Which diseases show ectopia lentis but not arachnodactyly?", "difference", "Aniridia"),
        ("Which five genes are associated with the most diseases?", "top", "LMNA"),
        ("How is Tay-Sachs disease inherited?", "list", "Autosomal recessive inheritance"),
        ("which gene causes huntingtons diseas", "list", "HTT"),
    ],
)
def test_lists_hold_what_they_should(asker: Asker, question: str, kind: str, holds: str) -> None:
    answer = asker.ask(question)
    assert answer.abstained is None
    assert answer.kind == kind
    assert holds in [item.name for item in answer.items]
    assert answer.total == len(answer.items)
    assert answer.evidence.triples
    check_evidence(asker, answer)


def test_what_is_excluded_is_not_there(asker: Asker) -> None:
    both = asker.ask("Which diseases show both ectopia lentis and arachnodactyly?")
    only = asker.ask("Which diseases show ectopia lentis but not arachnodactyly?")
    assert not {item.id for item in both.items} & {item.id for item in only.items}


def test_numbers_and_yes_or_no(asker: Asker) -> None:
    counted, listed = asker.ask("How many diseases show chorea?"), asker.ask("Which diseases show chorea?")
    assert counted.value == listed.total
    assert f"{counted.value:,}" in counted.text
    assert asker.ask("Does Angelman syndrome show seizures?").value is True
    no = asker.ask("Is FBN1 associated with Huntington disease?")
    assert (no.value, no.abstained) == (False, None)


def test_a_connection_is_a_path(asker: Asker) -> None:
    answer = asker.ask("How is FBN1 connected to arachnodactyly?")
    assert answer.kind == "path"
    assert answer.total > 0
    check_evidence(asker, answer)


def test_kinds_are_taken_where_nothing_is_annotated_so(hpo: Path, asker: Asker) -> None:
    question = "Which diseases have abnormality of the skeletal system?"
    wide = Asker(asker.engine, store=asker.store, kinds=True).ask(question)
    narrow = Asker(asker.engine, store=asker.store, kinds=False).ask(question)
    assert wide.total > narrow.total
    assert any("every kind" in line for line in wide.reading)
    check_evidence(asker, wide)


@pytest.mark.parametrize(
    "question",
    ["Which dragons breathe fire?", "", "?!", "What is the capital of France?", "DROP TABLE Gene", "a" * 5000],
)
def test_what_is_not_understood_is_said(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    assert answer.abstained
    assert answer.items == ()


def test_namesakes_are_taken_together_and_said(asker: Asker) -> None:
    answer = asker.ask("Which genes are associated with Marfan syndrome?")
    assert any("OMIM:154700" in line and "ORPHA:558" in line for line in answer.reading)
