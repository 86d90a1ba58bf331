"""The network that writes sketches: MiniLM reads the words, a small decoder writes symbols and points at words."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["EMBEDDINGS", "Decoder", "Encoder", "Parser"]

EMBEDDINGS = {
    "words.weight": "embeddings.word_embeddings.weight",
    "places.weight": "embeddings.position_embeddings.weight",
    "kinds.weight": "embeddings.token_type_embeddings.weight",
}
WIDTH, HEADS, LAYERS, INNER, PLACES = 384, 12, 6, 1536, 512


class Encoder(nn.Module):
    """A BERT of MiniLM's shape; parameters carry the names of its checkpoint."""

    def __init__(self, vocabulary: int = 30522, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.places = nn.Embedding(PLACES, WIDTH)
        self.kinds = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(_Layer(dropout) for _ in range(LAYERS))
        self.dropout = nn.Dropout(dropout)

    def forward(self, pieces: Tensor, mask: Tensor) -> Tensor:
        places = torch.arange(pieces.shape[1], device=pieces.device)
        state = self.words(pieces) + self.places(places) + self.kinds.weight[0]
        state = self.dropout(self.norm(state))
        for layer in self.layers:
            state = layer(state, mask)
        return state

    def load(self, arrays: dict[str, Tensor]) -> None:
        """Take the weights of a checkpoint in the names of BERT."""
        own = {
            **EMBEDDINGS,
            "norm.weight": "embeddings.LayerNorm.weight",
            "norm.bias": "embeddings.LayerNorm.bias",
        }
        parts = {
            "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
            "out": "attention.output.dense", "norm": "attention.output.LayerNorm", "inner": "intermediate.dense",
            "outer": "output.dense", "norm2": "output.LayerNorm",
        }  # fmt: skip
        for number in range(LAYERS):
            for mine, theirs in parts.items():
                for end in ("weight", "bias"):
                    own[f"layers.{number}.{mine}.{end}"] = f"encoder.layer.{number}.{theirs}.{end}"
        self.load_state_dict({mine: arrays[theirs].float() for mine, theirs in own.items()})


class _Layer(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.out, self.norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH, eps=1e-12)
        self.inner, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm2, self.dropout = nn.LayerNorm(WIDTH, eps=1e-12), nn.Dropout(dropout)

    def forward(self, state: Tensor, mask: Tensor) -> Tensor:
        seen = _attend(self.query(state), self.key(state), self.value(state), mask[:, None, None, :])
        state = self.norm(state + self.dropout(self.out(seen)))
        return self.norm2(state + self.dropout(self.outer(functional.gelu(self.inner(state)))))


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    split = [each.unflatten(-1, (HEADS, -1)).transpose(1, 2) for each in (query, key, value)]
    return functional.scaled_dot_product_attention(*split, attn_mask=mask).transpose(1, 2).flatten(2)


class Decoder(nn.Module):
    """Writes symbols one after another: of the few, or words by pointing at their states."""

    def __init__(self, symbols: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.symbols = nn.Embedding(symbols, WIDTH)
        self.places = nn.Embedding(96, WIDTH)
        self.pointed = nn.Linear(WIDTH, WIDTH)
        self.layers = nn.ModuleList(_Writing(dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(WIDTH)
        self.point, self.choose = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, symbols)
        self.keys = nn.Linear(WIDTH, WIDTH)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.symbols.weight, std=0.05)
        nn.init.normal_(self.places.weight, std=0.02)

    def forward(self, written: Tensor, words: Tensor, word_mask: Tensor) -> Tensor:
        """Scores of what follows each symbol; `words` holds the state of each word."""
        few = self.symbols.num_embeddings
        at = (written - few).clamp(min=0)
        pointed = self.pointed(torch.gather(words, 1, at[..., None].expand(-1, -1, WIDTH)))
        state = torch.where((written < few)[..., None], self.symbols(written.clamp(max=few - 1)), pointed)
        state = self.dropout(state + self.places(torch.arange(written.shape[1], device=written.device)))
        length = written.shape[1]
        before = torch.ones(length, length, dtype=torch.bool, device=written.device).tril()
        for layer in self.layers:
            state = layer(state, before, words, word_mask)
        state = self.norm(state)
        scores = self.point(state) @ self.keys(words).transpose(1, 2) / math.sqrt(WIDTH)
        return torch.cat([self.choose(state), scores.masked_fill(~word_mask[:, None, :], -1e4)], -1)


class _Writing(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(WIDTH) for _ in range(3))
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.query2, self.key2, self.value2, self.out2 = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.inner, self.outer = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.dropout = nn.Dropout(dropout)

    def forward(self, state: Tensor, before: Tensor, words: Tensor, word_mask: Tensor) -> Tensor:
        own = self.norm1(state)
        seen = _attend(self.query(own), self.key(own), self.value(own), before[None, None])
        state = state + self.dropout(self.out(seen))
        seen = _attend(
            self.query2(self.norm2(state)), self.key2(words), self.value2(words), word_mask[:, None, None, :]
        )
        state = state + self.dropout(self.out2(seen))
        return state + self.dropout(self.outer(functional.gelu(self.inner(self.norm3(state)))))


class Parser(nn.Module):
    """Reader and writer together."""

    def __init__(self, symbols: int, *, layers: int = 3, dropout: float = 0.2) -> None:
        super().__init__()
        self.encoder, self.decoder = Encoder(dropout=0.1), Decoder(symbols, layers, dropout)
        self.norm = nn.LayerNorm(WIDTH)

    def read(self, pieces: Tensor, mask: Tensor, firsts: Tensor) -> Tensor:
        """The state of the first piece of each word."""
        state = self.encoder(pieces, mask)
        return self.norm(torch.gather(state, 1, firsts[..., None].expand(-1, -1, WIDTH)))
