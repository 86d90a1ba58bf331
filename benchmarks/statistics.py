"""The figures of a report: medians, 95th percentiles, and the bootstrap interval of a median ratio."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Ratio", "median", "median_ratio", "percentile95"]

RESAMPLES = 4_000


@dataclass(frozen=True, slots=True)
class Ratio:
    """A median of ratios and the ends of its 95 % interval."""

    median: float
    low: float
    high: float
    n: int


def median(values: np.ndarray) -> float:
    """The middle value."""
    return float(np.median(values))


def percentile95(values: np.ndarray) -> float:
    """The value that 95 % do not exceed, interpolated."""
    return float(np.percentile(values, 95))


def median_ratio(numerators: np.ndarray, denominators: np.ndarray, *, seed: int = 0) -> Ratio:
    """Median of the ratios pair by pair, with the bootstrap interval over pairs: the same for the same input."""
    ratios = np.asarray(numerators, float) / np.asarray(denominators, float)
    if not len(ratios):
        raise ValueError("no pairs to take a ratio of: time each engine on at least one query")
    drawn = np.random.default_rng(seed).integers(0, len(ratios), (RESAMPLES, len(ratios)))
    medians = np.median(ratios[drawn], axis=1)
    low, high = np.percentile(medians, (2.5, 97.5))
    return Ratio(float(np.median(ratios)), float(low), float(high), len(ratios))
