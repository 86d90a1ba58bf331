"""Ids of several vocabularies that mean one thing, merged: pairs of ids go in, clusters with one leading id come out.

Two records of one vocabulary are never merged, whatever a third one says of them: a pair that would do so is refused
and counted. A mapping counts as sameness only where it is one to one; the rest may only add ids that nobody claims.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

__all__ = ["LEADING", "Clusters", "one_to_one"]

# The first of these prefixes that a cluster has gives its leading id; of the exclusive ones it has one id at most.
LEADING = (
    "MONDO", "CHEBI", "HP", "GO", "NCBIGene", "UBERON", "DOID", "DrugBank", "MESH", "OMIM", "ORPHA", "DECIPHER", "UMLS",
)  # fmt: skip
EXCLUSIVE = frozenset(("MONDO", "CHEBI", "HP", "GO", "NCBIGene", "UBERON", "DOID", "MESH"))


class Clusters:
    """Grows by `join`; `lead` gives the leading id of any id, its own where it was never joined."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        self.counts: Counter[str] = Counter()

    def join(self, one: str, other: str, *, why: str) -> bool:
        """Merge two ids, unless that would put two records of one vocabulary together."""
        first, second = self._root(one), self._root(other)
        if first == second:
            return True
        members, others = self._members.get(first, [first]), self._members.get(second, [second])
        taken = {_prefix(each) for each in members} & EXCLUSIVE
        if taken & {_prefix(each) for each in others}:
            self.counts[f"refused {why}"] += 1
            return False
        self._parent[second] = first
        self._members[first] = [*members, *others]
        self._members.pop(second, None)
        self.counts[f"joined {why}"] += 1
        return True

    def is_alone(self, identifier: str) -> bool:
        """Whether an id was never joined with another."""
        return self._root(identifier) not in self._members

    def lead(self, identifier: str) -> str:
        """The leading id of the cluster that an id belongs to."""
        root = self._root(identifier)
        return min(self._members.get(root, [root]), key=_rank)

    def members(self, identifier: str) -> list[str]:
        """Every id of the cluster, the leading one first."""
        root = self._root(identifier)
        return sorted(self._members.get(root, [root]), key=_rank)

    def _root(self, identifier: str) -> str:
        root = identifier
        while (above := self._parent.get(root, root)) != root:
            root = above
        while (above := self._parent.get(identifier, identifier)) != root:
            self._parent[identifier] = root
            identifier = above
        return root


def one_to_one(mapped: Iterable[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs that map one id to one other of that prefix and back, and the rest."""
    pairs = list(dict.fromkeys(mapped))
    forward: Mapping[tuple[str, str], set[str]] = defaultdict(set)
    backward: Mapping[tuple[str, str], set[str]] = defaultdict(set)
    for one, other in pairs:
        forward[one, _prefix(other)].add(other)
        backward[other, _prefix(one)].add(one)
    single = [
        len(forward[one, _prefix(other)]) == 1 and len(backward[other, _prefix(one)]) == 1 for one, other in pairs
    ]
    return (
        [pair for pair, alone in zip(pairs, single, strict=True) if alone],
        [pair for pair, alone in zip(pairs, single, strict=True) if not alone],
    )


def _prefix(identifier: str) -> str:
    return identifier.partition(":")[0]


def _rank(identifier: str) -> tuple[int, str]:
    prefix = _prefix(identifier)
    return (LEADING.index(prefix) if prefix in LEADING else len(LEADING)), identifier
