"""Property-graph stores queried in Cypher: embedded beside the graph, or on a server."""
