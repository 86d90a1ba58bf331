"""Candidate ranking: the scores of candidate tails, and the losses over them."""

import torch
from torch.nn import functional

from clew.extract.model.graphmert import GraphMert
from clew.extract.ranking.batches import ExampleBatch
from clew.extract.ranking.settings import RankingSettings

__all__ = ["candidate_scores", "tail_loss", "word_logits"]


def word_logits(model: GraphMert, encoded: torch.Tensor) -> torch.Tensor:  # (n, width) -> (n, V) float32
    transformed = model.heads.transform(encoded)
    return functional.linear(transformed, model.embedding.words.weight, model.heads.bias).float()


def candidate_scores(logits: torch.Tensor, asking: ExampleBatch) -> torch.Tensor:
    """log p(tail and its end) of each row, from the logits of all slots (leaves * 7, V): (r,)."""
    device = logits.device
    slots = logits.view(asking.leaves, -1, logits.shape[-1])  # (leaves, 7, V)
    norm = torch.logsumexp(slots, -1)  # (leaves, 7)
    leaf, tokens, terms = (torch.from_numpy(each).to(device) for each in (asking.leaf, asking.tokens, asking.terms))
    place = torch.arange(tokens.shape[1], device=device)
    found = slots[leaf[:, None], place, tokens] - norm[leaf]  # (r, 7)
    return (found * (place < terms[:, None])).sum(-1)


def tail_loss(scores: torch.Tensor, asking: ExampleBatch, settings: RankingSettings) -> torch.Tensor:
    device = scores.device
    leaf, gold = torch.from_numpy(asking.leaf).to(device), torch.from_numpy(asking.gold == 1).to(device)
    by_token = scores / torch.from_numpy(asking.terms).to(device)
    naming = -by_token[_pick(gold, leaf, asking.leaves)].mean()
    if settings.loss == "name":
        return naming
    weights = by_token if settings.by_token else scores
    if settings.loss == "odds":
        first = _first_rows(leaf)
        none = weights.new_zeros(asking.leaves).index_put((leaf[first],), weights[first])
        odds = (weights - none[leaf])[~first]
        return functional.binary_cross_entropy_with_logits(odds, gold[~first].float()) + settings.naming * naming
    shares = weights - _log_sum(weights, leaf, asking.leaves)[leaf]
    if settings.loss == "spread":
        number = weights.new_zeros(asking.leaves).index_add(0, leaf, gold.float())
        return -(shares[gold] / number[leaf][gold]).sum() / asking.leaves + settings.naming * naming
    loss = -_log_sum(shares.masked_fill(~gold, -1e4), leaf, asking.leaves).mean() + settings.naming * naming
    return loss + _document_loss(shares, asking) if settings.loss == "document" else loss


def _document_loss(shares: torch.Tensor, asking: ExampleBatch) -> torch.Tensor:
    """Gold pairs should share their document equally; pairs are pooled as they are when scored."""
    device = shares.device
    columns = (asking.member_row, asking.member_pair, asking.pair_document, asking.pair_gold)
    row, pair, document, gold = (torch.from_numpy(each).to(device) for each in columns)
    documents = int(asking.pair_document.max(initial=0)) + 1
    pooled = _log_sum(shares[row], pair, len(gold))
    within = pooled - _log_sum(pooled, document, documents)[document]
    number = within.new_zeros(documents).index_add(0, document, gold.float())
    return -(within[gold] / number[document][gold]).sum() / max(1, documents)


def _first_rows(leaf: torch.Tensor) -> torch.Tensor:
    """Where each leaf's rows begin: its [NONE]."""
    first = torch.ones_like(leaf, dtype=torch.bool)
    first[1:] = leaf[1:] != leaf[:-1]
    return first


def _pick(gold: torch.Tensor, leaf: torch.Tensor, leaves: int) -> torch.Tensor:
    """One gold row of each leaf, drawn at random: (leaves,)."""
    luck = torch.where(gold, torch.rand(gold.shape, device=gold.device), -1.0)
    best = torch.full((leaves,), -1.0, device=gold.device).scatter_reduce(0, leaf, luck, "amax")
    return torch.nonzero(gold & (luck == best[leaf]))[:, 0]


def _log_sum(values: torch.Tensor, group: torch.Tensor, groups: int) -> torch.Tensor:
    """log of the sum of exp over the rows of each group: (groups,)."""
    highest = torch.full((groups,), -1e9, device=values.device).scatter_reduce(0, group, values.detach(), "amax")
    total = values.new_zeros(groups).index_add(0, group, torch.exp(values - highest[group]))
    return highest + torch.log(total)
