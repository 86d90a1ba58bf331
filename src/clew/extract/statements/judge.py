"""The head: from one encoding of a document to a score of each relation for every pair of its entities.

An entity is the log-sum-exp of its mentions' opening markers; a pair also reads the tokens that both its entities
attend to (localized context, ATLOP: Zhou et al. 2021) and, with `compare`, the other pairs of the document.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from clew.extract.statements.config import OUTPUTS, Config
from clew.extract.statements.encoder import Encoder
from clew.extract.statements.examples import FEATURES

__all__ = ["Judge", "PairInputs"]

OTHER = -1e4  # added where a mention is not of the entity
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class PairInputs:
    """What the head needs of one document beside its encoding; see `MarkedDocument`."""

    openings: Tensor  # (mentions,)
    membership: Tensor  # (entities, mentions)
    pairs: Tensor  # (pairs, 2)
    features: Tensor  # (pairs, FEATURES)


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
        """Scores (pairs, columns) of a document from its hidden states (length, width) and the attention of its tokens
        (heads, length, length)."""
        absent = (1.0 - inputs.membership) * OTHER  # (entities, mentions)
        marked = hidden[inputs.openings]  # (mentions, width)
        entities = torch.logsumexp(marked[None] + absent[..., None], 1)  # (entities, width)
        share = inputs.membership / inputs.membership.sum(1, keepdim=True)
        looked = share @ attention[:, inputs.openings]  # (heads, entities, length)
        subject, object_ = inputs.pairs[:, 0], inputs.pairs[:, 1]
        both = (looked[:, subject] * looked[:, object_]).sum(0)  # (pairs, length)
        context = both / (both.sum(1, keepdim=True) + TINY) @ hidden  # (pairs, width)
        one = torch.tanh(self.subject(torch.cat([entities[subject], context], 1)))
        other = torch.tanh(self.object(torch.cat([entities[object_], context], 1)))
        size = self.config.block
        crossed = one.view(-1, one.shape[1] // size, size, 1) * other.view(-1, other.shape[1] // size, 1, size)
        pair = self.bilinear(self.dropout(crossed.flatten(1))) + self.counted(inputs.features)
        pair = self.pair_norm(pair)
        if self.comparison is not None:
            pair = self.comparison(pair)
        scores: Tensor = self.scores(self.dropout(torch.relu(pair)))
        return scores

    def forward(self, tokens: Tensor, openings: Tensor, membership: Tensor, pairs: Tensor, features: Tensor) -> Tensor:
        """Scores of one document, as it is exported; `tokens` is (1, length)."""
        hidden, attention = self.encoder(tokens, torch.ones_like(tokens))
        return self.judge(hidden[0], attention[0], PairInputs(openings, membership, pairs, features))


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

    def forward(self, pairs: Tensor) -> Tensor:
        """(pairs, width) to the same shape."""
        width = pairs.shape[1]
        query, key, value = (
            part.reshape(-1, self.heads, width // self.heads).transpose(0, 1)
            for part in self.inward(pairs).split(width, 1)
        )  # (heads, pairs, width of a head)
        weights = (query @ key.transpose(-1, -2) / (width // self.heads) ** 0.5).softmax(-1)
        mixed = (self.dropout(weights) @ value).transpose(0, 1).reshape(-1, width)
        compared: Tensor = self.norm(pairs + self.dropout(self.outward(mixed)))
        return compared
