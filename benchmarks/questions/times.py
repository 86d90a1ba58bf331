"""How long a question takes with both readers, warm, and whether answers are those of an earlier run.

    python -m benchmarks.questions.times --out before.json         # 60 questions over five graphs
    python -m benchmarks.questions.times --against before.json     # after a change: times, and answers that differ
    python -m benchmarks.questions.times --all --out before.json   # all 205 questions, to compare answers

Processor time is that of all threads of the process, and hardly depends on what else the machine does. All other
questions about a graph are asked first, for what is opened or built once.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np

import clew
from benchmarks.report import environment
from benchmarks.second_reader import SMALL
from benchmarks.statistics import median, percentile95
from clew.answer import Answer, Asker, Resources
from clew.app.cli.demo import cached_hpo
from clew.errors import ClewError
from clew.evaluate.trust import TrustQuestion, load_questions

GRAPHS = ("alehouse", "apothecary", "museum", "railway")
SEVEN = Path(__file__).parent / "unseen" / "seven.jsonl"
FIRST = 5  # questions before the first that is timed, if all are
CLOSE = 1e-6  # of confidences that are the same
OF_THE_RUN = ("usage", "trace")  # what an answer says of its own time


def timed(asker: Asker, rows: Sequence[TrustQuestion], every: int, most: int) -> Iterator[dict[str, Any]]:
    """Answers to every so-manieth question, with their seconds."""
    chosen = list(rows[::every][:most])
    for row in [each for each in rows if each not in chosen] or rows[-FIRST:]:
        told(asker, row)
    for row in chosen:
        wall, processor = perf_counter(), process_time()
        answer = told(asker, row)
        yield {"wall": perf_counter() - wall, "processor": process_time() - processor, "id": row.id, "answer": answer}


def told(asker: Asker, row: TrustQuestion) -> dict[str, Any]:
    """What a question is answered, as JSON."""
    try:
        answer: Answer = asker.ask(row.question)
    except ClewError as error:
        return {"failed": str(error)}
    whole = {name: value for name, value in asdict(answer).items() if name not in OF_THE_RUN}
    found: dict[str, Any] = json.loads(json.dumps(whole, default=str))
    return found


def run(*, everything: bool) -> Iterator[dict[str, Any]]:
    """Rows of all graphs."""
    for name in GRAPHS:
        with TemporaryDirectory() as folder:
            out = Path(folder) / f"{name}.clew"
            clew.build(SMALL / name / "triples.csv", entities=SMALL / name / "entities.csv", out=out)
            rows = load_questions(SMALL / name / "questions.jsonl")
            with Resources(out) as resources:
                yield from timed(Asker(resources), rows, *((1, len(rows)) if everything else (4, 10)))
    rows = [each for each in load_questions(SEVEN) if each.graph == "hpo"]
    yield from timed(Asker(Resources(cached_hpo()[0])), rows, *((1, len(rows)) if everything else (2, 20)))


def same(one: object, other: object) -> bool:
    """Whether two answers are the same, but for the last digits of numbers."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= CLOSE
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def figures(rows: Sequence[dict[str, Any]]) -> str:
    """The median and the 95th percentile, on the clock and by processor time."""
    texts = []
    for name in ("processor", "wall"):
        milliseconds = np.array([row[name] for row in rows]) * 1_000
        texts.append(f"{name} {median(milliseconds):.0f} / {percentile95(milliseconds):.0f}")
    return f"{len(rows)} questions, median / p95 in ms: {', '.join(texts)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="all questions of the five graphs, not some of each")
    parser.add_argument("--out", type=Path, help="keep times and answers")
    parser.add_argument("--against", type=Path, help="compare with what was kept")
    given = parser.parse_args()
    earlier = {row["id"]: row for row in json.loads(given.against.read_text("utf-8"))["rows"]} if given.against else {}
    rows = list(run(everything=given.all))
    print(figures(rows))
    if given.out:
        given.out.write_text(json.dumps({"environment": environment(), "rows": rows}, ensure_ascii=False), "utf-8")
    if earlier:
        both = [row for row in rows if row["id"] in earlier]
        print("before:", figures([earlier[row["id"]] for row in both]))
        differing = [row for row in both if not same(row["answer"], earlier[row["id"]]["answer"])]
        print(f"{len(differing)} of {len(both)} answers differ")
        for row in differing:
            now, then = row["answer"], earlier[row["id"]]["answer"]
            print(f"  {row['id']}: {', '.join(name for name in now if not same(now[name], then.get(name)))}")


if __name__ == "__main__":
    main()
