"""Attention over packed sequences whose weights decay with distance (eq. 7), and the choice of what computes it.

`attend_plain` is the oracle: dense blocks padded to the longest sequence, on any device. The fused kernel is in
`attention_triton`. Weights are multiplied after softmax and not renormalised (`decay="weights"`); the published code of
the paper multiplies logits instead (`decay="logits"`).
"""

from dataclasses import dataclass, replace
from importlib.util import find_spec

import torch
from torch.nn import functional

from clew.errors import InputError
from clew.extract.batches.masking import LONGEST
from clew.extract.kernels.tiles import cut_tiles
from clew.extract.model.config import DECAYS, Decay
from clew.extract.model.distances import decay as decay_of
from clew.extract.model.distances import decay_slope, distances, distances_in_rows

__all__ = ["KERNELS", "Geometry", "attend", "attend_plain", "make_geometry", "pick_kernel"]

KERNELS = ("plain", "triton")
LOWEST = -1e30  # not -inf: a sequence that only fills up has nothing else, and must not become NaN


@dataclass(frozen=True, slots=True)
class Geometry:
    """What all layers and heads share: where tokens are, and how attention between them decays."""

    places: torch.Tensor  # (T,) int32, see `distances`
    offsets: torch.Tensor  # (B + 1,) int32
    p: torch.Tensor  # () the learnable parameter
    table: torch.Tensor  # (longest distance + 1,) decay by distance, differentiable by p
    fades: torch.Tensor | None = None  # (T, 256) decay between a token and each of its sequence, for the fused kernel
    slopes: torch.Tensor | None = None  # (T, 256) its derivative by p
    tiles: torch.Tensor | None = None  # (N, 3) the kernel's pieces of work, see `cut_tiles`

    def for_layers(self, layers: int, heads: int) -> "list[Geometry]":
        """The same for each layer; the gradients that its programs give for p are then added up all at once."""
        if self.tiles is None:
            return [self] * layers
        return [replace(self, p=p) for p in self.p.expand(layers, len(self.tiles), heads).unbind()]


def make_geometry(
    places: torch.Tensor,
    begin: torch.Tensor,
    offsets: torch.Tensor,
    p: torch.Tensor,
    *,
    base: float,
    roots: int,
    kernel: str = "plain",
    kind: torch.dtype = torch.float32,
) -> Geometry:
    """The geometry of a batch of chains of at most `roots` roots, whose longest way goes from leaf to leaf.

    `kind` is the type of numbers in which the fused kernel reads the decay.
    """
    table = decay_of(torch.arange(roots + 2, device=places.device), p, base)
    if kernel == "plain":
        return Geometry(places, offsets, p, table)
    with torch.no_grad():
        apart = distances_in_rows(places, begin, LONGEST)
        fades, slopes = decay_of(apart, p, base).to(kind), decay_slope(apart, p, base).to(kind)
    return Geometry(places, offsets, p, table, fades, slopes, cut_tiles(offsets, len(places)))


def pick_kernel(device: torch.device) -> str:
    """The fused kernel on CUDA where Triton is installed, else plain attention."""
    return "triton" if device.type == "cuda" and find_spec("triton") is not None else "plain"


def attend(
    qkv: torch.Tensor, geometry: Geometry, *, heads: int, decay: Decay, kernel: str, dropout: float = 0.0
) -> torch.Tensor:
    """Queries, keys and values of a packed stream (T, 3 * width) to mixed values (T, width)."""
    if kernel == "plain" or dropout > 0:
        return attend_plain(qkv, geometry, heads=heads, decay=decay, dropout=dropout)
    if kernel != "triton":
        raise InputError(f"there is no attention kernel {kernel!r}: choose one of {', '.join(KERNELS)}")
    from clew.extract.kernels.attention_triton import attend_fused

    if geometry.fades is None or geometry.slopes is None or geometry.tiles is None:
        raise InputError("the fused kernel needs the decay of all pairs: make the geometry for it")
    p = geometry.p.expand(len(geometry.tiles), heads)
    mixed: torch.Tensor = attend_fused(
        qkv, geometry.fades, geometry.slopes, geometry.tiles, p, heads, DECAYS.index(decay)
    )[0]
    return mixed


def attend_plain(
    qkv: torch.Tensor, geometry: Geometry, *, heads: int, decay: Decay, dropout: float = 0.0
) -> torch.Tensor:
    """The same in dense blocks, by torch's own operations."""
    offsets = geometry.offsets.long()
    lengths = offsets.diff()  # (B,)
    longest = max(1, int(lengths.max()))
    step = torch.arange(longest, device=qkv.device)
    filled = step < lengths[:, None]  # (B, L)
    index = torch.where(filled, offsets[:-1, None] + step, 0)  # (B, L)

    width = qkv.shape[1] // 3
    dense = qkv[index].view(*index.shape, 3, heads, width // heads)  # (B, L, 3, heads, D)
    query, key, value = dense.permute(2, 0, 3, 1, 4)  # each (B, heads, L, D)
    logits = query @ key.transpose(-1, -2) / (width // heads) ** 0.5  # (B, heads, L, L)
    fade = geometry.table[distances(geometry.places[index])].unsqueeze(1)  # (B, 1, L, L)
    if decay == "logits":
        logits = logits * fade
    logits = logits.float().masked_fill(~filled[:, None, None, :], LOWEST)
    weights = torch.softmax(logits, -1)
    if decay == "weights":
        weights = weights * fade
    weights = functional.dropout(weights, dropout, training=dropout > 0).to(value.dtype)
    mixed = (weights @ value).transpose(1, 2).reshape(*index.shape, width)  # (B, L, width)
    out = torch.zeros_like(qkv[:, :width])
    out[index[filled]] = mixed[filled].to(out.dtype)
    return out
