"""Super-relations by names, types or meaning: for the last, relation names are embedded, clustered and labelled."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from clew.answer.super_relations.texts import relation_text
from clew.embed import Encoder
from clew.errors import InputError, UnknownName
from clew.graph.schema import Schema
from clew.graph.super_relations import SuperRelations, group_by_names, group_by_types

__all__ = ["GROUPINGS", "group_by_clusters", "make_groups"]

GROUPINGS = ("names", "types", "clusters")
WORDS = 3  # in a label
SHORTEST = 3  # letters of a word that may be in one


def make_groups(by: str, schema: Schema, encoder: Encoder | None = None) -> SuperRelations:
    """Group the relations of a graph by names, types or clusters."""
    if by == "names":
        return group_by_names(schema)
    if by == "types":
        return group_by_types(schema)
    if by != "clusters":
        raise UnknownName(f"super-relations are made by {' or '.join(GROUPINGS)}, not by {by!r}")
    if encoder is None:
        raise InputError("clusters of relations need an encoder: run `clew models get minilm`, or group by names")
    return group_by_clusters(schema, encoder)


def group_by_clusters(schema: Schema, encoder: Encoder, *, count: int | None = None) -> SuperRelations:
    """Average-linkage clusters of relation names by cosine; as many as there are groups by name if `count` is None."""
    names = [relation.name for relation in schema.relations if not relation.negated]
    wanted = count if count is not None else max(1, min(len(group_by_names(schema).groups), len(names) // 2))
    if len(names) < 2:
        return SuperRelations("clusters", {name: (name,) for name in names})
    if not 1 <= wanted <= len(names):
        raise InputError(f"{len(names)} relations make 1 to {len(names)} clusters, not {wanted}")
    vectors = encoder.encode([relation_text(name) for name in names])
    numbers = _clusters(vectors, wanted)
    members = [[name for name, number in zip(names, numbers, strict=True) if number == at] for at in np.unique(numbers)]
    return SuperRelations("clusters", _labelled([sorted(group) for group in members]))


def _clusters(vectors: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    from scipy.cluster.hierarchy import fcluster, linkage

    tree = linkage(vectors.astype(np.float64), method="average", metric="cosine")
    return np.asarray(fcluster(np.maximum(tree, 0.0), count, criterion="maxclust"), np.int64)


def _labelled(groups: list[list[str]]) -> dict[str, tuple[str, ...]]:
    """Each cluster under the words that most of its members share and few others have."""
    words = [Counter(word for name in group for word in set(_words(name))) for group in groups]
    overall = sum(words, Counter[str]())
    labelled: dict[str, tuple[str, ...]] = {}
    for group, own in sorted(zip(groups, words, strict=True), key=lambda pair: pair[0]):
        telling = sorted(own, key=lambda word: (-(own[word] ** 2) / overall[word], word))
        label = group[0] if len(group) == 1 else " ".join(telling[:WORDS]) or group[0]
        while label in labelled:
            label = f"{label} ({group[0]})"
        labelled[label] = tuple(group)
    return labelled


def _words(name: str) -> list[str]:
    return [word for word in relation_text(name).split() if len(word) >= SHORTEST]
