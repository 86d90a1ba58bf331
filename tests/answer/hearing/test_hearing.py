"""The second reader hears in a thread of its own: results, errors, giving up, and schemas linked once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from clew.answer.hearing.hearing import Heard, Hearing
from clew.answer.hearing.linking import TYPE, LinkedQuestion, SchemaItem, SchemaLinker
from clew.answer.hearing.parser import find_sketch_parser
from clew.answer.sketch.sketch import split_words
from clew.cancellation import cancellable, current_signal
from clew.errors import Cancelled, Timeout

HEARD = Heard((), (), (), None)
PATIENCE = 30.0  # seconds


def nothing() -> None:
    pass


def test_the_work_goes_on_while_the_caller_does_something_else() -> None:
    may_end, begun = threading.Event(), threading.Event()

    def work(check: Any) -> Heard:
        begun.set()
        may_end.wait(PATIENCE)
        return HEARD

    hearing = Hearing(work, nothing)
    assert begun.wait(PATIENCE)
    may_end.set()
    assert hearing.result() is HEARD


def test_what_the_work_raises_reaches_whoever_waits() -> None:
    def late() -> None:
        raise Timeout("out of time")

    def work(check: Any) -> Heard:
        check()
        return HEARD

    with pytest.raises(Timeout, match="out of time"):
        Hearing(work, late).result()


def test_giving_up_ends_the_work_at_its_next_look() -> None:
    ended = threading.Event()

    def work(check: Any) -> Heard:
        try:
            for _ in range(int(PATIENCE * 100)):
                check()
                time.sleep(0.01)
        except Cancelled:
            ended.set()
            raise
        return HEARD

    Hearing(work, nothing).give_up()
    assert ended.wait(PATIENCE)


def test_the_callers_signal_holds_in_the_other_thread() -> None:
    signal = threading.Event()
    seen: list[object] = []

    def work(check: Any) -> Heard:
        seen.append(current_signal())
        return HEARD

    with cancellable(signal):
        Hearing(work, nothing).result()
    assert seen == [signal]


class Slow(SchemaLinker):
    """Counts how often a question is read with a schema; the first one fails if it should."""

    def __init__(self, failing: int = 0) -> None:
        parser = find_sketch_parser()
        assert parser is not None
        super().__init__(parser.linker._encoder, parser.linker.heads)
        self.reads, self.failing = 0, failing

    def read(self, *given: Any, **settings: Any) -> LinkedQuestion:
        self.reads += 1
        time.sleep(0.2)
        if self.reads <= self.failing:
            raise Timeout("the first ran out of time")
        return super().read(*given, **settings)


def test_two_threads_that_ask_for_the_same_link_read_the_schema_once() -> None:
    linker, words = Slow(), split_words("Which grants are there?", [])
    items = [SchemaItem(TYPE, "grant", "", "grant")]
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda _: linker.link(words, [], items), range(2))
    assert one is other
    assert linker.reads == 1


def test_who_waits_for_a_link_that_fails_reads_it_alone() -> None:
    linker, words = Slow(failing=1), split_words("Which grants are there?", [])
    items = [SchemaItem(TYPE, "grant", "", "grant")]
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(linker.link, words, [], items) for _ in range(2)]
    failed = [each.exception() is not None for each in asked]
    assert sorted(failed) == [False, True]
    assert linker.reads == 2
