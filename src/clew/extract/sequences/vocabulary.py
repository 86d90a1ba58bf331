"""WordPiece tokens back to words, exactly: a phrase is only made if its words give the very same tokens again."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.errors import InputError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Vocabulary", "join_pieces", "open_vocabulary"]

CONTINUES = "##"  # how a piece begins that goes on with the word before it
UNSPACED = frozenset("-/'’.")  # signs without spaces between two letters or digits
OPENING, CLOSING = frozenset("([{"), frozenset(")]},;:%")
LETTER = re.compile(r"[^\W_]")


class Vocabulary:
    """The pieces of a tokenizer by number, and both ways between texts and numbers."""

    def __init__(self, tokenizer: "Tokenizer") -> None:
        self._tokenizer = tokenizer
        pieces: dict[str, int] = tokenizer.get_vocab(with_added_tokens=True)
        self.pieces: list[str] = [""] * (max(pieces.values(), default=-1) + 1)
        for piece, number in pieces.items():
            self.pieces[number] = piece

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Piece to number."""
        return {piece: number for number, piece in enumerate(self.pieces) if piece}

    def encode(self, texts: Iterable[str]) -> list[list[int]]:
        """The tokens of each text, without special ones around it."""
        listed = list(texts)
        encoded: list[Any] = self._tokenizer.encode_batch(listed, add_special_tokens=False)
        return [list(each.ids) for each in encoded]

    def words(self, tokens: Sequence[int]) -> str:
        """The tokens as text, whatever that text would be cut into."""
        return join_pieces([self.pieces[token] for token in tokens])

    def decode(self, phrases: Sequence[Sequence[int]]) -> list[str | None]:
        """The text of each phrase, or None for one that no text is cut into: a loose end of a word, odd pieces."""
        texts = [None if self._is_loose(phrase) else self.words(phrase) for phrase in phrases]
        again = self.encode(text or "" for text in texts)
        return [
            text if text is not None and cut == list(phrase) else None
            for text, cut, phrase in zip(texts, again, phrases, strict=True)
        ]

    def _is_loose(self, phrase: Sequence[int]) -> bool:
        return not phrase or self.pieces[phrase[0]].startswith(CONTINUES)


def open_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary of a tokenizer.json."""
    from tokenizers import Tokenizer

    path = Path(path)
    try:
        return Vocabulary(Tokenizer.from_str(path.read_text("utf-8")))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except Exception as error:  # tokenizers raises a bare Exception for a file it cannot use
        raise InputError(f"{path} is no tokenizer that can be read ({error}): expected a WordPiece one") from error


def join_pieces(pieces: Sequence[str]) -> str:
    """Pieces as running text: "##" pieces go on with the word before, signs stand as English sets them.

    >>> join_pieces(["non", "-", "alcohol", "##ic", "fatty", "liver", "(", "na", "##fld", ")"])
    'non-alcoholic fatty liver (nafld)'
    """
    text = ""
    glued = True  # nothing before, or an opening sign
    for at, piece in enumerate(pieces):
        if piece.startswith(CONTINUES) and len(piece) > len(CONTINUES):
            text += piece.removeprefix(CONTINUES)
            glued = False
            continue
        unspaced = piece in UNSPACED and _between_letters(text, pieces, at)
        text += piece if glued or unspaced or piece in CLOSING else f" {piece}"
        glued = unspaced or piece in OPENING
    return text


def _between_letters(text: str, pieces: Sequence[str], at: int) -> bool:
    return bool(text and LETTER.match(text[-1]) and at + 1 < len(pieces) and LETTER.match(pieces[at + 1]))
