"""How long a model may be trained: what is asked for is checked before anything is read or written."""

from clew.errors import InputError

__all__ = ["check_duration"]

MOST_EPOCHS = 10_000


def check_duration(steps: int | None, epochs: float) -> None:
    """Raise `InputError` for steps or epochs that no training can have."""
    if steps is not None and steps < 1:
        raise InputError(f"steps is {steps}, expected 1 or more")
    if not 0 < epochs <= MOST_EPOCHS:
        raise InputError(f"epochs is {epochs}, expected more than 0 and at most {MOST_EPOCHS:,}")
