"""Check that a database holds this snapshot of a graph: counts, and a sample of triples."""

import numpy as np

from clew.errors import StoreError
from clew.graph import Graph
from clew.store.bolt import Bolt
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


def check_contents(graph: Graph, schema: StoreSchema, bolt: Bolt) -> None:
    """Raise `StoreError` unless the database holds exactly this graph; triple numbers are meaningless otherwise."""
    remedy = f"run `clew cypher {graph.path} --load --store …`"
    expected = (schema.entity_count, schema.relationship_count)
    if (found := count_contents(bolt)) != expected:
        more = " into an empty database" if found > expected else ""
        raise StoreError(
            f"{bolt.address} holds {found[0]:,} entities and {found[1]:,} relationships, {graph.path} has "
            f"{expected[0]:,} and {expected[1]:,}: {remedy}{more}"
        )
    for subject, name, object_, triple in _sample(graph, schema):
        text = f"MATCH (s:{subject[0]} {{id: $s}})-[r:{name}]->(o:{object_[0]} {{id: $o}}) RETURN r.triple"
        found_there = bolt.pull(text, {"s": subject[1], "o": object_[1]}, timeout=COUNT_SECONDS, limit=2)
        if found_there.rows != [[triple]]:
            raise StoreError(f"{bolt.address} holds another snapshot of {graph.path}: {remedy} into an empty database")


def _sample(graph: Graph, schema: StoreSchema) -> list[tuple[tuple[str, str], str, tuple[str, str], int]]:
    """For a sample of triples: label and id of the subject, relationship, label and id of the object, and number."""
    from clew.graph import Where

    if not graph.triple_count:
        return []
    chosen = np.unique(np.linspace(0, graph.triple_count - 1, SAMPLE).astype(np.int64))
    names = {(each.number, each.negated_only): quote(each.name) for each in schema.relationships}
    affirmed = graph.assertions.passing(Where())
    labels = [quote(label.name) for label in schema.labels]

    def end(entity: int) -> tuple[str, str]:
        return labels[graph.entity_types[entity]], graph.entities["id"][entity].as_py()

    subjects = graph.subject_of(chosen).tolist()
    return [
        (
            end(subject),
            names[int(graph.forward.relation[triple]), not affirmed[triple]],
            end(int(graph.forward.end[triple])),
            triple,
        )
        for subject, triple in zip(subjects, chosen.tolist(), strict=True)
    ]
