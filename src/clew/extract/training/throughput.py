"""How fast training goes: tokens a second and the share of a device's peak, by lap and over all."""

import time
from typing import Any

from clew.extract.batches.batch import Counts
from clew.extract.model.config import Config
from clew.extract.training.operations import count_operations

__all__ = ["Throughput"]


class Throughput:
    """Counts batches between laps. The first lap, in which code is compiled, is left out of the whole.

    Of several processes each counts its own batches; tokens are reported for all, the share of peak for one device.
    """

    def __init__(self, config: Config, peak_flops: float, *, processes: int = 1) -> None:
        self.config, self.peak_flops, self.processes = config, peak_flops, processes
        self.laps = 0
        self.tokens = self.operations = self.steady_tokens = self.steady_operations = 0
        self.roots = self.leaves = 0
        self.seconds = self.steady_seconds = 0.0
        self.seconds_per_step = 0.0
        self._lap_tokens = self._lap_operations = self._last_step = 0
        self._begin = time.perf_counter()

    def start(self) -> None:
        """Set the clock; the steps before count for nothing."""
        self.laps, self._lap_tokens, self._lap_operations = 0, 0, 0
        self._begin = time.perf_counter()

    def count(self, counts: Counts) -> None:
        self._lap_tokens += counts.tokens
        self._lap_operations += count_operations(self.config, counts)
        self.roots += counts.roots
        self.leaves += counts.leaves

    def lap(self, step: int, *, root: float, boundary: float, leaf: float) -> dict[str, float]:
        """End a lap with the sums of losses since the last; gives a row for the history, losses by token."""
        now = time.perf_counter()
        taken = max(now - self._begin, 1e-9)
        roots, leaves = max(1, self.roots), max(1, self.leaves)
        row = {
            "step": float(step),
            "root": root / roots,
            "boundary": boundary / roots,
            "leaf": leaf / leaves,
            "tokens_per_second": self.processes * self._lap_tokens / taken,
            "mfu": self._lap_operations / taken / self.peak_flops,
            "seconds": self.seconds + taken,
        }
        self.seconds_per_step = taken / max(1, step - self._last_step)
        self.tokens += self._lap_tokens
        self.operations += self._lap_operations
        self.seconds += taken
        if self.laps:
            self.steady_tokens += self._lap_tokens
            self.steady_operations += self._lap_operations
            self.steady_seconds += taken
        self.laps += 1
        self._last_step = step
        self._lap_tokens = self._lap_operations = self.roots = self.leaves = 0
        self._begin = now
        return row

    def describe(self) -> dict[str, Any]:
        """The whole so far; rates without the first lap, unless there is no other."""
        steady = self.steady_seconds > 0
        seconds = (self.steady_seconds if steady else self.seconds) or 1e-9
        tokens = self.steady_tokens if steady else self.tokens
        operations = self.steady_operations if steady else self.operations
        return {
            "seconds": self.seconds,
            "tokens": self.processes * self.tokens,
            "tokens_per_second": self.processes * tokens / seconds,
            "mfu": operations / seconds / self.peak_flops,
            "peak_flops": self.peak_flops,
        }
