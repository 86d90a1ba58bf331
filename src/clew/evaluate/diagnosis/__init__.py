"""Patients simulated from the profiles of a graph, and how well findings lead back to their diagnosis."""
