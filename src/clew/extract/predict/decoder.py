"""From the trained encoder's own probabilities to tails, without a language model.

In: the most probable tokens of each of the seven slots of a masked leaf. Out: phrases with the sum of their
log-probabilities, from three places: a beam over the slots, phrases of the text itself, and names of a lexicon. Every
token of a phrase is among the predicted ones. A fourth place, the mentions that the model has weighed, needs no
decoding.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.chains.graphs import END, FIRST_WORD, PAD, SLOTS
from clew.extract.predict.trie import Trie
from clew.extract.sequences.vocabulary import CONTINUES, Vocabulary

__all__ = [
    "BEAM",
    "LEXICON",
    "MENTION",
    "PLACES",
    "SEQUENCE",
    "Decoder",
    "Phrase",
    "Slots",
    "likeliest",
    "make_slots",
    "score_tokens",
]

Ints = NDArray[np.integer]
Floats = NDArray[np.floating]
Scored = tuple[tuple[int, ...], float]
MENTION, SEQUENCE, LEXICON, BEAM = "mention", "sequence", "lexicon", "beam"
PLACES = (MENTION, SEQUENCE, LEXICON, BEAM)  # whose spelling is taken where several have the same tokens


@dataclass(frozen=True, slots=True)
class Phrase:
    """A tail: its text, its tokens, how likely it is, where it was found, and how sure it is (`weighing`).

    `mention` is the row of the heads that it is, where it was found as a mention, and `inverse_share` the share of the
    query's head where the mention is asked the inverse.
    """

    text: str
    tokens: tuple[int, ...]
    log_prob: float
    place: str
    confidence: float = 0.0
    mention: int | None = None
    inverse_share: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """What is predicted for one masked leaf: (7, k) words with their log-probabilities, PAD where there are fewer.

    `ends` is the log-probability that the tail ends before each slot; before the first it never does.
    """

    tokens: Ints
    log_probs: Floats
    ends: Floats  # (7,)


def make_slots(tokens: Ints, log_probs: Floats) -> Slots:
    """Slots from a row of predictions: the k best of each of seven slots, flat or as (7, k), special tokens among them.

    Where the end of a tail is not among the k best, it is taken to be as likely as the least of them: the most that it
    can be.
    """
    if tokens.size % SLOTS or tokens.size != log_probs.size or not tokens.size:
        raise InputError(f"a prediction has the best tokens of {SLOTS} slots, not {tokens.size} tokens")
    tokens = np.asarray(tokens).reshape(SLOTS, -1)
    chances = np.asarray(log_probs, np.float32).reshape(SLOTS, -1)
    is_end = tokens == END
    ends = np.where(is_end.any(axis=1), np.where(is_end, chances, -np.inf).max(axis=1), chances.min(axis=1))
    words = tokens >= FIRST_WORD
    return Slots(np.where(words, tokens, PAD), np.where(words, chances, -np.inf), ends)


def score_tokens(slots: Slots, tokens: Sequence[int]) -> float:
    """The log-probability of one phrase: of each token and of its end; -inf if a token is not predicted."""
    if not 1 <= len(tokens) <= SLOTS:
        return -np.inf
    total = 0.0
    for slot, token in enumerate(tokens):
        hits = np.flatnonzero(slots.tokens[slot] == token)
        if token < FIRST_WORD or not len(hits):
            return -np.inf
        total += float(slots.log_probs[slot, hits].max())
    return total + (float(slots.ends[len(tokens)]) if len(tokens) < SLOTS else 0.0)


def likeliest(found: Sequence[Phrase]) -> list[Phrase]:
    """Each phrase once, spelt as a mention or the text has it, else as the lexicon; the most probable first."""
    best: dict[tuple[int, ...], Phrase] = {}
    for phrase in found:
        known = best.get(phrase.tokens)
        if known is None or _precedence(phrase) < _precedence(known):
            best[phrase.tokens] = phrase
    ranked = sorted(best.values(), key=lambda phrase: (-phrase.log_prob, phrase.tokens))
    texts: dict[str, Phrase] = {}
    for phrase in ranked:  # two ways to cut the same text are one phrase
        texts.setdefault(phrase.text, phrase)
    return list(texts.values())


def _precedence(phrase: Phrase) -> int:
    return PLACES.index(phrase.place) if phrase.place in PLACES else len(PLACES)


class Decoder:
    """Makes phrases of predictions; `lexicon` holds a trie of names for each type of entity.

    `width` branches are followed at a time, and the `most` likeliest phrases of each query are handed back; without
    `beam`, only those of the text and the lexicon.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        lexicon: Mapping[str, Trie] | None = None,
        width: int = 32,
        most: int = 8,
        beam: bool = True,
    ) -> None:
        if width < 1 or most < 1:
            raise InputError(f"a decoder follows and keeps at least one phrase, not {width} and {most}")
        self.vocabulary = vocabulary
        self.lexicon = dict(lexicon or {})
        self.width, self.most, self.beam = width, most, beam
        self._continues = np.array([piece.startswith(CONTINUES) for piece in vocabulary.pieces], bool)

    def decode(
        self,
        slots: Sequence[Slots],
        *,
        types: Sequence[Iterable[str]] | None = None,
        texts: Sequence[Trie | None] | None = None,
    ) -> list[list[Phrase]]:
        """For each query its phrases, the most probable first.

        `types` are, for each query, the types whose names may be its tail; `texts` the phrases of its sequence.
        """
        beams = self._spelt(self._beams(slots)) if slots and self.beam else [[] for _ in slots]
        decoded = []
        for at, (each, found) in enumerate(zip(slots, beams, strict=True)):
            if texts is not None:
                found += self._walked(texts[at], each, SEQUENCE)
            for type in types[at] if types is not None else ():
                found += self._walked(self.lexicon.get(type), each, LEXICON)
            decoded.append(likeliest(found)[: self.most])
        return decoded

    def _walked(self, trie: Trie | None, slots: Slots, place: str) -> list[Phrase]:
        if trie is None:
            return []
        rows = trie.walk(slots.tokens, slots.log_probs, slots.ends, width=self.width)
        return [
            Phrase(trie.texts[row], tuple(trie.rows[row, : trie.lengths[row]].tolist()), score, place)
            for row, score in rows
        ]

    def _spelt(self, beams: Sequence[Sequence[Scored]]) -> list[list[Phrase]]:
        """Beams as phrases; those that no text is cut into are left out."""
        names = iter(self.vocabulary.decode([tokens for beam in beams for tokens, _ in beam]))
        return [
            [
                Phrase(name, tokens, score, BEAM)
                for (tokens, score), name in zip(beam, (next(names) for _ in beam), strict=True)
                if name is not None
            ]
            for beam in beams
        ]

    def _beams(self, slots: Sequence[Slots]) -> list[list[Scored]]:
        """For each query the likeliest sequences of predicted tokens, from the first of a word on, none twice in a row.

        All queries go on together, slot by slot; what ends before a slot is set aside with its score.
        """
        tokens = np.stack([each.tokens for each in slots])  # (n, 7, k)
        chances = np.stack([each.log_probs for each in slots])
        ends = np.stack([each.ends for each in slots])  # (n, 7)
        count, rows = len(slots), np.arange(len(slots))[:, None]
        chosen = np.full((count, 1, SLOTS), PAD, np.int64)
        scores = np.zeros((count, 1))
        done_tokens, done_scores = [], []
        for slot in range(SLOTS):
            grown = scores[:, :, None] + chances[:, None, slot]  # (n, beam, k)
            here = np.broadcast_to(tokens[:, None, slot], grown.shape)
            grown[self._continues[here] if slot == 0 else here == chosen[:, :, slot - 1, None]] = -np.inf
            flat = grown.reshape(count, -1)
            order = np.argsort(-flat, axis=1, kind="stable")[:, : self.width]  # (n, beam)
            branch, column = np.divmod(order, tokens.shape[2])
            scores = flat[rows, order]
            chosen = chosen[rows, branch]
            chosen[:, :, slot] = tokens[rows, slot, column]
            ended = ends[:, slot + 1, None] if slot + 1 < SLOTS else 0.0
            done_tokens.append(chosen.copy())
            done_scores.append(scores + ended)
        return _best_sequences(np.concatenate(done_tokens, 1), np.concatenate(done_scores, 1), 2 * self.most)


def _best_sequences(tokens: Ints, scores: Floats, most: int) -> list[list[Scored]]:
    """The best of (n, m, 7) padded sequences by their (n, m) scores; what cannot be is left out."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :most]
    rows = np.arange(len(scores))[:, None]
    tokens, scores = tokens[rows, order], scores[rows, order]
    lengths = (tokens != PAD).sum(axis=2)
    return [
        [
            (tuple(sequence[:length]), score)
            for sequence, length, score in zip(each, some, given, strict=True)
            if np.isfinite(score)
        ]
        for each, some, given in zip(tokens.tolist(), lengths.tolist(), scores.tolist(), strict=True)
    ]
