"""A BERT-shaped encoder whose last layer also hands out its attention, and the reading of a pretrained start."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from clew.extract.bert import read_tensors
from clew.extract.statements.config import Config
from clew.extract.statements.examples import ENTITY_TYPES

__all__ = ["Encoder", "load_start"]

HIDDEN = -1e4  # added to attention scores of padding; fits half precision


class Layer(nn.Module):  # type: ignore[misc]
    """Self-attention and a feed-forward part, each followed by a norm over the sum with its input."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads, self.dropout_rate = config.heads, config.dropout
        self.query = nn.Linear(config.width, config.width)
        self.key = nn.Linear(config.width, config.width)
        self.value = nn.Linear(config.width, config.width)
        self.output = nn.Linear(config.width, config.width)
        self.attention_norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.widen = nn.Linear(config.width, config.inner)
        self.narrow = nn.Linear(config.inner, config.width)
        self.norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, hidden: Tensor, mask: Tensor | None, *, weighed: bool) -> tuple[Tensor, Tensor | None]:
        """The next hidden states, and with `weighed` the attention (documents, heads, length, length)."""
        query, key, value = (self._split(part(hidden)) for part in (self.query, self.key, self.value))
        weights: Tensor | None = None
        if weighed:
            scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
            weights = (scores if mask is None else scores + mask).softmax(-1)
            mixed = self.dropout(weights) @ value
        else:
            rate = self.dropout_rate if self.training else 0.0
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=rate)
        joined = mixed.transpose(1, 2).reshape(hidden.shape)
        hidden = self.attention_norm(hidden + self.dropout(self.output(joined)))
        wide = functional.gelu(self.widen(hidden))
        return self.norm(hidden + self.dropout(self.narrow(wide))), weights

    def _split(self, hidden: Tensor) -> Tensor:
        """(documents, heads, length, width of a head)."""
        documents, length, width = hidden.shape
        return hidden.view(documents, length, self.heads, width // self.heads).transpose(1, 2)


class Encoder(nn.Module):  # type: ignore[misc]
    """Tokens to hidden states."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.words = nn.Embedding(config.tokens, config.width)
        self.positions = nn.Embedding(config.positions, config.width)
        self.segment = nn.Parameter(torch.zeros(config.width))  # BERT's first segment; there is no second here
        self.norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))

    def forward(self, tokens: Tensor, present: Tensor | None) -> tuple[Tensor, Tensor]:
        """Hidden states (documents, length, width) and the last layer's attention (documents, heads, length, length).

        `tokens` and `present` (1 for a token, 0 for padding; None: no padding) are (documents, length).
        """
        return self.upper(self.lower(tokens, present, 0), present, 0)

    def read(self, tokens: Tensor, present: Tensor | None = None) -> Tensor:
        """Hidden states alone; without `present` there is no padding."""
        return self.lower(tokens, present, len(self.layers))

    def lower(self, tokens: Tensor, present: Tensor | None, layers: int) -> Tensor:
        """Hidden states after the first `layers` layers."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        hidden = self.dropout(self.norm(self.words(tokens) + self.positions(places) + self.segment))
        mask = None if present is None else _mask(present, hidden)
        for layer in self.layers[:layers]:
            hidden, _ = layer(hidden, mask, weighed=False)
        return hidden

    def upper(self, hidden: Tensor, present: Tensor | None, layers: int) -> tuple[Tensor, Tensor]:
        """From the hidden states after the first `layers` layers to the end."""
        mask = None if present is None else _mask(present, hidden)
        for layer in self.layers[layers:-1]:
            hidden, _ = layer(hidden, mask, weighed=False)
        hidden, weights = self.layers[-1](hidden, mask, weighed=True)
        return hidden, weights


def _mask(present: Tensor, hidden: Tensor) -> Tensor:
    return ((1.0 - present.to(hidden.dtype)) * HIDDEN)[:, None, None, :]


def load_start(encoder: Encoder, start: Path, vocabulary: Mapping[str, int]) -> None:
    """Fill the encoder with a pretrained BERT; far positions begin as copies of others, a marker as its type's word.

    `vocabulary` maps pieces to their numbers; a type that is not in it begins as the mean of all words.
    """
    given = read_tensors(start)
    state = encoder.state_dict()
    words, positions = given["embeddings.word_embeddings.weight"], given["embeddings.position_embeddings.weight"]
    filled = {
        "words.weight": torch.cat([words, *_markers(words, vocabulary)]),
        "positions.weight": _lengthen(positions, len(state["positions.weight"])),
        "segment": given["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": given["embeddings.LayerNorm.weight"],
        "norm.bias": given["embeddings.LayerNorm.bias"],
    }
    for name in state.keys() - filled.keys():
        _, number, part, kind = name.split(".")
        filled[name] = given.part(int(number), part, kind)
    encoder.load_state_dict(filled)


def _markers(words: Tensor, vocabulary: Mapping[str, int]) -> list[Tensor]:
    """An opening and a closing row for each type."""
    rows = [words[vocabulary[kind]] if kind in vocabulary else words.mean(0) for kind in ENTITY_TYPES]
    return [torch.stack([row, row * 0.5]) for row in rows]


def _lengthen(positions: Tensor, wanted: int) -> Tensor:
    """Rows beyond the last repeat the second half of the table, whose places are far from a text's beginning."""
    half = positions[len(positions) // 2 :]
    while len(positions) < wanted:
        positions = torch.cat([positions, half])
    return positions[:wanted]
