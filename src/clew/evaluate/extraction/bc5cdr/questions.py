"""What a model is asked about the chemicals of BC5CDR: which of the document's diseases does this mention induce?

Abstracts go in; out come sequences, one query for each chemical mention in each sequence that holds it, and the tails
to be weighed for it: every text by which the document calls one of its diseases, and [NONE]. Each chemical is also
asked about with no context at all, so that what a disease's name weighs by itself can be taken off.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.evaluate.extraction.bc5cdr.abstracts import CHEMICAL, DISEASE, Abstract
from clew.evaluate.extraction.bc5cdr.windows import Window, cut_windows, mention_range
from clew.extract.chains.graphs import SLOTS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Query", "Questions", "Tail", "ask_about"]

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tail:
    """A text by which a document calls diseases: its tokens, cut to seven, and the diseases."""

    tokens: Tokens
    diseases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A chemical mention in a sequence; `seen` are the document's tails whose mention the sequence holds."""

    document: int
    sequence: int
    first: int
    last: int  # exclusive
    chemicals: tuple[str, ...]
    seen: frozenset[int]
    bare: bool = False  # without context: the sequence is the mention alone


@dataclass(slots=True)
class Questions:
    """Everything that is asked about some abstracts."""

    abstracts: Sequence[Abstract]
    sequences: list[Tokens] = field(default_factory=list)
    sequence_document: list[int] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)  # ascending in sequence
    tails: list[list[Tail]] = field(default_factory=list)  # of each document
    cut_tails: int = 0  # tails of more than seven tokens

    def named(self, query: Query) -> frozenset[int]:
        """The tails to be learnt for a query: names in its sequence of diseases that its chemicals induce."""
        induces = self.abstracts[query.document].induces
        return frozenset(
            at
            for at, tail in enumerate(self.tails[query.document])
            if at in query.seen
            and any((chemical, disease) in induces for chemical in query.chemicals for disease in tail.diseases)
        )


def ask_about(abstracts: Sequence[Abstract], tokenizer: "Tokenizer", *, length: int = 128) -> Questions:
    """The questions about some abstracts; bare mentions come after everything else."""
    questions = Questions(abstracts)
    bare: dict[tuple[int, Tokens], tuple[str, ...]] = {}
    for document, abstract in enumerate(abstracts):
        names = _names(abstract, tokenizer)
        questions.tails.append([Tail(tokens[:SLOTS], tuple(diseases)) for tokens, diseases in names.items()])
        questions.cut_tails += sum(len(tokens) > SLOTS for tokens in names)
        for window in cut_windows(abstract, tokenizer, length=length):
            for query in _queries(abstract, window, document, len(questions.sequences), list(names), tokenizer):
                questions.queries.append(query)
                mention = window.tokens[query.first : query.last]
                bare[document, mention] = query.chemicals
            questions.sequences.append(window.tokens)
            questions.sequence_document.append(document)
    for (document, mention), chemicals in bare.items():
        whole = Query(document, len(questions.sequences), 0, len(mention), chemicals, frozenset(), bare=True)
        questions.queries.append(whole)
        questions.sequences.append(mention)
        questions.sequence_document.append(document)
    return questions


def _names(abstract: Abstract, tokenizer: "Tokenizer") -> dict[Tokens, dict[str, None]]:
    """Each way the document writes a disease, as tokens, with the diseases it stands for."""
    names: dict[Tokens, dict[str, None]] = {}
    for mention in abstract.of_type(DISEASE):
        tokens = tuple(tokenizer.encode(mention.text, add_special_tokens=False).ids)
        if tokens:
            names.setdefault(tokens, {}).update(dict.fromkeys(mention.ids))
    return names


def _queries(
    abstract: Abstract, window: Window, document: int, sequence: int, names: list[Tokens], tokenizer: "Tokenizer"
) -> Iterable[Query]:
    """Chemical mentions of a window, one for each token that a mention begins with."""
    seen = frozenset(
        names.index(tuple(tokenizer.encode(mention.text, add_special_tokens=False).ids))
        for mention in abstract.of_type(DISEASE)
        if mention_range(window, mention) is not None
    )
    begun: set[int] = set()
    for mention in abstract.of_type(CHEMICAL):
        covered = mention_range(window, mention)
        if covered is not None and covered[0] not in begun:
            begun.add(covered[0])
            yield Query(document, sequence, *covered, mention.ids, seen)
