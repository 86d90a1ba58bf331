"""Dropout: the right share, unrelated between seeds and places, and the mean kept."""

import pytest
import torch

from clew.extract.model.dropout import draw_seeds, drop

ONES = torch.ones(500, 400)


def seed(number: int) -> torch.Tensor:
    return torch.tensor(number, dtype=torch.int32)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("number", [0, 1, 2**31 - 2])
def test_share_and_mean(share: float, number: int) -> None:
    dropped = drop(ONES, share, seed(number))
    assert (dropped == 0).float().mean().item() == pytest.approx(share, abs=0.005)
    assert dropped.mean().item() == pytest.approx(1, abs=0.05)
    assert torch.allclose(dropped[dropped != 0], torch.tensor(1 / (1 - share)))
    for axis in (0, 1):  # no row and no column fares better than others
        assert (dropped == 0).float().mean(axis).std() < 2 * (share * (1 - share) / ONES.shape[axis]) ** 0.5


def test_seeds_and_neighbours_are_unrelated() -> None:
    seeds = draw_seeds(6, device=torch.device("cpu"))
    masks = torch.stack([(drop(ONES, 0.3, each) == 0).float().flatten() for each in seeds])
    rows = torch.cat((masks, masks[:2].roll(1, -1), masks[:2].roll(400, -1), masks[:2].roll(1024, -1)))
    related = torch.corrcoef(rows) - torch.eye(len(rows))
    assert related.abs().max() < 0.012


def test_nothing_is_dropped_without_seed_or_share() -> None:
    assert drop(ONES, 0.3, None) is ONES
    assert drop(ONES, 0.0, seed(3)) is ONES


def test_gradients_pass_where_numbers_do() -> None:
    x = torch.ones(50, requires_grad=True)
    dropped = drop(x, 0.5, seed(3))
    dropped.sum().backward()
    assert torch.equal(x.grad, dropped.detach())
