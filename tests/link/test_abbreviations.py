"""Abbreviations that a text explains, by examples, on real abstracts, and on text made to hurt."""

import gzip
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.link.abbreviations import find_abbreviations


def pairs(text: str) -> list[tuple[str, str]]:
    return [(found.short, found.long) for found in find_abbreviations(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Patients with tardive dyskinesia (TD) improved.", [("TD", "tardive dyskinesia")]),
        ("heparin-induced thrombocytopenia (HIT)", [("HIT", "heparin-induced thrombocytopenia")]),
        ("We gave cyclosporine A (CsA; n = 5).", [("CsA", "cyclosporine A")]),
        ("the angiotensin converting enzyme [ACE] gene", [("ACE", "angiotensin converting enzyme")]),
        ("ACE (angiotensin converting enzyme) inhibitors", [("ACE", "angiotensin converting enzyme")]),
        ("Endothelin-1 (ET-1) and dopamine (DA)", [("ET-1", "Endothelin-1"), ("DA", "dopamine")]),
        ("nicotinic acetylcholine receptors (nAChRs)", [("nAChRs", "nicotinic acetylcholine receptors")]),
        ("myocardial infarction (MI). Mitral insufficiency (MI) too.", [("MI", "myocardial infarction")]),
        ('so-called "major depressive disorder" ("MDD")', [("MDD", "major depressive disorder")]),
        ("A rat (Rattus norvegicus) was used (see Fig. 2) in 1999 (1999).", []),
        ("The dose (5 mg) of it (p < 0.05) was given (as above).", []),
        ("increased by the (Na)", []),
        ("One sentence ends here. Then (OSE) stands alone.", []),
        ("very many words stand between the first of all letters and the last of them so this (VL)", []),
        ("()", []),
        ("", []),
    ],
)
def test_examples(text: str, wanted: list[tuple[str, str]]) -> None:
    assert pairs(text) == wanted


def test_places() -> None:
    text = "In tardive dyskinesia ( TD ) it was seen; TD persisted."
    (found,) = find_abbreviations(text)
    assert text[slice(*found.short_span)] == found.short == "TD"
    assert text[slice(*found.long_span)] == found.long == "tardive dyskinesia"
    assert found.long_span[1] <= found.short_span[0]


@given(st.text(alphabet="aAbBtT ()[].,;-1é\n\ud800", max_size=80))
def test_any_text_gives_pairs_that_are_there(text: str) -> None:
    for found in find_abbreviations(text):
        assert text[slice(*found.short_span)] == found.short
        assert text[slice(*found.long_span)] == found.long
        assert len(found.long) > len(found.short)
        letters = iter(found.long.lower())
        assert all(letter in letters for letter in found.short.lower() if letter.isalnum())


def test_hostile_text_takes_no_time() -> None:
    began = time.thread_time()
    for text in ("(" * 300_000, "word " * 50_000 + "(AB)" * 2_000, "a" * 500_000, "(A)" * 100_000, "[(" * 100_000):
        find_abbreviations(text)
    assert time.thread_time() - began < 5


def test_real_abstracts(data: Path) -> None:
    """Well-known abbreviations of BC5CDR's training abstracts, each explained somewhere in them."""
    with gzip.open(data / "bc5cdr" / "cdr_train.pubtator.gz", "rt", encoding="utf-8") as file:
        abstracts = [line.split("|", 2)[2] for line in file if "|a|" in line[:20]]
    found = {pair for abstract in abstracts for pair in pairs(abstract)}
    assert len(abstracts) == 500
    assert len(found) > 300
    for short, long in [
        ("CHF", "congestive heart failure"),
        ("OCD", "obsessive-compulsive disorder"),
        ("HIT", "heparin-induced thrombocytopenia"),
        ("ECT", "electroconvulsive therapy"),
        ("GFR", "glomerular filtration rate"),
        ("NSCLC", "non-small cell lung cancer"),
        ("SNP", "sodium nitroprusside"),
    ]:
        assert (short, long) in found
    starting = sum(long[:1].lower() == short[:1].lower() for short, long in found)
    assert starting / len(found) > 0.99
