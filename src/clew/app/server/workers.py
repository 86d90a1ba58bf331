"""Heavy work in a bounded pool of threads, behind a queue that is fair to clients.

Clients take turns; the requests of one client keep their order. Work that is no longer wanted is dropped from the queue
or, when it runs already, told by its signal to stop (`clew.cancellation`).
"""

import asyncio
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, TypeVar

from clew.app.server.settings import Limits
from clew.cancellation import cancellable
from clew.errors import Cancelled, ClewError, Timeout

__all__ = ["CLIENT", "Busy", "Ticket", "Workers", "shutting_down"]

Made = TypeVar("Made")
CLIENT: ContextVar[str] = ContextVar("client", default="")  # whose request is being answered; clients take turns
GRACE = 1.0  # seconds that work may take beyond its limit, in steps that have a limit of their own


class Busy(ClewError):
    """The server takes no more work now; `status` is 429 where the client itself has too much waiting, else 503."""

    def __init__(self, message: str, *, status: int, wait: int) -> None:
        super().__init__(message)
        self.status, self.wait = status, wait


def shutting_down() -> Busy:
    """What a request is told by a server that stops."""
    return Busy("the server is shutting down: try again later", status=503, wait=2)


class Ticket:
    """One piece of work: it waits, runs, and is done. It is the signal that cancels the work as well."""

    def __init__(self, client: str, work: Callable[[], Any], seconds: float) -> None:
        self.client, self.work, self.seconds = client, work, seconds
        self.done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.queued_at = time.monotonic()
        self.started_at: float | None = None
        self._cancelled = threading.Event()

    def is_set(self) -> bool:
        """Whether the work is to stop: nobody wants it any more, or its time is over."""
        return self._cancelled.is_set() or self.is_late

    @property
    def is_late(self) -> bool:
        return self.started_at is not None and time.monotonic() > self.started_at + self.seconds + GRACE

    def cancel(self) -> None:
        self._cancelled.set()

    def run(self) -> Any:
        """Do the work, in a thread of the pool."""
        with cancellable(self):
            try:
                return self.work()
            except Cancelled as error:
                if self.is_late and not self._cancelled.is_set():
                    raise Timeout(
                        f"the request was stopped after {self.seconds:g} s: narrow it, or raise its timeout"
                    ) from error
                raise


class Workers:
    """The pool and its queue. Everything but the work itself happens in the thread of the event loop."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="clew-worker")
        self._waiting: OrderedDict[str, deque[Ticket]] = OrderedDict()
        self._running: set[Ticket] = set()
        self._closing = False
        self.refused = self.cancelled = 0

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    def submit(self, client: str, work: Callable[[], Any], *, seconds: float) -> Ticket:
        """Put work into the queue; `Busy` if that is full."""
        limits = self._limits
        if self._closing:
            self.refused += 1
            raise shutting_down()
        if len(self._waiting.get(client, ())) >= limits.queue_of_client:
            raise self._refuse(
                f"{limits.queue_of_client} requests of this client wait already: wait for their answers", 429
            )
        if self.waiting >= limits.queue:
            raise self._refuse(f"the server is busy: {limits.queue} requests wait already; try again later", 503)
        ticket = Ticket(client, work, seconds)
        self._waiting.setdefault(client, deque()).append(ticket)
        self._start()
        return ticket

    def _refuse(self, message: str, status: int) -> Busy:
        self.refused += 1
        return Busy(message, status=status, wait=2)

    def position(self, ticket: Ticket) -> int:
        """How many come first, and one; 0 for a ticket that does not wait."""
        order = list(self._waiting.items())
        mine = next(((turn, queue.index(ticket)) for turn, (_, queue) in enumerate(order) if ticket in queue), None)
        if mine is None:
            return 0
        turn, depth = mine
        return 1 + sum(min(len(queue), depth + (other < turn)) for other, (_, queue) in enumerate(order))

    def cancel(self, ticket: Ticket) -> None:
        """Forget work that nobody waits for; where it runs already, it stops at its next check."""
        ticket.cancel()
        self.cancelled += not ticket.done.done()
        queue = self._waiting.get(ticket.client)
        if queue is not None and ticket in queue:
            queue.remove(ticket)
            if not queue:
                del self._waiting[ticket.client]
            if not ticket.done.done():
                ticket.done.set_exception(Cancelled("cancelled by the caller"))
                ticket.done.exception()  # nobody may be there to fetch it

    def close(self) -> None:
        """Refuse what waits, stop what runs."""
        self._closing = True
        for ticket in [each for queue in self._waiting.values() for each in queue]:
            if not ticket.done.done():
                self.refused += 1
                ticket.done.set_exception(shutting_down())
        self._waiting.clear()
        for ticket in self._running:
            ticket.cancel()
        self._threads.shutdown(wait=False)

    def _start(self) -> None:
        """Give free threads the next work: one of each client in turn."""
        while self._waiting and len(self._running) < self._limits.workers:
            client, queue = self._waiting.popitem(last=False)
            ticket = queue.popleft()
            if queue:
                self._waiting[client] = queue  # at the end of the line
            if time.monotonic() - ticket.queued_at > self._limits.patience:
                message = f"the request waited {self._limits.patience:g} s for its turn: try again later"
                ticket.done.set_exception(self._refuse(message, 503))
                continue
            self._running.add(ticket)
            ticket.started_at = time.monotonic()
            running = asyncio.get_running_loop().run_in_executor(self._threads, ticket.run)
            running.add_done_callback(lambda done, ticket=ticket: self._finished(ticket, done))  # type: ignore[misc]

    def _finished(self, ticket: Ticket, ran: "asyncio.Future[Any]") -> None:
        self._running.discard(ticket)
        error = ran.exception()
        if not ticket.done.done():
            if error is None:
                ticket.done.set_result(ran.result())
            else:
                ticket.done.set_exception(error)
                ticket.done.exception()
        if not self._closing:
            self._start()
