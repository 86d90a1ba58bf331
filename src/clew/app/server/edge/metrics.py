"""Counts of a server in the text format of Prometheus."""

import os
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from clew._version import __version__
from clew.app.server.graphs import Graphs
from clew.app.server.workers import Workers

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Requests by route and status, how long they took, and what the workers do."""

    def __init__(self, graphs: Graphs, workers: Workers) -> None:
        self._graphs, self._workers = graphs, workers
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}
        self._guard = threading.Lock()

    def note(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request."""
        with self._guard:
            self._requests[route, method, status] += 1
            buckets = self._buckets.get(route)
            if buckets is None:
                buckets = self._buckets[route] = [0] * (len(BOUNDS) + 1)
            buckets[bisect_left(BOUNDS, seconds)] += 1
            self._seconds[route] = self._seconds.get(route, 0.0) + seconds

    def text(self) -> str:
        """All counts."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        with self._guard:
            requests, buckets, seconds = dict(self._requests), dict(self._buckets), dict(self._seconds)
        yield from _family("clew_build_info", "gauge", "Version of Clew.", [((("version", __version__),), 1)])
        yield from _family(
            "clew_requests_total",
            "counter",
            "Requests by route, method and status.",
            [
                ((("route", route), ("method", method), ("status", str(status))), count)
                for (route, method, status), count in sorted(requests.items())
            ],
        )
        yield from _histogram(
            "clew_request_seconds", "Seconds from a request to the end of its answer.", buckets, seconds
        )
        workers = self._workers
        for name, kind, said, value in (
            ("clew_workers_running", "gauge", "Heavy requests in work.", workers.running),
            ("clew_queue_waiting", "gauge", "Heavy requests that wait.", workers.waiting),
            ("clew_refused_total", "counter", "Requests refused because the queue was full.", workers.refused),
            ("clew_cancelled_total", "counter", "Requests whose client went away.", workers.cancelled),
            ("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", resident_bytes()),
        ):
            yield from _family(name, kind, said, [((), value)])
        for name, count in (("entities", "entities"), ("triples", "triples")):
            sizes = [((("graph", each.name),), each.engine.counts[count]) for each in self._graphs]
            yield from _family(f"clew_graph_{name}", "gauge", f"Number of {name} of a graph.", sizes)
        opened: list[tuple[Labels, int]] = [
            ((("graph", each.name), ("snapshot", each.snapshot)), 1) for each in self._graphs
        ]
        yield from _family("clew_graph_info", "gauge", "The snapshot of a graph that is served.", opened)


def resident_bytes() -> int:
    """The memory of this process; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _family(name: str, kind: str, said: str, samples: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    yield f"# HELP {name} {said}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        yield f"{name}{_labels(labels)} {value:g}" if isinstance(value, float) else f"{name}{_labels(labels)} {value}"


def _histogram(name: str, said: str, buckets: dict[str, list[int]], seconds: dict[str, float]) -> Iterator[str]:
    yield f"# HELP {name} {said}"
    yield f"# TYPE {name} histogram"
    for route, counts in sorted(buckets.items()):
        total = 0
        for bound, count in zip((*(f"{each:g}" for each in BOUNDS), "+Inf"), counts, strict=True):
            total += count
            yield f"{name}_bucket{_labels((('route', route), ('le', bound)))} {total}"
        yield f"{name}_sum{_labels((('route', route),))} {seconds[route]:.6f}"
        yield f"{name}_count{_labels((('route', route),))} {total}"


def _labels(labels: Labels) -> str:
    listed = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{{{listed}}}" if listed else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
