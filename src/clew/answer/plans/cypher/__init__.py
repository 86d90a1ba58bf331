"""Cypher read as a plan, and a plan written as Cypher."""
