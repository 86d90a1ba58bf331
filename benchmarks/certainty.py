"""Fit how sure answers are: from their signs to the probability that they are right, one graph left out at a time.

    python -m benchmarks.certainty benchmarks/results/certainty.jsonl      # figures of graphs that were left out
    clew eval trust questions.jsonl --graph NAME=my.clew --out run.json    # signs of the answers to your own questions
    python -m benchmarks.certainty benchmarks/results/certainty.jsonl run.json \\
        --plot docs/pictures/certainty.svg --write src/clew/answer/certainty/weights.json

A logistic regression with few signs, each of which may only count in the direction that it should (projected gradient,
a quadratic penalty). Answers to questions that the reader was developed on ("own") count a third in the fit and not in
the figures. Thresholds are chosen on the predictions for graphs that were left out. Needs NumPy alone; a minute.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.answer.certainty.signs import LEFT_OUT, NEVER_SURE
from clew.evaluate.trust import wilson

Array = NDArray[np.float64]
DIRECTIONS = {  # +1 makes an answer surer, -1 less so
    "margin": 1, "close": -1, "overruled": -1, "unsaid": -1, "reversible": -1, "left out": -1, "name": -1, "denied": -1,
    "nothing": -1, "simpler": -1, "length": -1,
}  # fmt: skip
OWN_WEIGHT = 1 / 3  # of an answer to a question that the reader was developed on
PENALTY = 1.0
ROUNDS, RATE = 1_000, 0.5
MOST_WRONG_AND_SURE, MOST_UNWARNED = 0.01, 0.02  # of all questions
BINS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)


@dataclass(frozen=True, slots=True)
class Runs:
    """Answers: their signs, whether they were right, and the graphs they are about."""

    signs: Array  # (answers, signs)
    right: Array  # (answers,) 0 or 1
    graphs: NDArray[np.str_]  # (answers,)
    own: NDArray[np.bool_]  # (answers,) the reader was developed on this question
    capped: NDArray[np.bool_]  # (answers,) doubtful whatever the other signs say
    leftover: NDArray[np.bool_]  # (answers,) words of the question were ignored: never sure, and a warning
    before: NDArray[np.str_]  # (answers,) the certainty that was printed before, "" if unknown
    questions: int  # by strangers, declined ones included
    questions_before: int  # of these, on graphs with a certainty that was printed before


def read_runs(paths: Sequence[Path]) -> Runs:
    """The answers of files of rows, or of what `clew eval trust --out` wrote; what was declined counts as asked."""
    rows = [row for path in paths for row in _rows(path)]
    given = [row for row in rows if row["certainty"] != "declined" and row.get("signs")]
    known = {row["graph"] for row in given if row["certainty"]}
    asked = [row for row in rows if not row.get("own")]
    return Runs(
        np.array([[row["signs"][name] for name in DIRECTIONS] for row in given], float),
        np.array([row["right"] for row in given], float),
        np.array([row["graph"] for row in given]),
        np.array([row.get("own", False) for row in given]),
        np.array([any(row["signs"].get(name) for name in NEVER_SURE) for row in given]),
        np.array([bool(row.get("leftover", row.get("unrecognised"))) for row in given]),
        np.array([row["certainty"] or "" for row in given]),
        len(asked),
        sum(row["graph"] in known for row in asked),
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    text = path.read_text("utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return list(json.loads(text)["outcomes"])


def fit(
    signs: Array, right: Array, weight: Array | None = None, directions: Sequence[int] = tuple(DIRECTIONS.values())
) -> Array:
    """The intercept and the weights of a logistic regression whose weights keep their directions."""
    weight = np.ones(len(right)) if weight is None else weight
    scale = np.maximum(signs.std(axis=0), 0.1)
    x = np.c_[np.ones(len(signs)), signs / scale]
    direction = np.array([0.0, *directions])
    weights = np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        off = weight * (_probability(x, weights) - right)
        slope = (x.T @ off + PENALTY * np.r_[0.0, weights[1:]]) / weight.sum()
        weights -= RATE * slope
        weights = np.where(direction * weights < 0, 0.0, weights)
    return weights / np.r_[1.0, scale]


def _probability(x: Array, weights: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-(x @ weights))))


def predict(signs: Array, weights: Array) -> Array:
    """The probabilities that answers are right."""
    return _probability(np.c_[np.ones(len(signs)), signs], weights)


def weights_of(runs: Runs) -> Array:
    """How much each answer counts in a fit."""
    return np.where(runs.own, OWN_WEIGHT, 1.0)


def left_out(runs: Runs) -> Array:
    """The confidence in each answer by a model that has seen no question of its graph."""
    found, weight = np.zeros(len(runs.right)), weights_of(runs)
    for graph in np.unique(runs.graphs):
        here = runs.graphs == graph
        found[here] = predict(runs.signs[here], fit(runs.signs[~here], runs.right[~here], weight[~here]))
    return np.where(runs.capped, np.minimum(found, LEFT_OUT), found)


def choose_thresholds(runs: Runs, probability: Array) -> tuple[float, float]:
    """From where an answer is sure, and below which it is doubtful: the lowest that keep the bounds."""
    wrong = (runs.right == 0) & ~runs.leftover & ~runs.own
    return (
        _lowest(probability[wrong], MOST_WRONG_AND_SURE * runs.questions),
        _lowest(probability[wrong], MOST_UNWARNED * runs.questions),
    )


def _lowest(wrong: Array, most: float) -> float:
    """The lowest threshold at or above which at most so many of the wrong answers are."""
    ranked = np.sort(wrong)[::-1]
    allowed = int(most)
    return float(np.floor(1000 * ranked[allowed] + 1) / 1000) if len(ranked) > allowed else 0.5


def report(runs: Runs, probability: Array, sure: float, doubtful: float) -> list[str]:
    """The figures of strangers' questions: certainty as printed before, and as fitted with graphs left out."""
    fitted = np.where(probability < doubtful, "doubtful", np.where(probability >= sure, "sure", "likely"))
    fitted = np.where((fitted == "sure") & runs.leftover, "likely", fitted)
    strangers, right = ~runs.own, runs.right == 1
    graphs = len(set(runs.graphs[strangers]))
    counts = f"{int(strangers.sum())} answered, {int((right & strangers).sum())} right"
    lines = [f"{runs.questions} questions by strangers over {graphs} graphs, {counts}"]
    known = strangers & (runs.before != "")
    for name, among, certainty, of in (
        ("before", known, runs.before, runs.questions_before),
        ("fitted, graph left out, same questions", known, fitted, runs.questions_before),
        ("fitted, graph left out, all", strangers, fitted, runs.questions),
    ):
        lines.append(f"{name}: {_figures(runs, among, certainty, of)}")
    area = auc(probability[strangers], runs.right[strangers])
    lines.append(f"Brier score {np.mean((probability - runs.right)[strangers] ** 2):.3f}, AUC {area:.3f}")
    return lines


