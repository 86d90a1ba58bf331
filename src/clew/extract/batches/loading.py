"""Batches made ahead by worker processes, in the order of the plan."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from clew.extract.batches.batch import Counts, Layout, Packed, collate
from clew.extract.batches.plan import Limits, plan_epoch
from clew.extract.chains.graphs import Chains
from clew.extract.model.config import Config

__all__ = ["BatchSchedule", "load_batches"]

PARCEL = 8  # batches that a worker sends at once
PREFETCH = 3  # parcels that each worker makes ahead
PATIENCE = 300  # seconds to wait for a worker


@dataclass(frozen=True, slots=True)
class BatchSchedule:
    """Which batches one process meets: every `ranks`-th of all epochs' batches, from number `start` on."""

    chains: Chains
    config: Config
    limits: Limits
    layout: Layout | None  # None: batches of exactly the size they need
    seed: int
    start: int = 0  # batches of all ranks together that lie behind
    rank: int = 0
    ranks: int = 1

    def batches(self, worker: int = 0, workers: int = 1) -> Iterator[Packed]:
        """Batches without end; of several workers, each makes every `workers`-th parcel of this rank's batches."""
        number, mine = 0, 0
        for epoch in count():
            planned = plan_epoch(self.chains, self.config, self.limits, seed=self.seed, epoch=epoch)
            for sequences in planned:
                if number >= self.start and number % self.ranks == self.rank:
                    if mine // PARCEL % workers == worker:
                        yield collate(
                            self.chains, sequences, self.config, seed=self.seed, epoch=epoch, layout=self.layout
                        )
                    mine += 1
                number += 1


@dataclass(frozen=True, slots=True)
class Parcel:
    """Some batches in one piece, since each piece that is sent between processes costs as much as a small batch."""

    buffer: torch.Tensor  # (sum of sizes,) int32
    labels: tuple[tuple[Layout, Counts], ...]

    def pin_memory(self) -> "Parcel":
        return Parcel(self.buffer.pin_memory(), self.labels)

    def open(self) -> Iterator[Packed]:
        begin = 0
        for layout, counts in self.labels:
            size = layout.size()
            yield Packed(self.buffer[begin : begin + size], layout, counts)
            begin += size


class Stream(IterableDataset):  # type: ignore[misc]
    """A schedule as an iterable dataset of torch: each worker makes every `workers`-th parcel."""

    def __init__(self, schedule: BatchSchedule) -> None:
        self.schedule = schedule

    def __iter__(self) -> Iterator[Parcel]:
        worker = get_worker_info()
        torch.set_num_threads(1)
        batches = self.schedule.batches(worker.id, worker.num_workers)
        while True:
            group = list(islice(batches, PARCEL))
            labels = tuple((packed.layout, packed.counts) for packed in group)
            yield Parcel(torch.cat([packed.buffer for packed in group]), labels)


def load_batches(schedule: BatchSchedule, *, workers: int, pin: bool) -> Iterator[Packed]:
    """The batches of a schedule, made ahead by `workers` processes (0: by this one); the order is the same."""
    if not workers:
        yield from schedule.batches()
        return
    loader = DataLoader(
        Stream(schedule),
        batch_size=None,
        num_workers=workers,
        pin_memory=pin,
        prefetch_factor=PREFETCH,
        timeout=PATIENCE,
        multiprocessing_context="fork",  # the chains are shared, not copied
    )
    for parcel in loader:
        yield from parcel.open()
