"""Path questions from a graph: what the generator promises, what rows score, and runs that resume."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.answer import Resources
from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import InputError
from clew.evaluate.paths.absence import measure_absence
from clew.evaluate.paths.generate import PathQuestion, generate_paths
from clew.evaluate.paths.rows import ROWS, Searcher
from clew.evaluate.paths.run import run_paths
from clew.evaluate.paths.wording import chain_question
from clew.lm.clients.scripted import Scripted

RELATIONS = [f"{area}.{kind}.{what}" for area in ("film", "people") for kind in ("actor", "place") for what in "abcdef"]


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    """Three hundred entities, two random triples of each relation for every ten of them."""
    random = Random(5)
    rows = {(f"e{random.randrange(300)}", name, f"e{random.randrange(300)}") for name in RELATIONS for _ in range(60)}
    columns = zip(*sorted(rows), strict=True)
    table = pa.table(dict(zip(("subject", "relation", "object"), columns, strict=True)))
    out = tmp_path_factory.mktemp("paths") / "g.clew"
    return Resources(clew.build(table, out=out), encoder=HashedEncoder(dimension=64))


@pytest.fixture(scope="module")
def questions(resources: Resources) -> list[PathQuestion]:
    return generate_paths(resources.engine, count=30, seed=1)


def test_gold_is_what_the_chain_reaches(resources: Resources, questions: list[PathQuestion]) -> None:
    graph = resources.engine
    assert [len(each.chain) for each in questions] == [2, 3] * 15
    for each in questions:
        ends = graph.lookup([each.topic])
        for name, forward in each.chain:
            ends = graph.hop(ends, 1, relations=name, direction="out" if forward else "in").ids
        assert set(graph.describe(ends)["id"].to_pylist()) == set(each.gold)
        assert each.topic not in each.question  # the scorers are told nothing by its name
        assert not set(each.gold) & set(graph.hop(each.topic, 1, direction="both"))


def test_no_chain_is_in_both_parts_or_twice(resources: Resources, questions: list[PathQuestion]) -> None:
    development = generate_paths(resources.engine, count=30, seed=1, part="development")
    chains = [each.chain for each in (*questions, *development)]
    assert len(set(chains)) == len(chains)
    assert generate_paths(resources.engine, count=30, seed=1) == questions
    assert generate_paths(resources.engine, count=30, seed=2) != questions
    for count, part in ((0, "test"), (3, "training")):
        with pytest.raises(InputError, match="were asked for"):
            generate_paths(resources.engine, count=count, part=part)


def test_wording_tells_neither_the_order_nor_the_names_for_sure() -> None:
    hops = (("/film/actor/film", True, ""), ("/people/person/profession", True, ""))
    asked = [chain_question(hops, "T", Random(seed)) for seed in range(200)]
    first = [each.lower().find("prof") + each.lower().find("occup") > each.find("T") for each in asked]
    assert 60 < sum(first) < 140  # either relation is named first about half of the time
    assert 60 < sum("movie" in each for each in asked) < 140
    assert len(set(asked)) > 50
    verbs = chain_question((("has_phenotype", False, "Disease"), ("associated_with", False, "Gene")), "T", Random(1))
    assert "disease that has phenotype T" in verbs


def test_rows_score_what_they_say(resources: Resources, questions: list[PathQuestion]) -> None:
    searcher = Searcher(resources.engine, resources.encoder)
    searcher.model = Scripted(lambda request: "no" if "yes or no" in request.messages[0].content else "A")
    answers = {row: [searcher.ask(row, each) for each in questions[:8]] for row in ROWS}
    for row, asked in answers.items():
        for each in asked:
            assert each.strict <= each.lenient <= each.containment <= each.read, row
    assert all(each.calls <= 7 for each in (*answers["tog, 7 calls"], *answers["names"]))
    assert all(each.calls <= 11 for each in answers["names, N=5 L=5"])
    assert all(each.tokens > 0 and each.calls <= 7 for each in answers["names, model"])
    for own, other in zip(answers["names, triples of tog"], answers["tog"], strict=True):
        assert own.triples <= other.triples
    wide = np.mean([each.containment for each in answers["names, N=5 L=3"]])
    assert wide >= np.mean([each.containment for each in answers["names, N=1 L=3"]])
    with pytest.raises(InputError, match="need an encoder"):
        Searcher(resources.engine, None).ask("names", questions[0])
    with pytest.raises(InputError, match="name it with --model"):
        Searcher(resources.engine, resources.encoder).ask("tog, model", questions[0])


def test_absence_agrees_with_plain_python(resources: Resources, questions: list[PathQuestion]) -> None:
    rows = measure_absence(resources.engine, questions)
    assert [row["agreed"] for row in rows] == [30, 30, 30]
    assert rows[0]["absent"] >= rows[1]["absent"] >= rows[2]["absent"]
    assert rows[2]["absent"] == 0  # every question has an answer within three steps


def test_a_killed_run_resumes_and_asks_nothing_twice(
    resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []
    real = Searcher.ask

    def counting(self: Searcher, row: str, question: PathQuestion) -> object:
        asked.append((row, question.id))
        if len(asked) == 5:
            raise KeyboardInterrupt
        return real(self, row, question)

    def go(out: Path | None = None) -> dict[str, object]:
        return run_paths(resources, rows=("tog", "names"), count=6, seed=1, part="test", out=out)

    whole = go()
    monkeypatch.setattr(Searcher, "ask", counting)
    out = tmp_path / "run.jsonl"
    with pytest.raises(KeyboardInterrupt):
        go(out)
    with out.open("ab") as file:
        file.write(b'{"row": "names", "id"')  # cut short by kill -9
    report = go(out)
    assert len(asked) == 13  # one was interrupted, and asked again
    assert len(set(asked)) == 12
    for one, other in zip(report["rows"], whole["rows"], strict=True):  # type: ignore[call-overload]
        assert {**one, "seconds": 0} == {**other, "seconds": 0}
    assert report["paired"] == whole["paired"]
    assert len([json.loads(line) for line in out.read_text("utf-8").splitlines()]) == 13
