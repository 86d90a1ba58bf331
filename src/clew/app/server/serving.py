"""What every route needs: the graphs, the workers, the limits, and how work is done for a request.

Work that takes a moment runs in the pool while the client is watched: if it goes away, the work is cancelled.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request, Response

from clew.app.server.edge.failures import ClientGone
from clew.app.server.extraction import Extraction
from clew.app.server.graphs import Graphs, OpenGraph
from clew.app.server.settings import ServerSettings
from clew.app.server.workers import CLIENT, Ticket, Workers
from clew.lm import LanguageModel

__all__ = ["Serving", "as_json", "disconnected", "json_response", "serving_of"]

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Serving:
    """One server at work."""

    settings: ServerSettings
    graphs: Graphs
    workers: Workers
    model: LanguageModel | None
    extraction: Extraction | None

    def graph(self, request: Request, name: str) -> OpenGraph:
        """The graph that a request names, noted for the log."""
        request.scope["state"]["log"] = {"graph": name}
        return self.graphs.get(name)

    def note(self, request: Request, **said: Any) -> None:
        """Something about a request for its line in the log."""
        request.scope["state"].setdefault("log", {}).update(said)

    def seconds(self, asked: float | None, *, question: bool = False) -> float:
        """The time limit of a request: what it asks for, at most that of the server."""
        limits = self.settings.limits
        most = limits.model_seconds if question and self.model is not None else limits.seconds
        return most if asked is None else min(asked, most)

    def submit(self, work: Callable[[], Any], *, seconds: float | None = None) -> Ticket:
        """Put the work of a request, limited to some `seconds`, into the queue of its client."""
        return self.workers.submit(CLIENT.get(), work, seconds=self.seconds(None) if seconds is None else seconds)

    async def run(self, request: Request, work: Callable[[], Made], *, seconds: float | None = None) -> Made:
        """Do work in the pool; if the client goes away it is cancelled, and `ClientGone` raised."""
        ticket = self.submit(work, seconds=seconds)
        gone = asyncio.ensure_future(disconnected(request.receive))
        try:
            await asyncio.wait((ticket.done, gone), return_when=asyncio.FIRST_COMPLETED)
            if not ticket.done.done():
                raise ClientGone
            made: Made = ticket.done.result()
            return made
        finally:
            gone.cancel()
            if not ticket.done.done():
                self.workers.cancel(ticket)


def serving_of(request: Request) -> Serving:
    """The server that a request came to."""
    serving: Serving = request.app.state.serving
    return serving


async def disconnected(receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> None:
    """Return when the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def as_json(record: Any) -> bytes:
    """A record as JSON; numbers that JSON does not have become null."""
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return json.dumps(_finite(record), ensure_ascii=False, allow_nan=False).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def json_response(body: bytes) -> Response:
    """A body that is JSON already."""
    return Response(body, media_type="application/json")
