"""The transformer: layers of decaying attention and a fully connected part, over a packed stream of tokens."""

import torch
from torch import nn
from torch.nn import functional

from clew.extract.model.attention import Geometry, attend
from clew.extract.model.config import Config
from clew.extract.model.dropout import drop

__all__ = ["Encoder", "Layer"]


class Layer(nn.Module):  # type: ignore[misc]
    """Attention and the fully connected part, each with its norm (before it, or after as in RoBERTa) and a bypass."""

    def __init__(self, config: Config, *, kernel: str) -> None:
        super().__init__()
        self.config = config
        self.kernel = kernel
        width = config.width
        self.attention_norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.mix = nn.Linear(width, width)
        self.inner_norm = nn.LayerNorm(width)
        self.widen = nn.Linear(width, config.inner)
        self.narrow = nn.Linear(config.inner, width)

    def forward(self, x: torch.Tensor, geometry: Geometry, seeds: torch.Tensor | None) -> torch.Tensor:
        """(T, width) -> (T, width); `seeds` (3,) are of this layer's dropout, None if there is none."""
        attention, inner, outer = (None, None, None) if seeds is None else seeds.unbind()
        if self.config.pre_norm:
            x = x + self._attend(self.attention_norm(x), geometry, attention).to(x.dtype)
            return x + self._think(self.inner_norm(x), inner, outer).to(x.dtype)
        x = self.attention_norm(x + self._attend(x, geometry, attention)).to(x.dtype)
        return self.inner_norm(x + self._think(x, inner, outer)).to(x.dtype)

    def _attend(self, x: torch.Tensor, geometry: Geometry, seed: torch.Tensor | None) -> torch.Tensor:
        config = self.config
        mixed = attend(
            self.qkv(x),
            geometry,
            heads=config.heads,
            decay=config.decay,
            kernel=self.kernel,
            dropout=config.attention_dropout if self.training else 0.0,
        )
        return drop(self.mix(mixed), config.dropout, seed)

    def _think(self, x: torch.Tensor, inner: torch.Tensor | None, outer: torch.Tensor | None) -> torch.Tensor:
        config = self.config
        x = drop(functional.gelu(self.widen(x)), config.activation_dropout, inner)
        return drop(self.narrow(x), config.dropout, outer)


class Encoder(nn.Module):  # type: ignore[misc]
    """All layers; p of the decay is shared by them."""

    def __init__(self, config: Config, *, kernel: str) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(config, kernel=kernel) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width) if config.pre_norm else nn.Identity()

    def forward(self, x: torch.Tensor, geometry: Geometry, seeds: torch.Tensor | None) -> torch.Tensor:
        """(T, width) -> (T, width); `seeds` (layers, 3) are of the layers' dropout, None if there is none."""
        for number, layer in enumerate(self.layers):
            x = layer(x, geometry, None if seeds is None else seeds[number])
        return self.norm(x).to(x.dtype)
