"""Clew's retriever as the retrievers of other libraries."""
