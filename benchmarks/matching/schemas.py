"""The questions of benchmarks/questions/matching: schemas, masked questions, and the words that mean a relation."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clew.answer.lexicon.forms import core_name
from clew.answer.lexicon.matching import Rendered, small_words
from clew.store.layout import upper_snake

__all__ = ["FOLDER", "Example", "Schema", "examples_of", "read_schemas"]

FOLDER = Path(__file__).parents[1] / "questions" / "matching"
PIECE = re.compile(r"\{[^}]*\}|\[|\|[\w,\-]+\]|[^\W_]+(?:['’\-][^\W_]+)*|[^\w\s]")
BEFORE = ["could you tell me", "i would like to know", "do you know", "show me", "would you kindly list", "tell me",
          "according to the data ,", "in this database ,", "please look up", "as far as you know ,"]  # fmt: skip
BEHIND = [
    "on record",
    "in this graph",
    "according to the data",
    ", please",
    "in the database",
    "and list them",
    ", if any",
]
FOR_WHICH = ["how many", "name the", "list all", "give me every", "what other", "what", "are there any", "i need the"]


@dataclass(frozen=True, slots=True)
class Example:
    """Words of a masked question that mean some relations of a schema, by their numbers; none where there are none."""

    words: tuple[str, ...]
    places: tuple[int, ...]
    meant: tuple[int, ...]
    types: frozenset[str]  # of the names in the question


@dataclass(frozen=True, slots=True)
class Schema:
    """An invented schema: its relations and attributes, and the examples of its questions."""

    name: str
    relations: tuple[Rendered, ...]
    examples: tuple[Example, ...]

    def fitting(self, example: Example) -> list[int]:
        """The relations that have a type of the names in a question at an end."""
        ends = ({each.subject, each.object} for each in self.relations)
        return [number for number, types in enumerate(ends) if types & example.types]


def read_schemas(folder: Path = FOLDER) -> list[Schema]:
    """The schemas of all files of a folder."""
    texts = [block for file in sorted(folder.glob("*.txt")) for block in file.read_text("utf-8").split("== ")[1:]]
    return [_schema(text.splitlines()) for text in texts]


def _schema(lines: Sequence[str]) -> Schema:
    stated = [line for line in lines[1:] if line and not line.startswith("- ")]
    keys = [line.split(": ", 1)[0] for line in stated]
    questions = [line[2:] for line in lines if line.startswith("- ")]
    examples = tuple(each for text in questions for each in _examples(text, keys))
    return Schema(lines[0], tuple(_relation(line.split(": ", 1)[1]) for line in stated), examples)


def _relation(stated: str) -> Rendered:
    """ "Ship calls_at Port", "Ship length_m =number", or a cryptic name with a label: "work P57 person [director]"."""
    stated, _, label = stated.removesuffix("]").partition(" [")
    subject, name, object = stated.split()
    return Rendered(_plain(subject), label or _plain(name), _plain(object.removeprefix("=")))


def _plain(name: str) -> str:
    words = upper_snake(core_name(name)).lower().split("_")
    return " ".join(word for word in words if word not in ("inv", "rel"))


def _examples(text: str, keys: Sequence[str]) -> Iterator[Example]:
    words: list[str] = []
    types: set[str] = set()
    marked: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    opened = 0
    for found in PIECE.finditer(re.sub(r"\b(?:the|a|an) (?=\{)", "", text, flags=re.IGNORECASE)):
        piece = found.group()
        if piece == "[":
            opened = len(words)
        elif piece.startswith("|"):
            meant = () if piece == "|-]" else tuple(map(keys.index, piece[1:-1].split(",")))
            marked.append((tuple(range(opened, len(words))), meant))
        elif piece.startswith("{"):
            types.add(_plain(piece[1:-1]))
            words += ["this", *_plain(piece[1:-1]).split()]
        else:
            words.append(piece.lower())
    for places, meant in marked:
        yield Example(tuple(words), places, meant, frozenset(types))


def examples_of(schema: Schema, count: int, draw: random.Random) -> list[Example]:
    """Some examples of a schema, framed as different people would."""
    return [_framed(each, draw) for each in draw.sample(schema.examples, min(count, len(schema.examples)))]


def _framed(example: Example, draw: random.Random) -> Example:
    words, shift = list(example.words), 0
    if words[0] == "which" and draw.random() < 0.3:
        begun = draw.choice(FOR_WHICH).split()
        words, shift = begun + words[1:], len(begun) - 1
    if draw.random() < 0.2:
        begun = draw.choice(BEFORE).split()
        words, shift = begun + words, shift + len(begun)
    if draw.random() < 0.15 and words[-1] in "?.":
        words[-1:-1] = draw.choice(BEHIND).split()
    places = tuple(at + shift for at in example.places)
    content = [at for at in places if words[at] not in small_words()]
    if len(content) > 1 and draw.random() < 0.4:
        places = (draw.choice(content),)
    return replace(example, words=tuple(words), places=places)
