"""A smaller vocabulary for a trained model: pieces that texts of its field hardly use go, and words are cut without
them."""

import json
from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

import torch

from clew.extract.statements.config import Config
from clew.extract.statements.learning.judge import Judge
from clew.extract.statements.learning.pair_reader import PairReader
from clew.extract.statements.learning.storage import TrainedModel

__all__ = ["trim_vocabulary"]

PREFIX = "##"
Trimmed = TypeVar("Trimmed", Judge, PairReader)
SPECIAL = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}


def trim_vocabulary(trained: TrainedModel, used: Collection[int]) -> TrainedModel:
    """The model with only the pieces `used`, special ones and single ASCII or Greek characters, renumbered."""
    tokenizer = json.loads(trained.tokenizer)
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    special = SPECIAL | {each["content"] for each in tokenizer["added_tokens"]}
    kept = sorted(
        number for piece, number in vocabulary.items() if piece in special or number in used or _is_character(piece)
    )
    numbers = {old: new for new, old in enumerate(kept)}
    tokenizer["model"]["vocab"] = {piece: numbers[old] for piece, old in vocabulary.items() if old in numbers}
    for each in tokenizer["added_tokens"]:
        each["id"] = numbers[each["id"]]
    tokenizer["post_processor"] = tokenizer["padding"] = tokenizer["truncation"] = None
    config = trained.model.config
    rows = torch.tensor([*kept, *range(config.vocabulary, config.tokens)])
    trimmed = replace(config, vocabulary=len(kept))
    reader = None if trained.reader is None else _trim(trained.reader, trimmed, rows)
    said = json.dumps(tokenizer, ensure_ascii=False)
    return TrainedModel(_trim(trained.model, trimmed, rows), said, trained.training, reader)


def _trim(model: Trimmed, config: Config, rows: torch.Tensor) -> Trimmed:
    """A model with these rows of the vocabulary and its markers."""
    state = dict(model.state_dict())
    state["encoder.words.weight"] = state["encoder.words.weight"][rows]
    found = type(model)(config)
    found.load_state_dict(state)
    found.eval()
    return found


def _is_character(piece: str) -> bool:
    character = piece.removeprefix(PREFIX)
    return len(character) == 1 and (character.isascii() or "\u0370" <= character <= "\u03ff")
