"""A corpus and a seed graph small enough to extract from in two minutes: for tests, and to see how it goes.

118 short texts and 437 triples on well-known drugs, diseases and symptoms, written for this package and given away
(CC0). Thirty facts that the texts state are kept out of the seed: `toy_held_out` lists them, for extraction to find.
"""

from importlib.resources import files
from pathlib import Path

__all__ = ["toy_corpus", "toy_held_out", "toy_seed"]

FOLDER = Path(str(files("clew.extract.toy")))


def toy_corpus() -> Path:
    """A JSON Lines file of documents."""
    return FOLDER / "abstracts.jsonl"


def toy_seed() -> Path:
    """A folder with the seed graph in KGX, as `clew build` reads it."""
    return FOLDER / "seed"


def toy_held_out() -> Path:
    """A table of the facts that stand in the texts and not in the seed: subject, relation, object."""
    return FOLDER / "held_out.tsv"
