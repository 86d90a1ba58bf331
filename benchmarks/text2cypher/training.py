"""What readers were trained on and the collection share: questions, names and markup aside, and names of relations."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["in_training", "shared_relations"]

QUESTIONS = Path(__file__).resolve().parent.parent / "questions"
FOLDERS = ("matching", "schemas", "sketches", "queries")
MARKED = re.compile(r"[\[(]([^|\])]*)\|[^\])]*[\])]")  # [words|relation], (noun|type)
RELATION = re.compile(r"^\w+: \S+ (\S+) \S+")  # key: Subject relation Object


def in_training(questions: Sequence[str]) -> int:
    """How many of the questions have the words of a line of the training data, in the same order."""
    known = set(_lines())
    return sum(_words(question) in known for question in questions)


def shared_relations(relations: Iterable[str]) -> int:
    """How many of these relations the training schema that has most of them has, by their letters."""
    wanted, most, own = {_letters(each) for each in relations}, 0, set[str]()
    for path in (path for folder in FOLDERS[:2] for path in (QUESTIONS / folder).glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("== "):
                own = set()
            elif (found := RELATION.match(line)) is not None and not found[1].startswith("="):
                own.add(_letters(found[1]))
                most = max(most, len(own & wanted))
    return most


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())


def _lines() -> Iterable[tuple[str, ...]]:
    for folder in FOLDERS:
        for path in (QUESTIONS / folder).rglob("*.txt"):
            for line in path.read_text("utf-8").splitlines():
                yield _words(line.partition(" => ")[0].removeprefix("- "))


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", MARKED.sub(r"\1", text).lower()))
