"""Saved runs compared question by question: paired tests, and what a language model changed.

Runs are compared only where they asked the same questions of the same snapshot of a graph.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from clew.errors import InputError
from clew.evaluate.metrics import ItemScore, Seconds, compare_runs
from clew.evaluate.report.run import (
    Compared,
    Comparison,
    ModelChange,
    PairedFigures,
    Question,
    Run,
    RunFigures,
    read_run,
)
from clew.evaluate.statistics import PairedTest, mcnemar

__all__ = [
    "ModelEffect",
    "NamedRun",
    "Outcome",
    "compare_all",
    "compare_pair",
    "load_runs",
    "model_changes",
    "model_effect",
]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question of a run: whether it was right, and how often a language model was called for it."""

    id: str
    right: bool
    model_calls: int = 0


@dataclass(frozen=True, slots=True)
class ModelEffect:
    """What a language model changed, over the questions for which it was called."""

    n: int  # questions of the run
    called: int  # of them, with the model
    calls: int
    wrong_to_right: int
    right_to_wrong: int
    p: float  # exact McNemar test
    elsewhere: int  # questions that changed though it was not called: not its doing

    @property
    def net(self) -> int:
        return self.wrong_to_right - self.right_to_wrong


def model_effect(without: Sequence[Outcome], with_model: Sequence[Outcome]) -> ModelEffect:
    """Two runs over the same questions, in any order, without and with a language model.

    >>> model_effect([Outcome("a", False), Outcome("b", True)], [Outcome("a", True, 1), Outcome("b", True)]).net
    1
    """
    before, after = _by_id(without), _by_id(with_model)
    if before.keys() != after.keys() or not before:
        alone = ", ".join(sorted(before.keys() ^ after.keys())[:3]) or "none"
        raise InputError(f"cannot pair {len(without)} questions with {len(with_model)} (not in both: {alone})")
    called = [id for id, each in after.items() if each.model_calls]
    pairs = [(before[id].right, after[id].right) for id in called]
    test = mcnemar(*zip(*pairs, strict=True)) if pairs else None
    rest = after.keys() - set(called)
    return ModelEffect(
        n=len(after),
        called=len(called),
        calls=sum(each.model_calls for each in after.values()),
        wrong_to_right=test.gained if test else 0,
        right_to_wrong=test.lost if test else 0,
        p=test.p if test else 1.0,
        elsewhere=sum(before[id].right != after[id].right for id in rest),
    )


def _by_id(outcomes: Sequence[Outcome]) -> dict[str, Outcome]:
    twice = [id for id, count in Counter(each.id for each in outcomes).items() if count > 1]
    if twice:
        raise InputError(f"a run answers each question once, not {twice[0]} several times")
    return {each.id: each for each in outcomes}


# saved runs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A run and what it is called in a comparison."""

    name: str
    run: Run

    @property
    def outcomes(self) -> list[Outcome]:
        return [
            Outcome(each["score"]["id"], each["score"]["result_match"], each.get("model_calls", 0))
            for each in self.run["questions"]
        ]

    @property
    def model_calls(self) -> int:
        return sum(each.model_calls for each in self.outcomes)


def load_runs(paths: Sequence[Path]) -> list[NamedRun]:
    """Read saved runs; each is called by its file, with folders only where two files are called alike."""
    stems = Counter(path.stem for path in paths)
    return [NamedRun(path.stem if stems[path.stem] == 1 else str(path), _load(path)) for path in paths]


def _load(path: Path) -> Run:
    if not path.is_file():
        raise InputError(f"{path} is missing: expected a run, as clew eval qa BENCH --out writes it")
    try:
        raw: Any = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is not the JSON of a run, as clew eval qa BENCH --out writes it: {error}") from error
    try:
        return read_run(raw)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def compare_all(runs: Sequence[NamedRun]) -> Compared:
    """Each run after the first, compared with the first."""
    if len(runs) < 2:
        raise InputError(f"a comparison takes two runs or more, not {len(runs)}")
    first, *others = runs
    for other in others:
        _check_pair(first, other)
    return {
        "bench": first.run["bench"],
        "graph": first.run["graph"],
        "snapshot": first.run["snapshot"],
        "n": len(first.run["questions"]),
        "runs": [_figures(each) for each in runs],
        "comparisons": [test for other in others for test in compare_pair(first, other)],
        "models": [change for other in others for change in model_changes(first, other)],
    }


def _check_pair(first: NamedRun, second: NamedRun) -> None:
    one, other = first.run, second.run
    if one["bench"] != other["bench"]:
        raise InputError(
            f"{first.name} is a run of {one['bench']}, {second.name} one of {other['bench']}: compare runs of one bench"
        )
    if one["snapshot"] != other["snapshot"]:
        raise InputError(
            f"{first.name} asked snapshot {one['snapshot']} of {one['graph']} and {second.name} snapshot "
            f"{other['snapshot']} of {other['graph']}: run one of them again on the other's graph"
        )


def compare_pair(first: NamedRun, second: NamedRun) -> list[Comparison]:
    """Paired tests of the second run and the first: every measure over all questions, results by level too."""
    _check_pair(first, second)
    before, after = ([_score(each) for each in run.run["questions"]] for run in (first, second))

    def stated(measure: str, test: PairedTest) -> Comparison:
        figures = cast(PairedFigures, asdict(test))
        return {"first": first.name, "second": second.name, "measure": measure, "test": figures}

    found = [stated(measure, test) for measure, test in compare_runs(before, after).items()]
    levels = list(dict.fromkeys(each.level for each in before))
    for level in levels if len(levels) > 1 else ():
        here = ([each for each in scores if each.level == level] for scores in (before, after))
        found.append({**stated("result_match", compare_runs(*here, measures=())["result_match"]), "level": level})
    return found


def model_changes(first: NamedRun, second: NamedRun) -> Iterator[ModelChange]:
    """What a model changed, where one of two runs called one and the other did not."""
    without, with_model = (first, second) if second.model_calls else (second, first)
    if without.model_calls or not with_model.model_calls:
        return
    effect = model_effect(without.outcomes, with_model.outcomes)
    yield {
        "first": without.name,
        "second": with_model.name,
        "n": effect.n,
        "called": effect.called,
        "calls": effect.calls,
        "wrong_to_right": effect.wrong_to_right,
        "right_to_wrong": effect.right_to_wrong,
        "net": effect.net,
        "p": effect.p,
        "elsewhere": effect.elsewhere,
    }


def _score(question: Question) -> ItemScore:
    raw = question["score"]
    return ItemScore(
        raw["id"],
        raw["level"],
        raw["result_match"],
        raw["query_match"],
        raw["measures"],
        raw["reading"],
        raw["abstained"],
        raw["failed"],
        Seconds(**raw["seconds"]),
    )


def _figures(named: NamedRun) -> RunFigures:
    run = named.run
    return {
        "name": named.name,
        "when": run["when"],
        "commit": run["commit"],
        "settings": run["settings"],
        "levels": [*run["summary"]["levels"], run["summary"]["pooled"]],
        "model_calls": named.model_calls,
    }
