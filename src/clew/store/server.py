"""The server store: a graph in a Neo4j database, or in another that speaks Bolt.

Limits are enforced on the client, because not every server does: only parsed read-only statements are sent, rows are
fetched as needed, and at the time limit the connection is closed. The server may still run the query for a while.
"""

from collections.abc import Mapping
from typing import Any

from neo4j.graph import Node, Path, Relationship

from clew.bolt.address import read_address
from clew.bolt.connection import Bolt
from clew.closing import Closing
from clew.graph import GraphContents
from clew.store.cypher import Statement
from clew.store.deadline import Deadline
from clew.store.layout import lay_out
from clew.store.prepare import DEFAULT_LIMIT, DEFAULT_TIMEOUT, prepare
from clew.store.server_check import check_contents
from clew.store.values import EntityValue, PathValue, RelationshipValue, Rows, Triples, Value

__all__ = ["ServerStore"]


class ServerStore(Closing):
    """A database that holds a graph. Opening it compares its counts and a sample of triples with the graph."""

    name = "server"
    dialect = "neo4j"

    def __init__(self, contents: GraphContents, url: str) -> None:
        self.schema = lay_out(contents)
        self._triples = Triples(contents)
        self._bolt = Bolt(read_address(url))
        try:
            check_contents(contents, self.schema, self._bolt)
        except BaseException:
            self._bolt.close()
            raise

    def run(
        self,
        query: str | Statement,
        parameters: Mapping[str, Any] | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        limit: int = DEFAULT_LIMIT,
    ) -> Rows:
        """Run one read-only query."""
        deadline = Deadline.after(timeout)
        ready = prepare(query, parameters, schema=self.schema, dialect=self.dialect, deadline=deadline, limit=limit)
        left = max(0.001, deadline.left)
        pulled = self._bolt.pull(ready.text, ready.parameters, timeout=left, stated=timeout, limit=limit)
        rows = [tuple(map(self._value, row)) for row in pulled.rows]
        return Rows(ready.columns or pulled.columns, rows, pulled.truncated, timeout - deadline.left)

    def _value(self, value: Any) -> Value:
        match value:
            case Node():
                return self._entity(value)
            case Relationship():
                return self._relationship(value)
            case Path():
                entities, relationships = map(self._entity, value.nodes), map(self._relationship, value.relationships)
                return PathValue(tuple(entities), tuple(relationships))
            case list():
                return [self._value(each) for each in value]
            case dict():
                return {name: self._value(each) for name, each in value.items()}
        native = getattr(value, "to_native", None)  # the driver's own dates and times
        return value if native is None else native()

    def _entity(self, value: Any) -> EntityValue:
        properties = dict(value)
        label = next(iter(value.labels), "")
        identifier, name = properties.pop("id", ""), properties.pop("name", "")
        return EntityValue(identifier, name, self.schema.type_of(label), properties)

    def _relationship(self, value: Any) -> RelationshipValue:
        meaning = self.schema.relationship(value.type)
        properties = dict(value)
        triple = properties.pop("triple", None)
        subject, object_ = self._triples.ends(triple)
        return RelationshipValue(meaning.relation, subject, object_, triple, meaning.negated_only, properties)

    def close(self) -> None:
        """Close all connections."""
        self._bolt.close()
