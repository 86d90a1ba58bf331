"""The Cypher subset that Clew supports: text → syntax tree → a store's dialect. Only read-only statements exist.

>>> statement = parse("MATCH (g:Gene {name: $gene})-[:ASSOCIATED_WITH]->(d:Disease) RETURN d.name AS disease")
>>> statement.columns, sorted(statement.parameters)
(('disease',), ['gene'])
"""

from clew.store.cypher.parse import parse
from clew.store.cypher.render import render
from clew.store.cypher.syntax import Statement
from clew.store.cypher.write import quote, quote_text, write

__all__ = ["Statement", "parse", "quote", "quote_text", "render", "write"]
