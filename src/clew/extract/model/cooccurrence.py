"""Initial word embeddings from co-occurrence: words with the same neighbours get similar vectors.

From the chains' roots alone: how much more often two tokens are neighbours than if independent (positive pointwise
mutual information), brought down to the model's width by a truncated singular value decomposition.
"""

import torch

from clew.extract.chains.graphs import FIRST_WORD, Chains

__all__ = ["cooccurrence_embeddings"]

WINDOW = 5  # tokens to each side; one at distance d counts 1/d
SMOOTHING = 0.75  # power of a neighbour's frequency, so that rare neighbours do not seem too telling


def cooccurrence_embeddings(chains: Chains, width: int, *, spread: float, device: torch.device) -> torch.Tensor:
    """Embeddings of all tokens (V, width), of standard deviation `spread`; special and unseen tokens are random."""
    counts = _count_neighbours(chains, device)  # (V, V) sparse, symmetric
    count, kept = chains.vocabulary, counts.values()
    row, column = counts.indices()
    by_token = torch.zeros(count, device=device).index_add_(0, row, kept)
    smooth = by_token**SMOOTHING
    expected = by_token[row] * (smooth / smooth.sum())[column]
    telling = torch.log(kept / expected).clamp(min=0)
    matrix = _sparse(counts.indices(), telling, count)

    words = torch.randn(count, width, device=device) * spread
    rank = min(width, count)
    directions, strengths, _ = torch.svd_lowrank(matrix, q=rank, niter=2)
    found = directions * strengths.sqrt()  # (V, rank)
    seen = by_token > 0
    seen[:FIRST_WORD] = False
    if seen.any():
        words[seen, :rank] = found[seen] * (spread / found[seen].std().clamp(min=1e-9))
    return words


def _count_neighbours(chains: Chains, device: torch.device) -> torch.Tensor:
    """How often tokens stand near each other in one sequence: (V, V) sparse, coalesced."""
    roots = torch.from_numpy(chains.roots.astype("int64")).to(device)
    lengths = torch.from_numpy(chains.lengths).to(device)
    sequence = torch.repeat_interleave(torch.arange(len(chains), device=device), lengths)
    count = chains.vocabulary
    total = _sparse(torch.zeros((2, 0), dtype=torch.int64, device=device), torch.zeros(0, device=device), count)
    for apart in range(1, WINDOW + 1):
        together = sequence[apart:] == sequence[:-apart]
        one, other = roots[:-apart][together], roots[apart:][together]
        pairs = torch.stack((torch.cat((one, other)), torch.cat((other, one))))
        values = torch.full((pairs.shape[1],), 1 / apart, device=device)
        total = total + _sparse(pairs, values, count)
    return total.coalesce()


def _sparse(indices: torch.Tensor, values: torch.Tensor, count: int) -> torch.Tensor:
    return torch.sparse_coo_tensor(indices, values, (count, count), check_invariants=False).coalesce()
