"""Rows with a model whose prompts do not depend on its answers, in two runs: prompts noted, then answers read.

`python -m benchmarks.contexts.model_requests FOLDER hpo --data data` notes the requests of a set in FOLDER/requests;
`python -m benchmarks.contexts.batch MODEL.gguf FOLDER/responses.jsonl FOLDER/requests/*` answers them; with `--read`
the first command writes the journal FOLDER/hpo.all.jsonl, or the report FOLDER/rounds.json. `--rows` and `--part` share
the rows of a set between processes. The rows with prior knowledge need a prior.txt in the directory of the graph. Of
another model the answers are in FOLDER/NAME/responses.jsonl, with `--model NAME`, and what is read is written there.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.contexts.offline import Offline
from clew.answer import Resources
from clew.answer.diagnosis.relations import choose_relations
from clew.app.cli.evaluation.choices import QuestionSet
from clew.app.cli.evaluation.graphs import bench_graph
from clew.app.cli.terminal.progress import terminal_progress
from clew.evaluate.choices.rows import ABLATIONS, STORED, WITH_MODEL
from clew.evaluate.choices.run import run_choices
from clew.evaluate.diagnosis.patients import PatientSettings
from clew.evaluate.diagnosis.quality import ModelQualityJudge, evaluate_quality
from clew.evaluate.diagnosis.rounds import RoundsRun, run_rounds
from clew.evaluate.row_names import known_rows
from clew.progress import Progress

__all__ = ["ask_choices"]

ADAPTIVE = ("adaptive", *(row for row in ABLATIONS if row in WITH_MODEL))
READING = (
    "no-context",
    "prior-only",
    "rag",
    "rag-json",
    "rag-prior",
    "rag-json-prior",
    "vector-rag",
    "local",
    *ADAPTIVE,
)
CHOICES = {  # set → its name in `clew eval mcq`, and its rows
    "hpo": ("hpo", READING),
    "hetionet": ("hetionet", READING),
    "biomixqa": ("biomixqa", (*READING, STORED[1])),
    "statements": ("biomixqa-statements", ("no-context", "rag")),
}
ROUNDS, QUALITY = "rounds", "quality"
SEED = 2  # of the patients in docs/diagnosis.md


def ask_choices(
    asked: QuestionSet, rows: Sequence[str], *, model: Offline, sample: int, out: Path | None, progress: Progress
) -> None:
    """Multiple choice, as `clew eval mcq NAME --sample N` asks it."""
    engine = asked.open(progress)
    with Resources(engine, encoder=None) as words:
        questions = asked.questions(words.linker, progress)
    with Resources(engine) as plain, Resources(engine, model=model) as reading:
        settings = asked.settings()
        run_choices(plain, reading, questions, rows=rows, asked=settings, sample=sample, out=out, progress=progress)


def ask_about_patients(
    set: str, *, model: Offline, data: Path, count: int, out: Path | None, progress: Progress
) -> dict[str, object]:
    """Two rounds, as `clew eval rounds --seed 2`; or summaries, as `clew eval quality`."""
    with Resources(bench_graph("hpo", data, progress), encoder=None, model=model) as resources:
        relations = choose_relations(resources.engine.schema)
        if set == ROUNDS:
            return run_rounds(resources, relations, RoundsRun(count, SEED), out=out, progress=progress)
        judge, report = ModelQualityJudge(model), {}
        for size in (2 * count, count) if model.noting else (count,):  # which summaries are judged depends on answers
            report = evaluate_quality(
                resources, relations, judge, count=size, seed=0, settings=PatientSettings(), progress=progress
            )
        return report


def main() -> None:
    """Note the requests of one set, or read their answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("set", choices=[*CHOICES, ROUNDS, QUALITY])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--count", type=int, default=100, help="questions or patients")
    parser.add_argument("--rows", help="rows of the set, separated by commas (default: all)")
    parser.add_argument("--part", default="all", help="the name of these rows in the names of files")
    parser.add_argument("--read", action="store_true", help="the answers are there")
    parser.add_argument("--model", default="", metavar="NAME", help="whose answers are read (default: those of FOLDER)")
    given = parser.parse_args()
    noted = given.folder / "requests" / f"{given.set}.{given.part}.jsonl"
    noted.parent.mkdir(parents=True, exist_ok=True)
    own = given.folder / given.model
    model = Offline(noted, own / "responses.jsonl" if given.read else None, name=given.model or "smollm2")
    journal = own / f"{given.set}.{given.part}.jsonl" if given.read and given.set != QUALITY else None
    with terminal_progress() as progress:
        if given.set in CHOICES:
            name, rows = CHOICES[given.set]
            rows = rows if given.rows is None else known_rows(given.rows.split(","), dict.fromkeys(rows))
            asked = QuestionSet(name, given.data)
            ask_choices(asked, rows, model=model, sample=given.count, out=journal, progress=progress)
            return
        report = ask_about_patients(
            given.set, model=model, data=given.data, count=given.count, out=journal, progress=progress
        )
    if given.read:
        (own / f"{given.set}.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
