"""Errors as HTTP statuses, and as the one JSON of an error."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from clew.app.records import error_record
from clew.app.server.graphs import UnknownGraph
from clew.app.server.workers import Busy
from clew.errors import (
    AmbiguousName,
    BuildError,
    Cancelled,
    ClewError,
    GraphError,
    GraphReplaced,
    InputError,
    MissingDependency,
    MissingModel,
    ModelError,
    StoreError,
    Timeout,
    UnknownName,
)

__all__ = [
    "CLIENT_GONE",
    "ClientGone",
    "Refused",
    "SnapshotReplaced",
    "error_body",
    "error_headers",
    "invalid",
    "status_of",
]

CLIENT_GONE = 499  # in logs; nobody is there to read it
STATUSES: tuple[tuple[type[Exception], int], ...] = (  # the first that fits
    (UnknownGraph, 404),
    (UnknownName, 404),
    (AmbiguousName, 400),
    (InputError, 400),
    (BuildError, 400),
    (Timeout, 422),
    (StoreError, 422),
    (MissingModel, 501),
    (MissingDependency, 501),
    (ModelError, 502),
    (GraphReplaced, 503),
    (GraphError, 503),
    (Cancelled, 503),
)


class Refused(ClewError):
    """A request that does not get in, with its status."""

    def __init__(self, message: str, status: int, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, dict(headers or {})


class SnapshotReplaced(ClewError):
    """A cursor or triple numbers of a snapshot that is no longer served."""


class ClientGone(Exception):
    """The client has closed its connection: there is nobody to answer."""


def status_of(error: Exception) -> int:
    """The HTTP status of an error."""
    if isinstance(error, Refused | Busy):
        return error.status
    if isinstance(error, SnapshotReplaced):
        return 409
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 500)


def error_headers(error: Exception) -> dict[str, str]:
    """Headers that go with an error: when to try again, how to get in."""
    return {"Retry-After": str(error.wait)} if isinstance(error, Busy) else dict(getattr(error, "headers", {}))


def error_body(error: Exception, request: str) -> bytes:
    """The JSON of an error; one that is not ours says no more than that."""
    if isinstance(error, ClewError):
        record: dict[str, Any] = error_record(error)
    else:
        message = f"the server failed; its log has more under {request}"
        record = {"error": {"kind": "InternalError", "message": message, "close": []}}
    return json.dumps({**record, "request": request}, ensure_ascii=False).encode()


def invalid(faults: Sequence[Any]) -> InputError:
    """What is wrong with a request, in one sentence; `faults` are Pydantic's."""
    first = faults[0]
    where = ".".join(str(each) for each in first["loc"] if each not in ("body", "query", "path"))
    said = (
        "no such key: /api/openapi.json lists those there are" if first["type"] == "extra_forbidden" else first["msg"]
    )
    return InputError(f"{where or 'the body'}: {said[:1].lower()}{said[1:]}")
