"""Property graphs that speak Cypher: embedded beside the graph, or on a server."""
