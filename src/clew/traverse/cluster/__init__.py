"""The engine over actors: each holds the rows of some partitions and its part of every frontier."""
