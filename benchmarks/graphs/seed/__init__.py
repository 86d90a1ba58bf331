"""The parts of the seed graph that extraction is taught with: vocabularies, their joining, and statements."""
