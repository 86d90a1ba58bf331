"""Answers as they come about: events of work in progress, sent as lines of JSON or as server-sent events."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import asdict
from typing import Any

from fastapi import Request, Response

from clew.answer import Step
from clew.app.records import error_record
from clew.app.server.edge.failures import ClientGone, error_body
from clew.app.server.serving import Serving, as_json, disconnected
from clew.app.server.workers import Ticket
from clew.errors import ClewError

__all__ = ["NDJSON", "SSE", "EventStream", "Events", "ndjson", "sse", "start_stream", "wanted_stream"]

NDJSON, SSE = "application/x-ndjson", "text/event-stream"
SILENCE = 5.0  # seconds without an event, after which one says that the work goes on
LOOK = 0.25  # seconds between two looks at the place in the queue
Event = tuple[str, bytes]  # its name, and its JSON object without the name
Events = Callable[[Event], Iterable[bytes]]


def wanted_stream(request: Request) -> str | None:
    """The type of stream that a request accepts; None for a plain answer."""
    accepted = [each.split(";")[0].strip().lower() for each in request.headers.get("accept", "").split(",")]
    return next((each for each in accepted if each in (NDJSON, SSE)), None)


def ndjson(event: Event) -> Iterable[bytes]:
    """An event as a line of JSON."""
    name, body = event
    yield b'{"event": "%b", %b\n' % (name.encode(), body[1:])


def sse(event: Event) -> Iterable[bytes]:
    """An event as a server-sent event; its data is the same object."""
    name, body = event
    yield b'event: %b\ndata: {"event": "%b", %b\n\n' % (name.encode(), name.encode(), body[1:])


def start_stream(
    serving: Serving,
    work: Callable[[Callable[[Step], None]], bytes],
    *,
    seconds: float | None,
    media_type: str,
    encode: Events,
) -> "EventStream":
    """Begin work that reports its steps and gives the JSON of an answer, and stream both."""
    loop = asyncio.get_running_loop()
    steps: asyncio.Queue[Event] = asyncio.Queue()

    def report(step: Step) -> None:
        record = asdict(step)
        body = as_json({"step": record["name"], "text": record["text"], "seconds": round(record["seconds"], 4)})
        loop.call_soon_threadsafe(steps.put_nowait, ("step", body))

    ticket = serving.submit(lambda: work(report), seconds=seconds)
    return EventStream(serving, ticket, steps, media_type=media_type, encode=encode)


class EventStream(Response):
    """A response of events: places in the queue, steps, signs of life, and last an answer or an error."""

    def __init__(
        self, serving: Serving, ticket: Ticket, steps: "asyncio.Queue[Event]", *, media_type: str, encode: Events
    ) -> None:
        super().__init__(media_type=media_type, headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._serving, self._ticket, self._steps, self._encode = serving, ticket, steps, encode

    async def __call__(
        self,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})

        async def say(event: Event) -> None:
            for piece in self._encode(event):
                await send({"type": "http.response.body", "body": piece, "more_body": True})

        gone = asyncio.ensure_future(disconnected(receive))
        try:
            await self._follow(say, gone)
            await say(self._outcome(scope["state"]["request"]))
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            error = self._ticket.done.exception()
            if error is not None and not isinstance(error, ClewError):
                raise error  # for the log
        finally:
            gone.cancel()
            if not self._ticket.done.done():
                self._serving.workers.cancel(self._ticket)

    async def _follow(self, say: Callable[[Event], Awaitable[None]], gone: "asyncio.Future[None]") -> None:
        """Send events until the work is done; `ClientGone` if nobody reads them any more."""
        loop, ticket = asyncio.get_running_loop(), self._ticket
        begun = said = loop.time()
        place = 0
        while True:
            position = self._serving.workers.position(ticket)
            if position and position != place:
                await say(("queued", as_json({"position": position})))
                said = loop.time()
            place = position
            while not self._steps.empty():
                await say(self._steps.get_nowait())
                said = loop.time()
            if ticket.done.done():
                return
            coming = asyncio.ensure_future(self._steps.get())
            pause = LOOK if position else SILENCE
            await asyncio.wait((coming, ticket.done, gone), timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                await say(coming.result())
                said = loop.time()
                continue
            coming.cancel()
            if gone.done():
                raise ClientGone
            if loop.time() - said >= SILENCE:
                await say(("waiting", as_json({"seconds": round(loop.time() - begun, 1)})))
                said = loop.time()

    def _outcome(self, request: str) -> Event:
        error = self._ticket.done.exception()
        if error is None:
            return "answer", b'{"answer": %b}' % self._ticket.done.result()
        if isinstance(error, ClewError):
            return "error", as_json(error_record(error))
        return "error", error_body(Exception(), request)
