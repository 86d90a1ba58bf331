"""Whether questions are among those that readers were trained on, names and markup aside."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["in_training"]

QUESTIONS = Path(__file__).resolve().parent.parent / "questions"
FOLDERS = ("matching", "schemas", "sketches")
MARKED = re.compile(r"[\[(]([^|\])]*)\|[^\])]*[\])]")  # [words|relation], (noun|type)


def in_training(questions: Sequence[str]) -> int:
    """How many of the questions have the words of a line of the training data, in the same order."""
    known = set(_lines())
    return sum(_words(question) in known for question in questions)


def _lines() -> Iterable[tuple[str, ...]]:
    for folder in FOLDERS:
        for path in (QUESTIONS / folder).rglob("*.txt"):
            for line in path.read_text("utf-8").splitlines():
                yield _words(line.partition(" => ")[0].removeprefix("- "))


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", MARKED.sub(r"\1", text).lower()))
