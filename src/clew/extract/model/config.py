"""What a model is: its size and its switches, as one record that is written beside the weights."""

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from clew.errors import InputError, UnknownName

__all__ = ["SIZES", "Config", "make_config", "paper_config", "read_config"]

Decay = Literal["weights", "logits", "none"]
DECAYS: tuple[Decay, ...] = ("weights", "logits", "none")
Gelu = Literal["tanh", "erf"]
MOST_LAYERS = 1000
EARLIER = {"gelu": "erf", "biases": True}  # what models were whose config.json does not say


@dataclass(frozen=True, slots=True)
class Config:
    """Shape and switches of a model. Switches under *ours* are not in the paper; `paper_config` turns it off."""

    vocabulary: int
    relations: int

    layers: int = 2
    width: int = 64
    heads: int = 2
    inner: int = 128  # width of the fully connected part

    roots: int = 128  # positions
    slots: int = 7

    # Decay of attention with distance (eq. 6, 7).
    decay: Decay = "weights"  # multiply the weights after softmax (the paper), the logits (its code), or nothing
    decay_base: float = 0.6
    decay_start: float = 2.0  # of the learnable p; the paper does not say

    # H-GAT (eq. 1-4).
    hgat: bool = True
    relation_dropout: float = 0.3
    relation_rank: int = 0  # 0: a full matrix for each relation; else a product of two of this rank

    # Masks and losses (eq. 8-10).
    root_share: float = 0.15
    leaf_share: float = 0.15
    span_masks: bool = True  # False: single tokens, no span boundary loss
    span_stop: float = 0.2  # p of the geometric distribution of span lengths
    leaf_weight: float = 1.0  # μ
    boundary_loss: bool = True

    # Ours.
    positions: bool = True  # learned embeddings of root position and leaf slot; else all slots of a leaf look the same
    prefix: float = 0.25  # share of masked leaves that show their first tokens, so that a decoder may go left to right
    pre_norm: bool = (
        True  # layer norms before each part: trains stably from scratch in few steps; RoBERTa has them after
    )
    biases: bool = False  # in the layers' products and norms: summing their gradients takes time
    gelu: Gelu = "tanh"  # a close form that is quicker to compute, or the exact one

    dropout: float = 0.1
    activation_dropout: float = 0.0
    attention_dropout: float = 0.0  # the fused kernel has none: above 0, training goes by plain attention

    def __post_init__(self) -> None:
        for name in ("vocabulary", "relations", "layers", "width", "heads", "inner", "roots", "slots"):
            number = getattr(self, name)
            _expect(type(number) is int and number >= 1, f"{name} is {number!r}, expected a whole number from 1 on")
        _expect(self.layers <= MOST_LAYERS, f"layers is {self.layers}, expected at most {MOST_LAYERS}")
        _expect(self.width % self.heads == 0, f"width {self.width} is not a multiple of {self.heads} heads")
        _expect(self.decay in DECAYS, f"decay is {self.decay!r}, expected one of {', '.join(DECAYS)}")
        _expect(self.gelu in ("tanh", "erf"), f"gelu is {self.gelu!r}, expected tanh or erf")
        _expect(0 < self.decay_base < 1, f"decay_base is {self.decay_base}, expected between 0 and 1")
        for name in ("relation_dropout", "dropout", "activation_dropout", "attention_dropout"):
            _expect(0 <= getattr(self, name) < 1, f"{name} is {getattr(self, name)}, expected 0 to below 1")
        for name in ("root_share", "leaf_share", "prefix"):
            _expect(0 <= getattr(self, name) <= 1, f"{name} is {getattr(self, name)}, expected 0 to 1")
        _expect(0 < self.span_stop <= 1, f"span_stop is {self.span_stop}, expected above 0 and at most 1")

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"


SIZES: dict[str, dict[str, int]] = {
    "tiny": {"layers": 2, "width": 64, "heads": 2, "inner": 128},
    "small": {"layers": 6, "width": 384, "heads": 6, "inner": 1536},
    "paper": {"layers": 12, "width": 512, "heads": 8, "inner": 2048},
}


def make_config(size: str, *, vocabulary: int, relations: int) -> Config:
    """The default switches at a named size; change single ones with `dataclasses.replace`."""
    if size not in SIZES:
        raise UnknownName(f"there is no size {size!r}: choose one of {', '.join(SIZES)}", close=tuple(SIZES))
    shape = SIZES[size]
    return Config(
        vocabulary=vocabulary,
        relations=relations,
        layers=shape["layers"],
        width=shape["width"],
        heads=shape["heads"],
        inner=shape["inner"],
    )


def paper_config(*, vocabulary: int, relations: int, size: str = "paper") -> Config:
    """The setting of the paper: no positions, no visible prefixes, norms after each part, dropout everywhere."""
    return replace(
        make_config(size, vocabulary=vocabulary, relations=relations),
        positions=False,
        prefix=0.0,
        pre_norm=False,
        biases=True,
        gelu="erf",
        activation_dropout=0.1,
        attention_dropout=0.1,
    )


def read_config(text: str) -> Config:
    """A config from JSON; unknown entries are refused."""
    try:
        stated: dict[str, Any] = json.loads(text)
        _expect(isinstance(stated, dict), "it is not an object")
        unknown = sorted(set(stated) - {field.name for field in fields(Config)})
        _expect(not unknown, f"unknown entries {', '.join(unknown)}")
        return Config(**{**EARLIER, **stated})
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"config.json cannot be used: {error}") from error


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise InputError(f"no model can be made: {otherwise}")
