"""How a model is trained, in one record; checked before anything is read or written."""

from dataclasses import asdict, dataclass
from typing import Any

from clew.errors import InputError

__all__ = ["TrainingSettings"]

MOST_EPOCHS = 10_000
MACHINE = ("device", "bfloat16", "compiled", "captured", "workers", "checkpoint_every", "report_every", "peak_flops")


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How to train. What is None is chosen by the machine: bfloat16, compiled code, graphs and workers on CUDA."""

    steps: int | None = None  # None: as many as `epochs` take
    epochs: float = 25.0
    sequences: int = 128  # in a batch, about: batches are filled by tokens
    accumulate: int = 1  # batches in a step, for each process
    rate: float = 4e-4
    last_rate: float = 1e-5
    warm_up: int = 500  # steps, but at most a tenth of all
    weight_decay: float = 0.01
    clip: float = 1.0
    seed: int = 0
    neighbours: bool = False  # start from co-occurrence embeddings instead of random ones
    device: str | None = None
    bfloat16: bool | None = None
    compiled: bool | None = None
    captured: bool | None = None  # replay the whole step as one CUDA graph; needs compiled code and one process
    workers: int | None = None
    checkpoint_every: int = 0  # steps; 0: none
    report_every: int = 50
    peak_flops: float = 989e12  # of the device, in operations a second: an H100 or H200 in dense bfloat16
    licences: tuple[str, ...] = ()  # of the texts and the seed

    def __post_init__(self) -> None:
        for name in ("sequences", "accumulate", "report_every"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}, expected 1 or more")
        if self.steps is not None and self.steps < 1:
            raise InputError(f"steps is {self.steps}, expected 1 or more")
        if not 0 < self.epochs <= MOST_EPOCHS:
            raise InputError(f"epochs is {self.epochs}, expected more than 0 and at most {MOST_EPOCHS:,}")

    def identity(self) -> dict[str, Any]:
        """The settings that decide what is learnt, whatever machine computes it."""
        stated = asdict(self)
        return {name: value for name, value in stated.items() if name not in (*MACHINE, "licences")}
