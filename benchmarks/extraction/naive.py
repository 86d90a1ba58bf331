"""The same model as one would first write it: every one of the 1,024 places of each sequence is computed.

128 roots and 7 leaf slots for each, filled or not; distances and attention weights as N × N tensors; words predicted
everywhere. It shares the parameters of a `GraphMert`, so its losses must be equal, and only its speed differs.
"""

from dataclasses import replace

import torch
from torch import nn
from torch.nn import functional

from clew.extract.batches.batch import Batch
from clew.extract.batches.masking import NOTHING
from clew.extract.chains.graphs import ROOTS, SLOTS
from clew.extract.model.distances import decay, distances, make_places
from clew.extract.model.dropout import draw_seeds, drop
from clew.extract.model.encoder import Layer
from clew.extract.model.graphmert import GraphMert

__all__ = ["NaiveGraphMert"]

PLACES = ROOTS * (1 + SLOTS)  # 1,024
Seeds = tuple[torch.Tensor | None, ...]


class NaiveGraphMert(nn.Module):
    """Takes the batches of `GraphMert` and gives the same sums of losses."""

    def __init__(self, model: GraphMert) -> None:
        super().__init__()
        self.model = model
        self.config = model.config

    @property
    def p(self) -> torch.Tensor:
        return self.model.p

    def forward(self, batch: Batch) -> torch.Tensor:
        dense, filled = _spread_out(batch)  # fields over B * 1024 places; (B, 1024)
        seeds = draw_seeds(self.config.layers + 2, 3, device=dense.tokens.device) if self.model.training else None
        x = self.model.embedding(dense, None if seeds is None else seeds[-1])
        x = x.view(*filled.shape, -1)  # (B, 1024, width)
        places = make_places(dense.position[:PLACES], dense.slot[:PLACES])
        fade = decay(distances(places), self.model.p, self.config.decay_base)  # (1024, 1024)
        for number, layer in enumerate(self.model.encoder.layers):
            x = _run_layer(layer, x, fade, filled, (None,) * 3 if seeds is None else seeds[number].unbind())
        x = self.model.encoder.norm(x, None, 0.0, None).flatten(0, 1)  # (B * 1024, width)
        return self._losses(x, dense)

    def _losses(self, x: torch.Tensor, dense: Batch) -> torch.Tensor:
        heads, words = self.model.heads, self.model.embedding.words.weight
        root_target = torch.full((x.shape[0],), NOTHING, dtype=torch.long, device=x.device)
        leaf_target = root_target.clone()
        root_target[dense.root_index.long()] = dense.root_target.long()
        leaf_target[dense.leaf_index.long()] = dense.leaf_target.long()
        logits = functional.linear(heads.transform(x), words, heads.bias).float()  # (B * 1024, V)
        root = functional.cross_entropy(logits, root_target, ignore_index=NOTHING, reduction="sum")
        leaf = functional.cross_entropy(logits, leaf_target, ignore_index=NOTHING, reduction="sum")
        beside = heads.boundary(x[dense.root_left], x[dense.root_right], dense.root_offset)  # (M, width)
        logits = functional.linear(beside, words, heads.bias).float()  # (M, V)
        boundary = functional.cross_entropy(logits, dense.root_target.long(), reduction="sum")
        return torch.stack((root, boundary, leaf))


def _run_layer(layer: Layer, x: torch.Tensor, fade: torch.Tensor, filled: torch.Tensor, seeds: Seeds) -> torch.Tensor:
    """A layer with norms before its parts, attention written out."""
    config = layer.config
    qkv = layer.qkv(layer.attention_norm(x)).view(*x.shape[:2], 3, config.heads, config.head_width)
    query, key, value = qkv.permute(2, 0, 3, 1, 4)  # each (B, heads, 1024, D)
    logits = query @ key.transpose(-1, -2) / config.head_width**0.5  # (B, heads, 1024, 1024)
    logits = logits.masked_fill(~filled[:, None, None, :], float("-inf"))
    weights = torch.softmax(logits, -1) * fade
    mixed = (weights.to(value.dtype) @ value).transpose(1, 2).flatten(2)
    x = x + drop(layer.mix(mixed), config.dropout, seeds[1]).to(x.dtype)
    return x + drop(layer._think(layer.inner_norm(x), seeds[2]), config.dropout, seeds[0]).to(x.dtype)


def _spread_out(batch: Batch) -> tuple[Batch, torch.Tensor]:
    """A batch whose stream has all places of all its sequences, and which of them are filled."""
    offsets = batch.offsets.long()
    count, device = len(offsets) - 1, batch.tokens.device
    sequence = torch.repeat_interleave(torch.arange(count, device=device), offsets.diff())
    tokens = len(sequence)
    root, slot = batch.position[:tokens].long(), batch.slot[:tokens].long()
    where = sequence * PLACES + torch.where(slot == 0, root, ROOTS + root * SLOTS + slot - 1)  # (T,)

    every = torch.arange(PLACES, device=device)
    dense_position = torch.where(every < ROOTS, every, (every - ROOTS) // SLOTS).int()
    dense_slot = torch.where(every < ROOTS, 0, (every - ROOTS) % SLOTS + 1).int()
    dense_tokens = torch.zeros(count * PLACES, dtype=torch.int32, device=device)
    dense_tokens[where] = batch.tokens[:tokens]
    filled = torch.zeros(count * PLACES, dtype=torch.bool, device=device)
    filled[where] = True

    def move(index: torch.Tensor) -> torch.Tensor:
        return torch.where(index >= 0, where[index.clamp(min=0).long()], NOTHING).int()

    dense = replace(
        batch,
        tokens=dense_tokens,
        position=dense_position.repeat(count),
        slot=dense_slot.repeat(count),
        root_index=move(batch.root_index),
        root_left=move(batch.root_left),
        root_right=move(batch.root_right),
        leaf_index=move(batch.leaf_index),
        block_slots=move(batch.block_slots),
        block_heads=move(batch.block_heads),
    )
    return dense, filled.view(count, PLACES)
