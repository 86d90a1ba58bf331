"""Distances in closed form against Floyd-Warshall on the chain itself, and the decay against its definition."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.extract.model.distances import decay, decay_slope, distances, make_places


def floyd_warshall(links: np.ndarray) -> np.ndarray:
    """Shortest paths from a matrix of direct links."""
    apart = np.where(links, 1, 10**6)
    np.fill_diagonal(apart, 0)
    for middle in range(len(apart)):
        apart = np.minimum(apart, apart[:, middle : middle + 1] + apart[middle : middle + 1, :])
    return apart


@settings(deadline=None)
@given(
    roots=st.integers(1, 12),
    leaves=st.dictionaries(st.integers(0, 11), st.integers(1, 7), max_size=5),
    order=st.randoms(use_true_random=False),
)
def test_against_floyd_warshall(roots: int, leaves: dict[int, int], order: object) -> None:
    position, slot = list(range(roots)), [0] * roots
    hanging = [(root % roots, size) for root, size in leaves.items()]
    for root, size in dict(hanging).items():
        position += [root] * size
        slot += range(1, size + 1)
    links = np.zeros((len(position), len(position)), bool)
    for a in range(len(position)):
        for b in range(len(position)):
            neighbours = slot[a] == slot[b] == 0 and abs(position[a] - position[b]) == 1  # the chain
            hangs = (slot[a] == 0) != (slot[b] == 0) and position[a] == position[b]  # a leaf and its root
            same_leaf = slot[a] > 0 and slot[b] > 0 and position[a] == position[b]
            links[a, b] = neighbours or hangs or same_leaf
    places = make_places(torch.tensor(position, dtype=torch.int32), torch.tensor(slot, dtype=torch.int32))
    assert np.array_equal(distances(places).numpy(), floyd_warshall(links))


@pytest.mark.parametrize("p", [-1.0, 0.0, 1.3, 4.0])
def test_the_decay_is_what_the_paper_says(p: float) -> None:
    apart = torch.arange(130)
    found = decay(apart, torch.tensor(p), 0.6)
    for distance in (0, 1, 2, 9, 64, 129):
        x = math.sqrt(distance) - p
        expected = 0.6 ** (x * 0.5 * (1 + math.erf(x / math.sqrt(2))))
        assert found[distance].item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("p", [-1.0, 0.0, 1.3, 4.0])
def test_the_slope_is_the_derivative(p: float) -> None:
    apart = torch.arange(130)
    parameter = torch.tensor(p, requires_grad=True)
    automatic = torch.stack([torch.autograd.grad(decay(apart, parameter, 0.6)[d], parameter)[0] for d in range(130)])
    assert torch.allclose(decay_slope(apart, parameter.detach(), 0.6), automatic, atol=1e-6)
