"""Judges: what they are asked, what their answers mean, and how far they are trusted."""

from collections import defaultdict
from dataclasses import replace
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from clew.errors import InputError, ModelError, Timeout
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.extraction.judge.calibration import (
    Calibration,
    Known,
    balanced_accuracy,
    calibrate,
    corrupted_triples,
    induced_pairs,
)
from clew.evaluate.extraction.judge.factuality import TypedTriple, judge_triples, validity_by_signature
from clew.evaluate.extraction.judge.keyword_judge import KEYWORDS, KeywordJudge
from clew.evaluate.extraction.judge.model_judge import ModelJudge, Settable, Verdict, judge_all, model_judges
from clew.evaluate.extraction.judge.wordings import QUESTIONS, WORDINGS, Statement, ask, ask_without_subject, claim
from clew.evaluate.statistics import Interval
from clew.extract.seed.signatures import Signatures
from clew.graph import read_entities
from clew.lm import Request, Score, open_model
from clew.lm.clients.scripted import Scripted
from clew.traverse import open

LITHIUM = Statement("lithium", "induces", "tremor", "Lithium gave tremor.")


class Leaning(Scripted):
    """Says how likely yes is by how many letters the object has; always leans to yes."""

    def score(self, request: Request, continuations: object, *, timeout: float | None = None) -> list[Score]:
        said = request.messages[0].content.split("induces — ")[1].split(".")[0]
        return [Score("yes", log(0.6 + len(said) / 100), 1), Score("no", log(0.1), 1), Score("maybe", log(0.01), 1)]


class Words(Scripted):
    """Says yes to claims, less so to questions, and names what it is told of the sooner."""

    def score(self, request: Request, continuations: tuple[str, ...], *, timeout: float | None = None) -> list[Score]:
        self.scored.append((request, tuple(continuations)))
        said = request.messages[0].content
        chances = {"Yes": 0.9 if "Claim:" in said else 0.4, "tremor": 0.3 if "lithium" in said else 0.1}
        return [Score(text, log(chances.get(text, 0.1)), 2) for text in continuations]


def scored(yes: float, no: float, maybe: float = 0.001) -> ModelJudge:
    scores = {"yes": log(yes), "no": log(no), "maybe": log(maybe)}
    return ModelJudge(Scripted(scores=scores), wording="statement")


def test_the_likelier_answer_counts_and_maybe_only_when_it_beats_both() -> None:
    assert scored(0.6, 0.2).judge(LITHIUM, "validity").answer == "yes"
    assert scored(0.2, 0.6).judge(LITHIUM, "validity").answer == "no"
    assert scored(0.3, 0.2, 0.4).judge(LITHIUM, "validity").answer == "maybe"
    verdict = scored(0.6, 0.2).with_threshold(0.8).judge(LITHIUM, "validity")
    assert (verdict.answer, verdict.yes) == ("no", pytest.approx(0.75))


def test_the_prompt_holds_the_statement_and_the_text_where_it_is_asked_for() -> None:
    for question, with_text in (("context", True), ("truth", True), ("validity", False)):
        model = Scripted(scores={"Yes": -1, "No": -2, "Maybe": -3})
        ModelJudge(model).judge(Statement("lithium", "may_induce", "tremor {x}", "A {curly} text."), question)
        ((request, continuations),) = model.scored
        said = request.messages[0].content
        assert "lithium may induce tremor {x}" in said
        assert ("A {curly} text." in said) == with_text
        assert continuations == ("Yes", "No", "Maybe")


def test_every_wording_holds_the_statement_and_only_judges_of_texts_see_one() -> None:
    statement = Statement("lithium {1}", "treats", "tremor", "A {curly} text.")
    for question in QUESTIONS:
        for wording in (each for each in WORDINGS[question] if each != "both"):
            asked = ask(statement, question, wording)
            assert "lithium {1}" in asked
            assert ("tremor" in asked) == (wording != "name")  # the name itself is what is weighed
            assert ("A {curly} text." in asked) == (question != "validity")
    assert "lithium" not in ask_without_subject(statement)
    with pytest.raises(InputError, match="ask for question or claim"):
        ask(statement, "context", "both")
    with pytest.raises(InputError, match="no question is called"):
        ask(statement, "beauty", "question")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'truth' has no wording 'name'"):
        ask(statement, "truth", "name")


