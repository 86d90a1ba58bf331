"""Invented schemas with questions, in which it is marked what the words mean (schemas/ and matching/)."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clew.answer.hearing.linking import ATTRIBUTE, COLUMN, RELATION, TYPE
from clew.answer.lexicon.forms import plain_name, stem

__all__ = ["Question", "Schema", "Span", "read_schemas"]

STATED = re.compile(r"(\w+): (\S+) (\S+) (=?\S+)((?: \{[^}]*\})*)(?: \[([^\]]*)\])?")
PIECE = re.compile(r"\{[^}]*\}|\[|\|[^\[\]()|]*[\])]|\((?=[^()|]*\|)|[^\W_]+(?:['’\-][^\W_]+)*|[^\w\s]")
KEY = re.compile(r"(\w+(?:\.\w+)?)([<>+\-]|=.*)?")
OWN, BESIDE = 0.5, 0.3  # weights of a type's own name, and of what is said beside another noun
IN_A_QUESTION = 0.8  # share of nouns that stand in a question of their schema rather than in one of these
FRAMES = (
    "which NOUN are there ?", "list all NOUN", "how many NOUN do we have on record ?", "show me the NOUN that have one",
    "are there any NOUN without it ?", "NOUN with most of them",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    """Words of a question by their places, the parts of the schema that they mean (none: nothing of it), and how much
    they count; `way` is 1 where what stands before them is the subject of the relation, -1 where it is the object."""

    places: tuple[int, ...]
    meant: tuple[int, ...]
    way: int = 0
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """Words, with "this TYPE" for each name, and what they mean."""

    words: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(slots=True)
class Schema:
    """The parts of a schema, each a kind and its plain words, and the questions."""

    name: str
    items: list[tuple[int, str]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    held: bool = False  # not learned from

    def add(self, kind: int, text: str) -> int:
        self.items.append((kind, text))
        return len(self.items) - 1

    def add_type(self, name: str) -> None:
        plain = _plain(name)
        if plain not in self.types:
            self.types[plain] = self.add(TYPE, plain)


def read_schemas(folder: Path) -> Iterator[Schema]:
    """All schemas, with questions for the nouns of `schemas/nouns`; those in `schemas/held` are not learned from."""
    nouns = {name: said for path in sorted(folder.glob("schemas/nouns/*.txt")) for name, said in _nouns(path)}
    for path in sorted(
        [*folder.glob("matching/*.txt"), *folder.glob("schemas/*.txt"), *folder.glob("schemas/held/*.txt")]
    ):
        for block in path.read_text("utf-8").split("== ")[1:]:
            schema = _schema([line.rstrip() for line in block.splitlines() if line.strip()])
            schema.held = path.parent.name == "held"
            schema.questions += list(_about_types(schema, {} if schema.held else nouns.get(schema.name, {})))
            yield schema


def _nouns(path: Path) -> Iterator[tuple[str, dict[str, list[str]]]]:
    for block in path.read_text("utf-8").split("== ")[1:]:
        name, *lines = [line.strip() for line in block.splitlines() if line.strip()]
        split = (line.split(":", 1) for line in lines if ":" in line)
        yield name, {type.strip(): [each.strip().lower() for each in said.split(",")] for type, said in split}


def _schema(lines: Sequence[str]) -> Schema:
    schema = Schema(lines[0].strip())
    stated = [
        found for line in lines[1:] if not line.startswith(("- ", "style:")) and (found := STATED.fullmatch(line))
    ]
    for found in stated:
        schema.add_type(found[2])
        if not found[4].startswith("="):
            schema.add_type(found[4])
    for found in stated:
        key, subject, name, object_, columns, label = found.groups()
        words = f"{_plain(subject)} {label or _plain(name)}"
        if object_.startswith("="):
            kind = object_[1:].partition("(")[0]
            schema.keys[key] = schema.add(ATTRIBUTE, f"{words} {kind}")
            continue
        words = f"{words} {_plain(object_)}"
        schema.keys[key] = schema.add(RELATION, words)
        for column in re.findall(r"\{(\w+)[^}]*\}", columns):
            schema.keys[f"{key}.{column}"] = schema.add(COLUMN, f"{words} {_plain(column)}")
    read = (_question(line[2:], schema) for line in lines if line.startswith("- "))
    schema.questions += [each for each in read if each is not None]
    return schema


def _plain(name: str) -> str:
    words = plain_name(name).split()
    return " ".join(word for word in words if word not in ("inv", "rel")) or " ".join(words)


def _question(text: str, schema: Schema) -> Question | None:
    """A question; None where something is marked that its schema does not have."""
    words: list[str] = []
    spans: list[Span] = []
    opened: list[int] = []
    named: set[int] = set()
    for found in PIECE.finditer(re.sub(r"\b(?:the|a|an) (?=\{)", "", text, flags=re.IGNORECASE)):
        piece = found.group()
        if piece in "[(":
            opened.append(len(words))
        elif piece.startswith("|"):
            places = tuple(range(opened.pop(), len(words))) if opened else ()
            span = _span(places, piece[1:-1], schema, is_type=piece.endswith(")"))
            if span is None:
                return None
            spans.append(span)
        elif piece.startswith("{"):
            said = _plain(piece[1:-1].partition(":")[0]).replace(" ", "")
            type = next((each for each in schema.types if each.replace(" ", "") == said), None)
            if type is None:
                return None
            named |= set(range(len(words), len(words) + 1 + len(type.split())))
            words += ["this", *type.split()]
        else:
            words.append(piece.lower())
    taken = named | {place for span in spans for place in span.places}
    own = {stem(type): at for type, at in schema.types.items() if " " not in type}
    spans += [
        Span((at,), (own[stem(word)],), weight=OWN)
        for at, word in enumerate(words)
        if at not in taken and word.isalpha() and stem(word) in own
    ]
    return Question(tuple(words), tuple(spans)) if spans else None


def _span(places: tuple[int, ...], marked: str, schema: Schema, *, is_type: bool) -> Span | None:
    if not places:
        return None
    if is_type:
        types = [schema.types.get(_plain(each)) for each in marked.split(",")]
        return None if None in types else Span(places, tuple(each for each in types if each is not None))
    meant, way = list[int](), 0
    for each in marked.split(","):
        found = KEY.fullmatch(each)
        if each == "-":
            continue
        if found is None or found[1] not in schema.keys:
            return None
        meant.append(schema.keys[found[1]])
        way = {">": 1, "<": -1}.get(found[2], way)
    return Span(places, tuple(meant), way if len(meant) == 1 else 0)


def _about_types(schema: Schema, nouns: Mapping[str, Sequence[str]]) -> Iterator[Question]:
    """Everyday nouns for types in place of nouns that questions have for them; those behind "-" mean no type."""
    draw = random.Random(schema.name)
    about = [
        (question, span)
        for question in schema.questions
        for span in question.spans
        if len(span.meant) == 1 and schema.items[span.meant[0]][0] == TYPE
    ]
    for type, said in nouns.items():
        meant = () if type == "-" else (schema.types[_plain(type)],) if _plain(type) in schema.types else None
        if meant is None:
            continue
        fitting = [each for each in about if type == "-" or each[1].meant == meant]
        for noun in said:
            if fitting and draw.random() < IN_A_QUESTION:
                yield _put(noun.split(), meant, *draw.choice(fitting))
            else:
                words = draw.choice(FRAMES).split()
                yield _put(noun.split(), meant, Question(tuple(words), ()), Span((words.index("NOUN"),), ()))


def _put(noun: Sequence[str], meant: tuple[int, ...], question: Question, span: Span) -> Question:
    """A question with another noun in place of one that it has."""
    first, last = span.places[0], span.places[-1] + 1
    longer = len(noun) - (last - first)
    words = (*question.words[:first], *noun, *question.words[last:])
    others = tuple(
        Span(tuple(at if at < first else at + longer for at in each.places), each.meant, each.way, BESIDE * each.weight)
        for each in question.spans
        if each is not span
    )
    return Question(words, (Span(tuple(range(first, first + len(noun))), meant), *others))
