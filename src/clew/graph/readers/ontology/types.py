"""What the terms of well-known ontologies are, so that questions can ask for them: MONDO holds diseases."""

import re

__all__ = ["TERM", "type_of"]

TERM = "OntologyTerm"  # where neither prefix nor namespace says more
TYPES = {
    "MONDO": "Disease",
    "DOID": "Disease",
    "OMIM": "Disease",
    "Orphanet": "Disease",
    "HP": "Phenotype",
    "MP": "Phenotype",
    "CHEBI": "Chemical",
    "DRUGBANK": "Drug",
    "UBERON": "Anatomy",
    "FMA": "Anatomy",
    "CL": "CellType",
    "PR": "Protein",
    "UniProtKB": "Protein",
    "NCBIGene": "Gene",
    "HGNC": "Gene",
    "ENSEMBL": "Gene",
    "NCBITaxon": "Organism",
    "SO": "SequenceFeature",
}
WORD = re.compile(r"[A-Za-z0-9]+")


def type_of(curie: str, namespace: str | None = None) -> str:
    """The type of a term, from its namespace where the ontology has several, else from its prefix.

    >>> type_of("MONDO:1"), type_of("GO:1", "biological_process"), type_of("X:1")
    ('Disease', 'BiologicalProcess', 'OntologyTerm')
    """
    known = TYPES.get(curie.partition(":")[0])
    if known is not None:
        return known
    words = WORD.findall(namespace or "")
    return "".join(word[0].upper() + word[1:] for word in words) or TERM
