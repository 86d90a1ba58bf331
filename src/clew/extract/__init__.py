"""Text to triples (GraphMERT): a corpus and a seed graph in, a trained encoder and assertions with their sentences out.

Each stage reads and writes tables in a run directory; `clew.extract.run.pipeline` runs them in order.
"""
