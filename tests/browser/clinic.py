"""Two small graphs for the page: a clinic with everything that the page tells apart, and one as large as it draws."""

import random
from pathlib import Path

import pyarrow as pa

import clew
from clew.graph import Source
from clew.graph.staging import Relation

__all__ = ["HOSTILE", "MANY", "SENTENCE", "build_clinic", "build_large"]

HOSTILE = '<img src=x onerror="window.broken = true">'
SENTENCE = "Losartan slowed the dilatation of the aortic root in Marfan syndrome."
MANY = 44  # phenotypes of the disease that has to be grouped
CURATED, EXTRACTED = ("knowledge_assertion", "manual_agent"), ("knowledge_assertion", "text_mining_agent")
ENTITIES = {
    "G:1": ("FBN1", "Gene"),
    "G:2": ("FBN2", "Gene"),
    "G:3": ("ADAMTSL4", "Gene"),
    "D:1": ("Marfan syndrome", "Disease"),
    "D:3": ("Beals syndrome", "Disease"),
    "D:4": ("Ectopia lentis", "Disease"),
    "D:5": (HOSTILE, "Disease"),
    "D:6": ("Crowded syndrome", "Disease"),
    "P:1": ("Arachnodactyly", "Phenotype"),
    "P:2": ("Ectopia lentis", "Phenotype"),
    "P:3": ("Scoliosis", "Phenotype"),
    "P:5": ("Myopia", "Phenotype"),
    "M:1": ("Losartan", "Drug"),
    "O:1": ("Lonely place", "Place"),
    **{f"Q:{at}": (f"Sign number {at}", "Phenotype") for at in range(MANY)},
}
TRIPLES = [  # subject, relation, object, documents, who states it, sentence, negated
    ("G:1", "associated_with", "D:1", ["PMID:1301946"], CURATED, None, None),
    ("G:2", "associated_with", "D:3", ["PMID:7493032"], CURATED, None, None),
    ("G:3", "associated_with", "D:4", [], CURATED, None, None),
    ("G:1", "associated_with", "D:5", ["PMID:3"], CURATED, None, None),
    ("D:1", "has_phenotype", "P:1", ["PMID:28050285", "PMID:33436942"], CURATED, None, None),
    ("D:1", "has_phenotype", "P:2", ["PMID:28050285"], CURATED, None, None),
    ("D:3", "has_phenotype", "P:1", ["PMID:4"], CURATED, None, None),
    ("D:3", "has_phenotype", "P:3", ["PMID:5"], CURATED, None, None),
    ("D:4", "has_phenotype", "P:5", ["PMID:6"], CURATED, None, None),
    ("D:1", "has_phenotype", "P:5", ["PMID:7"], CURATED, None, True),
    ("M:1", "treats", "D:1", ["PMID:24"], EXTRACTED, SENTENCE, None),
    *(("D:6", "has_phenotype", f"Q:{at}", [f"PMID:{100 + at}"], CURATED, None, None) for at in range(MANY)),
]
LARGE = (2_000, 4_000)  # entities, triples


def build_clinic(out: Path) -> Path:
    """Build the clinic."""
    subject, relation, object, evidence, said, sentence, negated = zip(*TRIPLES, strict=True)
    table = pa.table(
        {
            "subject": subject,
            "relation": relation,
            "object": object,
            "evidence": pa.array(evidence, pa.list_(pa.string())),
            "knowledge_level": [level for level, _ in said],
            "agent_type": [agent for _, agent in said],
            "source": ["Notes"] * len(TRIPLES),
            "negated": pa.array(negated, pa.bool_()),
            "qualifier:sentence": pa.array(sentence, pa.string()),
        }
    )
    ids, about = list(ENTITIES), list(ENTITIES.values())
    entities = pa.table({"id": ids, "name": [name for name, _ in about], "type": [kind for _, kind in about]})
    clew.build(table, entities=entities, relations=[Relation("treats")], sources=[Source("Notes")], out=out)
    return out


def build_large(out: Path) -> Path:
    """Build one hub with 1,999 neighbours, and triples between these."""
    entities, triples = LARGE
    draw = random.Random(7)
    pairs = {(0, at) for at in range(1, entities)}
    while len(pairs) < triples:
        one, other = draw.randrange(1, entities), draw.randrange(1, entities)
        if one != other:
            pairs.add((one, other))
    rows = sorted(pairs)
    table = pa.table(
        {
            "subject": [f"E:{one}" for one, _ in rows],
            "relation": ["near"] * len(rows),
            "object": [f"E:{other}" for _, other in rows],
        }
    )
    kinds = ("Hub", "Gene", "Disease", "Phenotype")
    names = pa.table(
        {
            "id": [f"E:{at}" for at in range(entities)],
            "name": ["The hub", *(f"Entity {at}" for at in range(1, entities))],
            "type": ["Hub", *(kinds[1 + at % 3] for at in range(1, entities))],
        }
    )
    clew.build(table, entities=names, out=out)
    return out
