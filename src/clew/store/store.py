"""A store: a property graph built from a Clew graph and queried in Cypher, read-only and with limits.

>>> sorted(STORES)
['embedded', 'server']
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from clew.closing import Closing
from clew.errors import InputError
from clew.graph import GraphContents
from clew.progress import Progress, silent
from clew.registry import Entry, Registry
from clew.store.cypher import Statement
from clew.store.layout import StoreSchema
from clew.store.prepare import DEFAULT_LIMIT, DEFAULT_TIMEOUT
from clew.store.values import Rows

__all__ = ["SERVER_SCHEMES", "STORES", "Store", "open_store"]

STORES = Registry(
    "store",
    {
        "embedded": Entry("clew.store.embedded:EmbeddedStore", "Ladybug, a file beside the graph"),
        "server": Entry("clew.store.server:ServerStore", "Neo4j or another server that speaks Bolt", extra="server"),
    },
)
SERVER_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


class Store(Closing, Protocol):
    """The store protocol; one object serves many threads."""

    name: str  # as in STORES
    dialect: str  # a name in `clew.store.cypher.render.DIALECTS`
    schema: StoreSchema  # the names that queries can use

    def run(
        self,
        query: str | Statement,
        parameters: Mapping[str, Any] | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        limit: int = DEFAULT_LIMIT,
    ) -> Rows:
        """Run one read-only query for at most `limit` rows, or raise `Timeout` soon after `timeout` seconds.

        `QueryError` is raised for a bad query, `StoreError` for a failure of the store.
        """

    def close(self) -> None: ...


def open_store(spec: str | Path, contents: GraphContents, *, build: bool = False, progress: Progress = silent) -> Store:
    """Open the store of a graph: "embedded", the path of an embedded one, or bolt://user:password@host:port/database.

    With `build`, an embedded store that is missing or damaged, or was made from another snapshot, is built first.
    """
    text = str(spec)
    scheme, separator, _ = text.partition("://")
    if separator:
        if scheme not in SERVER_SCHEMES:
            raise InputError(f"a store address begins with {', '.join(SERVER_SCHEMES)}, not {scheme}://")
        server: Store = STORES.load("server")(contents, text)
        return server
    if text in STORES and text != "embedded":
        raise InputError("give a server by its address: bolt://user:password@host:port/database")
    path = None if text == "embedded" else Path(spec)
    if build:
        from clew.store.embedded import open_or_build_embedded

        return open_or_build_embedded(contents, path=path, progress=progress)
    embedded: Store = STORES.load("embedded")(contents, path=path)
    return embedded
