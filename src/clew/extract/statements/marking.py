"""Documents as the model reads them: tokens with a typed marker before and after every mention, and candidate pairs.

A document's text and mentions go in, a `MarkedDocument` of plain arrays comes out: one encoding serves all its pairs.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.corpus.sentences import split_passage
from clew.extract.statements.config import Config, config_of_start
from clew.extract.statements.examples import ENTITY_TYPES, Example, MarkedDocument
from clew.extract.statements.gold import CORPORA, GoldDocument, Mention
from clew.extract.statements.pair_texts import cut_pair_text
from clew.extract.statements.pairing import HasNarrower, Layout, TokenMention, mark_tokens

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Marker", "label_pairs"]


class Marker:
    """Marks documents with the vocabulary of a tokenizer.json; `has_narrower` knows the hierarchy of the entities."""

    def __init__(
        self, tokenizer: "Tokenizer", *, vocabulary: int, positions: int, has_narrower: HasNarrower | None = None
    ) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        begin, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
        if begin is None or end is None:
            raise InputError("the tokenizer has no [CLS] and [SEP]: expected the tokenizer.json of a BERT-shaped model")
        self._tokenizer = tokenizer
        self.layout = Layout(begin, end, vocabulary, positions)
        self.has_narrower = has_narrower

    @classmethod
    def open(cls, path: Path, *, vocabulary: int, positions: int, has_narrower: HasNarrower | None = None) -> "Marker":
        """From a tokenizer.json."""
        from tokenizers import Tokenizer

        try:
            tokenizer: Tokenizer = Tokenizer.from_str(Path(path).read_text("utf-8"))
        except Exception as error:  # tokenizers raises a bare Exception for a file it cannot use
            raise InputError(f"{path} is not a tokenizer.json that can be read: {error}") from error
        return cls(tokenizer, vocabulary=vocabulary, positions=positions, has_narrower=has_narrower)

    @classmethod
    def for_start(cls, start: Path, *, has_narrower: HasNarrower | None = None) -> "Marker":
        """For a model that begins with the BERT in a directory."""
        config = config_of_start(start)
        return cls.open(
            Path(start) / "tokenizer.json",
            vocabulary=config.vocabulary,
            positions=config.positions,
            has_narrower=has_narrower,
        )

    @classmethod
    def of_trained(cls, tokenizer: str, config: Config) -> "Marker":
        """For a trained model, by the content of its tokenizer.json."""
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_str(tokenizer), vocabulary=config.vocabulary, positions=config.positions)

    def mark(
        self, text: str, mentions: Sequence[Mention], *, types: Collection[tuple[str, str]] | None = None
    ) -> MarkedDocument:
        """Mark all mentions; the pairs are those of different entities whose types (subject, object) are wanted."""
        tokens, spans = self.cut(text)
        located = self.locate(text, [each for each in mentions if each.type in ENTITY_TYPES and each.ids], spans)
        return mark_tokens(tokens, located, self.layout, types=types, has_narrower=self.has_narrower)

    def mark_gold(self, document: GoldDocument) -> Example:
        """A gold document with the candidate pairs of its corpus and their labels."""
        marked = self.mark(document.text, document.mentions, types=CORPORA[document.corpus].pairs)
        labels = label_pairs(document, marked)
        missed = len({frozenset(pair) for _, *pair in document.relations}) - int((labels > 0).sum())
        return Example(document.id, document.corpus, marked, labels, missed)

    def pair_texts(
        self, text: str, mentions: Sequence[Mention], pairs: Sequence[tuple[str, str]]
    ) -> list[NDArray[np.int64]]:
        """For each pair of entities the tokens of the sentences about them, their mentions marked."""
        tokens, spans = self.cut(text)
        starts = [start for start, _ in spans]
        sentences = sorted({0, *(bisect_left(starts, start) for start, _ in split_passage(text, 0, len(text)))})
        of: dict[str, list[TokenMention]] = {}
        for mention in self.locate(text, [each for each in mentions if each.type in ENTITY_TYPES], spans):
            for identifier in mention.ids:
                of.setdefault(identifier, []).append(mention)
        return [cut_pair_text(tokens, sentences, (of[one], of[other]), self.layout) for one, other in pairs]

    def cut(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """The tokens of a text and their characters."""
        encoded: Any = self._tokenizer.encode(text, add_special_tokens=False)
        return encoded.ids, encoded.offsets

    def locate(self, text: str, mentions: Sequence[Mention], spans: Sequence[tuple[int, int]]) -> list[TokenMention]:
        """Mentions of a text as mentions of its tokens, in order of their start."""
        starts = [start for start, _ in spans]
        ends = [end for _, end in spans]
        begins = [start for start, _ in split_passage(text, 0, len(text))]
        found = []
        for mention in sorted(mentions, key=lambda each: (each.start, each.end)):
            first = bisect_right(ends, mention.start)  # the first token that ends after the mention begins
            after = max(bisect_right(starts, mention.end - 1), first + 1)  # the first one that begins after its end
            sentence = bisect_right(begins, mention.start) - 1
            found.append(TokenMention(first, after, mention.type, mention.ids, sentence))
        return found


def label_pairs(document: GoldDocument, marked: MarkedDocument) -> NDArray[np.int64]:
    """The label of each pair; if a pair has several relations, the first in the order of its corpus."""
    numbers = {name: number for number, name in enumerate(CORPORA[document.corpus].relations.values(), start=1)}
    stated: dict[frozenset[str], int] = {}
    for relation, one, other in document.relations:
        pair = frozenset((one, other))
        stated[pair] = min(stated.get(pair, len(numbers)), numbers[relation])
    names = [frozenset((marked.entities[one], marked.entities[other])) for one, other in marked.pairs]
    return np.array([stated.get(pair, 0) for pair in names], np.int64)
