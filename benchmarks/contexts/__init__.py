"""Contexts of questions: how long they take, and whether they keep what they promise."""
