"""Abstracts with all their facts listed: listed pairs state their relation, other listed entities nothing."""

import json
from pathlib import Path

import pytest

from clew.errors import InputError
from clew.extract.statements.gold import Mention
from clew.extract.statements.learning.listed_facts import listed_rows
from clew.extract.statements.marking import Marker

NAMES = {
    "aspirin": "chemical", "gout": "disease", "pain": "disease", "asthma": "disease", "IL6": "gene", "TNF": "gene",
}  # fmt: skip
ABSTRACT = {
    "title": "aspirin",
    "abstract": "aspirin relieved gout and caused pain ; asthma is named too , and IL6 with gout and TNF .",
    "entities": {
        "e1": {"names": ["Aspirin"]}, "e2": {"names": ["gout"]}, "e3": {"names": ["pain"]}, "e4": {"names": ["il6"]},
        "e5": {"names": ["TNF"]},
    },
    "facts": [
        {"subject": "e1", "relation": "treats", "object": "e2"},
        {"subject": "e1", "relation": "induces", "object": "e3"},
        {"subject": "e4", "relation": "associated_with", "object": "e2"},
        {"subject": "e1", "relation": "affects", "object": "e4"},
        {"subject": "e5", "relation": "interacts_with", "object": "e4"},
    ],
}  # fmt: skip


def find(text: str) -> list[Mention]:
    return [Mention(text.index(name), text.index(name) + len(name), type_, (name,)) for name, type_ in NAMES.items()]


def test_what_is_listed_is_stated_and_other_listed_pairs_are_not(start: Path, tmp_path: Path) -> None:
    path = tmp_path / "listed.jsonl"
    path.write_text(json.dumps(ABSTRACT) + "\n" + json.dumps({**ABSTRACT, "facts": []}) + "\n")
    rows = listed_rows(Marker.for_start(start), [path], find)
    first = [(row.target, row.weight) for row in rows if row.document.endswith(":1")]
    related, neither = ((0, 1, 1), 1.5), ((1, 0, 0), 0.7)  # two genes are one pair, in whichever direction it is listed
    assert sorted(first) == [((0, 0, 1), 1.5), ((0, 1, 0), 1.5), *[related] * 3, *[neither] * 4]
    assert {row.target for row in rows if row.document.endswith(":2")} == {(1, 0, 0)}


@pytest.mark.parametrize("line", ["{", "[]", '{"title": "a", "abstract": "b", "facts": []}'])
def test_a_file_of_another_shape_is_refused(start: Path, tmp_path: Path, line: str) -> None:
    path = tmp_path / "listed.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=r"listed\.jsonl"):
        listed_rows(Marker.for_start(start), [path], find)
