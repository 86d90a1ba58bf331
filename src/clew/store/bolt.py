"""A connection to a server that speaks Bolt, through the official driver, on which no wait is without end.

The driver's asynchronous face runs on a thread of its own: cancelling work there cuts its connection at once, whatever
the server does. Nothing is sent to anyone but the server.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import neo4j
from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError, ServiceUnavailable

from clew.errors import ClewError, QueryError, StoreError, Timeout
from clew.store.address import PASSWORD_VARIABLE, Address

__all__ = ["Bolt", "Pulled"]

log = logging.getLogger(__name__)
T = TypeVar("T")
CONNECT_SECONDS = 5.0
PULLED_AT_ONCE = 1000  # rows
GRACE = 0.5  # seconds for a cut connection to be cleared away
TRIES, FIRST_PAUSE = 7, 0.1  # of a write that met with passing trouble; each pause is twice the one before, in seconds


@dataclass(frozen=True, slots=True)
class Pulled:
    """Rows as the driver gives them."""

    columns: tuple[str, ...]
    rows: list[list[Any]]
    truncated: bool


class Bolt:
    """An opened connection; one object serves many threads."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._closed = False
        self._driver: neo4j.AsyncDriver | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="clew-bolt", daemon=True)
        self._thread.start()
        try:
            self._driver = self._within(self._connect(), CONNECT_SECONDS * 2)
        except Timeout:
            self.close()
            raise StoreError(f"{address} takes a connection but does not speak Bolt: correct the address") from None
        except BaseException:
            self.close()
            raise

    def pull(self, text: str, parameters: Mapping[str, Any], *, timeout: float, limit: int) -> Pulled:
        """Run one reading statement and take at most `limit` rows."""
        return self._within(self._pull(text, dict(parameters), timeout, limit, neo4j.READ_ACCESS), timeout)

    def write(self, text: str, parameters: Mapping[str, Any], *, timeout: float) -> None:
        """Run one statement that may run twice; it does when the server says that its trouble will pass."""
        for attempt in range(TRIES):
            try:
                self._within(self._pull(text, dict(parameters), timeout, 1, neo4j.WRITE_ACCESS), timeout)
                return
            except StoreError as error:
                cause = error.__cause__
                passing = isinstance(cause, Neo4jError | DriverError) and cause.is_retryable()
                if not passing or attempt == TRIES - 1:
                    raise
                log.info("trying again: %s", error)
                time.sleep(FIRST_PAUSE * 2**attempt)

    def close(self) -> None:
        """Close all connections."""
        if self._closed:
            return
        self._closed = True
        if self._driver is not None:
            closing = asyncio.run_coroutine_threadsafe(
                asyncio.wait_for(self._driver.close(), CONNECT_SECONDS), self._loop
            )
            with suppress(Neo4jError, DriverError, OSError, TimeoutError):
                closing.result(CONNECT_SECONDS + GRACE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(GRACE)
        if not self._thread.is_alive():
            self._loop.close()

    def _within(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """The outcome of work on the driver's thread."""
        if self._closed:
            work.close()
            raise StoreError("this store is closed: open it again")
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), self._loop)
        try:
            return future.result(seconds + GRACE)
        except TimeoutError:
            future.cancel()
            raise Timeout(
                f"the query was stopped after {seconds:g} s, though the server may work on: ask for less, or raise "
                "the timeout"
            ) from None
        except (Neo4jError, DriverError, OSError, ValueError) as error:
            raise _explained(error, self.address) from error
        except BaseException:  # the caller was interrupted: so is the work
            future.cancel()
            raise

    async def _connect(self) -> neo4j.AsyncDriver:
        driver = neo4j.AsyncGraphDatabase.driver(
            self.address.uri,
            auth=(self.address.user, self.address.password),
            connection_timeout=CONNECT_SECONDS,
            connection_acquisition_timeout=CONNECT_SECONDS,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
            user_agent="clew",
        )
        try:
            async with driver.session(database=self.address.database) as session:
                await (await session.run("RETURN 1")).consume()
        except BaseException:
            await driver.close()
            raise
        return driver

    async def _pull(self, text: str, parameters: dict[str, Any], timeout: float, limit: int, access: str) -> Pulled:
        assert self._driver is not None
        session = self._driver.session(
            database=self.address.database,
            default_access_mode=access,
            fetch_size=max(1, min(PULLED_AT_ONCE, limit + 1)),
        )
        rows: list[list[Any]] = []
        async with session:
            result = await session.run(neo4j.Query(text, timeout=timeout), parameters)
            async for record in result:
                if len(rows) == limit:
                    session.cancel()  # a polite end would wait for all the rows that are left
                    return Pulled(tuple(result.keys()), rows, True)
                rows.append(record.values())
            return Pulled(tuple(result.keys()), rows, False)


def _explained(error: Exception, address: Address) -> ClewError:
    """What the driver says, as one of our errors."""
    said = " ".join(str(getattr(error, "message", None) or error).split())
    code = str(getattr(error, "code", ""))
    match error:
        case AuthError():
            return StoreError(
                f"{address} refuses the user {address.user!r} with this password: give user:password@ in the address, "
                f"or the password in {PASSWORD_VARIABLE}"
            )
        case ServiceUnavailable() | OSError():
            return StoreError(f"no server that speaks Bolt answers at {address}: start it, or correct the address")
        case ClientError() if "Terminated" in code or "TimedOut" in code:
            return Timeout("the server stopped the query because its time was up: ask for less, or raise the timeout")
        case ClientError() if ".Database." in code:
            return StoreError(f"{address} has no such database: {said}")
        case ClientError() if ".Statement." in code:
            return QueryError(f"the server cannot run this query: {said}")
    return StoreError(f"the server at {address} failed: {said}")
