"""Questions over small graphs of everyday things, a quarter of which the graph cannot answer.

The part `held` was written with the rest and not looked at while the reader was changed; `verbs` has light verbs,
roles, adjectives of places and polite frames. Floors stand here, not the figures: they must not fall.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import clew
from clew.answer import Answer, Asker, Resources
from clew.graph.staging import Relation, Staged

HERE = Path(__file__).with_name("everyday")
GRAPHS = json.loads((HERE / "graphs.json").read_text("utf-8"))
QUESTIONS = [json.loads(line) for line in (HERE / "questions.jsonl").read_text("utf-8").splitlines()]


def staged(graph: dict[str, Any]) -> Staged:
    """A graph of the file: names are ids, and types are given unless there are none."""
    types = {name: type for type, names in graph["types"].items() for name in names}
    rows = []
    for relation, pairs in graph["triples"].items():
        for pair in pairs.split("|"):
            (subject,) = [name for name in types if pair.startswith(f"{name} ") and pair[len(name) + 1 :] in types]
            rows.append((subject, relation, pair[len(subject) + 1 :]))
    columns = dict(zip(("subject", "relation", "object"), map(list, zip(*rows, strict=True)), strict=True))
    if "" not in graph["types"]:
        columns |= {f"{end}_type": [types[name] for name in columns[end]] for end in ("subject", "object")}
    flags = [Relation(name, symmetric=True) for name in graph["symmetric"]]
    return Staged(pa.table(columns), relations=flags)


@pytest.fixture(scope="module")
def askers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Asker]]:
    folder = tmp_path_factory.mktemp("everyday")
    opened = {}
    for name, graph in GRAPHS.items():
        clew.build(staged(graph), out=folder / f"{name}.clew")
        opened[name] = Asker(Resources(folder / f"{name}.clew"))
    assert next(iter(opened.values())).resources.parser is not None, "run `clew models get english`"
    yield opened
    for asker in opened.values():
        asker.close()


def given(answer: Answer) -> Any:
    return answer.value if answer.value is not None else sorted(item.name for item in answer.items)


def counted(askers: dict[str, Asker], part: str) -> Counter[str]:
    """How the questions of a part fared."""
    counts: Counter[str] = Counter()
    for row in QUESTIONS:
        if row["part"] != part or row["graph"] not in GRAPHS:
            continue
        answer = askers[row["graph"]].ask(row["question"])
        declined, known = answer.abstained is not None, row["gold"] is not None
        gold = sorted(row["gold"]) if isinstance(row["gold"], list) else row["gold"]
        right = declined != known and (declined or given(answer) == gold)
        warned = declined or answer.certainty == "doubtful" or bool(answer.unrecognised)
        counts["known" if known else "unknown"] += 1
        counts["right" if known else "declined"] += right
        counts["unwarned"] += not right and not warned
    return counts


@pytest.mark.parametrize(
    ("name", "least"),
    [
        pytest.param("quantified", 78, marks=pytest.mark.soak),
        pytest.param("misread", 58, marks=pytest.mark.slow),
    ],
)
def test_what_is_built_to_be_misread_is_never_wrong_and_sure(askers: dict[str, Asker], name: str, least: int) -> None:
    """Quantifiers in all shapes, and questions with help for harm, two negations, swapped roles or exceptions."""
    rows = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()]
    right, wrong = 0, []
    for row in rows:
        answer = askers[row["graph"]].ask(row["question"])
        gold = sorted(row["gold"]) if isinstance(row["gold"], list) else row["gold"]
        fits = answer.abstained is not None if gold is None else answer.abstained is None and given(answer) == gold
        right += fits
        if not fits and answer.abstained is None and answer.certainty == "sure":
            wrong.append((row["question"], answer.text))
    assert not wrong
    assert right >= least


FLOORS = {"dev": 0.88, "held": 0.6, "verbs": 0.9}
DECLINED = 0.82  # of what a graph cannot answer; a linker takes "steal" for borrowed, and the answer is doubtful


@pytest.mark.parametrize(
    "part",
    [
        pytest.param("held", marks=pytest.mark.slow),
        *(pytest.param(each, marks=pytest.mark.soak) for each in ("dev", "verbs")),
    ],
)
def test_most_are_right_and_what_is_wrong_comes_with_a_warning(askers: dict[str, Asker], part: str) -> None:
    counts = counted(askers, part)
    assert counts["right"] >= FLOORS[part] * counts["known"], counts
    assert counts["declined"] >= DECLINED * counts["unknown"], counts
    assert counts["unwarned"] <= 0.05 * (counts["known"] + counts["unknown"]), counts


@pytest.mark.parametrize(
    ("graph", "question", "word"),
    [
        ("pharma", "What is the dosage of Ardolin?", "dosage"),
        ("pharma", "Who discovered Bexium?", "discovered"),
        ("pharma", "Which drugs rarely cause nausea?", "rarely"),
        ("pharma", "Which drug is the safest for migraine?", "safest"),
        ("league", "How many goals did Carl Dunn score?", "goals"),
        ("league", "Which coach discovered Adam Bell?", "discovered"),
    ],
)
def test_a_declined_question_names_the_word_and_says_what_there_is(
    askers: dict[str, Asker], graph: str, question: str, word: str
) -> None:
    answer = askers[graph].ask(question)
    assert answer.abstained is not None
    assert repr(word) in answer.abstained
    assert "it records: " in answer.abstained
    assert not answer.items


def test_a_restriction_that_is_left_out_makes_the_answer_doubtful(askers: dict[str, Asker]) -> None:
    answer = askers["pharma"].ask("Which drugs treat epilepsy in children?")
    assert [item.name for item in answer.items] == ["Ardolin", "Bexium"]
    assert answer.certainty == "doubtful"
    assert answer.unrecognised == ("children",)


def test_the_voice_of_a_verb_says_who_did_it(askers: dict[str, Asker]) -> None:
    for question, expected in (
        ("Which teams beat the Lions?", ["Falcons", "Harbour United"]),
        ("Which teams did the Lions beat?", ["Millers", "Rovers"]),
        ("Which teams were beaten by the Lions?", ["Millers", "Rovers"]),
        ("Which teams lost to the Falcons?", ["Lions"]),
    ):
        assert given(askers["league"].ask(question)) == expected, question


@pytest.mark.parametrize(
    ("graph", "question", "words"),
    [
        ("pharma", "Which drugs treat rheumatoid asthma?", "no entity called 'rheumatoid asthma'"),
        ("library", "Which readers like Ada Finn?", "'like'"),
        pytest.param(
            "code",
            "Which people use parsely?",
            "'people'",
            marks=pytest.mark.xfail(strict=True, reason="read as maintained_by, doubtful"),
        ),
    ],
)
def test_what_no_type_can_settle_is_declined(askers: dict[str, Asker], graph: str, question: str, words: str) -> None:
    answer = askers[graph].ask(question)
    assert answer.abstained is not None
    assert words in answer.abstained


def test_a_verb_that_fits_a_relation_badly_is_named_and_the_answer_doubtful(askers: dict[str, Asker]) -> None:
    answer = askers["ships"].ask("Which ships were built in Norland?")
    assert answer.certainty == "doubtful"
    assert answer.unrecognised == ("built",)


def test_an_adjective_of_a_place_is_the_place_and_one_that_is_a_name_too_may_be_either(
    askers: dict[str, Asker],
) -> None:
    assert given(askers["world"].ask("Which Asian cities are capitals?")) == ["Tokyo"]
    assert given(askers["world"].ask("Which French cities are there?")) == ["Lyon", "Paris"]


def test_a_relation_that_holds_both_ways_is_one(askers: dict[str, Asker]) -> None:
    answer = askers["farm"].ask("Which farm is next to Brookside?")
    assert given(answer) == ["Hilltop"]
    assert answer.certainty == "sure"
