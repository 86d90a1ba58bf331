"""How many cores are idle now, for threads that wait for each other by spinning.

The load average remembers the last minute: right after a busy one it says so of cores that are idle again. The kernel's
counters of each core, read twice, tell of the moment between.
"""

import os
import time
from collections.abc import Collection, Mapping
from pathlib import Path

__all__ = ["idle_cores"]

COUNTERS = Path("/proc/stat")  # of Linux
MOMENT = 0.25  # seconds between two readings
COUNTED = 8  # user, nice, system, idle, iowait, irq, softirq, steal; what follows is counted in user and nice too
IDLE = (3, 4)
Ticks = Mapping[int, tuple[int, int]]  # core → its idle ticks and all of its ticks


def idle_cores() -> int:
    """The number of cores that this process may use and nobody uses now, at least 1."""
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    idle = _watched(cores)
    if idle is None:
        idle = len(cores) - (os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0)
    return max(1, min(len(cores), round(idle)))


def _watched(cores: Collection[int]) -> float | None:
    """How many of some cores were idle for a moment; None where the system does not count it."""
    try:
        before = _ticks(COUNTERS.read_text("ascii"))
        time.sleep(MOMENT)
        after = _ticks(COUNTERS.read_text("ascii"))
        spent = [tuple(now - then for now, then in zip(after[each], before[each], strict=True)) for each in cores]
    except (OSError, ValueError, LookupError):  # no Linux, or a sandbox that shows other cores than there are
        return None
    return sum(idle / total for idle, total in spent) if all(total > 0 for _, total in spent) else None


def _ticks(counters: str) -> Ticks:
    """The counters of each core.

    >>> _ticks("cpu  9 0 0 9\\ncpu1 2 1 0 7 1 0 0 0 2 0\\nintr 4")
    {1: (8, 11)}
    """
    rows = (line.split() for line in counters.splitlines())
    named = {
        row[0].removeprefix("cpu"): [int(each) for each in row[1 : COUNTED + 1]] for row in rows if row[0][:3] == "cpu"
    }
    return {int(core): (sum(ticks[at] for at in IDLE), sum(ticks)) for core, ticks in named.items() if core}
