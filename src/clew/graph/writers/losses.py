"""What each export format carries of a graph, so that what one cannot carry is listed when it is written."""

from clew.graph.contents import GraphContents
from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX

__all__ = ["CARRIED", "FEATURES", "left_out"]

FEATURES = (
    "names and types",
    "synonyms and xrefs",
    "properties",  # further columns of entities
    "types of values",  # numbers and dates stay such
    "entities without triples",
    "statements",  # several assertions of one triple, with all that they say
    "negation",  # of a statement
    "relation flags",
    "sources",  # records with version, licence and curation
)
EVERYTHING = frozenset(FEATURES)
CARRIED = {
    "parquet": EVERYTHING,
    "kgx": EVERYTHING - {"types of values"},
    "kgx-jsonl": EVERYTHING,
    "neo4j": EVERYTHING,
    "graphml": EVERYTHING - {"types of values"},
    "tensors": frozenset(("names and types", "entities without triples", "relation flags")),
    "n-triples": EVERYTHING - {"types of values", "statements", "negation", "sources"},
}


def left_out(to: str, contents: GraphContents) -> list[str]:
    """What this graph has and the format does not carry, in words; empty when nothing is lost."""
    carried = CARRIED[to]
    if "properties" not in carried:
        carried = carried | {"types of values"}
    return [found for feature, found in _present(contents) if feature not in carried]


def _present(contents: GraphContents) -> list[tuple[str, str]]:
    """The features that a graph has, each with what it consists of."""
    entity = next(contents.scan_entities(rows=1)).schema
    statement = next(contents.scan_triples(assertions=True, rows=1)).schema
    further = [field for field in entity if field.name not in ("id", "name", "type", "synonyms", "xrefs")]
    said = [name for name in statement.names if name in ASSERTION_TYPES and name != "negated"]
    qualifiers = [name.removeprefix(QUALIFIER_PREFIX) for name in statement.names if name.startswith(QUALIFIER_PREFIX)]
    flagged = [each.name for each in contents.schema.relations if each.negated or each.symmetric or each.transitive]
    typed = [field.name for field in further if str(field.type) != "string"]
    lists = [name for name in ("synonyms", "xrefs") if name in entity.names]
    repeated = contents.counts["assertions"] - contents.counts["triples"]
    found = {
        "synonyms and xrefs": ", ".join(lists),
        "properties": f"properties of entities ({_listed([each.name for each in further])})" if further else "",
        "types of values": f"types of values ({_listed(typed)}), which become text" if typed else "",
        "statements": _statements(said, qualifiers, repeated),
        "negation": "negated statements, which are left out" if "negated" in statement.names else "",
        "relation flags": f"flags of relations ({_listed(flagged)})" if flagged else "",
        "sources": f"records of sources ({_listed([each.name for each in contents.snapshot.sources])})"
        if contents.snapshot.sources
        else "",
    }
    return [(feature, words) for feature, words in found.items() if words]


def _statements(said: list[str], qualifiers: list[str], repeated: int) -> str:
    columns = _listed([*said, *qualifiers])
    several = f"{repeated:,} further statements of the same triples" if repeated else ""
    return "; ".join(each for each in (f"what statements say ({columns})" if columns else "", several) if each)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
