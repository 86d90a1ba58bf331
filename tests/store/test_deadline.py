"""Time limits of queries and questions."""

import queue

import pytest

from clew.store.deadline import Deadline


@pytest.mark.parametrize("seconds", [1e99, float("inf"), 2.0])
def test_a_wait_is_one_that_the_system_can_make(seconds: float) -> None:
    waiting: queue.Queue[int] = queue.Queue()
    waiting.put(1)
    deadline = Deadline.after(seconds)
    assert waiting.get(timeout=deadline.pause) == 1
    assert 0 < deadline.pause <= min(seconds, 86_400)
