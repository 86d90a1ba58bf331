"""Triples read by a language model alone, with the same relations: the baseline for extraction.

Texts are cut into chunks of whole sentences; for each the model writes lines of subject, relation and object under a
grammar that admits only the known relations. Entities of exactly the same name are one, triples stated often are one
triple with all its chunks.
"""

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from clew.errors import ContextOverflow, InputError, ModelError, Timeout
from clew.evaluate.extraction.judge.wordings import claim
from clew.extract.corpus.sentences import split_passage
from clew.extract.list_prompt import NOTHING, ListPrompter
from clew.extract.seed.signatures import Signatures
from clew.lm import LanguageModel, literal, load_prompt
from clew.progress import Progress, silent

__all__ = ["Chunk", "Read", "ReadTriple", "chunks", "line_grammar", "read_triples", "stored_relations"]

CHUNK_WORDS = 300
MOST_TRIPLES = 10
MOST_TOKENS = 256
LONGEST_NAME = 80
BAR = " | "
MOST_TYPES = 2
WORD_OF_TYPE = re.compile(r"(?<=[a-z])(?=[A-Z])")


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
    """What was read, how long each chunk took, and what was left out and why."""

    triples: list[ReadTriple] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def leave_out(self, reason: str) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


def chunks(documents: Iterable[tuple[str, str]], *, words: int = CHUNK_WORDS) -> Iterator[Chunk]:
    """Documents, given as id and text, in chunks of at most `words` words where sentences allow it."""
    if words < 1:
        raise InputError(f"a chunk has at least 1 word, not {words}")
    for document, text in documents:
        start, end = 0, 0
        for _, boundary in split_passage(text):
            if end > start and len(text[start:boundary].split()) > words:
                yield Chunk(document, start, text[start:end])
                start = end + len(text[end:]) - len(text[end:].lstrip())
            end = boundary
        if text[start:].strip():
            yield Chunk(document, start, text[start:])


def stored_relations(signatures: Signatures) -> dict[str, str]:
    """The relations that triples have in the end, without named inverses, each with what a model is told of it.

    >>> stored_relations(Signatures({"treats": {("Drug", "Disease"): 755}}))
    {'treats': 'treats: a drug is used to treat a disease'}
    """
    listed = {}
    for name, pairs in signatures.pairs.items():
        if name in signatures.inverses:
            continue
        often = sorted(pairs, key=lambda pair: -pairs[pair])
        ends = [_kinds(dict.fromkeys(pair[side] for pair in often)) for side in (0, 1)]
        listed[name] = f"{name}: {claim(ends[0], name, ends[1])}"
    return listed


def _kinds(types: Iterable[str]) -> str:
    """Types in words; more than a few tell nothing."""
    said = [f"a {WORD_OF_TYPE.sub(' ', name).lower()}" for name in types]
    return " or ".join(said) if len(said) <= MOST_TYPES else "something"


def line_grammar(relations: Iterable[str]) -> str:
    """A grammar of up to `MOST_TRIPLES` lines of subject, relation and object, or "none"."""
    bar = literal(BAR)
    return "\n".join(
        (
            f'root ::= {literal(NOTHING)} | line ("\\n" line){{0,{MOST_TRIPLES - 1}}}',
            f"line ::= name {bar} relation {bar} name",
            "name ::= [^|\\n ] [^|\\n]*",  # bounded by the tokens of an answer: a counted repeat is slow
            f"relation ::= {' | '.join(map(literal, relations))}",
        )
    )


def read_triples(
    model: LanguageModel, pieces: Sequence[Chunk], relations: Mapping[str, str], *, progress: Progress = silent
) -> Read:
    """Ask the model for the triples of every chunk; a chunk that it fails on is counted and passed over.

    `relations` are names with what the model is told of each (`stored_relations`).
    """
    if not relations:
        raise InputError("triples are read with at least one relation, and none is given")
    prompt = load_prompt("clew.evaluate.extraction.language_model", "extract.txt")
    told, grammar, prompter = "\n".join(relations.values()), line_grammar(relations), ListPrompter(model)
    read = Read()
    known: dict[tuple[str, str, str], ReadTriple] = {}
    for at, chunk in enumerate(pieces):
        progress("reading chunks", at, len(pieces))
        begun = time.monotonic()
        asked = prompt.format(text=chunk.text, relations=told)
        try:
            lines = prompter.ask(asked, grammar=grammar, most=MOST_TRIPLES, max_tokens=MOST_TOKENS)
        except (ModelError, ContextOverflow, Timeout) as error:
            read.leave_out(f"a chunk: {type(error).__name__}")
            continue
        read.seconds.append(time.monotonic() - begun)
        for triple in _triples(lines, relations, read):
            known.setdefault(triple, ReadTriple(*triple)).chunks.append(at)
    progress("reading chunks", len(pieces), len(pieces))
    if prompter.bad_answers:
        read.left_out["a chunk: no list of triples"] = prompter.bad_answers
    read.triples = list(known.values())
    return read


def _triples(lines: Iterable[str], relations: Mapping[str, str], read: Read) -> Iterator[tuple[str, str, str]]:
    for line in lines:
        named = [each.strip() for each in line.split("|")]
        if len(named) != 3 or not all(named):
            read.leave_out("not a triple")
        elif max(map(len, named)) > LONGEST_NAME:
            read.leave_out("not a name")
        elif named[1] not in relations:
            read.leave_out("another relation")
        elif named[0] == named[2]:
            read.leave_out("leads to itself")
        else:
            yield named[0], named[1], named[2]
