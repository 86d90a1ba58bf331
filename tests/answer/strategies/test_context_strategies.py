"""`rag` and `local`: answers from a context by its evidence alone, and by a model that reads it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import clew
from clew.answer import STRATEGIES, Answer, Asker, Item, Question, Resources
from clew.answer.context.relevance import COMPARED
from clew.answer.strategies.answering import UNSUPPORTED
from clew.answer.strategies.comparing import ComparedStrategies, agree
from clew.answer.strategies.local import LocalStrategy
from clew.answer.strategies.rag import RagStrategy
from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import InputError
from clew.evaluate.evidence import check_evidence
from clew.lm.clients.scripted import Scripted
from clew.progress import Progress, silent

GENES = "Which genes are linked to arachnodactyly?"
CHOICE = Question("Which gene is associated with Beals syndrome?", options=("FBN1", "FBN2", "ADAMTSL4"))


def with_model(clinic: Asker, model: Scripted) -> Resources:
    return Resources(clinic.resources.engine, encoder=None, model=model)


@pytest.mark.parametrize("strategy", [RagStrategy(), RagStrategy(mode=3), LocalStrategy()])
def test_the_evidence_alone_answers(clinic: Asker, strategy: RagStrategy | LocalStrategy) -> None:
    answer = strategy.answer(Question("Which genes are linked to Beals syndrome?"), clinic.resources)
    assert [item.id for item in answer.items] == ["G:2"]
    assert [str(each) for each in answer.evidence.triples] == ["FBN2 --associated_with--> Beals syndrome"]
    assert (answer.usage.calls, answer.abstained, answer.named) == (0, None, ("D:3",))
    assert not list(check_evidence(answer, clinic.resources.engine))


def test_chains_lead_to_the_asked_type(clinic: Asker) -> None:
    answer = RagStrategy().answer(Question(GENES), clinic.resources)
    assert {item.id for item in answer.items} <= {"G:1", "G:2"}
    assert answer.items
    assert not list(check_evidence(answer, clinic.resources.engine))


def test_an_option_is_chosen_by_its_triples(clinic: Asker) -> None:
    answer = RagStrategy().answer(CHOICE, clinic.resources)
    assert (answer.text, answer.items[0].id, answer.kind) == ("FBN2", "G:2", "choice")
    assert [str(each) for each in answer.evidence.triples] == ["FBN2 --associated_with--> Beals syndrome"]
    none = RagStrategy().answer(replace(CHOICE, options=("FBN1", "ADAMTSL4")), clinic.resources)
    assert none.abstained == "no option is connected with what the question names"
    assert not none.evidence.triples
    unknown = RagStrategy().answer(replace(CHOICE, options=("XYZ9", "no such gene")), clinic.resources)
    assert unknown.abstained


def test_an_option_two_hops_away(clinic: Asker) -> None:
    asked = Question("Which gene is associated with a disease that has phenotype Myopia?", options=("FBN1", "ADAMTSL4"))
    answer = RagStrategy().answer(asked, clinic.resources)
    assert answer.text == "ADAMTSL4"
    assert len(answer.evidence.triples) == 2
    assert RagStrategy().answer(replace(asked, options=("FBN1", "FBN2")), clinic.resources).abstained


def test_a_model_reads_the_context_and_its_names_are_verified(clinic: Asker) -> None:
    model = Scripted(["It is FBN2, and also XYZ9."])
    answer = RagStrategy().answer(Question("Which genes are linked to Beals syndrome?"), with_model(clinic, model))
    assert answer.text == "It is FBN2, and also XYZ9."
    assert [item.id for item in answer.items] == ["G:2"]  # XYZ9 is in no line
    assert answer.usage.calls == 1
    assert "[1] FBN2 (gene) is associated with Beals syndrome" in model.requests[0].messages[0].content
    refused = RagStrategy().answer(Question(GENES), with_model(clinic, Scripted(["unknown"])))
    assert refused.abstained == "scripted names nothing of the context"
    assert refused.evidence.triples  # what there is is shown


def test_a_model_chooses_by_letter_and_may_choose_none(clinic: Asker) -> None:
    model = Scripted(scores={"B": -0.1, "A": -2.0, "C": -3.0, "D": -3.0})
    answer = LocalStrategy().answer(CHOICE, with_model(clinic, model))
    assert (answer.text, answer.items[0].id) == ("FBN2", "G:2")
    assert 0.7 < answer.confidence < 1
    prompt = model.scored[0][0].messages[0].content
    assert "A. FBN1\nB. FBN2\nC. ADAMTSL4\nD. None of these" in prompt
    assert "id | subject | relation | object | sources" in prompt
    none = RagStrategy().answer(CHOICE, with_model(clinic, Scripted(scores={"A": -9, "B": -9, "C": -9, "D": -0.1})))
    assert none.abstained == "scripted chose none of the options"
    guessed = RagStrategy().answer(CHOICE, with_model(clinic, Scripted(scores={"A": -9, "B": -9, "C": -0.1, "D": -9})))
    assert (guessed.text, guessed.items, guessed.evidence.triples) == ("ADAMTSL4", (), ())  # no line names it
    assert guessed.interpretation == (UNSUPPORTED,)
    assert guessed.certainty == "doubtful"


def test_the_modes_of_the_context(clinic: Asker) -> None:
    prior = clinic.resources.engine.snapshot.folder / "prior.txt"
    prior.write_text("Sources do not matter.\n", "utf-8")
    prompts = []
    try:
        for mode in range(4):
            model = Scripted(["unknown"])
            RagStrategy(mode=mode).answer(Question(GENES), with_model(clinic, model))
            prompts.append(model.requests[0].messages[0].content.split("\n\nQuestion: ")[0])
    finally:
        prior.unlink()
    assert prompts[2] == f"{prompts[0]}\n\nSources do not matter."
    assert json.loads(prompts[3]) == {"context": json.loads(prompts[1]), "prior_knowledge": "Sources do not matter."}
    with pytest.raises(InputError, match="0, 1, 2 or 3"):
        RagStrategy(mode=4)


def test_nothing_is_answered_without_an_entity(clinic: Asker) -> None:
    for name in ("rag", "local"):
        answer = STRATEGIES.load(name)().answer(Question("Who won the cup?"), clinic.resources)
        assert answer.abstained == "no entity of this graph is named"
    with pytest.raises(InputError, match="26 options"):
        RagStrategy().answer(replace(CHOICE, options=("x",) * 26), clinic.resources)


class Says:
    def __init__(self, *ids: str, value: int | None = None, abstained: str | None = None) -> None:
        items = tuple(Item(id, id, "Gene") for id in ids)
        self.said = Answer("?", items=items, value=value, abstained=abstained)

    def answer(self, question: Question, resources: Resources) -> Answer:
        return self.said


def test_strategies_are_compared(clinic: Asker) -> None:
    def compare(**strategies: Says) -> Answer:
        return ComparedStrategies(strategies).answer(Question("?"), clinic.resources)

    assert [item.id for item in compare(a=Says("G:1", "G:2"), b=Says("G:1")).items] == ["G:1", "G:2"]
    conflict = compare(a=Says("G:1"), b=Says("G:2"))
    assert conflict.abstained == "a and b disagree"
    assert not conflict.items
    assert "a: 1 item: G:1; b: 1 item: G:2" in conflict.text
    assert [item.id for item in compare(a=Says(abstained="why"), b=Says("G:2")).items] == ["G:2"]
    assert compare(a=Says(abstained="why"), b=Says(abstained="who")).abstained == "no strategy has an answer"
    assert compare(a=Says(value=3), b=Says("G:1"), c=Says("G:2")).abstained == "b and c disagree"
    assert agree(Says(value=3).said, Says("G:1").said) is None
    one, other = (Answer("?", kind="choice", text=text) for text in ("FBN1", "FBN2"))
    assert (agree(one, one), agree(one, other)) == (True, False)
    assert agree(Says(value=3).said, Says(value=4).said) is False


class Counting(HashedEncoder):
    """Keeps the texts that it encodes."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> NDArray[np.float32]:
        self.seen |= set(texts)
        return super().encode(texts, progress=progress)


def test_local_search_compares_no_more_names_than_around_one_entity(tmp_path: Path) -> None:
    """30 drugs of a disease with 70 targets each: without a bound for all together, 2,000 names are encoded."""
    rows = ["subject,relation,object,subject_type,object_type"]
    rows += [f"Hypoxia,affects,D{d},Disease,Drug" for d in range(30)]
    rows += [f"D{d},acts_on,T{d}x{t},Drug,Target" for d in range(30) for t in range(70)]
    (tmp_path / "rows.csv").write_text("\n".join(rows) + "\n", "utf-8")
    encoder = Counting()
    graph = clew.build(tmp_path / "rows.csv", out=tmp_path / "g.clew")
    found = LocalStrategy().retrieve(Question("What is zorbic in Hypoxia?"), Resources(graph, encoder=encoder))
    assert found.linked.rest == "zorbic"
    assert len(encoder.seen & {f"T{d}x{t}" for d in range(30) for t in range(70)}) <= COMPARED
    assert found.context.lines
