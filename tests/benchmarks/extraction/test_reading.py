"""A sheet for a blind reading mixes statements with controls that are false, and verdicts become precision."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.extraction.reading import ABSENT, STATEMENT, TURNED, draw_rows, main, write_sheet

ENDS = {"treats": "Disease", "induces": "Disease", "associated_with": "Disease"}


def statement(number: int, relation: str, *, known: bool = False) -> dict[str, object]:
    name = f"illness{number}"
    return {
        "document": f"PMID:{number}", "title": f"Title {number}", "sentence": f"drug{number} and {name}.",
        "subject": f"C:{number}", "subject_name": f"drug{number}", "subject_text": f"drug{number}",
        "relation": relation, "object": f"D:{number}", "object_name": name, "object_text": name,
        "object_type": ENDS[relation], "confidence": 0.95, "known": known, "named": [f"drug{number}", name],
        "by": ("new", "before") if number % 2 else ("new",),
    }  # fmt: skip


FOUND = [statement(number, list(ENDS)[number % 3], known=number % 10 == 0) for number in range(300)]


def test_a_fifth_are_controls_and_no_relation_has_more_than_a_third() -> None:
    rows = draw_rows(FOUND, 60, 0)
    assert [each["id"] for each in rows] == list(range(1, 61))
    sources = Counter(each["source"] for each in rows)
    assert sources[STATEMENT] == 48
    assert sources[TURNED] == sources[ABSENT] == 6
    assert max(Counter(each["relation"] for each in rows).values()) <= 20
    assert not any(each["known"] for each in rows if each["source"] == STATEMENT)


def test_controls_are_false() -> None:
    stated = {(each["document"], each["relation"], each["object"]) for each in FOUND}
    for each in draw_rows(FOUND, 60, 0):
        assert ((each["document"], each["relation"], each["object"]) in stated) is (each["source"] == STATEMENT)
        if each["source"] == ABSENT:
            assert each["object_name"] not in each["named"]


def test_verdicts_become_precision_and_the_sheet_has_no_score(tmp_path: Path) -> None:
    write_sheet(tmp_path, FOUND, 60, 0, 300)
    with (tmp_path / "key.tsv").open() as stream:
        key = list(csv.DictReader(stream, delimiter="\t"))
    source, models = ({row["id"]: row[name] for row in key} for name in ("source", "models"))
    with (tmp_path / "reader.tsv").open() as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert list(rows[0]) == ["id", "statement", "title", "sentence", "verdict"]
    for name, spared in (("one", 0), ("two", 12)):  # the second reader calls twelve statements wrong
        left = spared
        lines = ["id\tverdict"]
        for row in rows:
            right = source[row["id"]] == STATEMENT and left <= 0
            left -= source[row["id"]] == STATEMENT
            lines.append(f"{row['id']}\t{'right' if right else 'wrong'}")
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines) + "\n")
    files = [str(tmp_path / f"{name}.tsv") for name in ("one", "two")]
    main(["score", str(tmp_path / "key.tsv"), *files, "--json", str(tmp_path / "said.json")])
    said = json.loads((tmp_path / "said.json").read_text())
    assert said["agreed"] == 48
    assert said["controls"] == said["controls_called_wrong_by_all"] == 12
    assert [said["new"][f"reader_{number}"]["all"]["precision"] for number in (1, 2)] == [1.0, 0.75]
    both = sum(source[row["id"]] == STATEMENT and "before" in models[row["id"]] for row in rows)
    assert said["before"]["reader_1"]["all"]["right"] == both < 48  # every other statement is of the model before too
    assert said["new"]["statements_a_document"] == round(270 / 300, 3)
    (tmp_path / "one.tsv").write_text("id\tverdict\n1\tright\n")
    with pytest.raises(SystemExit, match="has no verdict"):
        main(["score", str(tmp_path / "key.tsv"), *files])
