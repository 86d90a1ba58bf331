"""How far each judge can be trusted, and what the judges say of extracted triples and of the baseline's.

python -m benchmarks.extraction_judges --graph seed.clew --data data --judge cues --judge smollm2 --judge PATH.gguf \
    [--run NAME=RUN] [--baseline NAME=FILE.parquet] --answers DIR --out results/extraction/judges.json

Every judge is calibrated on the same statements. Of a run's triples, those that the seed states, those it does not and
those that the model was sure of (`--sure`) are also scored apart. Models' answers are kept under `--answers`, so that a
run that is started again asks only what is new.
"""

import argparse
import sys
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from benchmarks.report import environment, to_stderr, write_json
from clew.evaluate.extraction.baseline_run import baseline_statements, link_baseline, validity_of_baseline
from clew.evaluate.extraction.factuality import judge_triples, validity_by_signature
from clew.evaluate.extraction.judge_prompts import Statement
from clew.evaluate.extraction.judge_run import Drawn, calibrate_judges, candidates, run_statements
from clew.extract.seed.signatures import Signatures
from clew.graph import Graph
from clew.lm import LanguageModel, Replayed, open_model

__all__ = ["run", "show_calibrations", "show_scores"]

CONTEXT = 1024
CUES = "cues"


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Calibrate every judge and let it judge; what a finished judge says is written at once."""
    graph = Graph(options.graph)
    given, unjudged = _triples(options, graph)
    report: dict[str, Any] = {
        **environment(),
        "snapshot": graph.manifest.snapshot,
        "triples": {name: len(statements) for name, statements in given.items()},
        "judges": [],
        "scores": unjudged,
    }
    for spec in options.judge:
        opened = None if spec == CUES else _open(spec, options.answers)
        listed = candidates(opened, CUES if opened is None else "scoring")
        judges = calibrate_judges(listed, graph, options.data / "bc5cdr", progress=to_stderr)
        report["judges"] += [calibration.to_json() for _, calibration in judges.values()]
        write_json(options.out, report)
        for name, statements in given.items():
            rows = judge_triples(statements, judges, progress=to_stderr)
            report["scores"] += [{"triples of": name, **row.to_json()} for row in rows]
            write_json(options.out, report)
        if opened is not None:
            opened.close()
    return report


def _open(spec: str, answers: Path) -> LanguageModel:
    model = open_model(spec) if spec.startswith("http") else open_model(spec, context=CONTEXT)
    return Replayed(model, answers)


def _triples(options: argparse.Namespace, graph: Graph) -> tuple[dict[str, list[Statement]], list[dict[str, Any]]]:
    """Statements by whose they are, and their validity by signatures alone."""
    given: dict[str, list[Statement]] = {}
    rows = []
    for name, place in (each.split("=", 1) for each in options.run):
        drawn = run_statements(Path(place), limit=options.limit)
        given |= _parts(name, drawn, options.sure)
        row = validity_by_signature(drawn.typed, Signatures.of_schema(graph.schema))
        rows.append({"triples of": name, **row.to_json()})
    for name, place in (each.split("=", 1) for each in options.baseline):
        linked = link_baseline(pq.read_table(place), graph)
        chosen = np.sort(np.random.default_rng(0).permutation(linked.num_rows)[: options.baseline_limit])
        given[name] = baseline_statements(linked.take(chosen))
        rows.append({"triples of": name, **validity_of_baseline(linked, graph).to_json()})
    return given, rows


def _parts(name: str, drawn: Drawn, sure: float) -> dict[str, list[Statement]]:
    """The drawn triples, and those of some kinds apart."""
    of_kind = {
        f"{name}, stated by the seed too": drawn.known,
        f"{name}, new": [not known for known in drawn.known],
        f"{name}, confidence {sure} or more": [confidence >= sure for confidence in drawn.confidence],
    }
    parts = {part: list(compress(drawn.statements, chosen)) for part, chosen in of_kind.items()}
    return {name: drawn.statements} | {part: statements for part, statements in parts.items() if statements}


def show_calibrations(report: dict[str, Any]) -> str:
    """Every wording that stood to choice, and the chosen one on the half that nothing was chosen on, as Markdown."""
    lines = [
        "| question | judge | where it was chosen | on the other half | halves exchanged | threshold |",
        "|---|---|---|---|---|---|",
    ]
    for each in report["judges"]:
        for tried in each["tried"]:
            chosen = tried["judge"] == each["judge"]
            name, held = (f"**{tried['judge']}**", _interval(each["accuracy"])) if chosen else (tried["judge"], "")
            other = f"{each['exchanged']:.3f}" if chosen else ""
            cells = (each["question"], name, f"{tried['accuracy']:.3f}", held, other, f"{tried['threshold']:.3f}")
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def show_scores(report: dict[str, Any]) -> str:
    """What the judges say, as Markdown."""
    lines = ["| triples of | score | judge | trust | triples | yes | no | maybe |", "|---|---|---|---|---|---|---|---|"]
    for row in report["scores"]:
        shares = f"{_interval(row['yes'])} | {row['no']:.3f} | {row['maybe']:.3f}"
        lines.append(
            f"| {row['triples of']} | {row['name']} | {row['judge']} | {row['trust']} | {row['triples']} | {shares} |"
        )
    return "\n".join(lines)


def _interval(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.3f} ({figure['low']:.2f}-{figure['high']:.2f})"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", type=Path, required=True, help="the seed graph")
    parser.add_argument("--data", type=Path, required=True, help="the folder of data sets; it holds bc5cdr")
    parser.add_argument("--judge", action="append", default=[], help="cues, or a model: a name, a .gguf file or a URL")
    parser.add_argument("--run", action="append", default=[], metavar="NAME=RUN", help="judge triples of this run")
    parser.add_argument("--baseline", action="append", default=[], metavar="NAME=FILE", help="and of this baseline")
    parser.add_argument("--limit", type=int, default=200, help="triples of a run at most")
    parser.add_argument("--sure", type=float, default=0.8, help="the confidence that is scored apart")
    parser.add_argument("--baseline-limit", type=int, default=100, help="triples of a baseline at most")
    parser.add_argument("--answers", type=Path, required=True, metavar="DIR", help="where answers of models are kept")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    report = run(parser.parse_args())
    print(show_calibrations(report), show_scores(report), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
