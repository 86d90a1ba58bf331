"""Check that a database holds this snapshot of a graph: counts, and a sample of triples."""

import numpy as np
from numpy.typing import NDArray

from clew.bolt.connection import Bolt
from clew.errors import StoreError
from clew.graph import GraphContents, Where, read_triples
from clew.graph.storage.arrays import numbers_of
from clew.store.cypher import quote
from clew.store.layout import StoreSchema

__all__ = ["check_contents", "count_contents"]

SAMPLE = 64  # triples
COUNT_SECONDS = 60.0


def count_contents(bolt: Bolt) -> tuple[int, int]:
    """The number of entities and relationships in a database."""
    counts = ("MATCH (n) RETURN count(n)", "MATCH ()-[r]->() RETURN count(r)")
    entities, relationships = (bolt.pull(text, {}, timeout=COUNT_SECONDS, limit=1).rows[0][0] for text in counts)
    return entities, relationships


def check_contents(contents: GraphContents, schema: StoreSchema, bolt: Bolt) -> None:
    """Raise `StoreError` unless the database holds exactly this graph; triple numbers are meaningless otherwise."""
    remedy = f"run `clew cypher {contents.snapshot} --load --store …`"
    expected = (schema.entity_count, schema.relationship_count)
    if (found := count_contents(bolt)) != expected:
        more = " into an empty database" if found > expected else ""
        raise StoreError(
            f"{bolt.address} holds {found[0]:,} entities and {found[1]:,} relationships, {contents.snapshot} has "
            f"{expected[0]:,} and {expected[1]:,}: {remedy}{more}"
        )
    for subject, name, object_, triple in _sample(contents, schema):
        text = f"MATCH (s:{subject[0]} {{id: $s}})-[r:{name}]->(o:{object_[0]} {{id: $o}}) RETURN r.triple"
        found_there = bolt.pull(text, {"s": subject[1], "o": object_[1]}, timeout=COUNT_SECONDS, limit=2)
        if found_there.rows != [[triple]]:
            raise StoreError(
                f"{bolt.address} holds another snapshot of {contents.snapshot}: {remedy} into an empty database"
            )


def _sample(contents: GraphContents, schema: StoreSchema) -> list[tuple[tuple[str, str], str, tuple[str, str], int]]:
    """For a sample of triples: label and id of the subject, relationship, label and id of the object, and number."""
    count = contents.counts["triples"]
    if not count:
        return []
    chosen = np.unique(np.linspace(0, count - 1, SAMPLE).astype(np.int64))
    names = {(each.number, each.negated_only): quote(each.name) for each in schema.relationships}
    stated = np.isin(chosen, numbers_of(read_triples(contents, where=Where())["number"].combine_chunks()))
    labels = [quote(label.name) for label in schema.labels]
    triples = contents.triple_columns(chosen)

    def ends(entities: NDArray[np.integer]) -> list[tuple[str, str]]:
        typed = [labels[at] for at in contents.types_of(entities).tolist()]
        return list(zip(typed, contents.describe(entities)["id"].to_pylist(), strict=True))

    relations = [
        names[relation, not affirmed]
        for relation, affirmed in zip(triples.relation.tolist(), stated.tolist(), strict=True)
    ]
    return list(zip(ends(triples.subject), relations, ends(triples.object), chosen.tolist(), strict=True))
