"""Graphs made for their names, a Hypothesis strategy for such names, and a linker so slow that it is plainly right."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from hypothesis import strategies as st

import clew
from clew.graph import read_entities
from clew.link.normalise import key, loose_keys, plain

WORDS = ("Marfan", "syndrome", "Syndromes", "type", "II", "2", "of", "the", "lung", "cancer", "Crohn's", "β", "beta")
ODD = ("|", "🧬", "+", " ", "a\nb", "é", "WAS", "x" * 40)

Entity = tuple[str, str, str, Sequence[str], Sequence[str]]  # id, name, type, synonyms, xrefs


def names() -> st.SearchStrategy[str]:
    """Names of a few words, so that many are alike, and odd ones."""
    joined = st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.sampled_from((" ", "-", ", ")))
    return st.one_of(joined.map(lambda each: each[1].join(each[0])), st.sampled_from(ODD), st.text(max_size=8))


def entities() -> st.SearchStrategy[list[Entity]]:
    """A handful of entities with names, synonyms and cross-references."""
    one = st.tuples(names(), st.sampled_from(("Gene", "Disease")), st.lists(names(), max_size=3))
    return st.lists(one, min_size=1, max_size=7).map(
        lambda listed: [
            (f"X:{1000 + at}", name, type, synonyms, [f"UMLS:C000{at % 3}"])
            for at, (name, type, synonyms) in enumerate(listed)
        ]
    )


def write(listed: Sequence[Entity], out: Path, *, writable: bool = True) -> clew.Engine:
    """Build a graph of these entities, the first related to all others; beside one not writable no index can stand."""
    ids, called, types, synonyms, xrefs = map(list, zip(*listed, strict=True))
    table = pa.table(
        {
            "id": pa.array(ids, pa.string()),
            "name": pa.array(called, pa.string()),
            "type": pa.array(types, pa.string()),
            "synonyms": pa.array(synonyms, pa.list_(pa.string())),
            "xrefs": pa.array(xrefs, pa.list_(pa.string())),
        }
    )
    triples = pa.table({"subject": [ids[0]] * len(ids), "relation": ["near"] * len(ids), "object": ids})
    clew.build(triples, entities=table, out=out, overwrite=True)
    if not writable:
        (out / "derived").write_text("a file where a folder should be")
    return clew.open(out)


def reference_link(graph: clew.Engine, mention: str, *, type: str | None = None) -> Mapping[str, float]:
    """Scores by entity id for names and synonyms, by looking at every form of every entity."""
    wanted, lowered, found, loose = key(mention), plain(mention), {}, {}
    described, details = read_entities(graph).to_pylist(), read_entities(graph).to_pylist()
    for row, more in zip(described, details, strict=True):
        if type is not None and row["type"] != type:
            continue
        called = [(row["name"], False)] if row["name"] != row["id"] else []
        for form, synonym in called + [(each, True) for each in more.get("synonyms") or () if each]:
            if form == mention:
                score = 0.98 if synonym else 1.0
            elif plain(form) == lowered and key(form) == wanted:
                score = 0.97 if synonym else 0.99
            elif key(form) == wanted:
                score = 0.93 if synonym else 0.95
            elif set(loose_keys(key(form))) & set(loose_keys(wanted)):
                loose[row["id"]] = max(loose.get(row["id"], 0), 0.90 if synonym else 0.92)
                continue
            else:
                continue
            found[row["id"]] = max(found.get(row["id"], 0), score)
    return found or loose
