"""PubMedQA: one JSON object, PMID to question; the contexts of a question are its abstract without the conclusion.

Only contexts are read: neither the question nor its answers become text to learn from.
"""

import json
from collections.abc import Iterator

from clew.extract.corpus.document import Document
from clew.extract.corpus.source_files import SourceFile
from clew.graph.staging import Problems

__all__ = ["read"]

SOURCE, LICENSE = "PubMedQA", "MIT"
LARGEST = 1 << 28  # bytes: the file is one object and must be held whole


def read(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """A document for each question."""
    with file.open() as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        problems.add("file too long", file.name, f"one JSON object of more than {LARGEST} bytes")
        return
    try:
        questions = json.loads(content)
    except (ValueError, RecursionError) as error:
        problems.add("broken JSON", file.name, str(error) or "nested too deep")
        return
    if not isinstance(questions, dict):
        problems.add("broken JSON", file.name, "expected one object, PMID to question")
        return
    for identifier, question in questions.items():
        contexts = question.get("CONTEXTS") if isinstance(question, dict) else None
        if not isinstance(contexts, list) or not all(isinstance(context, str) for context in contexts):
            problems.add("malformed record", f"{file.name}, {identifier}", "CONTEXTS is not a list of texts")
            continue
        yield Document(
            id=f"PMID:{identifier}" if identifier.isdecimal() else identifier,
            title="",
            passages=tuple(contexts),
            source=file.given.source or SOURCE,
            license=file.given.license or LICENSE,
            where=f"{file.name}, {identifier}",
        )