def _figures(runs: Runs, among: NDArray[np.bool_], certainty: NDArray[np.str_], questions: int) -> str:
    right, wrong = among & (runs.right == 1), among & (runs.right == 0)
    rows = (
        ("wrong and sure", wrong & (certainty == "sure"), questions),
        ("wrong without a warning", wrong & (certainty != "doubtful") & ~runs.leftover, questions),
        ("sure of the right", right & (certainty == "sure"), int(right.sum())),
        ("doubtful of the right", right & (certainty == "doubtful"), int(right.sum())),
    )
    return ", ".join(f"{what} {int(some.sum())} of {of} ({some.sum() / max(of, 1):.1%})" for what, some, of in rows)


def auc(probability: Array, right: Array) -> float:
    """How often a right answer is surer than a wrong one."""
    one, other = probability[right == 1][:, None], probability[right == 0][None, :]
    return float(np.mean((one > other) + 0.5 * (one == other))) if one.size and other.size else 1.0


def reliability(probability: Array, right: Array) -> list[tuple[float, int, int]]:
    """For each bin of probabilities: the mean, how many answers were right, and how many there are."""
    found = []
    for low, high in pairwise(BINS):
        here = (probability >= low) & (probability < high)
        if here.any():
            found.append((float(probability[here].mean()), int(right[here].sum()), int(here.sum())))
    return found


def draw(bins: Sequence[tuple[float, int, int]], title: str) -> str:
    """The bins as a picture: probability across, share of right answers upwards, with Wilson intervals."""
    size, edge = 320, 50

    def at(x: float, y: float) -> tuple[float, float]:
        return edge + x * size, edge + (1 - y) * size

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 2 * edge} {size + 2 * edge}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{size + 2 * edge}" height="{size + 2 * edge}" fill="white"/>',
        f'<text x="{edge}" y="24">{title}</text>',
        f'<rect x="{edge}" y="{edge}" width="{size}" height="{size}" fill="none" stroke="#888"/>',
        f'<path d="M{edge} {edge + size}L{edge + size} {edge}" stroke="#bbb" stroke-dasharray="4"/>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        (x, below), (left, y) = at(tick, 0), at(0, tick)
        lines.append(f'<text x="{x:.0f}" y="{below + 18:.0f}" text-anchor="middle">{tick:g}</text>')
        lines.append(f'<text x="{left - 8:.0f}" y="{y + 4:.0f}" text-anchor="end">{tick:g}</text>')
    for mean, right, n in bins:
        (x, y), low, high = at(mean, right / n), *wilson(right, n)
        lines.append(f'<path d="M{x:.1f} {at(0, low)[1]:.1f}V{at(0, high)[1]:.1f}" stroke="#1f6feb"/>')
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 + n**0.5 / 4:.1f}" fill="#1f6feb"/>')
    lines.append(f'<text x="{edge + size / 2:.0f}" y="{2 * edge + size - 12}" text-anchor="middle">confidence</text>')
    lines.append(
        f'<text x="14" y="{edge + size / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {edge + size / 2:.0f})">share of right answers</text>'
    )
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    """Print the figures; write the picture and the table if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "runs", nargs="+", type=Path, help="rows of answers, or files that `clew eval trust --out` wrote"
    )
    parser.add_argument("--plot", type=Path, help="draw confidence against the share of right answers (SVG)")
    parser.add_argument("--write", type=Path, help="write the table of weights")
    options = parser.parse_args()
    runs = read_runs(options.runs)
    probability = left_out(runs)
    sure, doubtful = choose_thresholds(runs, probability)
    intercept, *weights = fit(runs.signs, runs.right, weights_of(runs)).round(3)
    for line in report(runs, probability, sure, doubtful):
        print(line)
    bins = reliability(probability[~runs.own], runs.right[~runs.own])
    for mean, right, n in bins:
        print(f"  confidence {mean:.2f}: {right} of {n} right ({right / n:.0%})")
    print(f"sure from {sure}, doubtful below {doubtful}; intercept {intercept}")
    for name, weight in zip(DIRECTIONS, weights, strict=True):
        print(f"  {name:16} {weight:+.3f}")
    if options.plot:
        options.plot.write_text(draw(bins, f"{int((~runs.own).sum())} answers, each graph left out"), "utf-8")
    if options.write:
        table = {"intercept": intercept, "weights": dict(zip(DIRECTIONS, weights, strict=True))}
        options.write.write_text(json.dumps(table, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
