"""hp.obo: the terms of the ontology, their types and the is_a triples between them.

A term's type is the branch it descends from; where it descends from several (three terms), the first in BRANCHES wins.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.graph.readers.ontology.terms import Ontology, Term
from clew.graph.readers.tab_separated import constant

__all__ = ["BRANCHES", "ROOT_TYPE", "is_a", "term_entities"]

BRANCHES = (
    ("HP:0000118", "Phenotype"),
    ("HP:0000005", "Inheritance"),
    ("HP:0031797", "ClinicalCourse"),  # onset, progression, age of death: a branch of clinical modifier
    ("HP:0012823", "Modifier"),
    ("HP:0032443", "MedicalHistory"),
    ("HP:0040279", "Frequency"),
    ("HP:0032223", "BloodGroup"),
    ("HP:0020228", "BiospecimenFeature"),
)
ROOT_TYPE = "OntologyTerm"  # the root "All", and any branch that a later release adds


def term_entities(ontology: Ontology) -> pa.Table:
    """Every term as an entity."""
    terms, types = ontology.terms.values(), _types(ontology.terms)
    return pa.table(
        {
            "id": pa.array(ontology.terms, pa.string()),
            "name": pa.array([term.name for term in terms], pa.string()),
            "type": pa.array([types.get(term.id, ROOT_TYPE) for term in terms]).dictionary_encode(),
            "synonyms": pa.array([term.synonym_texts() for term in terms], pa.list_(pa.string())),
            "xrefs": pa.array([term.xrefs for term in terms], pa.list_(pa.string())),
            "definition": pa.array([term.definition for term in terms], pa.string()),
            "comment": pa.array([term.comment for term in terms], pa.string()),
        }
    )


def is_a(ontology: Ontology) -> tuple[pa.Table, NDArray[np.int64]]:
    """Term → parent as triples, and the line of each; curated by hand as a whole."""
    rows = [(term.id, parent, line) for term in ontology.terms.values() for parent, line in term.parents]
    child, parent, line = zip(*rows, strict=True) if rows else ((), (), ())
    same = {"relation": "is_a", "knowledge_level": "knowledge_assertion", "agent_type": "manual_agent"}
    columns = {name: constant(value, len(rows)) for name, value in same.items()}
    ends = {"subject": child, "object": parent}
    columns |= {name: pa.array(ids, pa.string()).dictionary_encode() for name, ids in ends.items()}
    return pa.table(columns), np.array(line, np.int64)


def _types(terms: dict[str, Term]) -> dict[str, str]:
    """Walk down from each branch; a term keeps the first type it is given."""
    children: dict[str, list[str]] = {}
    for term in terms.values():
        for parent, _ in term.parents:
            children.setdefault(parent, []).append(term.id)
    typed: dict[str, str] = {}
    for branch, kind in BRANCHES:
        waiting = [branch]
        while waiting:
            identifier = waiting.pop()
            if identifier in terms and identifier not in typed:
                typed[identifier] = kind
                waiting += children.get(identifier, ())
    return typed
