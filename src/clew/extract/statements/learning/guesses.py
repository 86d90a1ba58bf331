"""Self-training: what several trained models guess about texts without gold, as soft labels for another model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from clew.extract.statements.config import OUTPUTS, columns_of
from clew.extract.statements.examples import MarkedDocument
from clew.extract.statements.gold import CORPORA
from clew.extract.statements.learning.batches import make_batch
from clew.extract.statements.learning.judge import Judge
from clew.extract.statements.pairing import Layout, TokenMention, mark_tokens

__all__ = ["Guessed", "Text", "guess", "mark_text"]


@dataclass(frozen=True, slots=True)
class Text:
    """A text without gold: its tokens and where its sentences begin among them."""

    tokens: NDArray[np.int64] = field(repr=False)
    sentences: NDArray[np.int64] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Guessed:
    """A marked text and how probable each outcome of each corpus is for its pairs, by other models."""

    marked: MarkedDocument
    shares: NDArray[np.float32] = field(repr=False)  # (pairs, columns of all corpora)
    rows: Mapping[str, NDArray[np.int64]] = field(repr=False)  # the pairs whose types each corpus annotates

    @classmethod
    def of(cls, marked: MarkedDocument, shares: NDArray[np.float32]) -> "Guessed":
        """A document and the shares of its pairs."""
        return cls(marked, shares, {corpus: _rows(marked, corpus) for corpus in OUTPUTS})


def mark_text(
    text: Text, mentions: Sequence[tuple[int, int, str]], layout: Layout, *, brackets: tuple[int, int]
) -> MarkedDocument:
    """A text with tagged mentions; mentions of one type with the same tokens, and a name with its abbreviation in
    brackets behind it, are one entity."""
    names = [" ".join(map(str, text.tokens[first:after])) for first, after, _ in mentions]
    same: dict[tuple[str, str], str] = {}
    for (_, after, kind), (first, end, other), name, short in zip(
        mentions, mentions[1:], names, names[1:], strict=False
    ):
        bracketed = first == after + 1 and end < len(text.tokens)
        if kind == other and bracketed and (text.tokens[after], text.tokens[end]) == brackets:
            same.setdefault((kind, short), same.get((kind, name), name))
    located = []
    for (first, after, kind), name in zip(mentions, names, strict=True):
        sentence = int(np.searchsorted(text.sentences, first, side="right")) - 1
        located.append(TokenMention(first, after, kind, (f"{kind} {same.get((kind, name), name)}",), sentence))
    wanted = frozenset().union(*(corpus.pairs for corpus in CORPORA.values()))
    return mark_tokens(text.tokens.tolist(), located, layout, types=wanted)


@torch.inference_mode()  # type: ignore[untyped-decorator]
def guess(
    models: Sequence[Judge], documents: Sequence[MarkedDocument], device: str, *, batch: int = 64
) -> Iterator[Guessed]:
    """The mean of what the models say, for each document in turn."""
    for first in range(0, len(documents), batch):
        chosen = documents[first : first + batch]
        given = make_batch(chosen, device)
        total: torch.Tensor | float = 0.0
        for model in models:
            with torch.autocast(torch.device(device).type, torch.bfloat16, enabled="cuda" in device):
                hidden, attention = model.encoder(given.tokens, given.present)
                scores = model.judge(hidden, attention, given.inputs).float()
            total = total + torch.cat([scores[..., columns_of(corpus)].softmax(2) for corpus in OUTPUTS], 2)
        shares = (torch.as_tensor(total) / len(models)).cpu().numpy()
        for row, document in enumerate(chosen):
            yield Guessed.of(document, shares[row, : len(document.pairs)])


def _rows(marked: MarkedDocument, corpus: str) -> NDArray[np.int64]:
    ends = [(marked.types[one], marked.types[other]) for one, other in marked.pairs]
    return np.flatnonzero([each in CORPORA[corpus].pairs for each in ends])
