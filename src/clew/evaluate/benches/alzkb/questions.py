"""AlzKB's questions over a graph of Hetionet: what each asks, its gold as ids, and whether the graph can answer it.

A question is covered if the graph is complete for its relation, every name in it is an entity of the graph, and so is
what its gold rests on. What is missing from a complete relation is false: that is how "does not" is judged.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.evaluate.benches.alzkb.names import Alias, Names, graph_aliases, shared_aliases
from clew.evaluate.benches.alzkb.wording import (
    COMPLETE,
    Reading,
    read_wording,
    split_choice,
    split_joined,
    split_listed,
    strip_mark,
)
from clew.graph import GraphContents

__all__ = ["FORMS", "AlzkbQuestion", "Named", "load_alzkb"]

FORMS = {"open": "OpenEnded", "choice": "MCQ", "true_false": "True_or_False"}  # form → how its files begin
HOPS = {"1hop": 1, "2hop": 2, "genes": 0}  # how a file ends → hops; facts about one gene have none


@dataclass(frozen=True, slots=True)
class Named:
    """A name that stands in a question, such as an option; `id` is None where the graph has no such entity."""

    name: str
    id: str | None


@dataclass(frozen=True, slots=True)
class AlzkbQuestion:
    """One question with its gold. `relation` and what follows serve to judge coverage and are not for who answers."""

    id: str
    form: str  # open, choice or true_false
    hops: int  # 0: a fact about one gene; 2: shared by two
    text: str  # as written
    question: str  # what is put to who answers: without options, without "True or False Question:"
    options: tuple[Named, ...]
    gold: tuple[str, ...]  # names; the right option; "True" or "False"
    gold_ids: frozenset[str]
    unresolved: tuple[str, ...]  # names of the gold that are no entity of the graph
    within: frozenset[str] | None  # the gold knows these entities only: others are not counted as wrong
    relation: tuple[str, ...]  # kinds of Hetionet's triples
    anchors: tuple[Named, ...]  # the names in it, options apart; of a statement, its subjects first
    pattern: str | None  # the wording with types for names
    why_not: str | None  # why the graph cannot answer it, as "reason: detail"

    @property
    def truth(self) -> bool:
        """What a statement is."""
        return self.gold == ("True",)

    @property
    def covered(self) -> bool:
        return self.why_not is None

    @property
    def reason(self) -> str | None:
        """Why it is not covered, without the detail."""
        return None if self.why_not is None else self.why_not.partition(":")[0]


def load_alzkb(data: Path, contents: GraphContents, *, aliases: Sequence[Alias] | None = None) -> list[AlzkbQuestion]:
    """Every question of the data folder, in the order of its files; without `aliases`, those of the folder are used."""
    given = shared_aliases(data) if aliases is None else aliases
    reader = _QuestionReader(contents, given)
    questions = []
    for form, start in FORMS.items():
        for end, hops in HOPS.items():
            for number, item in enumerate(_items(data / "alzkb_questions" / f"{start}_{end}.json"), 1):
                identifier = f"{form}-{end}-{number:03}"
                questions.append(reader.read(identifier, form, hops, item["question"], item["answer"]))
    return questions


def _items(path: Path) -> list[dict[str, str]]:
    try:
        items: Any = json.loads(path.read_text("utf-8"))
        return [{key: str(item[key]) for key in ("question", "answer")} for item in items]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path} is not a list of questions with answers, as AlzKB's files are: {error}") from error


class _QuestionReader:
    """Reads questions against one graph and one table of aliases."""

    def __init__(self, contents: GraphContents, aliases: Iterable[Alias]) -> None:
        given, own = list(aliases), list(graph_aliases(contents))
        self._entities = frozenset(alias.id for alias in own)
        self._names = Names([*given, *own])
        # AlzKB has no disease but Alzheimer's and its forms, so its lists of diseases hold no others.
        self._diseases = frozenset(alias.id for alias in given if (alias.source, alias.type) == ("AlzKB", "Disease"))

    def read(self, identifier: str, form: str, hops: int, text: str, answer: str) -> AlzkbQuestion:
        """One question from its text and its answer as they stand in the file."""
        question, written = split_choice(text) if form == "choice" else (strip_mark(text), ())
        reading = read_wording(question, stated=form == "true_false") if hops else None
        asked = reading.wording.asked if reading else ""
        options = tuple(Named(name, self._entity(name, asked)) for name in written)
        anchors = self._anchors(hops, reading) if reading else ()
        gold = self._gold(form, answer, options, asked)
        resolved = {name: self._entity(name, asked) for name in gold} if form != "true_false" else {}
        return AlzkbQuestion(
            identifier,
            form,
            hops,
            text,
            question,
            options,
            gold,
            gold_ids=frozenset(each for each in resolved.values() if each is not None),
            unresolved=tuple(name for name, entity in resolved.items() if entity is None),
            within=self._diseases if form == "open" and asked == "Disease" else None,
            relation=reading.wording.kinds if reading else (),
            anchors=anchors,
            pattern=reading.pattern if reading else None,
            why_not=_missing_relation(hops, reading) or _missing_entities(reading, anchors, options, gold, resolved),
        )

    def _entity(self, name: str, type: str) -> str | None:
        """The id of what AlzKB calls so, if the graph has it."""
        found = self._names.resolve(name, type)
        return found if found in self._entities else None

    def _gold(self, form: str, answer: str, options: Sequence[Named], asked: str) -> tuple[str, ...]:
        """The names that are right: those listed, that of the option whose number is given, or True or False."""
        if form == "open":
            return split_listed(answer, lambda name: self._names.resolve(name, asked) is not None)
        right = answer.strip()
        if form == "choice":
            if not (right.isdecimal() and 1 <= int(right) <= len(options)):
                raise InputError(f"expected the number of one of {len(options)} options as the answer, not {answer!r}")
            return (options[int(right) - 1].name,)
        if right not in ("True", "False"):
            raise InputError(f"expected True or False as the answer, not {answer!r}")
        return (right,)

    def _anchors(self, hops: int, reading: Reading) -> tuple[Named, ...]:
        asked, named = reading.wording.asked, reading.wording.named
        if reading.subjects is None:
            return self._split(reading.named, hops, named)
        return (*self._split(reading.subjects, hops, asked), *self._split(reading.named, 1, named))

    def _split(self, text: str, count: int, type: str) -> tuple[Named, ...]:
        names = split_joined(text, count, lambda each: self._entity(each, type) is not None)
        return tuple(Named(name, self._entity(name, type)) for name in names)


def _missing_relation(hops: int, reading: Reading | None) -> str | None:
    """Why the graph has not all triples that a question is about, or None if it has."""
    if hops == 0:
        return "fact about a gene: it is stated by no relation"
    if reading is None:
        return "wording unknown: no phrase of the table fits"
    if not reading.wording.kinds:
        return f"relation absent: Hetionet has none for {reading.wording.phrase!r}"
    partial = [kind for kind in reading.wording.kinds if kind not in COMPLETE]
    return f"relation incomplete: {', '.join(partial)}" if partial else None


def _missing_entities(
    reading: Reading | None,
    anchors: Sequence[Named],
    options: Sequence[Named],
    gold: Sequence[str],
    resolved: Mapping[str, str | None],
) -> str | None:
    """Which names of a question or of its gold the graph does not have, or None if it has all that matter."""
    missing = [anchor.name for anchor in anchors if anchor.id is None]
    if missing:
        return f"name not in the graph: {'; '.join(missing)}"
    if reading and reading.negated and options:  # the right option is the one left over: the others carry the gold
        missing = [option.name for option in options if option.id is None and option.name not in gold]
    else:
        missing = [name for name, entity in resolved.items() if entity is None]
    return f"gold not in the graph: {'; '.join(missing)}" if missing else None
