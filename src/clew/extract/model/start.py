"""GraphMERT that begins with a pretrained BERT: its words, positions and layers; leaves, H-GAT and heads are new.

A root has the word, place and segment of BERT (place 0 is that of [CLS], which chains do not have). p is so large that
attention begins undamped. Words of special tokens that BERT lacks begin as the mean of all words.
"""

import json
from pathlib import Path

import torch

from clew.errors import InputError
from clew.extract.bert import read_shape, read_tensors
from clew.extract.model.config import Config
from clew.extract.model.graphmert import GraphMert

__all__ = ["LAYER_PARTS", "config_of_start", "load_start"]

UNDAMPED = 12.0  # p: above the root of the longest way
TOKENIZER = "tokenizer.json"
LAYER_PARTS = {  # ours, by those of BERT
    "output": "mix",
    "attention_norm": "attention_norm",
    "widen": "widen",
    "narrow": "narrow",
    "norm": "inner_norm",
}


def config_of_start(start: Path, *, vocabulary: int, relations: int) -> Config:
    """The default switches at the shape of the BERT in `start`, with norms, biases and GELU as there."""
    shape = read_shape(start)
    return Config(
        vocabulary=vocabulary,
        relations=relations,
        layers=shape.layers,
        width=shape.width,
        heads=shape.heads,
        inner=shape.inner,
        decay_start=UNDAMPED,
        pre_norm=False,
        biases=True,
        gelu="erf",
    )


def load_start(model: GraphMert, start: Path, tokenizer: str) -> None:
    """Fill the parts that BERT has, in place; `tokenizer` is the content of the model's own tokenizer.json."""
    given = read_tensors(start)
    state = model.state_dict()
    positions = given["embeddings.position_embeddings.weight"][1 : 1 + model.config.roots]
    filled = {
        "embedding.words.weight": _words(given["embeddings.word_embeddings.weight"], start, tokenizer),
        "embedding.position.weight": positions + given["embeddings.token_type_embeddings.weight"][0],
        "embedding.slot.weight": torch.zeros_like(state["embedding.slot.weight"]),
        "embedding.norm.weight": given["embeddings.LayerNorm.weight"],
        "embedding.norm.bias": given["embeddings.LayerNorm.bias"],
    }
    for number in range(model.config.layers):
        for kind in ("weight", "bias"):
            parts = {name: given.part(number, name, kind) for name in LAYER_PARTS}
            parts["qkv"] = torch.cat([given.part(number, name, kind) for name in ("query", "key", "value")])
            filled |= {
                f"encoder.layers.{number}.{LAYER_PARTS.get(name, name)}.{kind}": each for name, each in parts.items()
            }
    odd = [name for name, tensor in filled.items() if state[name].shape != tensor.shape]
    if odd:
        raise InputError(f"{start} does not fit the model: {odd[0]} is {tuple(filled[odd[0]].shape)} there")
    model.load_state_dict({**state, **filled})


def _words(given: torch.Tensor, start: Path, tokenizer: str) -> torch.Tensor:
    """The word of each of our tokens: that of the same piece in BERT, else the mean of all."""
    theirs, ours = (_vocabulary(text) for text in ((Path(start) / TOKENIZER).read_text("utf-8"), tokenizer))
    known = sum(piece in theirs for piece in ours)
    if known < len(ours) // 2:
        raise InputError(
            f"{start} has {known:,} of the {len(ours):,} pieces of this run: prepare it with --tokenizer "
            f"{Path(start) / TOKENIZER}"
        )
    mean = given.mean(0)
    in_order = sorted(ours, key=ours.__getitem__)
    return torch.stack([given[theirs[piece]] if piece in theirs else mean for piece in in_order])


def _vocabulary(tokenizer: str) -> dict[str, int]:
    vocabulary: dict[str, int] = json.loads(tokenizer)["model"]["vocab"]
    return vocabulary
