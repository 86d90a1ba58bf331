"""Which relations cannot both hold of one pair, and which of two opposed statements of a document is kept."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.extract.seed.hierarchy import TAXONOMIC

__all__ = ["are_contradictory", "are_uncontradicted"]

CONTRADICTORY = frozenset(
    frozenset(pair)
    for pair in (
        ("treats", "induces"),
        ("treats", "causes"),
        ("treats", "contraindicates"),
        ("treats", "contraindicated_in"),
        ("treats", "exacerbates"),
        ("prevents", "induces"),
        ("prevents", "causes"),
        ("activates", "inhibits"),
        ("increases", "decreases"),
        ("upregulates", "downregulates"),
    )
)
SIGNS = ("positively_", "negatively_")


def are_contradictory(one: str, other: str) -> bool:
    """Whether two relations of the same pair exclude each other.

    >>> are_contradictory("treats", "induces"), are_contradictory("positively_regulates", "negatively_regulates")
    (True, True)
    >>> are_contradictory("is_a", "presents"), are_contradictory("treats", "treats")
    (True, False)
    >>> are_contradictory("treats", "binds")
    False
    """
    if one == other:
        return False
    if one in TAXONOMIC or other in TAXONOMIC:  # what is a kind of something is not its symptom, part or cure
        return True
    if frozenset((one, other)) in CONTRADICTORY:
        return True
    positive, negative = SIGNS
    return one.replace(positive, negative, 1) == other or other.replace(positive, negative, 1) == one


def are_uncontradicted(
    documents: Sequence[str],
    subjects: Sequence[str],
    relations: Sequence[str],
    objects: Sequence[str],
    scores: NDArray[np.floating],
    *,
    symmetric: frozenset[str] = frozenset(),
) -> NDArray[np.bool_]:
    """Rows that no surer row of their document opposes: by an opposed relation of the pair, or the same one turned.

    >>> columns = ["d"] * 3, ["aspirin"] * 3, ["treats", "induces", "treats"], ["fever", "fever", "pain"]
    >>> are_uncontradicted(*columns, np.array([0.4, 0.6, 0.2])).tolist()
    [False, True, True]
    """
    kept: dict[tuple[str, frozenset[str]], list[tuple[str, str]]] = {}  # relation and subject of what a pair is said
    mask = np.ones(len(documents), bool)
    for at in np.argsort(-scores, kind="stable").tolist():
        start, relation = subjects[at], relations[at]
        said = kept.setdefault((documents[at], frozenset((start, objects[at]))), [])
        turned = relation not in symmetric and any(each == relation and other != start for each, other in said)
        if turned or any(are_contradictory(relation, each) for each, _ in said):
            mask[at] = False
        else:
            said.append((relation, start))
    return mask
