"""From texts to a figure on held-out facts, by the commands of docs/extracting.md (on the toy, hardly trained)."""

from pathlib import Path


def test_facts_are_held_out_trained_without_and_evaluated(run, tmp_path: Path) -> None:
    trial = tmp_path / "trial"
    prepared = run("extract", "prepare", trial, "--size", "tiny", "--hold-out", "0.2", "--json").json
    stages = {each["stage"]: each for each in prepared["stages"]}
    assert stages["held_out"]["state"] == "finished"
    facts = stages["held_out"]["counts"]["facts to be found"]
    assert facts > 10
    trained = run("extract", "train", trial, "--steps", 5, "--rank-epochs", 1, "--device", "cpu", "--json").json
    assert {each["stage"]: each["state"] for each in trained["stages"]}["model"] == "finished"
    model = f"trained={trial / 'model'}"
    done = run("eval", "extraction", "held-out", trial, "--graph", trial / "seed.clew", "--model", model, "--json")
    assert done.code == 0
    rows = {(row["name"], row["half"]): row for row in done.json["rows"]}
    assert any("trained" in name for name, _ in rows), list(rows)
    assert all(row["facts"] <= facts for row in rows.values())


def test_a_run_does_not_forget_that_facts_are_held_out(run, tmp_path: Path) -> None:
    trial = tmp_path / "trial"
    assert run("extract", "prepare", trial, "--hold-out", "0.2").code == 0
    (trial / "run.json").unlink()
    again = run("extract", "prepare", trial)
    assert again.code == 2
    assert "holds facts out" in again.error
