"""The parts of a graph on Ray actors, placed by size, restarted from the graph directory when they end."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clew.errors import ClewError, GraphError, InputError
from clew.sizes import read_size, size_text
from clew.traverse.cluster.actors import PartLost
from clew.traverse.cluster.engine import ClusterEngine
from clew.traverse.cluster.graph import ClusterGraph
from clew.traverse.cluster.part import Part
from clew.traverse.cluster.placement import Placement
from clew.traverse.cluster.ray_runtime import connect

__all__ = ["RayActors", "open_on_ray"]

PATIENCE_SECONDS = 120.0  # for actors to start, or to start again


def open_on_ray(
    path: str | Path,
    address: str | None,
    *,
    actors: int | None = None,
    cache: int | str | None = None,
    snapshot: str | None = None,
    verify: bool = False,
) -> ClusterEngine:
    """Open a graph with its partitions on actors: of the cluster at HOST:PORT, or of a Ray started here.

    There are as many actors as CPUs, unless `actors` says otherwise; each keeps the rows of its partitions, or the most
    recently used within `cache`. Every machine of the cluster must find the graph at the same path.
    """
    graph = ClusterGraph(path, snapshot=snapshot, verify=verify)
    partitions = len(graph.segments)
    if partitions < 2:
        raise InputError(
            f"{path} has one partition, and the engine 'ray' puts partitions on actors: build it with partitions=16, "
            "or open it without engine="
        )
    if actors is not None and (isinstance(actors, bool) or not isinstance(actors, int) or actors < 1):
        raise InputError(f"actors must be a number above 0, not {actors!r}")
    held = None if cache is None else read_size(cache, "cache")
    ray = connect(address, cpus=min(partitions, actors or os.cpu_count() or 1))
    wanted = actors or max(1, int(ray.cluster_resources().get("CPU", 1)))
    return ClusterEngine(graph, wanted, lambda placed: RayActors(ray, placed), cache=held)


class RayActors:
    """One actor for each part. Ray ends them when this object is gone."""

    def __init__(self, ray: Any, placement: Placement) -> None:
        self.placement = placement
        self._ray = ray
        make = ray.remote(Part)
        self._actors = [
            make.options(num_cpus=1, memory=plan.size, max_restarts=-1, scheduling_strategy="SPREAD").remote(
                plan, placement.bounds, number
            )
            for number, plan in enumerate(placement.plans)
        ]
        try:
            self.revive()
        except GraphError as error:
            raise type(error)(f"{error} (said by an actor: every machine must find the graph at this path)") from error

    def call(self, part: int, method: str, *arguments: Any, returns: int = 1) -> Any:
        """Begin a call; a reference to its result, or a list of `returns` references to each item of it."""
        return getattr(self._actors[part], method).options(num_returns=returns).remote(*arguments)

    def put(self, value: Any) -> Any:
        """A reference to a value that several calls get."""
        return self._ray.put(value)

    def get(self, references: Sequence[Any], *, timeout: float | None = None) -> list[Any]:
        """The results; `PartLost` if an actor ended before it had computed one."""
        raised = self._ray.exceptions
        try:
            found: list[Any] = self._ray.get(list(references), timeout=timeout)
        except raised.RayTaskError as error:
            if isinstance(error.cause, ClewError):
                raise error.cause from None
            if isinstance(error.cause, PartLost | raised.RayError):
                raise PartLost(str(error.cause)) from error
            raise
        except (raised.ObjectStoreFullError, raised.OutOfDiskError) as error:
            raise ClewError(
                "the frontiers of this walk exceed Ray's object store: ask for fewer queries at once, or start Ray "
                "with more --object-store-memory"
            ) from error
        except raised.GetTimeoutError:
            raise
        except raised.RayError as error:
            raise PartLost(f"{type(error).__name__}: {error}") from error
        return found

    def revive(self) -> None:
        """Wait until every actor runs; Ray starts those that ended again."""
        ends = time.monotonic() + PATIENCE_SECONDS
        while (left := ends - time.monotonic()) > 0:
            try:
                self.get([actor.ready.remote() for actor in self._actors], timeout=left)
            except PartLost as lost:
                last: Exception = lost
                time.sleep(0.1)
            except self._ray.exceptions.GetTimeoutError as late:
                last = late
            else:
                return
        raise ClewError(self._stuck(last))

    def _stuck(self, last: Exception) -> str:
        """Why actors did not start, as far as it is known."""
        plans, there = self.placement.plans, self._ray.cluster_resources()
        if isinstance(last, PartLost):
            lines = [line.strip() for line in str(last).splitlines() if line.strip()]
            return f"actors end as soon as they are started: {lines[0] if lines else last}"
        memory, largest = size_text(int(there.get("memory", 0))), size_text(max(plan.size for plan in plans))
        return (
            f"not all of {len(plans)} actors started within {PATIENCE_SECONDS:.0f} s: each needs a CPU and up to "
            f"{largest} of memory, and the Ray cluster has {there.get('CPU', 0):.0f} CPUs and {memory} in all: use "
            "fewer actors, a smaller cache or more machines"
        )
