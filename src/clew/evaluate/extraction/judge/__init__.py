"""Judges of triples, language models among them, calibrated on statements whose truth is known."""
