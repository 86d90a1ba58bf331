"""Which entities are broader than others, by the `is_a` triples of a seed: a document that names both rarely states a
relation of the broader one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError

__all__ = ["Hierarchy", "read_hierarchy"]

MESH = "MESH:"  # gold corpora give MeSH ids without it


class Hierarchy:
    """Parents of entities, and the entities that an id of a text stands for."""

    def __init__(self, parents: Mapping[str, Iterable[str]], aliases: Mapping[str, Iterable[str]]) -> None:
        self._parents = {child: frozenset(above) for child, above in parents.items()}
        self._aliases = {alias: frozenset(entities) for alias, entities in aliases.items()}
        self._above = lru_cache(maxsize=65536)(self._ancestors)

    def has_narrower(self, entities: Sequence[str]) -> NDArray[np.bool_]:
        """For each entity, whether another one of them is a kind of it."""
        own = [self._aliases.get(each) or self._aliases.get(MESH + each) or frozenset((each,)) for each in entities]
        above = [frozenset().union(*map(self._above, each)) - each for each in own]
        return np.array(
            [any(mine & far for other, far in enumerate(above) if other != at) for at, mine in enumerate(own)], bool
        )

    def _ancestors(self, entity: str) -> frozenset[str]:
        found: set[str] = set()
        waiting = [entity]
        while waiting:
            new = self._parents.get(waiting.pop(), frozenset()) - found
            found |= new
            waiting += new
        return frozenset(found)


def read_hierarchy(seed: Path) -> Hierarchy:
    """From the tables of a seed folder (`clew extract package`)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        entities = pq.read_table(Path(seed) / "entities.parquet", columns=["id", "xrefs"])
        triples = pq.read_table(Path(seed) / "triples.parquet", columns=["subject", "relation", "object"])
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{seed} is not a seed folder with entities.parquet and triples.parquet: {error}") from error
    aliases: dict[str, set[str]] = defaultdict(set)
    for identifier, others in zip(entities["id"].to_pylist(), entities["xrefs"].to_pylist(), strict=True):
        for alias in (identifier, *(others or ())):
            aliases[alias].add(identifier)
    parents: dict[str, set[str]] = defaultdict(set)
    for child, relation, parent in zip(*(triples[name].to_pylist() for name in triples.column_names), strict=True):
        if relation == "is_a":
            parents[child].add(parent)
    return Hierarchy(parents, aliases)
