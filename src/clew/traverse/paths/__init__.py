"""Paths between entities: the search graph, the A* search over it, counts, and the result."""
