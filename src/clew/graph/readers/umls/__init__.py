"""The UMLS Metathesaurus in its Rich Release Format: concepts, their names, semantic types and relations."""

from clew.graph.readers.umls.release import read

__all__ = ["read"]
