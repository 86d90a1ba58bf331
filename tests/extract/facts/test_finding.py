"""Names that statements are about: those of the seed, drugs that it lacks, and none that is part of something else."""

from pathlib import Path

import pytest

from clew.extract.facts.finding import IS_MEANT, FactFinder, _is_whole
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
    ("kind", "text", "name", "kept"),
    [
        ("disease", "The hepatitis C virus persists.", "hepatitis C", False),
        ("disease", "Hepatitis C persists.", "Hepatitis C", True),
        ("disease", "Growth of M. tuberculosis in culture.", "tuberculosis", False),
        ("disease", "Children with tuberculosis in Peru.", "tuberculosis", True),
        ("chemical", "The tyrosine phosphatase PTP1B was lost.", "tyrosine", False),
        ("chemical", "A glucose transporter was lost.", "glucose", False),
        ("chemical", "Dimethylbenz(a)anthracene was fed.", "anthracene", False),
        ("chemical", "Rats (n = 6) anthracene was fed to.", "anthracene", True),
        ("chemical", "Tyrosine increases it, in two cases.", "Tyrosine", True),
        ("gene", "TMPO-AS1 is raised in cancer.", "TMPO", False),
        ("gene", "MKLN1-AS is raised in cancer.", "MKLN1", False),
        ("gene", "A circ-SHPRH sponge was found.", "SHPRH", False),
        ("gene", "The NEDD4-2 axis in heart failure.", "NEDD4", False),
        ("gene", "Levels of cAMP rose.", "cAMP", False),
        ("gene", "MSCs were injected.", "MSCs", False),
        ("disease", "The EXT2 genes were sequenced.", "EXT2 genes", False),
        ("disease", "Binding of SARS-CoV-2 to cells.", "SARS-CoV-2", False),
        ("chemical", "Seizures in gallamine-immobilized cats.", "gallamine", False),
        ("gene", "The lncRNA-MAP3K4 was reduced.", "MAP3K4", False),
        ("gene", "Anti-PD-1 therapy was begun.", "PD-1", False),
        ("gene", "Expression of MAP3K4 was reduced.", "MAP3K4", True),
    ],
)
def test_a_name_inside_another_is_not_meant(kind: str, text: str, name: str, kept: bool) -> None:
    assert IS_MEANT[kind](text, head(text, name)) is kept


def test_a_name_does_not_take_in_an_article_behind_a_comma() -> None:
    text = "In this study cynaroside, a flavonoid, helped."
    assert not _is_whole(text, head(text, "cynaroside, a"))
    assert _is_whole(text, head(text, "cynaroside"))
