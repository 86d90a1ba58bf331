"""Baselines for held-out facts without a model: the commonest tails of a relation, and the nearest fitting mention."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa

from clew.evaluate.extraction.held_out.facts import DEPTH, Fact
from clew.extract.seed.signatures import Signatures

__all__ = ["rank_by_distance", "rank_by_relation"]

Ranked = dict[Fact, list[str | None]]


def rank_by_relation(facts: Sequence[Fact], injected: pa.Table, *, depth: int = DEPTH) -> Ranked:
    """P(tail | relation): the tails of a relation that were injected most often, in a table of relation and object."""
    counted: dict[str, Counter[str]] = {}
    for relation, object_ in zip(injected["relation"].to_pylist(), injected["object"].to_pylist(), strict=True):
        counted.setdefault(relation, Counter())[object_] += 1
    most = {relation: [each for each, _ in tails.most_common()] for relation, tails in counted.items()}
    # Other true tails are passed over when ranks are counted, so more than `depth` may be needed.
    return {fact: list(most.get(fact.relation, ())[: 50 * depth]) for fact in facts}


def rank_by_distance(facts: Sequence[Fact], heads: pa.Table, signatures: Signatures) -> Ranked:
    """Linked mentions of the fact's sequence whose type the relation leads to, the nearest first."""
    wanted = {fact.sequence for fact in facts}
    mentions: dict[int, list[Mapping[str, object]]] = {}
    columns = heads.select(["head", "sequence", "first", "last", "entity", "type"])
    for batch in columns.to_batches():
        for row in batch.to_pylist():
            if row["sequence"] in wanted:
                mentions.setdefault(row["sequence"], []).append(row)
    return {fact: _nearest(fact, mentions.get(fact.sequence, ()), signatures) for fact in facts}


def _nearest(fact: Fact, mentions: Sequence[Mapping[str, object]], signatures: Signatures) -> list[str | None]:
    here = next((each for each in mentions if each["head"] == fact.head), None)
    if here is None:
        return []
    types = set(signatures.types_of_tails(fact.relation, str(here["type"])))
    fitting = [
        (_gap(here, each), str(each["entity"]))
        for each in mentions
        if each["entity"] is not None and each["entity"] != fact.subject and each["type"] in types
    ]
    return list(dict.fromkeys(entity for _, entity in sorted(fitting, key=lambda each: each[0])))


def _gap(one: Mapping[str, object], other: Mapping[str, object]) -> int:
    """Tokens between two mentions; 0 where they touch or overlap."""
    first, second = sorted((_range(one), _range(other)))
    return max(0, second[0] - first[1])


def _range(mention: Mapping[str, object]) -> tuple[int, int]:
    return int(str(mention["first"])), int(str(mention["last"]))
