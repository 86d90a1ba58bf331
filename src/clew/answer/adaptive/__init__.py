"""The parts of the adaptive pipeline: decomposition, four retrievals, quality of contexts, points, votes."""
