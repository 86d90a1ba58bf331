"""Equivalences to clusters by union-find, and the one id that each cluster keeps."""

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from clew.errors import UnknownName
from clew.graph.resolution.mappings import Equivalence
from clew.graph.staging import Problems

__all__ = ["Kept", "choose"]

Kept = dict[str, str]  # id that is merged → id that stays


def choose(
    equivalences: Sequence[Equivalence], present: Sequence[str], *, prefer: Sequence[str], problems: Problems
) -> Kept:
    """Which entities become which; a cluster with two entities of one vocabulary is left as it is and noted.

    The id with the first prefix of `prefer` stays, else that of the vocabulary with most entities.
    """
    counts = Counter(_prefix(each) for each in present)
    ranks = _ranks(prefer, counts)
    known = set(present)
    merged: Kept = {}
    for cluster in _clusters(equivalences):
        entities = sorted(each for each in cluster if each in known)
        if len(entities) < 2:
            continue
        repeated = [prefix for prefix, count in Counter(map(_prefix, entities)).items() if count > 1]
        if repeated:
            shown = ", ".join(entities[:5])
            problems.note(
                "conflicting mappings", shown, f"several ids of {repeated[0]} would become one; none is merged"
            )
            continue
        stays = min(entities, key=lambda each: (ranks[_prefix(each)], each))
        merged |= {each: stays for each in entities if each != stays}
    return merged


def _prefix(identifier: str) -> str:
    return identifier.partition(":")[0]


def _ranks(prefer: Sequence[str], counts: Counter[str]) -> dict[str, int]:
    spelled = {prefix.lower(): prefix for prefix in counts}
    first = []
    for prefix in prefer:
        if prefix.lower() not in spelled:
            close = tuple(spelled[each] for each in get_close_matches(prefix.lower(), spelled, n=1))
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise UnknownName(f"prefer= names the prefix {prefix!r}, which no entity has: {hint}prefixes are "
                              f"{', '.join(sorted(counts)[:12])}", close=close)  # fmt: skip
        first.append(spelled[prefix.lower()])
    rest = sorted((each for each in counts if each not in first), key=lambda each: (-counts[each], each))
    return {prefix: rank for rank, prefix in enumerate([*first, *rest])}


def _clusters(equivalences: Iterable[Equivalence]) -> list[list[str]]:
    """Connected components: union-find with path halving."""
    parent: dict[str, str] = {}

    def root(each: str) -> str:
        parent.setdefault(each, each)
        while parent[each] != each:
            parent[each] = parent[parent[each]]
            each = parent[each]
        return each

    for equivalence in equivalences:
        one, other = root(equivalence.one), root(equivalence.other)
        if one != other:
            parent[other] = one
    clusters: dict[str, list[str]] = {}
    for each in parent:
        clusters.setdefault(root(each), []).append(each)
    return list(clusters.values())
