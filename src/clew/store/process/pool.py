"""A pool of child processes for many threads: started on demand, replaced when they end, closed together."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clew.errors import StoreError
from clew.store.deadline import Deadline
from clew.store.process.process import Process, QueryFailed

__all__ = ["MAX_PROCESSES", "Pool"]

MAX_PROCESSES = 4


class Pool:
    """Lends processes made by `start` to one thread at a time; the first starts in the background right away."""

    def __init__(self, start: Callable[[], Process], *, most: int = MAX_PROCESSES) -> None:
        self._start = start
        self._most = most
        self._free = threading.Condition()
        self._closed = False
        self._owner, self._lent = os.getpid(), 0
        self._idle = [start()]

    @contextmanager
    def lend(self, deadline: Deadline) -> Iterator[Process]:
        """A process for one caller; one that ended or was killed is replaced."""
        process = self._take(deadline)
        try:
            yield process
        except QueryFailed:
            self._return(process)
            raise
        except BaseException:  # including an interrupt of the caller while the query runs
            process.kill()
            self._replace()
            raise
        else:
            self._return(process)

    def close(self) -> None:
        """End all idle processes; lent ones end when they are returned."""
        with self._free:
            idle, self._idle, self._closed = self._idle, [], True
        if self._owner == os.getpid():
            for process in idle:
                process.close()

    def _take(self, deadline: Deadline) -> Process:
        with self._free:
            if self._owner != os.getpid():  # a forked copy must not use the original's processes
                self._owner, self._lent, self._idle = os.getpid(), 0, []
            while True:
                if self._closed:
                    raise StoreError("this store is closed: open it again")
                while self._idle and not self._idle[-1].alive:  # killed by someone else
                    self._idle.pop().kill()
                if self._idle:
                    self._lent += 1
                    return self._idle.pop()
                if self._lent < self._most:
                    self._lent += 1
                    break
                if not self._free.wait(deadline.pause):
                    deadline.check()
        try:
            return self._start()
        except BaseException:
            self._return(None)
            raise

    def _replace(self) -> None:
        """Start a new process for the one that was killed, so that the next query need not wait."""
        fresh = None
        try:
            if not self._closed and not self._idle:
                fresh = self._start()
        finally:
            self._return(fresh)

    def _return(self, process: Process | None) -> None:
        with self._free:
            self._lent -= 1
            if process is not None and not self._closed:
                self._idle.append(process)
                process = None
            self._free.notify()
        if process is not None:
            process.close()
