"""What is chosen for a run, and how it is remembered."""

import json
from pathlib import Path

import pytest

from clew.errors import InputError, UnknownName
from clew.extract.run.settings import PRESETS, STAGES, Choices, look


def test_choices_become_settings() -> None:
    plain = Choices().settings()
    assert plain == PRESETS["tiny"]
    chosen = Choices(
        size="small", alpha=0.3, beta=0.8, confidence=0.4, epochs=2.0, keep=("animal",), tokenizer="t.json", seed=7
    ).settings()
    assert chosen.injection.quantile == 0.3
    assert chosen.filters.beta == 0.8
    assert chosen.filters.least == 0.4
    assert (chosen.training.epochs, chosen.training.steps, chosen.training.seed) == (2.0, None, 7)
    assert chosen.corpus.keep == ("animal",)
    assert chosen.sequences.tokenizer == Path("t.json")
    assert chosen.selection == PRESETS["small"].selection
    assert Choices(size="tiny", epochs=3.0).settings().training.steps is None
    assert Choices(size="tiny", epochs=3.0, steps=5).settings().training.steps == 5


def test_later_choices_go_before_earlier_ones() -> None:
    earlier = Choices(size="small", beta=0.5, inputs=("a",))
    assert Choices(beta=0.0).over(earlier) == Choices(size="small", beta=0.0, inputs=("a",))


def test_choices_are_remembered(tmp_path: Path) -> None:
    chosen = Choices(size="tiny", inputs=("a b.txt", "ü"), beta=0.25, helper="smollm2", helper_for=("relations",))
    chosen.write(tmp_path / "run")
    assert Choices.read(tmp_path / "run") == chosen
    assert [each.state for each in look(tmp_path / "run")] == ["missing"] * len(STAGES)


def test_what_is_no_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="clew extract prepare"):
        look(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"sizes": "tiny"}), "utf-8")
    with pytest.raises(InputError, match=r"run\.json"):
        Choices.read(tmp_path)
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="cannot be a run directory"):
        Choices().write(tmp_path / "file")


def test_unknown_words_are_refused() -> None:
    with pytest.raises(UnknownName, match="huge"):
        Choices(size="huge")
    with pytest.raises(UnknownName, match="poems"):
        Choices(helper_for=("poems",))


def test_stages_read_only_earlier_ones() -> None:
    names = [stage.name for stage in STAGES]
    for at, stage in enumerate(STAGES):
        assert set(stage.reads) <= set(names[:at])
