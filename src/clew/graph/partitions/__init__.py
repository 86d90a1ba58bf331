"""Partitions: the segments of a graph larger than memory, how entities are assigned to them, and their cache."""
