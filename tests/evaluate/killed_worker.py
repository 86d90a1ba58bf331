"""Six evaluations in one process, which is killed in the middle of writing a record.

Arguments: a folder with ward.clew, in which the journals are written, and how many records are written before the next
one is cut in half by SIGKILL (0: none). Prints the reports as JSON.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import clew
from clew.answer import Resources
from clew.answer.diagnosis.relations import ProfileRelations
from clew.embed.encoders.hashed import HashedEncoder
from clew.evaluate.choices.generate import ChoiceQuestion
from clew.evaluate.choices.run import run_choices
from clew.evaluate.diagnosis.patients import PatientSettings
from clew.evaluate.diagnosis.quality import RuleJudge, evaluate_quality
from clew.evaluate.diagnosis.rounds import RoundsRun, run_rounds
from clew.evaluate.diagnosis.run import run_rankings
from clew.evaluate.graphs.questions import ask_facts
from clew.evaluate.graphs.run import run_graphs
from clew.evaluate.journal import Journal
from clew.evaluate.paths.run import run_paths

SIGNS = ProfileRelations("has_sign", "lacks_sign", "is_a", "Disease", "Phenotype", ("causes",))
SETTINGS = PatientSettings(findings=2, noise=1, imprecision=0.3)
FACTS = [("D:1", "has_sign", "P:2"), ("D:3", "has_sign", "P:4"), ("D:5", "has_sign", "P:6")]
NAMES = ("Disease one", "Disease two", "Disease three")


def kill_after(records: int) -> None:
    write, written = Journal._write, 0

    def writing(self: Journal, record: dict[str, Any]) -> None:
        nonlocal written
        if written == records and self._out is not None:
            with self._out.open("ab") as file:
                file.write(json.dumps(record).encode()[: len(json.dumps(record)) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        written += 1
        write(self, record)

    Journal._write = writing  # type: ignore[method-assign]


def evaluate(folder: Path) -> dict[str, Any]:
    with Resources(clew.open(folder / "ward.clew"), encoder=HashedEncoder(dimension=32)) as resources:
        questions = [
            ChoiceQuestion(f"q{at}", "name", f"Which disease has sign {sign}?", NAMES, ("D:1", "D:2", "D:3"), gold, ())
            for at, (sign, gold) in enumerate((("Myopia", "Disease one"), ("Short fingers", "Disease three")))
        ]
        rows = ("random", "prior", "evidence", "adaptive-evidence")
        run = RoundsRun(count=4, seed=1, ks=(1, 2), candidates=3, patients=SETTINGS)
        return {
            "mcq": run_choices(resources, None, questions, rows=rows, asked={}, sample=2, out=folder / "mcq.jsonl"),
            "paths": run_paths(
                resources, rows=("tog", "names"), count=2, seed=0, part="test", out=folder / "paths.jsonl"
            ),
            "diagnosis": run_rankings(
                resources, SIGNS, count=4, seed=3, settings=SETTINGS, rows=("ranker", "cosine"), out=folder / "d.jsonl"
            ),
            "rounds": run_rounds(resources, SIGNS, run, out=folder / "rounds.jsonl"),
            "graphs": run_graphs(
                {"ward": resources, "the same": resources},
                ask_facts(FACTS, resources.engine),
                count=3,
                seeds=2,
                out=folder / "graphs.jsonl",
            ),
            "quality": evaluate_quality(
                resources, SIGNS, RuleJudge(), count=4, settings=SETTINGS, out=folder / "quality.jsonl"
            ),
        }


if __name__ == "__main__":
    if int(sys.argv[2]):
        kill_after(int(sys.argv[2]))
    print(json.dumps(evaluate(Path(sys.argv[1]))))
