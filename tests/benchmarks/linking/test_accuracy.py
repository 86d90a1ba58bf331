"""What linking is measured with: corpora read right, misspellings that differ by one edit, honest counts."""

import random
from pathlib import Path

import pytest
from benchmarks.linking.accuracy import _score
from benchmarks.linking.corpora import Gold, read_bc5cdr
from benchmarks.linking.trials import EDITS, misspell
from rapidfuzz.distance import OSA

from clew.link import Candidate


@pytest.mark.parametrize("edit", EDITS)
def test_a_misspelling_is_one_edit_away(edit: str) -> None:
    draw = random.Random(1)
    for name in ("Arachnodactyly", "Marfan syndrome", "Aa"):
        for _ in range(50 if len(name) > 2 or edit != "transpose" else 0):
            written = misspell(name, edit, draw)
            assert OSA.distance(name, written) == 1
            assert len(written) - len(name) == {"insert": 1, "delete": -1}.get(edit, 0)


def test_bc5cdr_is_read_whole(data: Path) -> None:
    gold = read_bc5cdr(data / "bc5cdr" / "cdr_dev.pubtator.gz")
    assert len(gold) == 9532
    assert len({each.document for each in gold}) == 500
    assert sum(len(each.ids) > 1 for each in gold) == 99
    assert all(each.mention in each.text for each in gold if "|" not in each.mention)
    first = next(each for each in gold if each.type == "Disease")
    assert (first.mention, first.type, first.ids) == ("Tricuspid valve regurgitation", "Disease", {"MESH:D014262"})


def test_answers_are_counted_as_they_are() -> None:
    gold = [
        Gold("1", "a", None, frozenset({"X:1"})),
        Gold("1", "b", None, frozenset({"X:2", "X:3"})),
        Gold("2", "c", None, frozenset({"X:4"})),
    ]

    def answer(each: Gold) -> list[Candidate]:
        found = {"a": "X:9", "b": "X:3"}.get(each.mention)
        return [] if found is None else [Candidate(0, found, "", "", "", "fuzzy", 0.9, "")]

    scored = _score(gold, answer, "fuzzy")
    assert scored["precision"][0] == 0.5
    assert scored["recall"][0] == pytest.approx(1 / 3, abs=1e-4)
    assert scored["alone"] == {"answered": 2, "right": 1}
    assert scored["recall"][1] <= scored["recall"][0] <= scored["recall"][2]
