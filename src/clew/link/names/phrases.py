"""All names as one trie of words, matched at every position of a text at once.

A state is a sequence of words that begins some name. `step` holds, sorted, the number state·2³² + word of every
transition and `step_state` its target; transitions from the root are stored separately, one for each word. The set of
active positions shrinks quickly, so matching costs little more than reading the text.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.link.names.strings import hashes_of
from clew.link.normalise import fold, us_spelling

__all__ = ["Phrases", "phrase_arrays"]

Ints = NDArray[np.integer]
SHIFT = np.uint64(32)
MOST_KNOWN = 1 << 20  # cached words


def phrase_arrays(keys: Sequence[Sequence[str]]) -> Mapping[str, NDArray[np.generic]]:
    """The trie of many keys, each given as its words; keys without words are left out."""
    vocabulary = sorted({word for words in keys for word in words})
    hashes = hashes_of(vocabulary)
    order = np.argsort(hashes, kind="stable")
    number = {vocabulary[at]: row for row, at in enumerate(order.tolist())}
    lengths = np.fromiter(map(len, keys), np.int64, len(keys))
    flat = np.fromiter((number[word] for words in keys for word in words), np.uint64, int(lengths.sum()))
    starts = np.cumsum(lengths) - lengths
    first = np.full(len(vocabulary), -1, np.int32)
    steps, targets, ends = [], [], []
    alive = np.flatnonzero(lengths)  # keys at least this long
    state = np.zeros(len(keys), np.uint64)
    made = 0
    depth = 0
    while len(alive):
        move = state[alive] << SHIFT | flat[starts[alive] + depth]
        distinct, which = np.unique(move, return_inverse=True)
        numbers = made + np.arange(len(distinct), dtype=np.int32)
        if depth == 0:
            first[distinct.astype(np.int64)] = numbers
        else:
            steps.append(distinct)
            targets.append(numbers)
        state[alive] = numbers[which].astype(np.uint64)
        done = lengths[alive] == depth + 1
        end = np.full(len(distinct), -1, np.int32)
        end[which[done]] = alive[done]
        ends.append(end)
        made += len(distinct)
        alive = alive[~done]
        depth += 1
    return {
        "word_hash": hashes[order],
        "word_count": np.bincount(flat.astype(np.int64), minlength=len(vocabulary)),
        "word_state": first,
        "step": np.concatenate(steps) if steps else np.empty(0, np.uint64),
        "step_state": np.concatenate(targets) if targets else np.empty(0, np.int32),
        "state_key": np.concatenate(ends) if ends else np.empty(0, np.int32),
    }


class Phrases:
    """Finds every span of words in a text that is a complete key."""

    def __init__(
        self, word_hash: Ints, word_count: Ints, word_state: Ints, step: Ints, step_state: Ints, state_key: Ints
    ) -> None:
        self._word_hash = word_hash  # (words,) uint64, sorted: the row is the word's number
        self._word_count = word_count  # (words,) occurrences in names
        self._word_state = word_state  # (words,) the state after that word alone, -1 if no name begins with it
        self._step = step
        self._step_state = step_state
        self._state_key = state_key  # (states,) the key row that ends there, or -1
        self._known: dict[str, int] = {}  # words as written -> their numbers

    def number(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of some words as written, or else in American spelling; -1 for words that occur in no name."""
        known = self._known
        try:
            return np.fromiter(map(known.__getitem__, words), np.int64, len(words))
        except KeyError:
            pass
        if len(known) > MOST_KNOWN:
            known = self._known = {}
        new = [word for word in dict.fromkeys(words) if word not in known]
        folded = list(map(fold, new))
        found = self._look_up(folded)
        if other := [at for at in np.flatnonzero(found < 0).tolist() if us_spelling(folded[at]) != folded[at]]:
            found[other] = self._look_up([us_spelling(folded[at]) for at in other])
        known.update(zip(new, found.tolist(), strict=True))
        return np.fromiter(map(known.__getitem__, words), np.int64, len(words))

    def _look_up(self, folded: Sequence[str]) -> NDArray[np.int64]:
        wanted = hashes_of(folded)
        at = np.searchsorted(self._word_hash, wanted)
        last = len(self._word_hash) - 1
        hit = self._word_hash[np.minimum(at, last)] == wanted if last >= 0 else np.zeros(len(folded), bool)
        return np.where(hit, at, -1)

    def count(self, word: str) -> int:
        """How often a word occurs in names."""
        number = int(self.number([word])[0])
        return 0 if number < 0 else int(self._word_count[number])

    def find(self, words: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Every match in a sequence of word numbers: position of its first word, how many words, key row."""
        at = np.flatnonzero(words >= 0)
        state = self._word_state[words[at]].astype(np.int64) if len(at) else np.empty(0, np.int64)
        at, state = at[state >= 0], state[state >= 0]
        found: list[tuple[NDArray[np.int64], int, NDArray[np.int64]]] = []
        length = 1
        while len(at):
            rows = self._state_key[state].astype(np.int64)
            found.append((at[rows >= 0], length, rows[rows >= 0]))
            at, state = self._advance(at, state, words, length)
            length += 1
        if not found:
            return (np.empty(0, np.int64),) * 3
        lengths = np.repeat([length for _, length, _ in found], [len(rows) for _, _, rows in found])
        return np.concatenate([each[0] for each in found]), lengths, np.concatenate([each[2] for each in found])

    def _advance(
        self, at: NDArray[np.int64], state: NDArray[np.int64], words: NDArray[np.int64], length: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The positions whose next word has a transition, and its target."""
        inside = at + length < len(words)
        at, state = at[inside], state[inside]
        following = words[at + length]
        at, state, following = at[following >= 0], state[following >= 0], following[following >= 0]
        if not len(at) or not len(self._step):
            return at[:0], state[:0]
        move = state.astype(np.uint64) << SHIFT | following.astype(np.uint64)
        step = np.searchsorted(self._step, move)
        hit = self._step[np.minimum(step, len(self._step) - 1)] == move
        return at[hit], self._step_state[step[hit]].astype(np.int64)
