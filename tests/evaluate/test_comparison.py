"""Runs compared: paired tests, what a language model changed, and what cannot be compared."""

import json
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.evaluate.comparison import (
    NamedRun,
    Outcome,
    compare_all,
    compare_pair,
    load_runs,
    model_changes,
    model_effect,
)
from clew.evaluate.metrics import Given, GoldSet, score, summarise
from clew.evaluate.report import read_run, write_compared_markdown, write_compared_page, write_markdown, write_page


def made(right: str, *, calls: str = "", bench: str = "small", snapshot: str = "s1") -> dict[str, Any]:
    """A run as JSON: a letter for each question, y where it is right; `calls` has a digit for each."""
    gold = [GoldSet(frozenset("ab"))]
    scores = []
    for at, letter in enumerate(right):
        level = "simple" if at < len(right) // 2 else "complex"
        given = Given((("a", None), ("b", None)) if letter == "y" else (("a", None), ("z", None)))
        scores.append(score(f"q{at}", level, given, gold, query_match=letter == "y"))
    rows = [
        {
            "question": f"{each.id}?",
            "answer": "",
            "understood": [],
            "query": "",
            "expected": [],
            "model_calls": int(calls[at]) if calls else 0,
            "score": asdict(each),
        }
        for at, each in enumerate(scores)
    ]
    record = {
        "bench": bench,
        "n": len(rows),
        "when": "2026-01-02T03:04:05Z",
        "commit": "abc1234",
        "version": "0.1.0",
        "machine": {},
        "settings": {},
        "graph": "g.clew",
        "snapshot": snapshot,
        "summary": asdict(summarise(scores)),
        "questions": rows,
        "comparisons": [],
    }
    return json.loads(json.dumps(record))


def named(name: str, record: dict[str, Any]) -> NamedRun:
    return NamedRun(name, read_run(record))


# what a model changed -------------------------------------------------------------------------------------------------


def outcomes(right: str, calls: str = "") -> list[Outcome]:
    return [Outcome(f"q{at}", each == "y", int(calls[at]) if calls else 0) for at, each in enumerate(right)]


def test_only_where_it_was_called_does_a_change_count() -> None:
    effect = model_effect(outcomes("nnyyn"), outcomes("yynyy", calls="12100"))
    assert (effect.n, effect.called, effect.calls) == (5, 3, 4)
    assert (effect.wrong_to_right, effect.right_to_wrong, effect.net) == (2, 1, 1)
    assert effect.elsewhere == 1  # the last: nobody called the model for it
    assert effect.p == 1.0  # 2 against 1 is what a coin gives


def test_a_clear_gain_has_a_small_p() -> None:
    effect = model_effect(outcomes("n" * 10), outcomes("y" * 10, calls="1" * 10))
    assert effect.net == 10
    assert effect.p == pytest.approx(2 / 2**10)


def test_a_model_that_was_never_called_changed_nothing() -> None:
    effect = model_effect(outcomes("yn"), outcomes("yn"))
    assert (effect.called, effect.net, effect.p, effect.elsewhere) == (0, 0, 1.0, 0)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 3)), min_size=1, max_size=30))
def test_the_counts_add_up(rows: list[tuple[bool, bool, int]]) -> None:
    before = [Outcome(str(at), row[0]) for at, row in enumerate(rows)]
    after = [Outcome(str(at), row[1], row[2]) for at, row in enumerate(rows)]
    effect = model_effect(before, list(reversed(after)))  # the order does not matter
    changed = sum(one.right != other.right for one, other in zip(before, after, strict=True))
    assert effect.wrong_to_right + effect.right_to_wrong + effect.elsewhere == changed
    gained = sum(each.right for each in after) - sum(each.right for each in before)
    outside = sum((b.right - a.right) for a, b in zip(before, after, strict=True) if not b.model_calls)
    assert effect.net == gained - outside
    assert 0 < effect.p <= 1


@pytest.mark.parametrize(
    ("without", "with_model"), [(outcomes("yn"), outcomes("y")), ([], []), (outcomes("y") * 2, outcomes("yn"))]
)
def test_questions_that_do_not_pair_are_refused(without: list[Outcome], with_model: list[Outcome]) -> None:
    with pytest.raises(InputError):
        model_effect(without, with_model)


# saved runs -----------------------------------------------------------------------------------------------------------


