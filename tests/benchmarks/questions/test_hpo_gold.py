"""The gold of hpo-60 against plain Python over the raw files of HPO."""

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.questions.hpo_gold import answers

import clew
from clew.answer import Asker, Resources
from clew.evaluate.metrics import GoldSet, GoldTop
from clew.evaluate.questions import load_bench, work_out


@pytest.mark.soak
def test_gold_is_what_the_raw_files_say(hpo: Path) -> None:
    """Every first reading."""
    asker = Asker(Resources(clew.open(hpo), encoder=None))
    raw = answers()
    for question in load_bench("hpo-60"):
        reading = work_out(replace(question, cypher=question.cypher[:1]), asker)[0]
        expected = raw[question.id]
        if isinstance(reading.gold, GoldSet):
            assert reading.gold.ids == expected, question.id
        elif isinstance(reading.gold, GoldTop):
            first = dict(reading.gold.rows)
            assert isinstance(expected, list)
            assert all(first[name] == number for name, number in expected), question.id
        elif question.asked != "path":
            assert reading.gold.value == expected, question.id
    asker.close()
