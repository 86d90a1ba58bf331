"""How the parts of a graph are called: on actors of a cluster, or within one process.

A call returns a reference to its result at once; a reference may be an argument of another call, so that results go
from actor to actor without passing here. Calls to one actor run in the order in which they were made.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from clew.errors import ClewError
from clew.traverse.cluster.placement import Placement
from clew.traverse.deadline import Deadline

__all__ = ["Actors", "PartLost", "persist"]

Result = TypeVar("Result")
ATTEMPTS = 10  # of one piece of work, before it is given up
logger = logging.getLogger(__name__)


class PartLost(Exception):
    """An actor ended, or started again and no longer has the frontiers of a walk."""


class Actors(Protocol):
    """The actors that hold the parts of one graph."""

    placement: Placement

    def call(self, part: int, method: str, *arguments: Any, returns: int = 1) -> Any:
        """Begin a call; a reference to its result, or a list of `returns` references to each item of it."""

    def put(self, value: Any) -> Any:
        """A reference to a value that several calls get."""

    def get(self, references: Sequence[Any]) -> list[Any]:
        """The results; `PartLost` if an actor ended before it had computed one."""

    def revive(self) -> None:
        """Wait until every actor runs; those that ended are started again from the graph directory."""


def persist(actors: Actors, work: Callable[[], Result], deadline: Deadline) -> Result:
    """The result of some work, which starts over whenever an actor was lost: all it needs is in the graph directory."""
    for _ in range(ATTEMPTS):
        try:
            return work()
        except PartLost as lost:
            deadline.check()
            logger.warning("an actor was lost and is started again: %s", lost)
            actors.revive()
    raise ClewError(
        f"actors of the cluster were lost {ATTEMPTS} times in one query: look for crashed processes or a lack of "
        "memory on its machines"
    )
