"""A small seed graph and texts cut into sequences by words, for tests of heads, selection and planted facts."""

import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from clew.extract.sequences.packing import SEQUENCES
from clew.graph import Relation, Staged
from clew.graph.build import build_graph
from clew.graph.staging import Problems
from clew.traverse import GraphEngine
from clew.traverse import open as open_graph

ENTITIES = (  # id, name, type, synonyms, xrefs
    ("C:1", "aspirin", "Chemical", ["acetylsalicylic acid"], ["MESH:D001241"]),
    ("C:2", "heparin", "Chemical", [], []),
    ("C:3", "salicylate", "Chemical", [], []),
    ("D:1", "bleeding", "Disease", ["hemorrhage"], ["MESH:D006470"]),
    ("D:2", "gastric ulcer", "Disease", ["stomach ulcer"], []),
    ("D:3", "ulcer", "Disease", [], []),
    ("D:4", "gastric antral vascular ectasia", "Disease", ["GAVE"], []),
    ("D:5", "fever", "Disease", [], []),
    ("G:1", "REST", "Gene", [], []),
    ("G:2", "TNF", "Gene", [], []),
    ("D:6", "disease", "Disease", [], []),
)
TRIPLES = (
    ("C:1", "is_a", "C:3"),
    ("C:1", "induces", "D:1"),
    ("C:1", "induces", "D:2"),
    ("C:1", "treats", "D:5"),
    ("C:2", "induces", "D:1"),
    ("C:3", "induces", "D:3"),
    ("D:2", "is_a", "D:3"),
    ("D:3", "is_a", "D:6"),
    ("D:2", "is_a", "D:6"),
    ("G:2", "associated_with", "D:5"),
)
RELATIONS = (
    Relation("is_a", transitive=True),
    Relation("induces", inverse="induced_by"),
    Relation("treats", inverse="treated_by"),
    Relation("associated_with"),
)


def make_seed(folder: Path, triples: Sequence[tuple[str, str, str]] = TRIPLES) -> GraphEngine:
    ids, names, types, synonyms, xrefs = zip(*ENTITIES, strict=True)
    lists = pa.list_(pa.string())
    entities = pa.table(
        {
            "id": ids,
            "name": names,
            "type": types,
            "synonyms": pa.array(synonyms, lists),
            "xrefs": pa.array(xrefs, lists),
        }
    )
    subject, relation, object_ = zip(*triples, strict=True)
    table = pa.table({"subject": subject, "relation": relation, "object": object_})
    path = folder / "seed.clew"
    build_graph(Staged(table, entities, RELATIONS), path, problems=Problems("refuse"))
    return open_graph(path)


def make_sequences(texts: Sequence[str], *, length: int = 12) -> tuple[pa.Table, pa.Table]:
    """Documents "T0", "T1", … and their sequences of so many words and signs."""
    rows = []
    for number, text in enumerate(texts):
        spans = [found.span() for found in re.finditer(r"[^\W_]+|[^\w\s]", text)]
        for at in range(0, len(spans), length):
            starts, ends = zip(*spans[at : at + length], strict=True)
            rows.append((len(rows), f"T{number}", [7] * len(starts), starts, ends))
    columns = list(zip(*rows, strict=True))
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SEQUENCES, strict=True)]
    documents = pa.table({"document": [f"T{number}" for number in range(len(texts))], "text": list(texts)})
    return documents, pa.table(arrays, schema=SEQUENCES)
