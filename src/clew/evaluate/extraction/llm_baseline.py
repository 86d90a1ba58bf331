"""Triples read by a language model alone, with the same relations: the baseline that extraction is held against.

Texts are cut into chunks of whole sentences; for each the model writes JSON under a schema that admits only the known
relations. Entities of exactly the same name are one, triples stated often are one triple with all its chunks.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from clew.errors import ContextOverflow, InputError, ModelError, Timeout
from clew.evaluate.extraction.rules import END_OF_SENTENCE
from clew.lm import LanguageModel, Message, Request, extract_json
from clew.progress import Progress, silent

__all__ = ["Chunk", "Read", "ReadTriple", "chunks", "read_triples"]

CHUNK_WORDS = 300
MOST_TRIPLES = 12
MOST_TOKENS = 768
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, from `start` on."""

    document: str
    start: int
    text: str


@dataclass(slots=True)
class ReadTriple:
    """A triple as a model wrote it, and the chunks it was read from."""

    subject: str
    relation: str
    object: str
    chunks: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Read:
    """What was read, and what was left out and why."""

    triples: list[ReadTriple] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def leave_out(self, reason: str) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


def chunks(documents: Iterable[tuple[str, str]], *, words: int = CHUNK_WORDS) -> Iterator[Chunk]:
    """Documents, given as id and text, in pieces of at most so many words where sentences allow it."""
    if words < 1:
        raise InputError(f"a chunk has at least 1 word, not {words}")
    for document, text in documents:
        start, end = 0, 0
        for boundary in [*(found.start() for found in END_OF_SENTENCE.finditer(text)), len(text)]:
            if end > start and len(text[start:boundary].split()) > words:
                yield Chunk(document, start, text[start:end])
                start = end + len(text[end:]) - len(text[end:].lstrip())
            end = boundary
        if text[start:].strip():
            yield Chunk(document, start, text[start:])


def read_triples(
    model: LanguageModel,
    pieces: Sequence[Chunk],
    relations: Sequence[str],
    *,
    seconds: float = 300.0,
    progress: Progress = silent,
) -> Read:
    """Ask the model for the triples of every chunk; a chunk that it fails on is counted and passed over."""
    prompt = files("clew.evaluate.extraction").joinpath("prompts/extract.txt").read_text("utf-8").strip()
    listed, schema = "\n".join(relations), json.dumps(_schema(relations))
    read = Read()
    known: dict[tuple[str, str, str], ReadTriple] = {}
    for at, chunk in enumerate(pieces):
        progress("reading chunks", at, len(pieces))
        asked = prompt.format(text=chunk.text, relations=listed)
        try:
            request = Request([Message("user", asked)], max_tokens=MOST_TOKENS, schema=schema)
            written = extract_json(model.complete(request, timeout=seconds).text)
        except (ModelError, ContextOverflow, Timeout) as error:
            read.leave_out(f"a chunk: {type(error).__name__}")
            continue
        for triple in _triples(written, relations, read):
            known.setdefault(triple, ReadTriple(*triple)).chunks.append(at)
    progress("reading chunks", len(pieces), len(pieces))
    read.triples = list(known.values())
    return read


def _schema(relations: Sequence[str]) -> dict[str, object]:
    name = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
    properties = {"subject": name, "relation": {"enum": list(relations)}, "object": name}
    item = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {
        "type": "object",
        "properties": {"triples": {"type": "array", "items": item, "maxItems": MOST_TRIPLES}},
        "required": ["triples"],
        "additionalProperties": False,
    }


def _triples(written: object, relations: Sequence[str], read: Read) -> Iterator[tuple[str, str, str]]:
    rows = written.get("triples") if isinstance(written, dict) else written
    if not isinstance(rows, list):
        read.leave_out("a chunk: no list of triples")
        return
    for row in rows:
        values = [row.get(each) for each in ("subject", "relation", "object")] if isinstance(row, dict) else []
        named = [each.strip() for each in values if isinstance(each, str) and each.strip()]
        if len(named) != 3:
            read.leave_out("not a triple")
        elif named[1] not in relations:
            read.leave_out("another relation")
        elif named[0] == named[2]:
            read.leave_out("leads to itself")
        else:
            yield named[0], named[1], named[2]
