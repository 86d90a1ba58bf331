"""How likely the second reader is right where it is alone: ask it about strangers' graphs, and fit its signs.

    python -m benchmarks.second_reader ask rows.jsonl              # both readers, all questions of questions/small
    python -m benchmarks.second_reader fit rows.jsonl --write src/clew/answer/certainty/sketched.json

Each graph is left out of the fit that judges it. Chances are those of the reading that would be given: the first of
four that accounts for every word and finds something. Asking takes a second or two a question.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import clew
from benchmarks.certainty import auc, fit, predict
from clew.answer.answer import Answer
from clew.answer.ask import resources_of
from clew.answer.certainty.sketched import sketch_signs
from clew.answer.cypher import Answering
from clew.answer.hearing.parser import SketchParser
from clew.answer.resources import Resources
from clew.answer.strategies.readers import AGREEABLE, ReadersStrategy, Reading
from clew.answer.strategy import Question
from clew.answer.values.outcomes import stated_number
from clew.errors import ClewError
from clew.evaluate.trust import TrustQuestion, accepts, load_questions

SMALL = Path(__file__).parent / "questions" / "small"
DIRECTIONS = {  # +1 makes an answer likelier, -1 less so
    "probable": 1, "weakest": 1, "foreign": -1, "missing": -1, "facts": -1, "nothing": -1, "contradicted": -1,
}  # fmt: skip
THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7)


def ask(graphs: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What both readers make of each question."""
    for name in graphs:
        with TemporaryDirectory() as folder:
            out = Path(folder) / f"{name}.clew"
            clew.build(SMALL / name / "triples.csv", entities=SMALL / name / "entities.csv", out=out)
            resources = resources_of(out)
            for question in load_questions(SMALL / name / "questions.jsonl"):
                row = {"graph": name, "id": question.id, "level": question.level}
                try:
                    yield row | both(question, resources)
                except ClewError as error:
                    yield row | {"first": "failed", "first right": False, "why": str(error)}


def both(question: TrustQuestion, resources: Resources, parser: SketchParser | None = None) -> dict[str, Any]:
    """How sure the first reader is, whether it is right, and the same of the second, with its signs."""
    parser = parser or resources.sketch_parser
    assert parser is not None
    reading = Reading(ReadersStrategy(), resources, Question(question.question), parser)
    with reading.runner.in_time():
        first = Answering._answer(reading)
        spoken = reading.spoken(reading.parsed) if reading.parsed is not None else None
    right = first.abstained is None and any(accepts(gold, first) for gold in question.gold)
    row = {
        "first": "declined" if first.abstained else first.certainty,
        "first right": right,
        "confidence": first.confidence,
        "settled": reading.is_settled(first),
    }
    if spoken is None:
        return row
    outcome = spoken.ran.outcome
    given = Answer("", items=outcome.items, value=stated_number(spoken.ran.candidate, outcome))
    same = spoken.ran.gives(first)
    return row | {
        "same": first.abstained is None and same,
        "second right": any(accepts(gold, given) for gold in question.gold),
        "complete": spoken.is_complete,
        "signs": {name: round(value, 4) for name, value in sketch_signs(spoken).items()},
    }


def report(rows: Sequence[dict[str, Any]]) -> tuple[list[str], dict[str, Any]]:
    """Figures with each graph left out, and the weights of all."""
    read = [row for row in rows if "signs" in row]
    signs = np.array([[row["signs"][name] for name in DIRECTIONS] for row in read], float)
    right = np.array([row["second right"] for row in read], float)
    graphs = np.array([row["graph"] for row in read])
    ways = tuple(DIRECTIONS.values())
    chance = np.zeros(len(read))
    for graph in np.unique(graphs):
        here = graphs == graph
        chance[here] = predict(signs[here], fit(signs[~here], right[~here], directions=ways))
    beyond = np.array([row["level"] == "unanswerable" for row in read])
    declined = np.array([row["first"] == "declined" for row in read])
    doubtful = np.array([row["first"] == "doubtful" and not row["same"] for row in read])
    first = np.array([row["first right"] for row in read])
    lines = [
        f"{len(rows)} questions, {len(read)} with a reading, {int(right.sum())} right; AUC {auc(chance, right):.3f}"
    ]
    for least in THRESHOLDS:
        alone, instead = declined & (chance >= least), doubtful & (chance >= least)
        lines.append(
            f"from {least}: alone {int((alone & (right == 1)).sum())} right, "
            f"{int((alone & (right == 0) & ~beyond).sum())} wrong, {int((alone & beyond).sum())} unanswerable; "
            f"instead of a doubtful answer {int((instead & (right == 1)).sum())} right, where the other has "
            f"{int((instead & first).sum())}"
        )
    alike = np.array([row["first"] == "doubtful" and row["same"] for row in read]) & (chance >= AGREEABLE)
    alone = [row for row in rows if row["first"] == "doubtful" and "signs" not in row]
    held = sum(row["first right"] for row in alone)
    lines += [
        f"a doubtful answer that a sketch gives too, from {AGREEABLE}: {(alike & first).sum()} of {alike.sum()} right",
        f"a doubtful answer to which there is no sketch: {held} of {len(alone)} right",
    ]
    weights = fit(signs, right, directions=ways)
    named = {name: round(float(each), 3) for name, each in zip(DIRECTIONS, weights[1:], strict=True)}
    return lines, {"intercept": round(float(weights[0]), 3), "weights": named}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("action", choices=["ask", "fit"])
    parser.add_argument("rows", type=Path)
    parser.add_argument("--graph", action="append", default=[], help="only this graph; repeat it (default: all)")
    parser.add_argument("--write", type=Path, help="keep the weights")
    given = parser.parse_args()
    known = sorted(each.name for each in SMALL.iterdir() if each.is_dir())
    if unknown := set(given.graph) - set(known):
        parser.error(f"there is no graph {', '.join(sorted(unknown))}: choose among {', '.join(known)}")
    if given.action == "ask":
        graphs = given.graph or known
        if not given.rows.parent.is_dir():
            parser.error(f"{given.rows.parent} is not a folder: name a file in one that exists")
        with given.rows.open("a", encoding="utf-8") as out:
            for row in ask(graphs):
                print(json.dumps(row, ensure_ascii=False), file=out, flush=True)
        return
    try:
        rows = [json.loads(line) for line in given.rows.read_text("utf-8").splitlines()]
    except (OSError, ValueError) as error:
        parser.error(f"{given.rows} cannot be read ({error}): make it with `ask`")
    if not any("signs" in row for row in rows):
        parser.error(f"{given.rows} has no readings: make it with `ask`")
    lines, weights = report(rows)
    print("\n".join(lines))
    if given.write:
        given.write.write_text(json.dumps(weights, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
