"""The trained reader of questions: one encoder, a decoder that writes sketches, and a linker with schemas."""

import logging
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from clew.answer.hearing.encoder import BEGIN, END, UNKNOWN, QuestionEncoder, normed
from clew.answer.hearing.linking import SchemaLinker
from clew.answer.hearing.writing import Decoder, Written
from clew.answer.sketch.sketch import Word, split_words
from clew.embed.session import open_session
from clew.errors import ModelError
from clew.models import models_directory

__all__ = ["SketchParser", "find_sketch_parser", "open_sketch_parser", "pieces_of"]

log = logging.getLogger(__name__)
NAME = "questions"  # the folder of its files
CHECKOUT = Path(__file__).resolve().parents[4]
SCALE = ".scale"
BLOCKS = "seen"  # what an encoder is given that reads parts of a schema in blocks
MARK = 1  # [unused0] stands before a name
MOST_PIECES = 6  # of a name
LONGEST = 250  # pieces of a question
ENCODER, DECODER, HEADS, TOKENIZER = "encoder.onnx", "decoder.onnx", "heads.npz", "tokenizer.json"
_guard = Lock()


class SketchParser:
    """Reads questions; one object serves many threads."""

    def __init__(self, encoder: QuestionEncoder, decoder: Decoder, heads: dict[str, NDArray[np.float32]]) -> None:
        self._encoder, self._decoder, self._heads = encoder, decoder, heads
        self.linker = SchemaLinker(encoder, heads)

    def parse(
        self,
        text: str,
        names: Sequence[tuple[int, int]],
        *,
        least: float = 0.0,
        check: Callable[[], None] = lambda: None,
    ) -> tuple[list[Word], list[Written]]:
        """The words of a question whose names stand at these places, and its sketches, likeliest first.

        Sketches of a lower probability than `least` are not written out.
        """
        words = split_words(text, names)
        pieces, firsts = pieces_of(words, self._encoder)
        if not words or len(pieces) > LONGEST:
            return words, []
        states = self._encoder.read_question(pieces)[firsts]
        states = normed(states, self._heads["norm2.weight"], self._heads["norm2.bias"])
        return words, self._decoder.write(states, words, least=least, check=check)


def pieces_of(words: Sequence[Word], encoder: QuestionEncoder, *, names: bool = True) -> tuple[list[int], list[int]]:
    """The pieces of a question and where each word begins; a name is a mark, and its own words if `names`."""
    pieces, firsts = [BEGIN], []
    for word in words:
        firsts.append(len(pieces))
        own = encoder.pieces(word.text)
        if word.name is not None:
            pieces += [MARK, *(own[:MOST_PIECES] if names else ())]
        else:
            pieces += own or (UNKNOWN,)
    return [*pieces, END], firsts


def find_sketch_parser() -> SketchParser | None:
    """The parser that comes with Clew, from the repository or from where models are kept; None where there is none.

    It is opened once, for all graphs and threads.
    """
    for folder in (CHECKOUT / "weights" / NAME, models_directory() / NAME):
        if (folder / ENCODER).is_file():
            with _guard:
                return open_sketch_parser(folder)
    log.warning("questions are read by words alone: the parser %r is neither in the repository nor installed", NAME)
    return None


@cache
def open_sketch_parser(folder: Path) -> SketchParser:
    """The parser whose files lie in a folder."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        session = open_session(folder / ENCODER)
        if BLOCKS not in {each.name for each in session.get_inputs()}:
            raise ModelError(f"{ENCODER} is of an earlier version of Clew")
        encoder = QuestionEncoder(session, tokenizer)
        decoder, heads = Decoder(open_session(folder / DECODER, threads=1)), _arrays(folder / HEADS)
    except Exception as error:  # neither library has an error class of its own for a damaged file
        raise ModelError(
            f"the parser of questions in {folder} cannot be opened ({error}): restore its files, "
            f"or remove the folder to read questions by words alone"
        ) from error
    return SketchParser(encoder, decoder, heads)


def _arrays(path: Path) -> dict[str, NDArray[np.float32]]:
    """The arrays of a file; those in 8 bits have a scale for each row beside them."""
    with np.load(path) as stored:
        whole = {name: stored[name] for name in stored.files}
    scales = {name.removesuffix(SCALE): whole.pop(name) for name in list(whole) if name.endswith(SCALE)}
    return {
        name: value.astype(np.float32) * (scales[name].astype(np.float32)[:, None] if name in scales else 1)
        for name, value in whole.items()
    }
