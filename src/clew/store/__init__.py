"""Property graphs that speak Cypher."""
