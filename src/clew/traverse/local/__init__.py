"""The engine over a graph directory: views, the k-hop loop, plans and batches, on any backend."""
