"""What the seed graph states: signatures, hierarchy, candidate triples, held-out facts, selection by context."""
