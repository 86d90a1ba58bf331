"""Teaching the toy's model: a stopped teaching goes on as if it had not been stopped."""

from pathlib import Path

import pytest
import torch

from clew.errors import DerivedError
from clew.extract.model.storage import read_model
from clew.extract.ranking.finetuning import finetune_model
from clew.extract.ranking.settings import RankingSettings

SETTINGS = RankingSettings(epochs=2, rate=1e-3, tokens=2048, dropout=0.0)


def test_a_stopped_teaching_goes_on_to_the_same_model(toy_run: Path, tmp_path: Path) -> None:
    place = toy_run / "pretrained", toy_run / "examples"
    whole = finetune_model(*place, SETTINGS, tmp_path / "whole", device="cpu")
    assert [row["epoch"] for row in whole.training["ranking"]["history"]] == [1, 2]

    def stop(task: str, done: int, total: int | None) -> None:
        if total is not None and done > total * 0.7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finetune_model(*place, SETTINGS, tmp_path / "model", device="cpu", progress=stop)
    assert (tmp_path / "model.checkpoint" / "state.json").is_file()
    assert not (tmp_path / "model").exists()
    said: list[int] = []
    finetune_model(
        *place, SETTINGS, tmp_path / "model", device="cpu", progress=lambda task, done, total: said.append(done)
    )
    assert said[0] >= said[-1] / 2  # the first epoch was not done again
    assert not (tmp_path / "model.checkpoint").exists()
    again = read_model(tmp_path / "model").model.state_dict()
    for name, tensor in whole.model.state_dict().items():
        assert torch.equal(tensor, again[name]), name


def test_a_checkpoint_of_other_settings_is_refused(toy_run: Path, tmp_path: Path) -> None:
    place = toy_run / "pretrained", toy_run / "examples"

    def stop(task: str, done: int, total: int | None) -> None:
        if total is not None and done > total * 0.6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finetune_model(*place, SETTINGS, tmp_path / "model", device="cpu", progress=stop)
    with pytest.raises(DerivedError, match="seed"):
        finetune_model(
            *place, RankingSettings(epochs=2, rate=1e-3, tokens=2048, dropout=0.0, seed=1), tmp_path / "model"
        )
