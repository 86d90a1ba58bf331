"""Question → answer with its evidence."""
