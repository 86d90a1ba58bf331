"""Everyday words for the relations of graphs that nobody trained on; a third of the questions must be declined."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import clew
from clew.answer import Asker, Resources
from clew.answer.hearing.linking import LinkedQuestion
from clew.answer.kept import link_of, words_of
from clew.answer.plans.plan import Plan
from clew.answer.reading.account import STRUCTURE, Account, Unbound
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.judged import Judge
from clew.answer.reading.question import ParsedQuestion
from clew.answer.sketch.sketch import Word
from clew.graph.staging import Staged

GRAPHS = json.loads(Path(__file__).with_name("judged.json").read_text("utf-8"))


def staged(graph: dict[str, Any]) -> Staged:
    types = {name: type for type, names in graph["types"].items() for name in names}
    rows = []
    for relation, pairs in graph["triples"].items():
        for pair in pairs.split("|"):
            (subject,) = [name for name in types if pair.startswith(f"{name} ") and pair[len(name) + 1 :] in types]
            other = pair[len(subject) + 1 :]
            rows.append((subject, relation, other, types[subject], types[other]))
    columns = ("subject", "relation", "object", "subject_type", "object_type")
    return Staged(pa.table(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))))


@pytest.fixture(scope="module")
def askers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Asker]]:
    folder = tmp_path_factory.mktemp("judged")
    opened = {}
    for number, (name, graph) in enumerate(GRAPHS.items()):
        clew.build(staged(graph), out=folder / f"{number}.clew")
        opened[name] = Asker(Resources(folder / f"{number}.clew"))
    yield opened
    for asker in opened.values():
        asker.close()


def test_what_no_word_covers_is_met_by_meaning(askers: dict[str, Asker]) -> None:
    right = [
        sorted(item.name for item in askers[name].ask(question).items) == gold
        for name, graph in GRAPHS.items()
        for question, gold in graph["questions"]
        if gold is not None
    ]
    assert sum(right) >= 0.85 * len(right), f"{sum(right)} of {len(right)}"


def test_what_the_graph_does_not_hold_is_declined(askers: dict[str, Asker]) -> None:
    answered = {
        question: answer.text
        for name, graph in GRAPHS.items()
        for question, gold in graph["questions"]
        if gold is None and (answer := askers[name].ask(question)).abstained is None
    }
    assert not answered


def test_what_was_met_by_meaning_alone_is_doubtful(askers: dict[str, Asker]) -> None:
    answer = askers["brewery"].ask("Which beers taste of Fuggle?")
    assert answer.certainty == "doubtful"
    assert answer.unrecognised == ("taste",)


def test_a_word_that_is_listed_for_another_relation_is_declined(askers: dict[str, Asker]) -> None:
    assert askers["brewery"].ask("Which brewmaster designed Stonegate?").abstained is not None


def test_without_an_encoder_such_words_are_declined(askers: dict[str, Asker]) -> None:
    with Resources(askers["brewery"].resources.engine, encoder=None) as resources:
        assert Asker(resources).ask("Which beers taste of Fuggle?").abstained is not None


def test_the_linker_is_asked_only_about_words_that_no_list_has(askers: dict[str, Asker]) -> None:
    asked = list[str]()

    def link(words: Sequence[Word], question: ParsedQuestion, check: Callable[[], None]) -> LinkedQuestion:
        asked.append(question.text)
        found = link_of(askers["brewery"].resources)
        assert found is not None
        return found(words, question, check)

    judge = Judge(words_of(askers["brewery"].resources), link)
    for verb in ("designed", "taste"):
        text = f"Which beers {verb} of Fuggle?"
        question = ParsedQuestion(text, (), (), (), "list", (), ())
        start = text.index(verb)
        account = Account((), (Unbound(start, start + len(verb), verb, STRUCTURE),))
        candidate = Candidate(Plan((), ()), None, (), (), ())
        (eased,) = judge.eased([(candidate, account)], question, check=lambda: None)
        assert eased == account
    assert asked == ["Which beers taste of Fuggle?"]
