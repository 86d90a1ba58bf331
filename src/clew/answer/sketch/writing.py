"""Writes the sketch of a question: a small transformer, one symbol after another, several sketches side by side.

The states of the question's words come from an encoder; a symbol is one of a few or points at a word. Only what the
grammar of sketches allows is ever written.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from clew.answer.sketch.sketch import Sketch, Word
from clew.answer.sketch.symbols import BEGIN, END, FIRST, SYMBOLS, allowed, follow, from_symbols

__all__ = ["Decoder", "Written"]

Array = NDArray[np.float32]
HEADS = 12
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
    """The writing half of the parser, in NumPy: a few thousand multiplications a symbol need no more."""

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        self.of = {name: np.ascontiguousarray(value.astype(np.float32)) for name, value in arrays.items()}
        self.layers = 1 + max(int(name.split(".")[1]) for name in self.of if name.startswith("layers."))

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
        with _linear_algebra().limit(
            limits=1, user_api="blas"
        ):  # several threads wait for each other on a busy machine
            return self._write(states, words, width, least, check)

    def _write(
        self, states: Array, words: Sequence[Word], width: int, least: float, check: Callable[[], None]
    ) -> list[Written]:
        floor = log(least) if least > 0 else NEVER / 2  # whatever is added, a beam below it stays below
        names = np.array([word.name is not None for word in words])
        keys, pointed = self._linear("keys", states), self._linear("pointed", states)
        crossed = [
            tuple(self._split(self._linear(f"layers.{n}.{name}", states)) for name in ("key2", "value2"))
            for n in range(self.layers)
        ]
        beams, finished = [_Beam([BEGIN], 0.0, 1.0)], list[_Beam]()
        kept: list[tuple[Array, Array]] = []  # keys and values of each layer: beams, places, width
        for place in range(LONGEST):
            check()
            state = (
                np.stack([self._given(beam.symbols[-1], pointed) for beam in beams]) + self.of["places.weight"][place]
            )
            state, kept = self._step(state, kept, crossed)
            scores = self._scores(state, keys, beams, names)
            order = np.argsort(-scores, axis=None)[: 2 * width]
            grown: list[tuple[int, _Beam]] = []
            for flat in order:
                at, symbol = divmod(int(flat), scores.shape[1])
                if scores[at, symbol] < floor or len(grown) == width:
                    continue
                beam = self._grown(beams[at], symbol, float(scores[at, symbol]), names)
                if beam.done:
                    finished.append(beam)
                else:
                    grown.append((at, beam))
            best = sorted(finished, key=lambda each: -each.score)[:width]
            if not grown or (best and grown[0][1].score < best[0].score - HOPELESS):
                break
            picked = [at for at, _ in grown]
            kept = [(key[picked], value[picked]) for key, value in kept]
            beams = [beam for _, beam in grown]
        return self._read(sorted(finished, key=lambda each: -each.score)[:width], words)

    def _read(self, beams: Sequence[_Beam], words: Sequence[Word]) -> list[Written]:
        found: dict[Sketch, Written] = {}
        for beam in beams:
            sketch = from_symbols(beam.symbols, words)
            found.setdefault(sketch, Written(sketch, float(np.exp(beam.score)), beam.least))
        return list(found.values())

    def _grown(self, beam: _Beam, symbol: int, score: float, names: NDArray[np.bool_]) -> _Beam:
        said = SYMBOLS[symbol] if symbol < FIRST else "name" if names[symbol - FIRST] else "word"
        least = min(beam.least, float(np.exp(score - beam.score)))
        if symbol == END:
            return _Beam([*beam.symbols, symbol], score, least, done=True)
        return _Beam([*beam.symbols, symbol], score, least, *follow(beam.kind, beam.written, said))

    def _scores(
        self, state: Array, keys: Array, beams: Sequence[_Beam], names: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Log-probabilities of what may follow each beam, added to its own."""
        state = self._norm("norm", state)
        points = self._linear("point", state) @ keys.T / np.sqrt(np.float32(state.shape[1]))
        scores = np.concatenate([self._linear("choose", state), points], axis=1)
        scores -= scores.max(axis=1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        for at, beam in enumerate(beams):
            may = allowed(beam.kind, beam.written)
            few = np.array([symbol in may for symbol in SYMBOLS])
            pointing = np.where(names, "name" in may, "word" in may)
            scores[at][~np.concatenate([few, pointing])] = NEVER
            scores[at] += beam.score
        return scores

    def _given(self, symbol: int, pointed: Array) -> Array:
        given: Array = self.of["symbols.weight"][symbol] if symbol < FIRST else pointed[symbol - FIRST]
        return given

    def _step(
        self, state: Array, kept: list[tuple[Array, Array]], crossed: Sequence[tuple[Array, ...]]
    ) -> tuple[Array, list[tuple[Array, Array]]]:
        """One more symbol of every beam through all layers; what was kept of earlier ones grows by it."""
        grown = []
        for n in range(self.layers):
            name = f"layers.{n}"
            own = self._norm(f"{name}.norm1", state)
            key, value = self._linear(f"{name}.key", own)[:, None], self._linear(f"{name}.value", own)[:, None]
            if kept:
                key, value = np.concatenate([kept[n][0], key], 1), np.concatenate([kept[n][1], value], 1)
            grown.append((key, value))
            query = self._linear(f"{name}.query", own)
            seen = _attend(self._split(query[:, None]), self._split(key), self._split(value))
            state = state + self._linear(f"{name}.out", seen)
            query = self._linear(f"{name}.query2", self._norm(f"{name}.norm2", state))
            seen = _attend(self._split(query[:, None]), *crossed[n])
            state = state + self._linear(f"{name}.out2", seen)
            inner = _gelu(self._linear(f"{name}.inner", self._norm(f"{name}.norm3", state)))
            state = state + self._linear(f"{name}.outer", inner)
        return state, grown

    def _linear(self, name: str, given: Array) -> Array:
        found: Array = given @ self.of[f"{name}.weight"].T + self.of[f"{name}.bias"]
        return found

    def _norm(self, name: str, given: Array) -> Array:
        centred = given - _mean(given)
        scaled: Array = centred / np.sqrt(_mean(centred * centred) + np.float32(1e-5))
        found: Array = scaled * self.of[f"{name}.weight"] + self.of[f"{name}.bias"]
        return found

    @staticmethod
    def _split(given: Array) -> Array:
        """Heads first: (…, places, width) → (…, heads, places, width of a head)."""
        return given.reshape(*given.shape[:-1], HEADS, -1).swapaxes(-2, -3)


@cache
def _linear_algebra() -> ThreadpoolController:
    """NumPy's threads."""
    return ThreadpoolController()


def _mean(given: Array) -> Array:
    """The mean of each row, without what `mean` looks at first: half the time of rows this short."""
    total: Array = np.add.reduce(given, -1, keepdims=True)
    return total / np.float32(given.shape[-1])


def _attend(query: Array, key: Array, value: Array) -> Array:
    weights = query @ np.swapaxes(key, -1, -2) / np.sqrt(np.float32(query.shape[-1]))
    weights = np.exp(weights - weights.max(-1, keepdims=True))
    seen = weights / weights.sum(-1, keepdims=True) @ value  # beams, heads, 1, width
    found: Array = seen.swapaxes(-3, -2).reshape(len(query), -1)
    return found


def _gelu(given: Array) -> Array:
    from math import sqrt

    inner = given / np.float32(sqrt(2))
    return given * np.float32(0.5) * (1 + _erf(inner))


def _erf(given: Array) -> Array:
    """Abramowitz and Stegun 7.1.26, exact to 1.5e-7."""
    sign, at = np.sign(given), np.abs(given)
    t = 1 / (1 + np.float32(0.3275911) * at)
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    found: Array = (sign * (1 - poly * np.exp(-at * at))).astype(np.float32)
    return found
