"""Prompts noted in one run and answers read in another give the journal of a run that asks the model itself."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from benchmarks.contexts.model_requests import ask_choices
from benchmarks.contexts.named import context_names_gold
from benchmarks.contexts.offline import Offline

import clew
from clew.answer import Resources
from clew.app.cli.evaluation.choices import QuestionSet
from clew.errors import ModelError
from clew.evaluate.choices.run import run_choices
from clew.lm import Message, Request
from clew.lm.clients.scripted import Scripted
from clew.lm.failures import BadAnswer
from clew.progress import silent

ROWS = ("no-context", "rag", "adaptive")
SCORES = {"A": -3.0, "B": -1.0, "C": -0.5, "D": -2.0, "E": -4.0, "F": -2.5}
SAMPLE = 10


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Genes, the diseases that they are associated with, and their signs."""
    triples = [(f"G:{at}", "associated_with", f"D:{(at * step) % 40}") for at in range(30) for step in (1, 7)]
    triples += [(f"D:{at}", "has_sign", f"S:{(at * step) % 50}") for at in range(40) for step in (1, 7)]
    table = pa.table(dict(zip(("subject", "relation", "object"), zip(*sorted(set(triples)), strict=True), strict=True)))
    kinds = (("Gene", 30), ("Disease", 40), ("Sign", 50))
    rows = [(f"{kind[0]}:{at}", f"{kind} number{at}x", kind) for kind, n in kinds for at in range(n)]
    entities = pa.table(dict(zip(("id", "name", "type"), zip(*rows, strict=True), strict=True)))
    out = tmp_path_factory.mktemp("requests") / "g.clew"
    clew.build(table, entities=entities, out=out)
    return out


def answered(requests: Path, responses: Path) -> int:
    """Answer the requests as the scripted model would."""
    lines = [json.loads(line) for line in requests.read_text("utf-8").splitlines()]
    with responses.open("w", encoding="utf-8") as file:
        for asked in lines:
            scores = [SCORES[each] for each in asked.get("continuations", ())]
            made = {"key": asked["key"], "text": "C", "finish": "stop", "prompt_tokens": 5, "completion_tokens": 1}
            file.write(json.dumps({**made, "scores": scores}) + "\n")
    return len(lines)


def chosen(journal: Path) -> dict[tuple[str, str], str | None]:
    records: list[dict[str, Any]] = [json.loads(line) for line in journal.read_text("utf-8").splitlines()[1:]]
    return {(each["row"], each["id"]): each["option"] for each in records}


def test_noted_and_read_as_if_asked(graph: Path, tmp_path: Path) -> None:
    requests, responses = tmp_path / "q.jsonl", tmp_path / "r.jsonl"

    asked = QuestionSet(str(graph), tmp_path, count=2 * SAMPLE)

    def ask(model: Offline, out: Path | None) -> None:
        ask_choices(asked, ROWS, model=model, sample=SAMPLE, out=out, progress=silent)

    ask(Offline(requests), None)
    noted = answered(requests, responses)
    ask(Offline(requests), None)  # a second run notes nothing again
    assert answered(requests, responses) == noted
    ask(Offline(requests, responses), tmp_path / "read.jsonl")

    model = Scripted(lambda request: "C", scores=SCORES, context=2048)
    with Resources(clew.open(graph), encoder=None) as words:
        questions = asked.questions(words.linker, silent)
    with Resources(clew.open(graph)) as plain, Resources(clew.open(graph), model=model) as reading:
        run_choices(plain, reading, questions, rows=ROWS, asked={}, sample=SAMPLE, out=tmp_path / "asked.jsonl")
    read = chosen(tmp_path / "read.jsonl")
    assert read == chosen(tmp_path / "asked.jsonl")
    assert len(read) == len(ROWS) * SAMPLE
    assert len({option for option in read.values() if option}) > 5


def test_an_answer_that_is_missing_or_empty_is_an_error(tmp_path: Path) -> None:
    request = Request([Message("user", "Which gene?")], max_tokens=5)
    Offline(tmp_path / "q.jsonl").complete(request)
    (tmp_path / "r.jsonl").write_text("", "utf-8")
    with pytest.raises(ModelError, match="note the requests again"):
        Offline(tmp_path / "q.jsonl", tmp_path / "r.jsonl").complete(request)
    key = json.loads((tmp_path / "q.jsonl").read_text("utf-8"))["key"]
    response = {"key": key, "text": " ", "finish": "stop", "prompt_tokens": 4, "completion_tokens": 0, "scores": []}
    (tmp_path / "r.jsonl").write_text(json.dumps(response), "utf-8")
    with pytest.raises(BadAnswer, match="returned nothing"):
        Offline(tmp_path / "q.jsonl", tmp_path / "r.jsonl").complete(request)


def test_prompts_are_told_apart_by_all_that_decides_the_answer(tmp_path: Path) -> None:
    model = Offline(tmp_path / "q.jsonl")
    for temperature, seed in ((0.0, 1), (0.3, 1), (0.3, 2), (0.3, 2)):
        model.complete(Request([Message("user", "Which?")], max_tokens=5, temperature=temperature, seed=seed))
    model.score(Request([Message("user", "Which?")]), ["A", "B"])
    assert len((tmp_path / "q.jsonl").read_text("utf-8").splitlines()) == 4
    with pytest.raises(ModelError, match="offline"):
        model.complete(Request([Message("user", "Which?")], max_tokens=5, stop=["."]))


def test_whether_a_text_names_the_right_option(graph: Path, tmp_path: Path) -> None:
    model = Scripted(lambda request: "C", scores=SCORES, context=2048)
    with Resources(clew.open(graph), encoder=None, model=model) as resources:
        made = QuestionSet(str(graph), tmp_path, count=4).questions(resources.linker, silent)
        question = next(each for each in made if each.gold is not None)
        named = {row: context_names_gold(row, question, resources, model) for row in ("no-context", "adaptive")}
    assert named == {"no-context": False, "adaptive": True}
