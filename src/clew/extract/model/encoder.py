"""The transformer: layers of decaying attention and a fully connected part, over a packed stream of tokens."""

import torch
from torch import nn

from clew.extract.model.activation import activate
from clew.extract.model.attention import Geometry, attend
from clew.extract.model.config import Config
from clew.extract.model.dropout import drop

__all__ = ["Encoder", "Layer"]


class Layer(nn.Module):  # type: ignore[misc]
    """Attention and the fully connected part, each with its norm (before it, or after as in RoBERTa) and a bypass.

    With norms before, what the fully connected part adds to the stream is given on by itself, and the next layer adds
    it: layers are compiled one by one, and so adding, dropout and the norm that follows are one pass over memory.
    """

    def __init__(self, config: Config, *, kernel: str) -> None:
        super().__init__()
        self.config = config
        self.kernel = kernel
        width, biases = config.width, config.biases
        self.attention_norm = nn.LayerNorm(width, bias=biases)
        self.qkv = nn.Linear(width, 3 * width, bias=biases)
        self.mix = nn.Linear(width, width, bias=biases)
        self.inner_norm = nn.LayerNorm(width, bias=biases)
        self.widen = nn.Linear(width, config.inner, bias=biases)
        self.narrow = nn.Linear(config.inner, width, bias=biases)

    def forward(
        self, x: torch.Tensor, late: torch.Tensor | None, geometry: Geometry, seeds: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The stream and what is still to be added to it, each (T, width), to the same after this layer.

        `seeds` (3,) are of dropout: of what is added late, of attention, and of activations; None if there is none.
        """
        by_late, by_attention, by_inner = (None, None, None) if seeds is None else seeds.unbind()
        share = self.config.dropout
        if self.config.pre_norm:
            x = _add(x, late, share, by_late)
            x = _add(x, self._attend(self.attention_norm(x), geometry), share, by_attention)
            return x, self._think(self.inner_norm(x), by_inner)
        x = self.attention_norm(_add(x, self._attend(x, geometry), share, by_attention)).to(x.dtype)
        return self.inner_norm(_add(x, self._think(x, by_inner), share, by_late)).to(x.dtype), None

    def _attend(self, x: torch.Tensor, geometry: Geometry) -> torch.Tensor:
        config = self.config
        mixed = attend(
            self.qkv(x),
            geometry,
            heads=config.heads,
            decay=config.decay,
            kernel=self.kernel,
            dropout=config.attention_dropout if self.training else 0.0,
        )
        return self.mix(mixed)

    def _think(self, x: torch.Tensor, seed: torch.Tensor | None) -> torch.Tensor:
        inner = activate(self.widen(x), self.config.gelu, kernel=self.kernel)
        return self.narrow(drop(inner, self.config.activation_dropout, seed))


class Ending(nn.LayerNorm):  # type: ignore[misc]
    """Adds what the last layer left to be added, and norms the sum."""

    def forward(
        self, x: torch.Tensor, late: torch.Tensor | None, share: float, seed: torch.Tensor | None
    ) -> torch.Tensor:
        return super().forward(_add(x, late, share, seed)).to(x.dtype)


class Encoder(nn.Module):  # type: ignore[misc]
    """All layers; p of the decay is shared by them."""

    def __init__(self, config: Config, *, kernel: str) -> None:
        super().__init__()
        self.dropout, self.heads = config.dropout, config.heads
        self.layers = nn.ModuleList(Layer(config, kernel=kernel) for _ in range(config.layers))
        self.norm = Ending(config.width, bias=config.biases) if config.pre_norm else None

    def forward(self, x: torch.Tensor, geometry: Geometry, seeds: torch.Tensor | None) -> torch.Tensor:
        """(T, width) -> (T, width); `seeds` (layers + 1, 3) are of dropout, None if there is none."""
        late = None
        shared = geometry.for_layers(len(self.layers), self.heads)
        for number, layer in enumerate(self.layers):
            x, late = layer(x, late, shared[number], None if seeds is None else seeds[number])
        if self.norm is None:
            return x
        return self.norm(x, late, self.dropout, None if seeds is None else seeds[len(self.layers), 0])


def _add(x: torch.Tensor, late: torch.Tensor | None, share: float, seed: torch.Tensor | None) -> torch.Tensor:
    return x if late is None else x + drop(late, share, seed).to(x.dtype)
