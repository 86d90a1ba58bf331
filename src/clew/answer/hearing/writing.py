"""Writes the sketch of a question: a small transformer, one symbol after another, several sketches side by side.

The states of the question's words come from an encoder; a symbol is one of a few or points at a word. Only what the
grammar of sketches allows is ever written. The model is drawn by benchmarks/questions/training/decoder.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.answer.hearing.symbols import BEGIN, END, FIRST, SYMBOLS, allowed, follow, from_symbols
from clew.answer.sketch.sketch import Sketch, Word

__all__ = ["Decoder", "Written"]

Array = NDArray[np.float32]
LONGEST = 80  # symbols of a sketch
NEVER = np.float32(-1e9)
HOPELESS = 4.0  # how much less probable, in logarithms, what is being written may be than the best that is finished


@dataclass(frozen=True, slots=True)
class Written:
    """A sketch and its probability, and that of its least certain symbol."""

    sketch: Sketch
    probability: float
    least: float


@dataclass(slots=True)
class _Beam:
    symbols: list[int]
    score: float  # log-probability
    least: float
    kind: str = ""
    written: str = ""
    done: bool = False


class Decoder:
    """The writing half of the parser, whose model adds one symbol to each of several sketches."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._shapes = {each.name: each.shape for each in session.get_inputs()}

    def write(
        self,
        states: Array,
        words: Sequence[Word],
        *,
        width: int = 4,
        least: float = 0.0,
        check: Callable[[], None] = lambda: None,
    ) -> list[Written]:
        """The most probable sketches, best first, of a probability of at least `least`.

        `states` holds a row for each word, `check` ends it in time.
        """
        floor = log(least) if least > 0 else NEVER / 2  # whatever is added, a beam below it stays below
        names = np.array([word.name is not None for word in words])
        beams, finished = [_Beam([BEGIN], 0.0, 1.0)], list[_Beam]()
        picked, kept, known = [0], self._nothing("kept"), self._nothing("known")
        for place in range(LONGEST):
            check()
            symbols = np.array([beam.symbols[-1] for beam in beams])
            given = {
                "symbols": symbols, "place": np.array([place]), "beams": np.array(picked), "kept": kept,
                "states": states[: 0 if place else None], "known": known,
            }  # fmt: skip
            probable, kept, known = self._session.run(None, given)
            scores = _allowed_scores(probable, beams, names)
            order = np.argsort(-scores, axis=None)[: 2 * width]
            grown: list[tuple[int, _Beam]] = []
            for flat in order:
                at, symbol = divmod(int(flat), scores.shape[1])
                if scores[at, symbol] < floor or len(grown) == width:
                    continue
                beam = _grown(beams[at], symbol, float(scores[at, symbol]), names)
                if beam.done:
                    finished.append(beam)
                else:
                    grown.append((at, beam))
            best = sorted(finished, key=lambda each: -each.score)[:width]
            if not grown or (best and grown[0][1].score < best[0].score - HOPELESS):
                break
            picked, beams = [at for at, _ in grown], [beam for _, beam in grown]
        return _read(sorted(finished, key=lambda each: -each.score)[:width], words)

    def _nothing(self, name: str) -> Array:
        """What the model is given before the first symbol: one sketch without symbols, no words."""
        shape = self._shapes[name]
        return np.zeros((shape[0], *([1, 0] if len(shape) > 3 else [0]), shape[-1]), np.float32)


def _read(beams: Sequence[_Beam], words: Sequence[Word]) -> list[Written]:
    found: dict[Sketch, Written] = {}
    for beam in beams:
        sketch = from_symbols(beam.symbols, words)
        found.setdefault(sketch, Written(sketch, float(np.exp(beam.score)), beam.least))
    return list(found.values())


def _grown(beam: _Beam, symbol: int, score: float, names: NDArray[np.bool_]) -> _Beam:
    said = SYMBOLS[symbol] if symbol < FIRST else "name" if names[symbol - FIRST] else "word"
    least = min(beam.least, float(np.exp(score - beam.score)))
    if symbol == END:
        return _Beam([*beam.symbols, symbol], score, least, done=True)
    return _Beam([*beam.symbols, symbol], score, least, *follow(beam.kind, beam.written, said))


def _allowed_scores(probable: Array, beams: Sequence[_Beam], names: NDArray[np.bool_]) -> Array:
    """Log-probabilities of what may follow each beam, added to its own."""
    scores = probable + np.array([[beam.score] for beam in beams], np.float32)
    for at, beam in enumerate(beams):
        few, name, word = _may_follow(beam.kind, beam.written)
        scores[at][~np.concatenate([few, np.where(names, name, word)])] = NEVER
    return scores


@lru_cache(1024)
def _may_follow(kind: str, written: str) -> tuple[NDArray[np.bool_], bool, bool]:
    """Which symbols may come next, whether a name may, and whether a word may."""
    may = allowed(kind, written)
    return np.array([symbol in may for symbol in SYMBOLS]), "name" in may, "word" in may
