"""An entity with its properties, its neighbourhood, and triples with where they come from."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from clew.app.records.statements import assertion_record, entity_records, triple_record

if TYPE_CHECKING:
    from clew import GraphEngine

__all__ = ["entity_record", "neighbourhood_record", "triples_record"]

LISTS = ("synonyms", "xrefs")


def entity_record(engine: "GraphEngine", entity: str, *, graph: str) -> dict[str, Any]:
    """One entity: names, cross-references, properties, and how many triples of each relation it has."""
    number = engine.resolve(entity)
    details = {name: value for name, value in engine.details(number).to_pylist()[0].items() if value is not None}
    details.pop("id")
    lists = {name: list(details.pop(name, ())) for name in LISTS}
    relations = []
    for direction in ("out", "in"):
        triples = engine.triples(number, direction=direction)
        counted = Counter(engine.schema.relations[at].name for at in triples.relation.tolist())
        relations += [
            {"relation": name, "direction": direction, "triples": count} for name, count in counted.most_common()
        ]
    return {
        "graph": graph,
        "snapshot": engine.snapshot.id,
        **entity_records(engine, number)[0],
        **lists,
        "properties": details,
        "degree": int(engine.degree(number)[0]),
        "relations": relations,
    }


def neighbourhood_record(
    engine: "GraphEngine",
    seeds: Sequence[str],
    *,
    graph: str,
    k: int = 1,
    direction: str = "both",
    relations: Sequence[str] | None = None,
    layer: str = "all",
    limit: int = 200,
    most_triples: int = 1_000,
    timeout: float | None = None,
) -> dict[str, Any]:
    """The entities within k hops, nearest first, and the triples between those that are listed."""
    import numpy as np

    start = engine.resolve(list(seeds))
    ids, distances = engine.distances(start, k, direction=direction, relations=relations, layer=layer, timeout=timeout)
    order = np.argsort(distances, kind="stable")[:limit]
    shown, far = ids[order], distances[order].tolist()
    between = engine.subgraph(shown, relations=relations, layer=layer).numbers
    entities = [{**each, "distance": at} for each, at in zip(entity_records(engine, shown), far, strict=True)]
    listed = between[:most_triples]
    return {
        "graph": graph,
        "snapshot": engine.snapshot.id,
        "seeds": entity_records(engine, start),
        "k": k,
        "direction": direction,
        "count": len(ids),
        "truncated": len(shown) < len(ids) or len(listed) < len(between),
        "entities": entities,
        "triple_count": len(between),
        "triples": _triples(engine, listed.tolist(), with_assertions=False),
    }


def triples_record(engine: "GraphEngine", numbers: Sequence[int], *, graph: str) -> dict[str, Any]:
    """Triples by number, with their assertions."""
    listed = _triples(engine, numbers, with_assertions=True)
    return {"graph": graph, "snapshot": engine.snapshot.id, "triples": listed}


def _triples(engine: "GraphEngine", numbers: Sequence[int], *, with_assertions: bool) -> list[dict[str, Any]]:
    from clew.graph import Where

    triples = list(engine.numbered(numbers))
    types = {row["id"]: row["type"] for row in entity_records(engine, _ends(engine, numbers))}
    layers = {
        layer: _passing(engine, numbers, Where(layer=layer, negated=True)) for layer in ("curated", "no-extracted")
    }
    affirmed = _passing(engine, numbers, Where())
    documents = _documents(engine, [each.number for each in triples])
    records = []
    for each in triples:
        curated, other = each.number in layers["curated"], each.number in layers["no-extracted"]
        record: dict[str, Any] = {
            "triple": each.number,
            **triple_record(each),
            "subject_type": types[each.subject],
            "object_type": types[each.object],
            "origin": "curated" if curated else "other" if other else "extracted",
            "negated": each.number not in affirmed,
            "documents": documents.get(each.number, 0),
        }
        if with_assertions:
            record["assertions"] = [assertion_record(said) for said in engine.assertions(each.number)]
        records.append(record)
    return records


def _ends(engine: "GraphEngine", numbers: Sequence[int]) -> Any:
    import numpy as np

    columns = engine.triple_columns(np.asarray(numbers, np.int64))
    return np.union1d(columns.subject, columns.object)


def _passing(engine: "GraphEngine", numbers: Sequence[int], where: Any) -> set[int]:
    """Those of some triples that pass a condition."""
    return set(engine.subgraph(_ends(engine, numbers), where=where).numbers.tolist()) & set(numbers)


def _documents(engine: "GraphEngine", numbers: list[int]) -> dict[int, int]:
    """How many documents the statements of each triple cite."""
    table = engine.assertion_table(numbers)
    if "evidence" not in table.column_names:
        return {}
    cited: dict[int, set[str]] = {}
    for number, evidence in zip(table["number"].to_pylist(), table["evidence"].to_pylist(), strict=True):
        cited.setdefault(number, set()).update(evidence or ())
    return {number: len(each) for number, each in cited.items()}
