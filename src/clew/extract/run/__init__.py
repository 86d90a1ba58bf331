"""A run from end to end: its settings, its stages and their state."""