def test_both_takes_the_mean_of_two_wordings_and_a_name_what_the_subject_makes_likelier() -> None:
    model = Words()
    both = ModelJudge(model, wording="both").judge(LITHIUM, "context")
    assert both.yes == pytest.approx(6 / 7)  # odds of 4 and of 9
    assert len({request for request, _ in model.scored}) == 2
    name = ModelJudge(model, wording="name").judge(LITHIUM, "validity")
    assert name.yes == pytest.approx(1 / (1 + exp(-log(3) / 2)))  # three times as likely over two tokens
    assert model.scored[-1][1] == ("tremor",)
    with pytest.raises(InputError, match="by scoring only"):
        ModelJudge(model, by="grammar", wording="name")


def test_examples_in_prompts_are_no_statements_of_the_calibration(hpo: Path) -> None:
    asked = ask(Statement("", "induces", "", ""), "validity", "examples")
    assert asked.count("Claim: ") > 4
    for each in corrupted_triples(open(hpo), each=50):
        assert f"Claim: {claim(each.statement.subject, each.statement.relation, each.statement.object)}." not in asked


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("yes", "yes"),
        (" No", "no"),
        ("<think>well</think>maybe", "maybe"),
        ("perhaps", "missing"),
        (ModelError("it broke"), "missing"),
        (Timeout("too slow"), "missing"),
    ],
)
def test_a_written_answer_is_read_and_what_is_none_is_missing(line: str | Exception, answer: str) -> None:
    judge = ModelJudge(Scripted([line]), by="grammar")
    verdict = judge.judge(LITHIUM, "context")
    assert verdict.answer == answer
    assert bool(verdict.trouble) == (answer == "missing")


def test_equal_statements_are_judged_once_and_order_is_kept() -> None:
    model = Scripted(["yes", "no"])
    other = Statement("zinc", "induces", "rash", "Zinc.")
    verdicts = judge_all(ModelJudge(model, by="grammar"), [LITHIUM, other, LITHIUM], "truth")
    assert [each.answer for each in verdicts] == ["yes", "no", "yes"]
    assert len(model.requests) == 2


def known(texts: dict[str, bool]) -> list[Known]:
    return [Known(Statement("x", "induces", text), holds) for text, holds in texts.items()]


