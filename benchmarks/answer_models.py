"""What a language model adds to the reading of questions: right answers gained and lost, against none at all.

python benchmarks/answer_models.py --graph hpo.clew --model smollm2 --model PATH.gguf --out results/answer_models.json

Every model breaks ties over all questions; those that may write queries also write them, for every fourth question. The
file is written after each question, and a run that is started again goes on where it stopped.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: its own folder holds a statistics.py that must not stand for Python's
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from statistics import median

from benchmarks.report import environment, write_json
from clew.answer import Asker
from clew.answer.capability import can_compose
from clew.embed import open_encoder
from clew.evaluate.questions import load_bench
from clew.evaluate.runner import Asked, ask_all
from clew.lm import LanguageModel, open_model
from clew.traverse import open as open_graph

__all__ = ["Setting", "run", "show", "summaries"]

BENCHES = (("hpo-60", False), ("hpo-60", True), ("hpo-held", False), ("hpo-held", True))
NONE = "no model"
CONTEXT = 4096


@dataclass(frozen=True, slots=True)
class Setting:
    """How questions are read in one run, and how many of them are asked."""

    name: str
    model: str | None = None
    choose: str = "never"
    compose: bool | None = False
    every: int = 1


def run(
    graph: Path, models: Sequence[str], *, every: int, out: Path, benches: Sequence[tuple[str, bool]] = BENCHES
) -> dict[str, Any]:
    """Ask every bench under every setting; what stands in `out` is not asked again."""
    report = json.loads(out.read_text("utf-8")) if out.exists() else {**environment(), "rows": []}
    engine, encoder = open_graph(graph), open_encoder()
    report |= {"snapshot": engine.manifest.snapshot, "every": every}
    first = Asker(engine, encoder=encoder)
    for model in (None, *models):
        opened = None if model is None else open_model(model, context=CONTEXT)
        for setting in _settings(model, opened, every):
            asker = Asker(
                engine,
                store=first.store,
                encoder=encoder,
                model=opened,
                choose=setting.choose,
                compose=setting.compose,
                phrase=False,
            )
            for rows in _rows(asker, setting, report["rows"], benches):
                report["rows"] += rows
                write_json(out, report)
        if opened is not None:
            opened.close()
    first.store.close()
    return report


def _settings(model: str | None, opened: LanguageModel | None, every: int) -> Iterator[Setting]:
    if model is None or opened is None:
        yield Setting(NONE)
        return
    yield Setting(f"{opened.name} breaks ties", model, choose="ties")
    if can_compose(opened):
        yield Setting(f"{opened.name} writes queries", model, compose=True, every=every)


def _rows(
    asker: Asker, setting: Setting, known: Sequence[dict[str, Any]], benches: Sequence[tuple[str, bool]]
) -> Iterator[list[dict[str, Any]]]:
    """The rows of one question after another, of those that are not known yet."""
    done = {(row["setting"], row["bench"], row["question"]) for row in known}
    for bench, paraphrases in benches:
        title = f"{bench}, paraphrases" if paraphrases else bench
        for question in load_bench(bench)[:: setting.every]:
            if (setting.name, title, question.id) not in done:
                asked = ask_all([question], asker, paraphrases=paraphrases)
                yield [_row(each, setting, title, question.id) for each in asked]


def _row(asked: Asked, setting: Setting, bench: str, question: str) -> dict[str, Any]:
    answer = asked.answer
    row = {
        "setting": setting.name,
        "bench": bench,
        "id": asked.score.id,
        "question": question,
        "right": bool(asked.score.result_match),
        "calls": answer.usage.calls if answer else 0,
        "seconds": round(answer.usage.understanding, 3) if answer else None,
        "decided": answer.decided if answer else None,
        "query": answer.query if answer else asked.failure,
    }
    print(f"{setting.name}: {bench} {row['id']} {'right' if row['right'] else 'wrong'}", file=sys.stderr, flush=True)
    return row


def summaries(report: dict[str, Any]) -> list[dict[str, Any]]:
    """For each setting and bench: how often the model was called, what it turned right and wrong, and how long it took.

    Seconds are the median to understand a question, of those for which the model was called.
    """
    rows = report["rows"]
    plain = {(row["bench"], row["id"]): row for row in rows if row["setting"] == NONE}
    found = []
    for setting in dict.fromkeys(row["setting"] for row in rows):
        for bench in dict.fromkeys(row["bench"] for row in rows):
            asked = [row for row in rows if (row["setting"], row["bench"]) == (setting, bench)]
            if asked:
                found.append({"setting": setting, "bench": bench, **_summary(asked, plain)})
    return found


def _summary(asked: list[dict[str, Any]], plain: dict[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    before = [plain[row["bench"], row["id"]]["right"] for row in asked]
    gained = sum(row["right"] and not right for row, right in zip(asked, before, strict=True))
    lost = sum(right and not row["right"] for row, right in zip(asked, before, strict=True))
    called = [row for row in asked if row["calls"]]
    times = [row["seconds"] for row in (called or asked) if row["seconds"] is not None]
    return {
        "questions": len(asked),
        "right": sum(row["right"] for row in asked),
        "right_without": sum(before),
        "called": len(called),
        "wrong_to_right": gained,
        "right_to_wrong": lost,
        "net": gained - lost,
        "seconds": round(median(times), 3) if times else None,
    }


def show(report: dict[str, Any]) -> str:
    """The table in Markdown."""
    columns = (
        *("setting", "bench", "questions", "right", "right_without"),
        *("called", "wrong_to_right", "right_to_wrong", "net", "seconds"),
    )
    lines = [columns, ["---"] * len(columns), *([row[each] for each in columns] for row in summaries(report))]
    return "\n".join("| " + " | ".join(str(cell).replace("_", " ") for cell in line) + " |" for line in lines)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", type=Path, required=True, help="an HPO graph, with vectors of its names")
    parser.add_argument("--model", action="append", default=[], metavar="MODEL", help="a name, a .gguf file or a URL")
    parser.add_argument("--every", type=int, default=4, metavar="N", help="write queries for every Nth question")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    options = parser.parse_args()
    print(show(run(options.graph, options.model, every=options.every, out=options.out)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
