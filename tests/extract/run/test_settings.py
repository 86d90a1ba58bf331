"""The options of a run, the settings they become, and how they are remembered."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from clew.errors import InputError, UnknownName
from clew.extract.run.options import RunOptions
from clew.extract.run.settings import PRESETS
from clew.extract.run.status import STAGES, run_status


def test_choices_become_settings() -> None:
    plain = RunOptions().settings()
    assert plain == PRESETS["tiny"]
    chosen = RunOptions(
        size="small",
        alpha=0.3,
        beta=0.8,
        confidence=0.4,
        epochs=2.0,
        keep=("animal",),
        tokenizer="/t.json",
        random_seed=7,
    ).settings()
    assert chosen.injection.quantile == 0.3
    assert chosen.filters.beta == 0.8
    assert chosen.filters.confidence == 0.4
    assert (chosen.training.epochs, chosen.training.steps, chosen.training.seed) == (2.0, None, 7)
    assert chosen.corpus.keep == ("animal",)
    assert chosen.sequences.tokenizer == "/t.json"
    assert chosen.selection == PRESETS["small"].selection
    assert RunOptions(size="tiny", epochs=3.0).settings().training.steps is None
    assert RunOptions(size="tiny", epochs=3.0, steps=5).settings().training.steps == 5


def test_later_choices_go_before_earlier_ones() -> None:
    earlier = RunOptions(size="small", beta=0.5, inputs=("/a",))
    assert RunOptions(beta=0.0).over(earlier) == RunOptions(size="small", beta=0.0, inputs=("/a",))


def test_choices_are_remembered(tmp_path: Path) -> None:
    chosen = RunOptions(size="tiny", inputs=("a b.txt", "ü"), beta=0.25, helper="smollm2", helper_for=("relations",))
    chosen.write(tmp_path / "run")
    assert RunOptions.read(tmp_path / "run") == chosen
    assert [each.state for each in run_status(tmp_path / "run")] == ["missing"] * (len(STAGES) - 1)  # none held out


def test_what_is_no_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="clew extract prepare"):
        run_status(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"sizes": "tiny"}), "utf-8")
    with pytest.raises(InputError, match=r"run\.json"):
        RunOptions.read(tmp_path)
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="cannot be a run directory"):
        RunOptions().write(tmp_path / "file")


def test_unknown_words_are_refused() -> None:
    with pytest.raises(UnknownName, match="huge"):
        RunOptions(size="huge")
    with pytest.raises(UnknownName, match="poems"):
        RunOptions(helper_for=("poems",))


def test_stages_read_only_earlier_ones() -> None:
    names = [stage.name for stage in STAGES]
    for at, stage in enumerate(STAGES):
        assert set(stage.reads) <= set(names[:at])


def test_every_option_sets_a_setting_that_is_there() -> None:
    settings = RunOptions().settings()
    for each in fields(RunOptions):
        for place in (*each.metadata["sets"], *each.metadata["clears"]):
            stage, _, name = place.partition(".")
            assert hasattr(getattr(settings, stage), name), place


def test_a_refused_value_names_its_option() -> None:
    with pytest.raises(InputError, match=r"--alpha 2.0: quantile"):
        RunOptions(alpha=2.0).settings()
