"""Tables of rows with a model: an unfinished run is compared on the questions that every row has answered."""

import json
from pathlib import Path

from benchmarks.contexts.model_rows import compare_rows, count_letters, read_journals


def test_rows_are_paired_on_what_all_have_answered(tmp_path: Path) -> None:
    sample = [{"id": f"q{at}", "kind": "name", "gold": gold} for at, gold in enumerate(["A", "B", "", "C"])]
    chosen = {"no-context": ["B", "B", "A"], "rag": ["A", "B", None, "C"]}
    for row, options in chosen.items():
        records = [
            {"row": row, "id": f"q{at}", "option": option, "calls": 6, "tokens": 10, "seconds": 1.0}
            for at, option in enumerate(options)
        ]
        lines = [{"settings": row}, *records]
        (tmp_path / f"toy.{row}.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines), "utf-8")
    table = compare_rows(read_journals(tmp_path, "toy"), sample, baseline="no-context", measures=("right",))
    assert (table["shared"], table["kinds"]) == (3, {"name": 2, "no right option": 1})
    alone, rag = table["rows"]
    assert (alone["n"], rag["n"]) == (3, 4)
    assert rag["right"]["own"][0] == 1.0  # abstaining is right where no option is
    assert rag["right"]["gain"][0] == 0.6667  # on three questions, not on four
    assert rag["abstained"] == 0.3333


def test_likeliest_letters_are_counted_by_how_many_there_are(tmp_path: Path) -> None:
    scored = ([-1.0, -2.0], [-3.0, -2.0, -2.5], [-1.0, -2.0, -2.5], [-1.0, -2.0, -2.5], [])
    lines = [json.dumps({"key": f"k{at}", "scores": scores}) for at, scores in enumerate(scored)]
    (tmp_path / "responses.jsonl").write_text("\n".join(lines), "utf-8")
    assert count_letters(tmp_path / "responses.jsonl") == {"2": {"A": 1}, "3": {"A": 2, "B": 1}}
