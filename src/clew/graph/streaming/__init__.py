"""Building a graph in bounded memory: rows are read in blocks, numbered, sorted in buckets and written in pieces."""
