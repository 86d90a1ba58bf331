"""Ontologies: terms with synonyms, cross-references and relationships, from OBO files and OBO graphs in JSON."""
