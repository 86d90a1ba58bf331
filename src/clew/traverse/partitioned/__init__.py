"""The engine of a graph larger than memory: segments are loaded through a cache, each once a hop for a whole batch."""
