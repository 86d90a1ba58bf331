"""Work that ends in time, fails, is stopped, or will not stop."""

import threading
import time

import pytest

from clew.errors import Timeout
from clew.store.waiting import GRACE, wait_for


def nothing(*_: object) -> None:
    """Neither stops nor abandons."""


def test_the_value_or_the_error_comes_back() -> None:
    assert wait_for(lambda: 7, seconds=5, stop=nothing, abandon=nothing, late="late") == 7

    def fail() -> None:
        raise KeyError("what went wrong")

    with pytest.raises(KeyError, match="what went wrong"):
        wait_for(fail, seconds=5, stop=nothing, abandon=nothing, late="late")


def test_work_that_stops_when_told() -> None:
    told = threading.Event()
    left: list[threading.Event] = []
    with pytest.raises(Timeout, match="too late"):
        wait_for(lambda: told.wait(10), seconds=0.05, stop=told.set, abandon=left.append, late="too late")
    assert told.is_set()
    assert not left


def test_work_that_will_not_stop_is_left_behind() -> None:
    end = threading.Event()
    left: list[threading.Event] = []
    begun = time.monotonic()
    with pytest.raises(Timeout):
        wait_for(lambda: end.wait(30), seconds=0.05, stop=nothing, abandon=left.append, late="late")
    assert time.monotonic() - begun < GRACE + 1
    assert not left[0].is_set()
    end.set()
    assert left[0].wait(5)
