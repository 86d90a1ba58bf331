"""Mentions in text: heads found by name, linking, phrases, and which mentions may be the tail of a query."""
