"""The network that reads questions: MiniLM, a decoder that writes sketches, and a linker with parts of a schema."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["EMBEDDINGS", "WIDTH", "Decoder", "Encoder", "Linker", "Reader"]

EMBEDDINGS = {
    "words.weight": "embeddings.word_embeddings.weight",
    "places.weight": "embeddings.position_embeddings.weight",
    "kinds.weight": "embeddings.token_type_embeddings.weight",
}
WIDTH, HEADS, LAYERS, INNER, PLACES = 384, 12, 6, 1536, 512
MARKS = 5  # none, and before a type, a relation, an attribute, a column
CAUTION = 6.0  # what meaning nothing scores at first


class Encoder(nn.Module):
    """A BERT of MiniLM's shape; parameters carry the names of its checkpoint."""

    def __init__(self, vocabulary: int = 30522, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.places = nn.Embedding(PLACES, WIDTH)
        self.kinds = nn.Embedding(2, WIDTH)
        self.marks = nn.Embedding(MARKS, WIDTH, padding_idx=0)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(_Layer(dropout) for _ in range(LAYERS))
        self.dropout = nn.Dropout(dropout)

    def forward(self, pieces: Tensor, places: Tensor, kinds: Tensor, marks: Tensor, sees: Tensor) -> Tensor:
        """A state for each piece; `sees` says for each which others it sees."""
        state = self.words(pieces) + self.places(places) + self.kinds(kinds) + self.marks(marks)
        state = self.dropout(self.norm(state))
        for layer in self.layers:
            state = layer(state, sees)
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
        self.load_state_dict({mine: arrays[theirs].float() for mine, theirs in own.items()}, strict=False)


class _Layer(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.out, self.norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH, eps=1e-12)
        self.inner, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm2, self.dropout = nn.LayerNorm(WIDTH, eps=1e-12), nn.Dropout(dropout)

    def forward(self, state: Tensor, sees: Tensor) -> Tensor:
        seen = _attend(self.query(state), self.key(state), self.value(state), sees[:, None])
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


class Linker(nn.Module):
    """Says which part of a schema a phrase means: it begins as the cosine of their states."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.phrase, self.item = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.way = nn.Linear(3 * WIDTH, 1)
        self.none, self.bias = nn.Parameter(torch.zeros(WIDTH)), nn.Parameter(torch.tensor(CAUTION))
        self.scale = nn.Parameter(torch.tensor(1.0))
        for part in (self.phrase, self.item):
            nn.init.eye_(part.weight)
            nn.init.zeros_(part.bias)

    def forward(self, states: Tensor, phrases: Tensor, items: Tensor, known: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Scores of each item and of none for each phrase, and the mean states of both.

        `phrases` and `items` say which pieces are theirs and how much, `known` which items there are.
        """
        states = self.norm(states)
        said, parts = phrases @ states, items @ states
        query = self.phrase(said)
        scores = query @ self.item(parts).transpose(1, 2) / math.sqrt(WIDTH) * self.scale
        none = query @ self.none / math.sqrt(WIDTH) + self.bias
        return torch.cat([scores.masked_fill(~known[:, None, :], -1e4), none[..., None]], -1), said, parts

    def forward_way(self, said: Tensor, parts: Tensor) -> Tensor:
        """How much speaks for what stands before a phrase to be the subject of a relation."""
        return self.way(torch.cat([said, parts, said * parts], -1))[..., 0]


class Reader(nn.Module):
    """One encoder with a decoder of sketches and a linker."""

    def __init__(self, symbols: int, *, layers: int = 3, dropout: float = 0.2) -> None:
        super().__init__()
        self.encoder, self.decoder, self.linker = Encoder(dropout=0.1), Decoder(symbols, layers, dropout), Linker()
        self.norm = nn.LayerNorm(WIDTH)

    def read(self, pieces: Tensor, mask: Tensor, firsts: Tensor) -> Tensor:
        """The state of the first piece of each word of a question alone."""
        zeros = torch.zeros_like(pieces)
        places = torch.arange(pieces.shape[1], device=pieces.device)[None].expand_as(pieces)
        sees = mask[:, None, :].expand(-1, pieces.shape[1], -1)
        state = self.encoder(pieces, places, zeros, zeros, sees)
        return self.norm(torch.gather(state, 1, firsts[..., None].expand(-1, -1, WIDTH)))
