"""Graphs compared by local search: questions about facts, and PubMedQA's."""
