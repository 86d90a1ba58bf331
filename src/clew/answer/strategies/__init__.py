"""Strategies that answer from a retrieved context: by its evidence alone, or by a language model that reads it."""
