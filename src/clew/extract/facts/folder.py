"""A folder of facts: documents are read in parts, a killed extraction resumes, and the result is KGX for `clew build`.

facts.parquet has a row for each statement of each document and its status (stated, given, denied, speculative);
extracted_nodes.jsonl and extracted_edges.jsonl are the same for `clew build`, denied ones as negated assertions, given
and speculative ones left out; counts.json says what was read.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from clew.errors import InputError
from clew.extract.corpus.document import Document
from clew.extract.corpus.readers import read_file
from clew.extract.corpus.source_files import Input, SourceFile, source_files
from clew.extract.facts import status
from clew.extract.facts.finding import Fact, FactFinder
from clew.extract.facts.workers import rows_of_parts
from clew.extract.filter.assertions import SOURCE, write_kgx
from clew.extract.packaging.locate import find_statements
from clew.extract.stage import Stage, make_table, seal_checksum, write_counts
from clew.extract.statements.relations import STATED
from clew.graph import Relation, Source
from clew.graph.staging import Problems
from clew.progress import Progress, silent
from clew.sealed import check_seal

__all__ = ["FACTS", "SCHEMA", "extract_facts", "find_in_texts", "read_facts"]

FACTS = "facts.parquet"
PART = 50  # documents
KINDS = {str: pa.string(), float: pa.float32(), bool: pa.bool_(), int: pa.int32()}
OWN = [("document", pa.string()), ("license", pa.string()), ("model", pa.string())]
SCHEMA = pa.schema([*OWN, *((each.name, KINDS[each.type]) for each in fields(Fact))])  # type: ignore[index]
QUALIFIERS = (
    "sentence", "subject_text", "subject_start", "subject_end", "object_text", "object_start", "object_end",
)  # fmt: skip


def extract_facts(
    inputs: Sequence[Input | str | Path],
    out: Path,
    *,
    model: Path,
    confidence: float | None = None,
    processes: int = 1,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Read documents and write the folder `out`; returns its counts. The same call resumes one that was stopped."""
    if confidence is not None and not 0 <= confidence <= 1:
        raise InputError(f"a confidence is a probability between 0 and 1, not {confidence}")
    problems = Problems(on_error="skip")
    files = source_files(inputs, problems)
    if not files:
        raise InputError("there are no files to read: give files or folders of texts")
    statements = find_statements(model)
    out = Path(out).absolute()
    given = [(str(each.path.absolute()), each.path.stat().st_size, each.path.stat().st_mtime_ns) for each in files]
    made_from = {
        "files": given,
        "model": seal_checksum(statements),
        "confidence": -1.0 if confidence is None else confidence,
    }
    work = Stage(out.name, "texts", "facts of documents").start(out.parent, made_from)
    if work.finished is not None:
        return work.finished
    parts = work.parts()
    documents = _documents(files, problems)
    done = sum(1 for _ in islice(documents, parts.finished * PART))
    read = rows_of_parts(
        iter(lambda: list(islice(documents, PART)), []),
        model,
        confidence=confidence,
        processes=processes,
        progress=progress,
    )
    name = statements.parent.name
    for some, rows in read:
        named = [(document, license_text, name, *fact) for document, license_text, *fact in rows]
        parts.write({"facts": make_table(named, SCHEMA)}, {"documents": len(some)})
        done += len(some)
        progress("reading documents", done, None)
    total = sum((Counter(note) for note in parts.notes()), Counter[str]())
    if not total["documents"]:
        raise InputError(f"no document could be read: {'; '.join(problems.examples[:3]) or 'the files are empty'}")
    facts = pa.concat_tables([SCHEMA.empty_table(), *parts.tables("facts")])
    counts = {**total, **_describe(facts), "files": len(files), "problems": dict(problems.counts)}
    with work.seal() as directory:
        parts.join("facts", directory / FACTS, SCHEMA)
        write_kgx(
            directory,
            _assertions(facts),
            relations=_relations(),
            source=_source(facts, statements.parent.name),
            qualifiers=QUALIFIERS,
        )
        write_counts(directory, counts)
    return counts


def read_facts(folder: Path) -> pa.Table:
    """The facts of a finished folder."""
    folder = Path(folder)
    check_seal(folder, {}, what=f"the folder of facts {folder}", remedy=f"clew extract TEXTS --out {folder}")
    return pq.read_table(folder / FACTS)


def find_in_texts(
    texts: Sequence[str], *, model: Path, confidence: float | None = None, progress: Progress = silent
) -> pa.Table:
    """The facts of texts; `document` is the number of the text."""
    finder = FactFinder.open(model, progress=progress)
    name = find_statements(model).parent.name
    rows = [
        (str(number), "", name, *astuple(fact))
        for number, text in enumerate(texts)
        for fact in finder.find(text, confidence=confidence)
    ]
    return make_table(rows, SCHEMA)


def _documents(files: Sequence[SourceFile], problems: Problems) -> Iterator[Document]:
    for file in files:
        yield from read_file(file, problems)


def _assertions(facts: pa.Table) -> pa.Table:
    """What goes into a graph: stated ones, and denied ones as negated."""
    kept = facts.filter(pc.is_in(facts["status"], pa.array([status.STATED, status.DENIED])))
    return kept.append_column("negated", pc.equal(kept["status"], status.DENIED))


def _describe(table: pa.Table) -> dict[str, Any]:
    marked = Counter(table["status"].to_pylist())
    facts = table.filter(pc.equal(table["status"], status.STATED))
    triples = facts.group_by(["subject", "relation", "object"]).aggregate([]).num_rows
    counted = Counter(facts["relation"].to_pylist())
    return {
        "facts": facts.num_rows,
        **{each: marked[each] for each in status.MARKS},
        "triples": triples,
        "facts in the seed": sum(facts["known"].to_pylist()),
        "relations": dict(counted.most_common()),
    }


def _relations() -> list[Relation]:
    return [Relation(each.name, symmetric=each.symmetric) for each in STATED]


def _source(facts: pa.Table, model: str) -> Source:
    licences = sorted({each for each in facts["license"].to_pylist() if each})
    return Source(
        SOURCE,
        version=model,
        license="; ".join(licences) or None,
        attribution="extracted from text by a trained model; every statement names its document and sentence",
    )
