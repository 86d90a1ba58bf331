"""Which tests run in one process: those of a file, and all files that need the trained toy model, which takes minutes.

The groups of pytest-xdist 3.8 (`--dist loadgroup`) have no effect with pytest 9.2, which no longer reads what they are
written into; this scheduler tells groups by the text of the files instead.
"""

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadFileScheduling

__all__ = ["TOY_RUN", "Scheduler"]

ROOT = Path(__file__).resolve().parents[1]
TOY_RUN = "toy_run"  # the fixture


class Scheduler(LoadFileScheduling):
    """Sends a group of tests to one process."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return TOY_RUN if _needs_toy_run(file) else file


@cache
def _needs_toy_run(file: str) -> bool:
    return TOY_RUN in (ROOT / file).read_text("utf-8")
