"""A smaller vocabulary for a trained model: pieces that texts of its field hardly use go, and words are cut without
them."""

import json
from collections.abc import Collection
from dataclasses import replace

import torch

from clew.extract.statements.learning.judge import Judge
from clew.extract.statements.learning.storage import TrainedModel

__all__ = ["trim_vocabulary"]

PREFIX = "##"
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
    markers = list(range(config.vocabulary, config.tokens))
    state = dict(trained.model.state_dict())
    state["encoder.words.weight"] = state["encoder.words.weight"][torch.tensor([*kept, *markers])]
    model = Judge(replace(config, vocabulary=len(kept)))
    model.load_state_dict(state)
    model.eval()
    return TrainedModel(model, json.dumps(tokenizer, ensure_ascii=False), trained.training)


def _is_character(piece: str) -> bool:
    character = piece.removeprefix(PREFIX)
    return len(character) == 1 and (character.isascii() or "\u0370" <= character <= "\u03ff")
