"""Final triples as assertions: each with its sentence, the places of its ends in the document, scores and the model.

A table of triples in, KGX files out that `clew build` reads. Ends are CURIEs of the seed where they are linked, else
minted ids; the head is what the text was asked about, and the subject unless the triple is turned. Every place is
compared with the document's text before anything is written.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import DerivedError
from clew.graph import Relation, Source
from clew.graph.readers.own.declarations import declarations
from clew.graph.writers.json_lines import write_json_lines
from clew.link.normalise import key

__all__ = ["NAME", "SCHEMA", "SOURCE", "mint", "verify_spans", "write_kgx"]

NAME = "extracted"  # extracted_nodes.jsonl, extracted_edges.jsonl, extracted_relations.json
SOURCE = "clew-extract"
PREFIX = "CLEW"
MINTED = 16  # hexadecimal digits of a minted id
AGENT, LEVEL = "text_mining_agent", "prediction"
CITED = re.compile(r"[A-Za-z][\w.]*:\S+")  # a document that can be cited by its id, as PMID:123
SCHEMA = pa.schema(
    [
        ("subject", pa.string()),
        ("subject_name", pa.string()),
        ("subject_type", pa.string()),
        ("relation", pa.string()),
        ("object", pa.string()),
        ("object_name", pa.string()),
        ("object_type", pa.string()),
        ("known", pa.bool_()),  # whether the seed states this triple
        ("turned", pa.bool_()),  # the head is the object: asked was the inverse of the relation
        ("document", pa.string()),
        ("license", pa.string()),
        ("sentence", pa.string()),
        ("sentence_start", pa.int32()),
        ("sentence_end", pa.int32()),
        ("head_text", pa.string()),
        ("head_start", pa.int32()),
        ("head_end", pa.int32()),
        ("tail_text", pa.string()),
        ("tail_start", pa.int32()),  # null where the sentence does not name the tail
        ("tail_end", pa.int32()),
        ("log_prob", pa.float32()),
        ("confidence", pa.float32()),
        ("similarity", pa.float32()),
        ("decoder", pa.string()),
        ("model", pa.string()),
        ("head", pa.int32()),
        ("sequence", pa.int32()),
    ]
)
QUALIFIERS = (  # what becomes a qualifier of the assertion
    "sentence", "sentence_start", "sentence_end", "head_text", "head_start", "head_end", "tail_text",
    "tail_start", "tail_end", "log_prob", "similarity", "decoder",
)  # fmt: skip


def mint(text: str) -> str:
    """The id of what no entity of the seed is called: the same for texts that differ in case, plural or punctuation.

    >>> mint("Fatty livers") == mint("fatty liver"), mint("fatty liver")
    (True, 'CLEW:ad69042d54f0d77c')
    """
    return f"{PREFIX}:{hashlib.sha256(key(text).encode()).hexdigest()[:MINTED]}"


def verify_spans(triples: pa.Table, texts: Mapping[str, str]) -> None:
    """Raise `DerivedError` unless every place holds the text that it is said to hold.

    `texts` are documents by id. A tail may be spelt in another case than the document spells it.
    """
    columns = {name: triples[name].to_pylist() for name in ("document", *QUALIFIERS)}
    for at, document in enumerate(columns["document"]):
        text = texts.get(document)
        if text is None:
            raise DerivedError(f"triple {at} cites {document!r}, which the corpus does not hold: prepare the run again")
        for part in ("sentence", "head", "tail"):
            start, end = columns[f"{part}_start"][at], columns[f"{part}_end"][at]
            stated = columns["sentence" if part == "sentence" else f"{part}_text"][at]
            if start is None and part == "tail":
                continue
            if not _holds(text, start, end, stated, exactly=part != "tail"):
                found = text[start:end] if start is not None else None
                raise DerivedError(
                    f"triple {at}: {document} has {found!r} at {start}-{end}, not {stated!r}: prepare the run again"
                )


def _holds(text: str, start: int | None, end: int | None, stated: str, *, exactly: bool) -> bool:
    if start is None or end is None or not 0 <= start < end <= len(text):
        return False
    found = text[start:end]
    return found == stated if exactly else " ".join(found.split()).casefold() == " ".join(stated.split()).casefold()


def write_kgx(
    directory: Path,
    triples: pa.Table,
    *,
    relations: Sequence[Relation],
    source: Source,
    qualifiers: Sequence[str] = QUALIFIERS,
) -> list[Path]:
    """Write extracted_nodes.jsonl, extracted_edges.jsonl and extracted_relations.json into a directory.

    `qualifiers` are the columns of the table that become qualifiers of an assertion; a column `negated` marks those
    that deny their triple.
    """
    paths = [directory / f"{NAME}_{kind}" for kind in ("nodes.jsonl", "edges.jsonl", "relations.json")]
    write_json_lines(paths[0], iter([_entities(triples)]))
    write_json_lines(paths[1], iter([_statements(triples, source, qualifiers)]))
    paths[2].write_text(declarations(relations, [source]), "utf-8")
    return paths


def _entities(triples: pa.Table) -> pa.Table:
    """Both ends of all triples, each id once, in the words of KGX."""
    ends = [
        triples.select([end, f"{end}_name", f"{end}_type"]).rename_columns(["id", "name", "category"])
        for end in ("subject", "object")
    ]
    both = pa.concat_tables(ends)
    grouped = both.group_by("id", use_threads=False).aggregate([("name", "first"), ("category", "first")])
    types = grouped["category_first"]
    categories = [[f"biolink:{type}"] if type is not None else None for type in types.to_pylist()]
    return pa.table(
        {"id": grouped["id"], "name": grouped["name_first"], "category": pa.array(categories, pa.list_(pa.string()))}
    )


def _statements(triples: pa.Table, source: Source, names: Sequence[str]) -> pa.Table:
    """One row for each assertion, in the words of KGX; what qualifies it ends in _qualifier."""
    rows = triples.num_rows
    documents = triples["document"].to_pylist()
    cited = [[document] if CITED.fullmatch(document) else None for document in documents]
    columns = {
        "id": pa.array([f"clew:{NAME}-{row}" for row in range(rows)], pa.string()),
        "subject": triples["subject"],
        "predicate": pc.binary_join_element_wise("biolink:", triples["relation"], ""),
        "object": triples["object"],
        "primary_knowledge_source": pa.repeat(source.name, rows),
        "source_version": triples["model"],
        "license": triples["license"],
        "document": triples["document"],
        "publications": pa.array(cited, pa.list_(pa.string())),
        "knowledge_level": pa.repeat(LEVEL, rows),
        "agent_type": pa.repeat(AGENT, rows),
        "has_confidence_score": triples["confidence"],
    }
    if "negated" in triples.column_names:
        columns["negated"] = triples["negated"]
    qualifiers = {f"{name}_qualifier": _as_text(triples[name]) for name in names}
    return pa.table(columns | qualifiers)


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_floating(column.type):
        written = [None if value is None else f"{value:.4f}" for value in column.to_pylist()]
        return pa.chunked_array([pa.array(written, pa.string())])
    return column.cast(pa.string())
