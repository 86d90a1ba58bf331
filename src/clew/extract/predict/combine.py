"""Predicted tokens combined into tails by a helper model, which can use nothing but these tokens.

A grammar of the most probable tokens constrains its answer; the answer is tokenised again, and a tail with another
token is discarded and counted, so that models without grammars can help too.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from clew.errors import InputError
from clew.extract.chains.graphs import PAD, SLOTS
from clew.extract.list_prompt import NOTHING, ListPrompter
from clew.extract.predict.decoder import Phrase, Slots
from clew.extract.sequences.vocabulary import CONTINUES, Vocabulary
from clew.lm import LanguageModel, Usage, literal, load_prompt

__all__ = ["FORMED", "NONE_FORMED", "OUT_OF_VOCABULARY", "TOO_LONG", "Combiner", "best_tokens", "token_grammar"]

JOINTS = frozenset("-/")  # tokens that join two words without spaces
FORMED, NONE_FORMED, OUT_OF_VOCABULARY, TOO_LONG = "formed", "none formed", "out of vocabulary", "longer than a leaf"
LONGEST_WORD = 5  # pieces
MAX_TOKENS = 64


def best_tokens(slots: Slots, count: int) -> dict[int, float]:
    """The likeliest words of all slots with their best log-probabilities, the most probable first."""
    order = np.argsort(-slots.log_probs, axis=None, kind="stable")
    best: dict[int, float] = {}
    for at in order.tolist():
        token, log_prob = int(slots.tokens.flat[at]), float(slots.log_probs.flat[at])
        if token == PAD or not np.isfinite(log_prob):
            continue
        best.setdefault(token, log_prob)
        if len(best) == count:
            break
    return best


def token_grammar(pieces: Sequence[str], *, most: int) -> str | None:
    """A grammar of one to `most` lines of these pieces put together, or "none"; None if no piece begins a word.

    >>> print(token_grammar(["fatty", "liver", "hepat", "##itis", "-"], most=2))
    root ::= "none" | tail ("\\n" tail){0,1}
    tail ::= word (" " word){0,6}
    word ::= whole (joint whole){0,3}
    joint ::= "-"
    whole ::= start piece{0,4}
    start ::= "fatty" | "liver" | "hepat"
    piece ::= "itis"
    """
    joints = [piece for piece in pieces if piece in JOINTS]
    ongoing = [piece.removeprefix(CONTINUES) for piece in pieces if _goes_on(piece)]
    starts = [piece for piece in pieces if not _goes_on(piece) and piece[:1].isalnum()]
    if not starts:
        return None
    rules = [
        f"root ::= {literal(NOTHING)} | tail" + (f' ("\\n" tail){{0,{most - 1}}}' if most > 1 else ""),
        f'tail ::= word (" " word){{0,{SLOTS - 1}}}',
        "word ::= whole (joint whole){0,3}" if joints else "word ::= whole",
        *([f"joint ::= {_any_of(joints)}"] if joints else []),
        f"whole ::= start piece{{0,{LONGEST_WORD - 1}}}" if ongoing else "whole ::= start",
        f"start ::= {_any_of(starts)}",
        *([f"piece ::= {_any_of(ongoing)}"] if ongoing else []),
    ]
    return "\n".join(rules)


def _goes_on(piece: str) -> bool:
    return piece.startswith(CONTINUES) and len(piece) > len(CONTINUES)


def _any_of(texts: Iterable[str]) -> str:
    return " | ".join(map(literal, texts))


class Combiner:
    """Forms tails with a language model; `counts` says how many were formed and what was discarded, and why."""

    def __init__(self, model: LanguageModel, vocabulary: Vocabulary, *, tokens: int = 20, most: int = 3) -> None:
        if tokens < 1 or most < 1:
            raise InputError(f"at least one token and one tail are needed, not {tokens} and {most}")
        self.vocabulary = vocabulary
        self.counts: Counter[str] = Counter()
        self._lister = ListPrompter(model)
        self._tokens, self._most = tokens, most
        self._prompt = load_prompt("clew.extract", "combine.txt")

    @property
    def usage(self) -> Usage:
        """What the model's answers cost."""
        return self._lister.usage

    def combine(self, slots: Slots, *, head: str, relation: str, sequence: str) -> list[Phrase]:
        """Tails for one query, in the model's order; their log-probability is that of each token in its best slot."""
        best = best_tokens(slots, self._tokens)
        pieces = [self.vocabulary.pieces[token] for token in best]
        grammar = token_grammar(pieces, most=self._most)
        if grammar is None:
            self.counts[NONE_FORMED] += 1
            return []
        prompt = self._prompt.format(
            sequence=sequence,
            head=head,
            relation=relation.replace("_", " "),
            tokens=" ".join(pieces),
            most=self._most,
        )
        said = self._lister.ask(prompt, grammar=grammar, most=self._most, max_tokens=MAX_TOKENS)
        self.counts[FORMED if said else NONE_FORMED] += len(said) or 1
        phrases = [self._checked(text, tokens, best) for text, tokens in self._cut(said)]
        return [phrase for phrase in phrases if phrase is not None]

    def _cut(self, said: Sequence[str]) -> list[tuple[str, list[int]]]:
        lowered = list(dict.fromkeys(text.lower() for text in said))
        return list(zip(lowered, self.vocabulary.encode(lowered), strict=True))

    def _checked(self, text: str, tokens: list[int], best: dict[int, float]) -> Phrase | None:
        if any(token not in best for token in tokens) or not tokens:
            self.counts[OUT_OF_VOCABULARY] += 1
            return None
        if len(tokens) > SLOTS:
            self.counts[TOO_LONG] += 1
            return None
        return Phrase(text, tuple(tokens), sum(best[token] for token in tokens), self._lister.model.name)