def test_a_pair_is_tested_on_every_measure_and_level() -> None:
    tests = compare_pair(named("one", made("ynnnyn")), named("two", made("yyynyn")))
    whole = {each["measure"]: each["test"] for each in tests if "level" not in each}
    assert set(whole) == {"result_match", "query_match", "f1", "reciprocal_rank"}
    assert (whole["result_match"]["gained"], whole["result_match"]["lost"]) == (2, 0)
    assert whole["result_match"]["difference"] == pytest.approx(2 / 6)
    levels = {each["level"]: each["test"] for each in tests if "level" in each}
    assert levels["simple"]["gained"] == 2
    assert levels["simple"]["n"] == 3
    assert levels["complex"]["gained"] == 0


def test_every_run_is_compared_with_the_first() -> None:
    runs = [named("base", made("nnnn")), named("a", made("yynn")), named("b", made("nnny", calls="0001"))]
    compared = compare_all(runs)
    pairs = {(each["first"], each["second"]) for each in compared["comparisons"]}
    assert pairs == {("base", "a"), ("base", "b")}
    assert [each["name"] for each in compared["runs"]] == ["base", "a", "b"]
    assert [each["model_calls"] for each in compared["runs"]] == [0, 0, 1]
    (change,) = compared["models"]
    assert (change["first"], change["second"], change["called"], change["net"]) == ("base", "b", 1, 1)


def test_the_run_without_a_model_comes_first_whichever_way_they_are_given() -> None:
    plain, model = named("plain", made("ny")), named("model", made("yn", calls="11"))
    for first, second in ((plain, model), (model, plain)):
        (change,) = model_changes(first, second)
        assert (change["first"], change["second"]) == ("plain", "model")
        assert (change["wrong_to_right"], change["right_to_wrong"], change["net"]) == (1, 1, 0)
    assert list(model_changes(plain, plain)) == []
    assert list(model_changes(model, model)) == []  # both called one: nothing tells what either changed


def test_runs_of_other_benches_or_snapshots_are_refused() -> None:
    base = named("base", made("yn"))
    with pytest.raises(InputError, match="base is a run of small, other one of big: compare runs of one bench"):
        compare_all([base, named("other", made("yn", bench="big"))])
    with pytest.raises(InputError, match=r"snapshot s1 .* snapshot s2 .*: run one of them again"):
        compare_all([base, named("other", made("yn", snapshot="s2"))])
    with pytest.raises(InputError, match="q2"):
        compare_all([base, named("other", made("yny"))])
    with pytest.raises(InputError, match="two runs or more, not 1"):
        compare_all([base])


def test_runs_are_called_by_their_files(tmp_path: Path) -> None:
    paths = []
    for folder, name in (("a", "run.json"), ("b", "run.json"), ("b", "model.json")):
        (tmp_path / folder).mkdir(exist_ok=True)
        paths.append(tmp_path / folder / name)
        paths[-1].write_text(json.dumps(made("yn")))
    names = [each.name for each in load_runs(paths)]
    assert names == [str(paths[0]), str(paths[1]), "model"]


@pytest.mark.parametrize("content", ["", "[]", "{}", "{nonsense", '{"bench": "x"}'])
def test_what_is_no_run_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"odd\.json"):
        load_runs([path])
    with pytest.raises(InputError, match=r"gone\.json"):
        load_runs([tmp_path / "gone.json"])


# reports --------------------------------------------------------------------------------------------------------------


def test_a_comparison_reads_as_markdown_and_as_a_page() -> None:
    compared = compare_all(
        [named("plain|run", made("nnny")), named("<model>", made("yynn", calls="1101"))],
    )
    text, page = write_compared_markdown(compared), write_compared_page(compared)
    assert "| plain\\|run → \\<model\\> | 3 of 4 | 2 | 1 | +1 | 1.000 |" in text
    assert "&lt;model&gt;" in page
    assert "<model>" not in page
    assert "McNemar, exact (n = 4)" in text
    assert "McNemar, exact (n = 4)" in page
    assert "snapshot s1" in page


def test_changes_that_are_not_the_models_are_said() -> None:
    compared = compare_all([named("plain", made("nn")), named("model", made("yy", calls="10"))])
    sentence = "1 more answer changed although no model was called"
    assert sentence in write_compared_markdown(compared)
    assert sentence in write_compared_page(compared)


def test_a_run_shows_what_it_was_compared_with() -> None:
    plain, record = named("plain", made("nnnn")), made("yynn", calls="1100")
    this = named("this run", deepcopy(record))
    record["comparisons"] = compare_pair(plain, this)
    record["models"] = list(model_changes(plain, this))
    for text in (write_markdown(read_run(record)), write_page(read_run(record))):
        assert "With a language model" in text
        assert "2 of 4" in text
        assert "0.1.0" in text
    del record["models"][0]["net"]
    with pytest.raises(InputError, match="lacks net"):
        read_run(record)
