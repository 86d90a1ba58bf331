"""A small graph of diagnoses whose right ranking can be worked out by hand."""

from pathlib import Path

import pyarrow as pa

import clew
from clew.graph.staging import Relation

ENTITIES = [
    *((f"D:{at}", f"Disease {name}", "Disease") for at, name in enumerate(("one", "two", "three", "four", "five"), 1)),
    ("P:0", "Abnormality", "Phenotype"),
    ("P:1", "Abnormal hand", "Phenotype"),
    ("P:2", "Long fingers", "Phenotype"),
    ("P:3", "Short fingers", "Phenotype"),
    ("P:4", "Seizure", "Phenotype"),
    ("P:5", "Myopia", "Phenotype"),
    ("P:6", "Deafness", "Phenotype"),
    ("P:7", "Lonely sign", "Phenotype"),
    ("G:1", "ABC1", "Gene"),
]
TRIPLES = [  # subject, relation, object, frequency, evidence
    ("P:1", "is_a", "P:0", None, "O"),
    ("P:2", "is_a", "P:1", None, "O"),
    ("P:3", "is_a", "P:1", None, "O"),
    ("P:4", "is_a", "P:0", None, "O"),
    ("P:5", "is_a", "P:0", None, "O"),
    ("P:6", "is_a", "P:0", None, "O"),
    ("D:1", "has_sign", "P:2", "9/10", "PMID:1"),
    ("D:1", "has_sign", "P:5", "90%", "PMID:2"),
    ("D:2", "has_sign", "P:2", "1/10", "PMID:3"),
    ("D:2", "has_sign", "P:5", "9/10", "PMID:4"),
    ("D:3", "has_sign", "P:3", "9/10", "PMID:5"),
    ("D:3", "has_sign", "P:4", None, "PMID:6"),
    ("D:4", "has_sign", "P:4", "5/10", "PMID:7"),
    ("D:4", "has_sign", "P:6", "5/10", "PMID:8"),
    ("D:5", "has_sign", "P:6", "5/10", "PMID:9"),
    ("D:4", "lacks_sign", "P:1", "0/10", "PMID:10"),
    ("G:1", "causes", "D:1", None, "PMID:11"),
]


def build_ward(folder: Path) -> Path:
    """Build the graph into a folder."""
    entities = pa.table(dict(zip(("id", "name", "type"), zip(*ENTITIES, strict=True), strict=True)))
    subject, relation, object_, frequency, evidence = zip(*TRIPLES, strict=True)
    triples = pa.table(
        {
            "subject": subject,
            "relation": relation,
            "object": object_,
            "qualifier:frequency": pa.array(frequency, pa.string()),
            "evidence": [[each] for each in evidence],
            "source": ["S"] * len(TRIPLES),
        }
    )
    out = folder / "ward.clew"
    clew.build(
        triples,
        entities=entities,
        relations=[Relation("is_a", transitive=True), Relation("lacks_sign", negated=True)],
        out=out,
    )
    return out
