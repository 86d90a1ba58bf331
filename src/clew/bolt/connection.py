"""A Bolt connection through the official driver, with a time limit on every wait.

The driver's asynchronous API runs on its own thread: cancelling a query there closes its connection at once, whatever
the server does. Data is sent to that server only.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import neo4j
from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError, ServiceUnavailable

from clew.bolt.address import PASSWORD_FILE_VARIABLE, PASSWORD_VARIABLE, Address
from clew.errors import ClewError, QueryError, StoreError, Timeout

__all__ = ["Bolt", "Pulled"]

log = logging.getLogger(__name__)
T = TypeVar("T")
CONNECT_SECONDS = 5.0
FETCH_SIZE = 1000  # rows
GRACE = 0.5  # seconds to clean up a closed connection
TRIES, FIRST_DELAY = 7, 0.1  # of a write after a transient error; seconds, doubled after each attempt


@dataclass(frozen=True, slots=True)
class Pulled:
    """Rows as returned by the driver."""

    columns: tuple[str, ...]
    rows: list[list[Any]]
    truncated: bool


class Bolt:
    """An open connection; one object serves many threads."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._closed = False
        self._driver: neo4j.AsyncDriver | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="clew-bolt", daemon=True)
        self._thread.start()
        try:
            self._driver = self._run_within(self._connect(), CONNECT_SECONDS * 2)
        except Timeout:
            self.close()
            raise StoreError(f"{address} accepts connections but does not speak Bolt: check the address") from None
        except BaseException:
            self.close()
            raise

    def pull(
        self, text: str, parameters: Mapping[str, Any], *, timeout: float, limit: int, stated: float | None = None
    ) -> Pulled:
        """Run one read-only statement and fetch at most `limit` rows; errors tell the `stated` time limit."""
        return self._run_within(self._pull(text, dict(parameters), timeout, limit, neo4j.READ_ACCESS), timeout, stated)

    def stream(self, text: str, *, rows: int, timeout: float) -> Iterator[list[list[Any]]]:
        """Run one read-only statement and hand out its rows in blocks; `timeout` is for each block."""
        session, result = self._run_within(self._begin(text, rows), timeout)
        try:
            while block := self._run_within(result.fetch(rows), timeout):
                yield [record.values() for record in block]
        finally:
            self._loop.call_soon_threadsafe(session.cancel)  # a regular close would wait for the remaining rows
            with suppress(ClewError):
                self._run_within(session.close(), CONNECT_SECONDS)

    def write(self, text: str, parameters: Mapping[str, Any], *, timeout: float) -> None:
        """Run one idempotent statement, retrying after errors that the server calls transient."""
        for attempt in range(TRIES):
            try:
                self._run_within(self._pull(text, dict(parameters), timeout, 1, neo4j.WRITE_ACCESS), timeout)
                return
            except StoreError as error:
                cause = error.__cause__
                transient = isinstance(cause, Neo4jError | DriverError) and cause.is_retryable()
                if not transient or attempt == TRIES - 1:
                    raise
                log.info("retrying: %s", error)
                time.sleep(FIRST_DELAY * 2**attempt)

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

    def _run_within(self, work: Coroutine[Any, Any, T], seconds: float, stated: float | None = None) -> T:
        """The result of a coroutine on the driver's thread."""
        if self._closed:
            work.close()
            raise StoreError("this store is closed: open it again")
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), self._loop)
        try:
            return future.result(seconds + GRACE)
        except TimeoutError:
            future.cancel()
            raise Timeout(
                f"the query was stopped after {stated or seconds:g} s, though the server may still be running it: "
                "narrow the query, or raise the timeout"
            ) from None
        except (Neo4jError, DriverError, OSError, ValueError) as error:
            raise _translated(error, self.address) from error
        except BaseException:  # the caller was interrupted, so stop the query
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

    async def _begin(self, text: str, rows: int) -> "tuple[neo4j.AsyncSession, neo4j.AsyncResult]":
        assert self._driver is not None
        session = self._driver.session(
            database=self.address.database, default_access_mode=neo4j.READ_ACCESS, fetch_size=rows
        )
        return session, await session.run(text)

    async def _pull(self, text: str, parameters: dict[str, Any], timeout: float, limit: int, access: str) -> Pulled:
        assert self._driver is not None
        session = self._driver.session(
            database=self.address.database,
            default_access_mode=access,
            fetch_size=max(1, min(FETCH_SIZE, limit + 1)),
        )
        rows: list[list[Any]] = []
        async with session:
            result = await session.run(neo4j.Query(text, timeout=timeout), parameters)
            async for record in result:
                if len(rows) == limit:
                    session.cancel()  # a regular close would wait for the remaining rows
                    return Pulled(tuple(result.keys()), rows, True)
                rows.append(record.values())
            return Pulled(tuple(result.keys()), rows, False)


def _translated(error: Exception, address: Address) -> ClewError:
    """A driver error as a Clew error."""
    message = " ".join(str(getattr(error, "message", None) or error).split())
    code = str(getattr(error, "code", ""))
    match error:
        case AuthError():
            return StoreError(
                f"{address} rejects the user {address.user!r} with this password: give user@ in the address, and the "
                f"password in {PASSWORD_VARIABLE} or in a file that {PASSWORD_FILE_VARIABLE} names"
            )
        case ServiceUnavailable() | OSError():
            return StoreError(f"no Bolt server answers at {address}: start it, or check the address")
        case ClientError() if "Terminated" in code or "TimedOut" in code:
            return Timeout("the server stopped the query at its time limit: narrow the query, or raise the timeout")
        case ClientError() if ".Database." in code:
            return StoreError(f"{address} does not have this database: {message}")
        case ClientError() if ".Statement." in code:
            return QueryError(f"the server cannot run this query: {message}")
    return StoreError(f"the server at {address} failed: {message}")
