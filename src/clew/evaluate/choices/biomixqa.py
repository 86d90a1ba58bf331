"""BiomixQA's questions: which of five genes (or variants) is associated with two diseases, and statements to judge.

Only the sentence is asked: the list of options inside it is given as options. Questions are split by how many of the
two diseases the graph associates with the gold, statements by their form. For a few questions the contexts that KG-RAG
retrieved from SPOKE are stored.
"""

import csv
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from clew.errors import InputError
from clew.evaluate.choices.generate import ChoiceQuestion
from clew.link import Linker

__all__ = ["TRUE_FALSE", "read_questions", "read_statements"]

QUESTIONS, STATEMENTS = "mcq_questions.csv", "true_false_questions.csv"
LIST = re.compile(r"^Out of the given list, (.*?)\.? Given list is:.*$", re.DOTALL)
CONTEXTS, WITH_CONTEXT = "spoke_contexts_sample.jsonl.gz", "context-q"  # and the kind of its rows that have one
ASKED = re.compile(r"Out of the given list, which \w+ is associated with .*? Given list is:[^.]*", re.DOTALL)
SUPPORT = ("no disease", "one disease", "both diseases")
TRUE_FALSE = ("True", "False")
FORMS = (  # the first that occurs in a statement
    (re.compile(r"\bGene\b"), "gene"),
    (re.compile(r"\btreats?\b"), "treats"),
    (re.compile(r"\bidentifier\b", re.IGNORECASE), "identifier"),
    (re.compile(r"\bis (not )?an? "), "is a"),
)


def read_questions(folder: Path, linker: Linker, *, seed: int = 0) -> list[ChoiceQuestion]:
    """The multiple-choice questions, their options in a random order."""
    random, made = Random(seed), []
    contexts = _contexts(folder / CONTEXTS)
    for at, row in enumerate(_rows(folder / QUESTIONS, ("text", "correct_node", "options_combined"))):
        asked = LIST.match(row["text"])
        options = list(dict.fromkeys(each.strip() for each in row["options_combined"].split(",")))
        if asked is None or row["correct_node"] not in options:
            raise InputError(f"{folder / QUESTIONS}: row {at + 1} has no list of options, or none that is right")
        random.shuffle(options)
        diseases = tuple(_id(row[name], linker, "Disease") for name in ("disease_1", "disease_2"))
        ids = tuple(_id(option, linker, "Gene") for option in options)
        gold = ids[options.index(row["correct_node"])]
        text = f"{asked[1][0].upper()}{asked[1][1:]}?"
        made.append(
            ChoiceQuestion(
                f"b{at + 1}",
                _support(gold, diseases, linker),
                text,
                tuple(options),
                ids,
                row["correct_node"],
                tuple(each for each in diseases if each),
                next((context for asked, context in contexts if asked.startswith(row["text"])), ""),
            )
        )
    return _stratified(made)


def read_statements(folder: Path) -> list[ChoiceQuestion]:
    """The statements to be called true or false."""
    made = [
        ChoiceQuestion(f"s{at + 1}", _form(row["text"]), row["text"], TRUE_FALSE, ("", ""), row["label"], ())
        for at, row in enumerate(_rows(folder / STATEMENTS, ("text", "label")))
    ]
    return _stratified(made)


def _stratified(questions: Sequence[ChoiceQuestion]) -> list[ChoiceQuestion]:
    """The questions in an order of which every beginning has all kinds in the proportions of the whole."""
    sizes = Counter(question.kind for question in questions)
    place: Counter[str] = Counter()
    keyed = []
    for question in questions:
        place[question.kind] += 1
        keyed.append(((place[question.kind] - 0.5) / sizes[question.kind], question))
    return [question for _, question in sorted(keyed, key=lambda pair: pair[0])]


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    if not path.is_file():
        raise InputError(f"{path} is missing: expected the data folder that holds biomixqa, see --data")
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        missing = [name for name in columns if name not in (rows.fieldnames or ())]
        if missing:
            raise InputError(f"{path} has no column {missing[0]!r}: expected the file that BiomixQA has")
        yield from rows


def _contexts(path: Path) -> list[tuple[str, str]]:
    """Questions as a model was asked them, and the context before each; none without the file."""
    if not path.is_file():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        stored = [json.loads(line) for line in file]
    texts = [each["instruction"] for each in stored if each["kind"] == WITH_CONTEXT]
    found = [(text, ASKED.search(text)) for text in texts]
    return [(match[0], text[: match.start()]) for text, match in found if match]


def _id(name: str, linker: Linker, type: str) -> str:
    """The entity that a name means; empty if the graph has none."""
    found = linker.link(name.strip(), type=type, last_stage="normalised").best
    return "" if found is None else found.id


def _support(gold: str, diseases: tuple[str, ...], linker: Linker) -> str:
    near = set(linker.engine.hop([gold], 1, direction="both")) if gold else set()
    return SUPPORT[sum(each in near for each in diseases)]


def _form(text: str) -> str:
    return next((form for pattern, form in FORMS if pattern.search(text)), "other")
