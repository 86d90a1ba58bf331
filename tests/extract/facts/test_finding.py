"""Names that statements are about: those of the seed, drugs that it lacks, and none that is part of something else."""

from pathlib import Path

import pytest

from clew.extract.facts.finding import FactFinder, _is_disease
from clew.extract.facts.new_drugs import new_drugs
from clew.extract.mentions.heads import Head


def head(text: str, name: str) -> Head:
    start = text.index(name)
    return Head(start, start + len(name), name, "ID:1", "Disease", 1.0, "exact name")


def test_a_drug_that_the_seed_lacks_is_a_chemical_of_its_own(shipped: Path) -> None:
    finder = FactFinder.open(shipped, threads=1)
    named = finder.mentions("Pembrolizumab caused tremor, and pembrolizumab caused fever.")
    (first, kind), _, (second, _), _ = named
    assert (first.text, kind) == ("Pembrolizumab", "chemical")
    assert first.entity == second.entity
    facts = finder.find("Pembrolizumab caused tremor.", confidence=0.0)
    assert {(each.subject_name, each.known) for each in facts} == {("Pembrolizumab", False)}


@pytest.mark.parametrize("word", ["cholesterol", "concept", "gelatin", "mab", "TINIB", "nib", "aspirin"])
def test_other_words_are_no_new_drugs(word: str) -> None:
    assert new_drugs(f"The {word} was seen.", []) == []


def test_a_drug_of_the_seed_is_found_once() -> None:
    text = "Imatinib was given."
    assert new_drugs(text, [head(text, "Imatinib")]) == []
    assert [each.text for each in new_drugs(text, [])] == ["Imatinib"]


@pytest.mark.parametrize(
    ("text", "name", "kept"),
    [
        ("The hepatitis C virus persists.", "hepatitis C", False),
        ("Hepatitis C persists.", "Hepatitis C", True),
        ("Growth of M. tuberculosis in culture.", "tuberculosis", False),
        ("Children with tuberculosis in Peru.", "tuberculosis", True),
    ],
)
def test_a_virus_or_a_microbe_is_no_disease(text: str, name: str, kept: bool) -> None:
    assert _is_disease(text, head(text, name)) is kept
