"""Graphs compared by what local search finds about facts that one of them lacks."""

from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Resources
from clew.errors import InputError
from clew.evaluate.facts import read_facts, run_facts

SIGNS, DISEASES = 4, 8
HELD_OUT = [(f"D:{at}", "has_sign", f"S:{at % SIGNS}") for at in range(DISEASES)]


def build(folder: Path, name: str, more: list[tuple[str, str, str]]) -> Resources:
    rows = [(f"D:{at}", "has_sign", f"S:{(at + 1) % SIGNS}") for at in range(DISEASES)] + more
    table = pa.table(dict(zip(("subject", "relation", "object"), zip(*rows, strict=True), strict=True)))
    ids = [*(f"D:{at}" for at in range(DISEASES)), *(f"S:{at}" for at in range(SIGNS))]
    names = [*(f"Disease{at}x" for at in range(DISEASES)), *(f"Sign{at}y" for at in range(SIGNS))]
    entities = pa.table({"id": ids, "name": names, "type": ["Disease"] * DISEASES + ["Sign"] * SIGNS})
    return Resources(clew.build(table, entities=entities, out=folder / f"{name}.clew"), encoder=None)


def test_extracted_facts_are_recalled_and_runs_resume(tmp_path: Path) -> None:
    graphs = {"seed": build(tmp_path, "seed", []), "extracted": build(tmp_path, "extracted", HELD_OUT[:4])}
    facts = [*HELD_OUT, ("D:99", "has_sign", "S:1")]
    out = tmp_path / "run.jsonl"
    report = run_facts(graphs, facts, count=8, seeds=2, out=out)
    seed, extracted = report["rows"]
    assert (seed["stated"]["mean"], seed["recall"]["mean"]) == (0.0, 0.0)
    assert (extracted["stated"]["mean"], extracted["recall"]["mean"]) == (0.5, 0.5)
    assert extracted["by_seed"] == [0.5, 0.5]
    assert (report["paired"][0]["mean"], report["paired"][0]["n"]) == (0.5, 8)
    assert (report["questions"], report["left_out"]) == (8, 1)
    lines = out.read_text("utf-8").splitlines()
    assert len(lines) == 1 + 2 * 2 * 8
    out.write_text("\n".join(lines[:10]) + '\n{"graph": "se', "utf-8")  # killed while writing
    again = run_facts(graphs, facts, count=8, seeds=2, out=out)
    assert again["paired"] == report["paired"]
    with pytest.raises(InputError, match="both ends of none"):
        run_facts(graphs, facts[-1:], count=8, seeds=1)


def test_files_of_facts_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "facts.tsv"
    path.write_text("object\tsubject\trelation\nS:1\tD:1\thas_sign\nS:1\tD:1\thas_sign\n", "utf-8")
    assert read_facts(path) == [("D:1", "has_sign", "S:1")]
    path.write_text("subject\trelation\nD:1\thas_sign\n", "utf-8")
    with pytest.raises(InputError, match="no column 'object'"):
        read_facts(path)
    path.write_text("subject\trelation\tobject\nD:1\thas_sign\n", "utf-8")
    with pytest.raises(InputError, match="line 2"):
        read_facts(path)
    with pytest.raises(InputError, match="is missing"):
        read_facts(tmp_path / "none.tsv")
