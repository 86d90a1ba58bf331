"""Multiple-choice questions from a graph: what the generator promises, and runs that resume."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Resources
from clew.errors import InputError
from clew.evaluate.choices import run as running
from clew.evaluate.choices.generate import ChoiceQuestion, generate_choices
from clew.evaluate.choices.run import run_choices
from clew.lm.clients.scripted import Scripted

GENES, DISEASES, SIGNS = 30, 40, 50


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    """Genes, diseases and signs, every disease with two of each; signs have a synonym."""
    triples = []
    for at in range(DISEASES):
        for step in (1, 7):
            triples.append((f"G:{(at * step) % GENES}", "associated_with", f"D:{at}"))
            triples.append((f"D:{at}", "has_sign", f"S:{(at * step + step) % SIGNS}"))
    table = pa.table(dict(zip(("subject", "relation", "object"), zip(*sorted(set(triples)), strict=True), strict=True)))
    rows = [
        (f"{kind[0]}:{at}", f"{kind} number{at}x", kind)
        for kind, n in (("Gene", GENES), ("Disease", DISEASES))
        for at in range(n)
    ]
    rows += [(f"S:{at}", f"Sign number{at}x", "Sign") for at in range(SIGNS)]
    ids, names, types = zip(*rows, strict=True)
    synonyms = pa.array(
        [[f"{name} otherwise"] if kind == "Sign" else [] for _, name, kind in rows], pa.list_(pa.string())
    )
    entities = pa.table({"id": ids, "name": names, "type": types, "synonyms": synonyms})
    out = tmp_path_factory.mktemp("choices") / "g.clew"
    return Resources(clew.build(table, entities=entities, out=out), encoder=None)


@pytest.fixture(scope="module")
def questions(resources: Resources) -> list[ChoiceQuestion]:
    return generate_choices(resources.linker, count=40, seed=3)


def test_half_by_synonyms_half_two_hops_a_fifth_without_a_right_option(questions: list[ChoiceQuestion]) -> None:
    assert [each.kind for each in questions] == ["synonym", "two-hop"] * 20
    assert sum(each.gold is None for each in questions) == 8
    assert all(len(set(each.options)) == 5 for each in questions)
    assert all("otherwise" in each.question for each in questions if each.kind == "synonym")
    assert len({each.options.index(each.gold) for each in questions if each.gold}) == 5  # the order tells nothing


def test_gold_is_in_the_graph_and_distractors_are_not(resources: Resources, questions: list[ChoiceQuestion]) -> None:
    graph = resources.engine
    for each in questions:
        hops = 2 if each.kind == "two-hop" else 1
        reached = set(graph.hop(list(each.named), hops, direction="both"))
        for option, id in zip(each.options, each.ids, strict=True):
            assert (id in reached) == (option == each.gold), each


def test_the_same_seed_gives_the_same_questions(resources: Resources, questions: list[ChoiceQuestion]) -> None:
    assert generate_choices(resources.linker, count=40, seed=3) == questions
    assert generate_choices(resources.linker, count=40, seed=4) != questions
    with pytest.raises(InputError, match="too few facts"):
        generate_choices(resources.linker, count=100_000)


def test_where_synonyms_are_rare_entities_go_by_their_names(tmp_path: Path) -> None:
    triples = [(f"G:{at}", "associated_with", f"D:{(at * step) % 60}") for at in range(60) for step in (1, 7)]
    table = pa.table(dict(zip(("subject", "relation", "object"), zip(*triples, strict=True), strict=True)))
    ids = [f"{kind}:{at}" for kind in "GD" for at in range(60)]
    entities = pa.table(
        {
            "id": ids,
            "name": [f"{id[0]} number{id[2:]}x" for id in ids],
            "type": ["Gene"] * 60 + ["Disease"] * 60,
            "synonyms": pa.array([["the only one"], *([None] * 119)], pa.list_(pa.string())),
        }
    )
    built = clew.build(table, entities=entities, out=tmp_path / "g.clew")
    with Resources(built, encoder=None) as resources:
        made = generate_choices(resources.linker, count=1)
    assert made[0].kind == "name"
    assert "number" in made[0].question


def test_the_option_that_is_right_elsewhere(resources: Resources, questions: list[ChoiceQuestion]) -> None:
    asked = [
        replace(each, id=str(at), options=("a", "b"), ids=("", ""), gold=gold, kind="x")
        for at, (each, gold) in enumerate(zip(questions, ("a", "a", "b"), strict=False))
    ]
    report = run_choices(resources, None, asked, rows=("elsewhere", "prior", "exhaustive"), asked={}, sample=1)
    right = [row["right"] for row in report["rows"]]
    assert right[0] == 0.6667  # without itself each "a" has one more, "b" none
    assert right[1] == 0.6667  # options that are not in the graph are equally unpopular: the first


def test_evidence_answers_and_a_prior_does_not(resources: Resources, questions: list[ChoiceQuestion]) -> None:
    rows = ("evidence", "prior", "elsewhere", "random", "exhaustive")
    report = run_choices(resources, None, questions, rows=rows, asked={}, sample=10)
    table = {row["row"]: row for row in report["rows"]}
    assert table["evidence"]["right"] == 1.0
    assert table["evidence"]["by_kind"]["no right option"] == {"n": 8, "right": 1.0}
    assert report["kinds"] == {"no right option": 8, "synonym": 16, "two-hop": 16}
    assert table["prior"]["right"] < 0.5
    assert report["paired"][0]["gain"] == pytest.approx(table["prior"]["right"] - 1.0, abs=1e-3)


def test_stages_of_the_adaptive_pipeline_are_ablated(resources: Resources, questions: list[ChoiceQuestion]) -> None:
    stages = ("adaptive-evidence", "adaptive-evidence without reasoning")
    report = run_choices(resources, None, questions[:20], rows=stages, asked={}, sample=10)
    whole, counted = (row["right"] for row in report["rows"])
    assert whole == 1.0
    assert counted < whole  # an option that most lines name need not be the answer
    model = Scripted(["F"] * 6)  # none of these
    with Resources(resources.engine, encoder=None, model=model) as reading:
        rows = ("adaptive", "adaptive without ensemble")
        report = run_choices(resources, reading, questions[:5], rows=rows, asked={}, sample=1)
    assert [row["calls"] for row in report["rows"]] == [3, 1]
    assert [row["abstained"] for row in report["rows"]] == [1.0, 1.0]


def test_a_killed_run_resumes_and_asks_nothing_twice(
    resources: Resources, questions: list[ChoiceQuestion], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []
    real = running.choose

    def counting(row: str, question: ChoiceQuestion, *given: object) -> object:
        asked.append((row, question.id))
        if len(asked) == 12:
            raise KeyboardInterrupt
        return real(row, question, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "choose", counting)
    out = tmp_path / "run.jsonl"

    def go(out: Path | None, **asked: object) -> dict[str, object]:
        rows = ("prior", "evidence")
        return run_choices(resources, None, questions[:10], rows=rows, asked=asked, sample=5, out=out)

    with pytest.raises(KeyboardInterrupt):
        go(out)
    with out.open("ab") as file:
        file.write(b'{"row": "evidence", "id"')  # cut short by kill -9
    report = go(out)
    assert len(asked) == 21  # one was interrupted, and asked again
    assert len(set(asked)) == 20
    whole = go(None)
    for one, other in zip(report["rows"], whole["rows"], strict=True):  # type: ignore[call-overload]
        assert {**one, "seconds": 0} == {**other, "seconds": 0}
    assert len([json.loads(line) for line in out.read_text("utf-8").splitlines()]) == 21
    with pytest.raises(InputError, match="other settings"):
        go(out, seed=4)
