"""Random numbers: even, independent of company, different for each purpose."""

import numpy as np

from clew.extract.batches.random_numbers import draw, make_key


def test_numbers_are_even_and_unrelated() -> None:
    numbers = draw(make_key(0, 1, 2), np.arange(200)[:, None], np.arange(100)[None, :])
    assert numbers.shape == (200, 100)
    assert 0 <= numbers.min() < 0.001
    assert 0.999 < numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 0.01
    assert abs(np.var(numbers) - 1 / 12) < 0.002
    assert abs(np.corrcoef(numbers[:-1].ravel(), numbers[1:].ravel())[0, 1]) < 0.03
    assert abs(np.corrcoef(numbers[:, :-1].ravel(), numbers[:, 1:].ravel())[0, 1]) < 0.03


def test_a_number_depends_on_its_counters_only() -> None:
    rows = np.array([5, 9, 1_000_000])
    assert np.array_equal(draw(7, rows)[1:], draw(7, rows[1:]))


def test_keys_tell_purposes_and_order_apart() -> None:
    keys = {make_key(seed, epoch, purpose) for seed in range(4) for epoch in range(4) for purpose in range(4)}
    assert len(keys) == 64
    assert make_key(1, 2) != make_key(2, 1)
    assert make_key(0) != make_key(0, 0)
