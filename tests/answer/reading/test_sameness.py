"""Words that no plan may pass over silently: the same village, and a word in small letters that is no symbol."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Asker, Resources

STATED = [
    ("Ann Moss", "Climber", "born_in", "Kendal", "Village"),
    ("Bo Lund", "Climber", "born_in", "Kendal", "Village"),
    ("Cleo Hart", "Climber", "born_in", "Whitby", "Village"),
    ("North Face 1999", "Expedition", "led_by", "Ann Moss", "Climber"),
    ("North Face 1999", "Expedition", "had_member", "Bo Lund", "Climber"),
    ("North Face 1999", "Expedition", "had_member", "Cleo Hart", "Climber"),
    ("ITCH", "Gene", "associated_with", "Darier disease", "Disease"),
    ("Darier disease", "Disease", "has_sign", "Pruritus", "Sign"),
]


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    columns = zip(*STATED, strict=True)
    names = ("subject", "subject_type", "relation", "object", "object_type")
    path = Path(tmp_path_factory.mktemp("climbers")) / "climbers.clew"
    clew.build(pa.table(dict(zip(names, map(list, columns), strict=True))), out=path)
    asker = Asker(Resources(clew.open(path)))
    yield asker
    asker.close()


def test_the_same_needs_two_things_in_common(asker: Asker) -> None:
    answer = asker.ask("Which climbers of expeditions were born in the same village as their leader?")
    names = {item.name for item in answer.items}
    assert answer.abstained is not None or answer.certainty == "doubtful" or names == {"Bo Lund"}


def test_a_word_in_small_letters_is_no_symbol_of_capitals(asker: Asker) -> None:
    answer = asker.ask("Does Darier disease itch?")
    assert "ITCH" not in answer.text
    assert "Darier disease" in asker.ask("Which diseases is ITCH associated with?").text
