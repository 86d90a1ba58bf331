"""Models on disk: a sealed directory with the config, the weights, and what text and relations they belong to.

A checkpoint is a directory too, and holds the optimiser's state beside the weights. Weights are safetensors.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from clew.errors import DerivedError, InputError
from clew.extract.model.config import Config, read_config
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.quantised import pack, unpack
from clew.files import new_directory, write_text
from clew.json_files import read_json, read_text
from clew.sealed import check_seal, new_sealed

__all__ = [
    "NUMBERS",
    "Checkpoint",
    "SavedModel",
    "load_weights",
    "read_checkpoint",
    "read_model",
    "write_checkpoint",
    "write_model",
]

WHAT = "an extraction model"
WEIGHTS = "weights.safetensors"
NUMBERS = {"int8": torch.int8, "bfloat16": torch.bfloat16, "float32": torch.float32}  # on disk
MISCOUNTED = 1 << 20  # parameters that a rough count may be wrong by
STATE = "state.json"  # of a checkpoint, written last


@dataclass(frozen=True, slots=True)
class SavedModel:
    """A model with what it needs to read text and name relations."""

    model: GraphMert
    config: Config
    tokenizer: str  # the content of tokenizer.json
    relations: tuple[str, ...]
    training: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where training stood."""

    step: int
    weights: dict[str, torch.Tensor]
    optimiser: dict[str, torch.Tensor]  # "number.name": its state of the parameter of that number
    history: list[dict[str, float]]
    settings: Mapping[str, Any]  # what must be the same for training to resume


def write_model(
    path: Path,
    saved: SavedModel,
    *,
    identity: Mapping[str, str | int | float | bool],
    kind: torch.dtype = torch.float32,
    files: Mapping[str, str] | None = None,
) -> None:
    """Write a model; `kind` is the type of its numbers on disk, `files` further texts by name, such as a plot.

    With `torch.int8`, rows of matrices are rounded to 8 bits (`numbers`); any kind is read back the same way.
    """
    numbers = str(kind).removeprefix("torch.")
    with new_sealed(path, {**identity, "numbers": numbers}, what=WHAT) as directory:
        save_file(pack(saved.model.state_dict(), kind), directory / WEIGHTS)
        write_text(directory / "config.json", saved.config.to_json())
        write_text(directory / "tokenizer.json", saved.tokenizer)
        write_text(directory / "relations.json", json.dumps(list(saved.relations)) + "\n")
        write_text(directory / "training.json", json.dumps(dict(saved.training), indent=1) + "\n")
        for name, text in (files or {}).items():
            write_text(directory / name, text)


def read_model(path: Path, *, kernel: str = "plain", device: torch.device | str = "cpu") -> SavedModel:
    """A model from its directory, ready to predict."""
    path = Path(path)
    check_seal(path, {}, what=f"the model at {path}", remedy="clew extract train")
    try:
        config = read_config(read_text(path / "config.json"))
        relations, training = read_json(path / "relations.json"), read_json(path / "training.json")
        tokenizer = read_text(path / "tokenizer.json")
        if not isinstance(relations, list) or not all(isinstance(each, str) for each in relations):
            raise ValueError("relations.json is not a list of names")
        if not isinstance(training, dict):
            raise ValueError("training.json is not an object")
        _check_size(config, (path / WEIGHTS).stat().st_size)
    except (OSError, ValueError) as error:
        raise DerivedError(f"the model at {path} cannot be read ({error}): run `clew extract train`") from error
    if len(relations) != config.relations:
        raise DerivedError(f"{path} names {len(relations)} relations, but its model has {config.relations}")
    model = GraphMert(config, kernel=kernel)
    load_weights(model, path)
    relations = tuple(relations)
    return SavedModel(model.to(device).eval(), config, tokenizer, relations, training)


def _check_size(config: Config, stored: int) -> None:
    """Refuse a config of a model far larger than the weights, before memory is allocated for it."""
    wide = config.vocabulary * config.width + config.layers * config.width * (4 * config.width + 2 * config.inner)
    wide += config.relations * config.width * (config.relation_rank or config.width) * config.hgat
    if wide > 2 * stored + MISCOUNTED:
        raise ValueError(f"config.json describes about {wide:,} parameters, but the weights have {stored:,} bytes")


def load_weights(model: GraphMert, path: Path) -> None:
    """Fill a model with the weights of a model directory; every tensor must be there with the same shape."""
    try:
        weights = unpack(load_file(path / WEIGHTS))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise DerivedError(f"the weights at {path} cannot be read ({error}): run `clew extract train`") from error
    wanted = model.state_dict()
    odd = [name for name in wanted.keys() | weights.keys() if _shape(wanted, name) != _shape(weights, name)]
    if odd:
        raise InputError(f"the weights at {path} are of another model: {sorted(odd)[0]} differs ({len(odd)} in all)")
    model.load_state_dict({name: tensor.to(wanted[name].dtype) for name, tensor in weights.items()})


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write where training stands, in place of what was there."""
    with new_directory(path, overwrite=True, marker=STATE) as directory:
        save_file({name: tensor.cpu().contiguous() for name, tensor in checkpoint.weights.items()}, directory / WEIGHTS)
        save_file(
            {name: tensor.cpu().contiguous() for name, tensor in checkpoint.optimiser.items()},
            directory / "optimiser.safetensors",
        )
        state = {"step": checkpoint.step, "history": checkpoint.history, "settings": dict(checkpoint.settings)}
        write_text(directory / STATE, json.dumps(state) + "\n")


def read_checkpoint(path: Path, settings: Mapping[str, Any]) -> Checkpoint | None:
    """The checkpoint at `path`, or None if there is none; one of other settings is refused."""
    if not (path / STATE).is_file():
        return None
    try:
        state = json.loads((path / STATE).read_text("utf-8"))
        stated = state["settings"]
        odd = sorted(name for name in {*stated, *settings} if stated.get(name) != settings.get(name))
        if odd:
            raise DerivedError(
                f"the checkpoint at {path} was made with {odd[0]} {stated.get(odd[0])!r}, not"
                f" {settings.get(odd[0])!r}: remove it to start over"
            )
        weights, optimiser = load_file(path / WEIGHTS), load_file(path / "optimiser.safetensors")
        return Checkpoint(int(state["step"]), weights, optimiser, list(state["history"]), stated)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise DerivedError(f"the checkpoint at {path} cannot be read ({error}): remove it to start over") from error


def _shape(tensors: Mapping[str, torch.Tensor], name: str) -> tuple[int, ...] | None:
    return tuple(tensors[name].shape) if name in tensors else None
