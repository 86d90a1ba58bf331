"""Words of like company begin alike."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from clew.extract.chains.graphs import Chains
from clew.extract.model.cooccurrence import cooccurrence_embeddings
from random_chains import make_chains

CPU = torch.device("cpu")


def two_topics() -> Chains:
    """Sequences of words 10-19 only or of words 20-29 only; words 30 and above are never seen."""
    random = np.random.default_rng(0)
    roots = np.concatenate([random.integers(10 * topic, 10 * topic + 10, 20) for topic in random.integers(1, 3, 200)])
    chains = make_chains(1, leaves=0)
    return replace(chains, roots=roots, offsets=np.arange(0, 20 * 200 + 1, 20))


def test_words_of_one_topic_are_nearer() -> None:
    torch.manual_seed(0)
    words = cooccurrence_embeddings(two_topics(), 8, spread=0.02, device=CPU)
    assert words.shape == (60, 8)
    near = functional.normalize(words[10:30], dim=-1)
    likeness = near @ near.T
    same = likeness[:10, :10][~torch.eye(10, dtype=torch.bool)].mean()
    assert same > likeness[:10, 10:].mean() + 0.3


def test_spread_and_what_is_not_seen() -> None:
    torch.manual_seed(0)
    words = cooccurrence_embeddings(two_topics(), 8, spread=0.02, device=CPU)
    assert words[10:30].std() == pytest.approx(0.02, rel=0.05)
    assert words[30:].std() == pytest.approx(0.02, rel=0.2)
    assert words.isfinite().all()


def test_a_width_above_the_vocabulary_is_filled_at_random() -> None:
    torch.manual_seed(0)
    words = cooccurrence_embeddings(two_topics(), 80, spread=0.02, device=CPU)
    assert words.shape == (60, 80)
    assert words[:, 60:].std() == pytest.approx(0.02, rel=0.1)
