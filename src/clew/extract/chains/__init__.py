"""Leafy chain graphs: which seed triples are injected, as leaves on the token sequences they belong to."""
