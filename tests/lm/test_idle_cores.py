"""Cores that are idle at the moment, by the kernel's counters, or else by the load average."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.lm.clients import idle_cores as module
from clew.lm.clients.idle_cores import idle_cores

Watch = Callable[..., None]


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Watch:
    """Counters in which each of some cores is busy for a share of the moment, after an hour of full work."""

    def watched(*busy: float, allowed: int | None = None, load: float = 9.0) -> None:
        counters = tmp_path / "stat"

        def write(ticks: int) -> None:
            rows = [f"cpu{at} {360_000 + round(ticks * share)} 0 0 {round(ticks * (1 - share))} 0 0 0 0 0 0\n"
                    for at, share in enumerate(busy)]  # fmt: skip
            counters.write_text("".join(["cpu  1 2 3 4 5 6 7 8 9 10\n", *rows, "intr 123\nctxt 4\n"]))

        write(0)
        monkeypatch.setattr(module, "COUNTERS", counters)
        monkeypatch.setattr(module.time, "sleep", lambda seconds: write(round(100 * seconds)))
        cores = set(range(len(busy) if allowed is None else allowed))
        monkeypatch.setattr(module.os, "sched_getaffinity", lambda process: cores, raising=False)
        monkeypatch.setattr(module.os, "getloadavg", lambda: (load, 9.0, 9.0), raising=False)

    return watched


@pytest.mark.parametrize(
    ("busy", "idle"),
    [((0.0, 0.0), 2), ((0.0, 1.0), 1), ((1.0, 1.0), 1), ((0.1, 0.2, 0.0, 1.0), 3), ((0.4, 0.4, 0.4, 0.4), 2)],
)
def test_cores_are_idle_now_whatever_the_last_minute_was_like(watch: Watch, busy: tuple[float, ...], idle: int) -> None:
    watch(*busy)
    assert idle_cores() == idle


def test_only_cores_that_this_process_may_use_count(watch: Watch) -> None:
    watch(0.0, 0.0, 0.0, 0.0, allowed=2)
    assert idle_cores() == 2


@pytest.mark.parametrize(("load", "idle"), [(0.1, 8), (2.6, 5), (40.0, 1)])
@pytest.mark.parametrize("counters", [None, "", "cpu 1 2 3", "cpu0 0 0 0 0 0\n", "cpu0 many\n", "cpu0 1\n"])
def test_without_counters_the_load_average_tells(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, counters: str | None, load: float, idle: int
) -> None:
    watch(*[0.0] * 8, load=load)
    monkeypatch.setattr(module.time, "sleep", lambda seconds: None)
    (tmp_path / "stat").unlink()
    if counters is not None:
        (tmp_path / "stat").write_text(counters)
    assert idle_cores() == idle


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="only Linux counts the ticks of each core there")
def test_the_counters_of_this_machine_are_read() -> None:
    idle = module._watched(os.sched_getaffinity(0))
    assert idle is not None
    assert 0.0 <= idle <= len(os.sched_getaffinity(0))