def test_a_leaning_judge_is_set_right_by_calibration() -> None:
    """It says yes to everything; but long names are likelier, and here it is the long ones that hold."""
    given = known({("a" * (20 + n) if n % 2 else "a" * (1 + n // 10)): bool(n % 2) for n in range(40)})
    judge, calibration = calibrate([ModelJudge(Leaning(), wording="statement")], given, "validity")
    assert calibration.accuracy.mean == calibration.chosen_on == 1.0
    assert calibration.trusted
    assert calibration.title.startswith("balanced accuracy 1.00")
    assert judge.judge(Statement("x", "induces", "aa"), "validity").answer == "no"
    assert judge.judge(Statement("x", "induces", "a" * 45), "validity").answer == "yes"


def test_a_judge_that_guesses_is_called_uncalibrated() -> None:
    random = np.random.default_rng(0)
    given = known({"a" * n: bool(random.integers(2)) for n in range(1, 200)})
    _, calibration = calibrate([ModelJudge(Leaning(), wording="statement")], given, "validity")
    assert calibration.chosen_on > calibration.accuracy.mean  # the threshold was not tested on what it was set on
    assert calibration.accuracy.mean < 0.6
    assert calibration.accuracy.low < calibration.accuracy.mean < calibration.accuracy.high
    assert not calibration.trusted
    assert calibration.title.startswith("uncalibrated judge")


def test_halves_are_exchanged() -> None:
    random = np.random.default_rng(1)
    holding, others = (known({"a" * (20 * n + part): part == 1 for n in random.permutation(30)}) for part in (1, 7))
    in_turn = [each for pair in zip(holding, others, strict=True) for each in pair]
    turned = [in_turn[at] for first in range(0, 60, 4) for at in (first + 2, first + 3, first, first + 1)]
    (_, one), (_, other) = (
        calibrate([ModelJudge(Leaning(), wording="statement")], each, "validity") for each in (in_turn, turned)
    )
    assert one.exchanged == other.accuracy.mean
    assert other.exchanged == one.accuracy.mean
    assert one.exchanged != one.accuracy.mean


def test_the_judge_is_chosen_on_one_half_and_only_it_meets_the_other() -> None:
    class Counting:
        def __init__(self, name: str, letter: str) -> None:
            self.name, self.letter, self.heard = name, letter, 0

        def judge(self, statement: Statement, question: str) -> Verdict:
            self.heard += 1
            return Verdict("yes" if self.letter in statement.object else "no")

    given = known({f"{'b' if n % 2 else 'c'}{n}": bool(n % 2) for n in range(40)})
    wrong, right = Counting("wrong", "c"), Counting("right", "b")
    judge, calibration = calibrate([wrong, right], given, "context")
    assert judge is right
    assert (wrong.heard, right.heard) == (20, 40)
    assert [(each.judge, each.accuracy) for each in calibration.tried] == [("wrong", 0.0), ("right", 1.0)]
    with pytest.raises(InputError, match="no judge"):
        calibrate([], given, "context")


def test_a_judge_by_grammar_is_measured_as_it_writes() -> None:
    given = known({"a": True, "b": True, "c": False, "d": False})
    lines = iter(["yes", "no", "maybe", ModelError("broke")])  # of a and c, and then of b and d
    judge = ModelJudge(Scripted(lambda _: next(lines)), by="grammar")
    _, calibration = calibrate([judge], given, "context")
    assert (calibration.chosen_on, calibration.accuracy.mean, calibration.missing) == (1.0, 0.5, 1)
    with pytest.raises(InputError, match="two of each"):
        calibrate([judge], given[:2], "context")


@pytest.mark.parametrize(
    ("text", "relation", "answer"),
    [
        ("Zinc caused a rash.", "induces", "yes"),
        ("Zinc was used to treat a rash.", "induces", "no"),
        ("Zinc was used to treat a rash.", "treats", "yes"),
        ("Zinc did not cause a rash.", "induces", "no"),
        ("Zinc caused pain. A rash was seen.", "induces", "maybe"),
        ("Nothing is said.", "induces", "maybe"),
        ("Zinc caused a rash.", "unheard_of", "no"),
    ],
)
def test_cue_words_between_two_names_speak_for_and_against(text: str, relation: str, answer: str) -> None:
    judge = KeywordJudge(threshold=0.4)
    assert isinstance(judge, Settable)
    assert judge.judge(Statement("zinc", relation, "rash", text), "context").answer == answer
    assert judge.judge(Statement("zinc", relation, "rash", text), "validity").answer == "maybe"


def test_the_nearer_of_two_mentions_counts() -> None:
    near, far = (
        KeywordJudge().judge(Statement("zinc", "induces", "rash", text), "context").yes
        for text in ("Zinc caused rash.", "Zinc caused pain, fever, nausea, vertigo and a rash.")
    )
    assert near is not None
    assert far is not None
    assert near > far
    assert set(KEYWORDS) >= {"induces", "treats", "is_a"}


def test_balanced_accuracy_does_not_reward_saying_yes() -> None:
    holds = np.array([True] * 9 + [False])
    assert balanced_accuracy(np.ones(10, bool), holds) == 0.5
    assert balanced_accuracy(holds, holds) == 1.0


def test_calibration_pairs_are_gold_and_co_occurring(train: list[Abstract]) -> None:
    given = induced_pairs(train)
    assert len(given) == 200
    assert sum(each.holds for each in given) == 100
    assert all(end in each.statement.text for each in given for end in (each.statement.subject, each.statement.object))
    assert given == induced_pairs(train)
    assert given != induced_pairs(train, seed=1)
    assert [each.holds for each in given] != sorted((each.holds for each in given), reverse=True)
    with pytest.raises(InputError, match="only"):
        induced_pairs(train[:3])


def test_corrupted_triples_lead_where_the_relation_never_does(hpo: Path) -> None:
    graph = open(hpo)
    signatures = Signatures.of_schema(graph.schema)
    entities = read_entities(graph, ("name", "type"))
    types = defaultdict(set)  # of each name: a few are names of a disease and of a phenotype
    for name, type in zip(entities["name"].to_pylist(), entities["type"].to_pylist(), strict=True):
        types[name].add(type)
    given = corrupted_triples(graph, each=50)
    assert len(given) == 100
    clear = [each for each in given if len(types[each.statement.object]) == 1]
    assert len(clear) > 90
    for each in clear:
        fits = types[each.statement.object] <= set(signatures.object_types(each.statement.relation))
        assert fits == each.holds


CERTAIN = Calibration("it", "context", Interval(0.9, 0.8, 1.0, 100), 0.9, 0.5, 200, 0)
UNSURE = Calibration("it", "context", Interval(0.6, 0.5, 0.7, 100), 0.7, 0.5, 200, 0)


class ByText:
    """Yes where the object stands in the text; validity: yes where it has no digit."""

    name = "by text"

    def judge(self, statement: Statement, question: str) -> Verdict:
        good = statement.object in statement.text if question != "validity" else not statement.object[-1].isdigit()
        return Verdict("yes" if good else "no")


def test_scores_stand_beside_their_judge_and_after_the_validity_check() -> None:
    statements = [
        Statement("zinc", "induces", "rash", "Zinc gave rash."),
        Statement("zinc", "induces", "pain", "Zinc gave rash."),
        Statement("zinc", "induces", "x1", "Zinc gave x1."),
        Statement("zinc", "induces", "x2", "Zinc gave rash."),
    ]
    judge = ByText()
    rows = judge_triples(statements, {"context": (judge, UNSURE), "validity": (judge, CERTAIN)})
    shown = {row.name: (row.yes.mean, row.no, row.triples, row.trust) for row in rows}
    assert shown == {
        "ValidityScore": (0.5, 0.5, 4, "balanced accuracy 0.90, 95 % 0.80-1.00"),
        "FActScore*, context only": (0.5, 0.5, 4, "uncalibrated judge (0.60, 95 % 0.50-0.70)"),
        "FActScore*, context only, after the validity check": (
            0.5,
            0.5,
            2,
            "uncalibrated judge (0.60, 95 % 0.50-0.70)",
        ),
    }
    with pytest.raises(InputError, match="no triples"):
        judge_triples([], {"context": (judge, UNSURE)})


def test_signatures_judge_without_a_model() -> None:
    signatures = Signatures({"induces": {("Drug", "Disease"): 10}})
    triples = [
        TypedTriple("Drug", "induces", "Disease"),
        TypedTriple("Drug", "induces", None),
        TypedTriple("Disease", "induces", None),
        TypedTriple("Disease", "induces", "Drug"),
    ]
    row = validity_by_signature(triples, signatures)
    assert (row.yes.mean, row.maybe, row.no) == (0.25, 0.25, 0.5)
    assert row.judge == "signatures and types, no judge"


@pytest.mark.soak
def test_a_real_model_judges_and_comes_with_how_little_it_knows(train: list[Abstract]) -> None:
    """SmolLM2 has 135 M parameters."""
    given = [
        Known(replace(each.statement, text=each.statement.text[:200]), each.holds)
        for each in induced_pairs(train, each=4)
    ]
    with open_model("smollm2", context=1024) as model:
        judge, calibration = calibrate([ModelJudge(model)], given, "context")
        verdicts = [judge.judge(each.statement, "context") for each in given[:2]]
        written = ModelJudge(model, by="grammar").judge(given[0].statement, "validity")
    assert calibration.missing == 0
    assert calibration.trusted == (calibration.accuracy.mean >= 0.70)
    assert {each.wording for each in model_judges(model, "context")} == set(WORDINGS["context"])
    assert verdicts[0].yes != verdicts[1].yes  # it reads the statements
    assert {each.answer for each in (*verdicts, written)} <= {"yes", "no", "maybe"}
