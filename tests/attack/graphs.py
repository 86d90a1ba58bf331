"""The graph that is attacked: small, with types, synonyms, sources and everything that is derived from a graph."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa

import clew

__all__ = ["build", "tables"]

SIZE = 120


def tables(seed: int, *, size: int = SIZE) -> tuple[pa.Table, pa.Table]:
    """Triples and entities; another seed gives other triples between the same entities."""
    rng = random.Random(seed)
    kinds = ("Gene", "Disease", "Phenotype")
    ids = [f"{kind[0]}:{at}" for kind in kinds for at in range(size // 3)]
    names = [f"{kind.lower()} {_word(at)} {seed}" for kind in kinds for at in range(size // 3)]
    fits = {"causes": ("G", "D"), "shows": ("D", "P"), "is a": ("P", "P"), "regulates": ("G", "G")}
    rows, relations = set(), list(fits)
    starting = {kind[0]: [each for each in ids if each[0] == kind[0]] for kind in kinds}
    while len(rows) < 4 * size:
        relation = rng.choice(relations)
        subject, object_ = (rng.choice(starting[letter]) for letter in fits[relation])
        rows.add((subject, relation, object_))
    listed = sorted(rows)
    triples: dict[str, list[Any]] = {
        name: [row[at] for row in listed] for at, name in enumerate(("subject", "relation", "object"))
    }
    triples["source"] = [f"source {seed}"] * len(listed)
    triples["evidence"] = [f"PMID:{seed}{at}" for at in range(len(listed))]
    entities = {"id": ids, "name": names, "type": [each for each in kinds for _ in range(size // 3)]}
    entities["synonyms"] = [[f"also {name}"] for name in names]
    return pa.table(triples), pa.table(entities)


def build(path: str, seed: int, overwrite: bool = False) -> dict[str, int]:
    """Build the graph; its counts."""
    triples, entities = tables(seed)
    clew.build(triples, entities=entities, out=Path(path), overwrite=overwrite)
    return dict(clew.open(path).counts)


def _word(number: int) -> str:
    """A word for a number, unlike others."""
    syllables = ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu")
    return "".join(syllables[int(digit)] for digit in f"{number:02}") + "x"
