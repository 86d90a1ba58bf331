"""The head: from one encoding of a document to a score of each relation for every pair of its entities.

An entity is the log-sum-exp of its mentions' opening markers; a pair also reads the tokens that both its entities
attend to (localized context, ATLOP: Zhou et al. 2021) and, with `compare`, the other pairs of the document.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from clew.extract.statements.config import OUTPUTS, Config
from clew.extract.statements.examples import FEATURES
from clew.extract.statements.learning.encoder import Encoder

__all__ = ["Judge", "PairInputs"]

OTHER = -1e4  # added where a mention is not of the entity
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class PairInputs:
    """What the head needs of documents beside their encoding; see `MarkedDocument`. Padded by zeros."""

    openings: Tensor  # (documents, mentions)
    membership: Tensor  # (documents, entities, mentions)
    pairs: Tensor  # (documents, pairs, 2)
    features: Tensor  # (documents, pairs, FEATURES)
    real: Tensor | None = None  # (documents, pairs) which pairs are no padding; None: all


class Judge(nn.Module):  # type: ignore[misc]
    """Encoder and head."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.subject = nn.Linear(2 * config.width, config.width)
        self.object = nn.Linear(2 * config.width, config.width)
        self.bilinear = nn.Linear(config.width * config.block, config.pair_width)
        self.counted = nn.Linear(FEATURES, config.pair_width)
        self.pair_norm = nn.LayerNorm(config.pair_width)
        self.comparison = Comparison(config) if config.compare else None
        self.dropout = nn.Dropout(config.dropout)
        self.scores = nn.Linear(config.pair_width, sum(1 + len(relations) for relations in OUTPUTS.values()))

    def judge(self, hidden: Tensor, attention: Tensor, inputs: PairInputs) -> Tensor:
        """Scores (documents, pairs, columns) from the hidden states (documents, length, width) and the attention of
        their tokens (documents, heads, length, length)."""
        absent = (1.0 - inputs.membership) * OTHER  # (documents, entities, mentions)
        marked = _pick(hidden, inputs.openings)  # (documents, mentions, width)
        entities = torch.logsumexp(marked[:, None] + absent[..., None], 2)  # (documents, entities, width)
        share = inputs.membership / inputs.membership.sum(2, keepdim=True).clamp(min=1.0)
        seen = attention.gather(
            2, inputs.openings[:, None, :, None].expand(-1, attention.shape[1], -1, hidden.shape[1])
        )
        looked = share[:, None] @ seen  # (documents, heads, entities, length)
        subject, object_ = inputs.pairs[..., 0], inputs.pairs[..., 1]
        context = self._context(looked, subject, object_) @ hidden  # (documents, pairs, width)
        one = torch.tanh(self.subject(torch.cat([_pick(entities, subject), context], 2)))
        other = torch.tanh(self.object(torch.cat([_pick(entities, object_), context], 2)))
        size = self.config.block
        crossed = one.unflatten(2, (-1, size, 1)) * other.unflatten(2, (-1, 1, size))
        pair = self.bilinear(self.dropout(crossed.flatten(2))) + self.counted(inputs.features)
        pair = self.pair_norm(pair)
        if self.comparison is not None:
            pair = self.comparison(pair, inputs.real)
        scores: Tensor = self.scores(self.dropout(torch.relu(pair)))
        return scores

    def _context(self, looked: Tensor, subject: Tensor, object_: Tensor) -> Tensor:
        """(documents, pairs, length) the tokens that both ends of a pair attend to, in shares."""
        heads, length = looked.shape[1], looked.shape[3]
        places = (each[:, None, :, None].expand(-1, heads, -1, length) for each in (subject, object_))
        one, other = (looked.gather(2, each) for each in places)
        both = (one * other).sum(1)
        return both / (both.sum(2, keepdim=True) + TINY)

    def forward(self, tokens: Tensor, openings: Tensor, membership: Tensor, pairs: Tensor, features: Tensor) -> Tensor:
        """Scores of one document, as it is exported; `tokens` is (1, length), the rest as in a `MarkedDocument`."""
        hidden, attention = self.encoder(tokens, None)
        inputs = PairInputs(openings[None], membership[None], pairs[None], features[None])
        return self.judge(hidden, attention, inputs)[0]


def _pick(rows: Tensor, places: Tensor) -> Tensor:
    """(documents, rows, width) at (documents, places)."""
    return rows.gather(1, places[..., None].expand(-1, -1, rows.shape[2]))


class Comparison(nn.Module):  # type: ignore[misc]
    """One layer of attention among the pairs of a document."""

    heads = 4

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config.pair_width
        self.inward = nn.Linear(width, 3 * width)
        self.outward = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, pairs: Tensor, real: Tensor | None) -> Tensor:
        """(documents, pairs, width) to the same shape."""
        width = pairs.shape[2]
        query, key, value = (
            part.unflatten(2, (self.heads, width // self.heads)).transpose(1, 2)
            for part in self.inward(pairs).split(width, 2)
        )  # (documents, heads, pairs, width of a head)
        scores = query @ key.transpose(-1, -2) / (width // self.heads) ** 0.5
        if real is not None:
            scores = scores + ((~real).to(scores.dtype) * OTHER)[:, None, None, :]
        mixed = (self.dropout(scores.softmax(-1)) @ value).transpose(1, 2).flatten(2)
        compared: Tensor = self.norm(pairs + self.dropout(self.outward(mixed)))
        return compared
