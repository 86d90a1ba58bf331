"""The backends: each computes a hop in its own way, and all agree."""
