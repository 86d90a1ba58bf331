"""GraphMERT: embeddings, H-GAT, the encoder and the heads that predict masked roots and leaves."""

import torch
from torch import nn
from torch.nn import functional

from clew.extract.batches.batch import Batch
from clew.extract.model.attention import make_geometry
from clew.extract.model.config import Config
from clew.extract.model.distances import make_places
from clew.extract.model.dropout import draw_seeds, drop
from clew.extract.model.encoder import Encoder
from clew.extract.model.hgat import HGat
from clew.extract.model.losses import Boundary, Transform, sum_losses

__all__ = ["SPREAD", "GraphMert", "compile_parts", "count_parameters"]

SPREAD = 0.02  # of initial weights


class Embedding(nn.Module):  # type: ignore[misc]
    """Tokens, fused with relation and head where they are leaf slots, and where they stand."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.dropout = config.dropout
        self.words = nn.Embedding(config.vocabulary, config.width)
        self.position = nn.Embedding(config.roots, config.width) if config.positions else None
        self.slot = nn.Embedding(config.slots + 1, config.width) if config.positions else None  # 0: a root
        self.hgat = HGat(config) if config.hgat else None
        self.norm = nn.LayerNorm(config.width)

    def forward(self, batch: Batch, seeds: torch.Tensor | None) -> torch.Tensor:
        """(T, width), in bfloat16 under autocast; `seeds` (3,) are of dropout, None if there is none."""
        x = self.words(batch.tokens)
        if self.hgat is not None and batch.block_relation.shape[0] > 0:
            x = self.hgat(x, batch, None if seeds is None else seeds[1:])
        if self.position is not None and self.slot is not None:
            x = x + _look_up_both(self.position.weight, batch.position, self.slot.weight, batch.slot)
        x = drop(self.norm(x), self.dropout, None if seeds is None else seeds[0])
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))
        return x


def _look_up_both(one: torch.Tensor, place: torch.Tensor, other: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
    """The sum of a row of each of two small tables as one product, whose gradient is one too.

    Were rows' gradients added up by index, tens of thousands of additions to a row would wait for each other on a GPU.
    """
    row = torch.arange(len(one) + len(other), device=place.device, dtype=place.dtype)
    chosen = (place[:, None] == row) | (slot[:, None] + len(one) == row)
    return chosen.to(one.dtype) @ torch.cat((one, other))


class Heads(nn.Module):  # type: ignore[misc]
    """What predicts words; their embeddings are those of the input."""

    def __init__(self, config: Config, *, kernel: str) -> None:
        super().__init__()
        self.kernel = kernel
        self.transform = Transform(config)
        self.boundary = Boundary(config) if config.boundary_loss and config.span_masks else None
        self.bias = nn.Parameter(torch.zeros(config.vocabulary))

    def forward(self, x: torch.Tensor, words: torch.Tensor, batch: Batch) -> torch.Tensor:  # (3,) sums of losses
        # Looked up all at once: each look-up would make a gradient of the whole stream.
        sides = () if self.boundary is None else (batch.root_left, batch.root_right)
        rows = x[torch.cat((batch.root_index, batch.leaf_index, *sides))]
        masked, *around = rows.split((len(batch.root_index) + len(batch.leaf_index), *map(len, sides)))
        boundary = None if self.boundary is None else self.boundary(*around, batch.root_offset)
        return sum_losses(self.transform(masked), boundary, words, self.bias, batch, kernel=self.kernel)


class GraphMert(nn.Module):  # type: ignore[misc]
    """The model; `kernel` names what computes attention, GELU and losses (`attention.pick_kernel`)."""

    def __init__(self, config: Config, *, kernel: str = "plain") -> None:
        super().__init__()
        self.config, self.kernel = config, kernel
        self.make_geometry = make_geometry
        self.embedding = Embedding(config)
        self.p = nn.Parameter(torch.tensor(config.decay_start))
        self.encoder = Encoder(config, kernel=kernel)
        self.heads = Heads(config, kernel=kernel)
        self._begin()

    def _begin(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=SPREAD)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)
        if self.config.pre_norm:  # each layer adds to the stream: keep its spread from growing with depth
            for layer in self.encoder.layers:
                for last in (layer.mix, layer.narrow):
                    nn.init.normal_(last.weight, std=SPREAD / (2 * self.config.layers) ** 0.5)

    def encode(self, batch: Batch) -> torch.Tensor:
        """Encodings of all tokens of a batch: (T, width), in bfloat16 under autocast."""
        seeds = draw_seeds(self.config.layers + 2, 3, device=batch.tokens.device) if self.training else None
        x = self.embedding(batch, None if seeds is None else seeds[-1])
        geometry = self.make_geometry(
            make_places(batch.position, batch.slot),
            batch.begin,
            batch.offsets,
            self.p,
            base=self.config.decay_base,
            roots=self.config.roots,
            kernel=self.kernel,
            kind=x.dtype,
        )
        return self.encoder(x, geometry, seeds)

    def forward(self, batch: Batch) -> torch.Tensor:
        """Sums of losses over the batch: masked roots, their boundaries, masked leaf slots: (3,) float32."""
        return self.heads(self.encode(batch), self.embedding.words.weight, batch)

    def log_probabilities(self, batch: Batch, index: torch.Tensor) -> torch.Tensor:
        """Logarithms of the probabilities of all words at some places of the stream: (n,) -> (n, V) float32."""
        x = self.heads.transform(self.encode(batch)[index])
        logits = functional.linear(x, self.embedding.words.weight, self.heads.bias)
        return torch.log_softmax(logits.float(), -1)


def compile_parts(model: GraphMert) -> None:
    """Compile a model's parts in place; its layers share one piece of code, so this is quick."""
    for part in (model.embedding, *model.encoder.layers, model.encoder.norm, model.heads):
        if part is not None:
            part.compile(dynamic=False)
    model.make_geometry = torch.compile(make_geometry, dynamic=False)


def count_parameters(model: GraphMert, *, embeddings: bool = True) -> int:
    """How many numbers are learnt; without `embeddings`, those that every token is multiplied with (for MFU)."""
    if embeddings:
        return sum(parameter.numel() for parameter in model.parameters())
    return sum(parameter.numel() for parameter in model.encoder.parameters())
