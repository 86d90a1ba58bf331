"""The baseline: triples that a language model alone reads from the same texts."""
