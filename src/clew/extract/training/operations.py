"""How much arithmetic a batch takes, counted over real tokens only, for the share of a device's peak (MFU)."""

from clew.extract.batches.batch import Counts
from clew.extract.model.config import Config

__all__ = ["count_operations"]


def count_operations(config: Config, counts: Counts) -> int:
    """Floating-point operations of one training step: forward, and twice that backward.

    Counted are the layers' matrix products for each root and filled leaf slot, attention within each sequence, and
    words at masked places. H-GAT, norms and whatever fills a batch up count nothing: the share is a lower bound.
    """
    layer = 4 * config.width**2 + 2 * config.width * config.inner  # numbers that a token is multiplied with
    dense = 2 * config.layers * layer * counts.tokens
    attention = 4 * config.layers * config.width * counts.squares  # queries with keys, weights with values
    boundary = counts.roots if config.boundary_loss and config.span_masks else 0
    words = 2 * config.vocabulary * config.width * (counts.roots + boundary + counts.leaves)
    return 3 * (dense + attention + words)
