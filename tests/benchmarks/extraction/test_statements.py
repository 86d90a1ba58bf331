"""Statement models trained away from the data: what is sent, what comes back, and the same figures as at home."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.extraction.statements import main

from clew.evaluate.statements import evaluate_statements
from clew.extract.statements.examples import load_examples
from clew.extract.statements.gold import read_development
from clew.extract.statements.prediction import StatementModel
from statement_corpora import write_corpora, write_start


def test_from_the_data_to_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).resolve().parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{root / 'src'}")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    data, start, inputs = write_corpora(tmp_path / "data"), write_start(tmp_path / "start"), tmp_path / "inputs"
    out, log = tmp_path / "out", tmp_path / "dev.jsonl"
    main(["prepare", "--data", str(data), "--start", str(start), "--out", str(inputs)])
    assert not any(each.labels.any() or each.missed for each in load_examples(inputs / "dev.npz"))
    recipes = ("--recipe", "plain:epochs=1", "--recipe", "alone:epochs=1,compare=0,rate=1e-3")
    main(["train", "--inputs", str(inputs), "--out", str(out), "--device", "cpu", "--seeds", "0", *recipes])
    results = json.loads((out / "results.json").read_text())
    assert results["failed"] == []
    assert (
        results["trained"]["alone-0"]["settings"] | {"rate": 1e-3, "compare": False}
        == (results["trained"]["alone-0"]["settings"])
    )
    assert len(list(out.glob("*.onnx.0"))) == 1
    main(["score", "--data", str(data), "--start", str(start), "--results", str(out), "--log", str(log)])
    logged = {each["name"]: each for each in map(json.loads, log.read_text().splitlines())}
    assert set(logged) == {"plain-0", "alone-0"}
    model = StatementModel.open(inputs / "trained" / "plain-0" / "exported")
    at_home = evaluate_statements(model, read_development(data))
    with np.load(out / "scores.npz") as scores:
        assert len(scores["plain-0"]) == sum(len(each.labels) for each in load_examples(inputs / "dev.npz"))
    assert at_home["bc5cdr"]["gold"] == logged["plain-0"]["bc5cdr"]["gold"]
    assert at_home["help_or_harm"]["related_pairs"] == logged["plain-0"]["help_or_harm"]["related_pairs"]
