"""Ablations of extraction: variants of the small model, trained with equal steps and measured alike.

    python -m benchmarks.extraction_ablations prepare --run RUN --graph SEED --chains CHAINS --data DATA --out VARIANTS
    python -m benchmarks.extraction_ablations run --chains CHAINS --variants VARIANTS --lessons LESSONS \\
        --planted PLANTED --arrays BC5CDR --work WORK --out OUT --side-by-side 4 --begin 380 --stop 560
    python -m benchmarks.extraction_ablations report OUT/ablations.tar --run RUN --graph SEED --planted PLANTED_RUN \\
        --arrays BC5CDR --chains CHAINS --variants VARIANTS --data DATA --work WORK --out ablations.json

`prepare` and `report` read graphs and tables; `run` needs torch, NumPy and safetensors only, and goes on from what an
earlier call left in WORK.
"""

import argparse
import json
import logging
import signal
import sys
from dataclasses import fields
from pathlib import Path

from benchmarks.extraction_ablations_plan import PLAN
from clew.errors import ClewError

PATHS = ("chains", "variants", "lessons", "planted", "arrays", "work")


def prepare_inputs(given: argparse.Namespace) -> None:
    """Leaves, lessons and questions of the variants."""
    from benchmarks.extraction_ablations_prepare import prepare
    from clew.graph import Graph

    train = given.data / "bc5cdr" / "cdr_train.pubtator.gz"
    counts = prepare(given.run, Graph(given.graph), given.chains, given.out, bc5cdr=train)
    print(json.dumps(counts, indent=1))


def run_variants(given: argparse.Namespace) -> None:
    """All variants, some side by side; or one of them, in this process."""
    from benchmarks.extraction_ablations_device import Course, Inputs, run_variant
    from benchmarks.extraction_ablations_driver import Limits, run_plan

    inputs = Inputs(**{name: getattr(given, name) for name in PATHS})
    course = Course(**{each.name: getattr(given, each.name) for each in fields(Course)})
    if given.one is not None:
        run_variant(PLAN[given.one], inputs, course)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the variants end with it
    limits = Limits(given.side_by_side, given.begin, given.stop)
    print(json.dumps(run_plan(given.only or list(PLAN), inputs, course, given.out, limits), indent=1))


def report_results(given: argparse.Namespace) -> None:
    """Tables in Markdown, and everything as JSON."""
    from benchmarks.extraction_ablations_report import Sources, report

    sources = Sources(**{each.name: getattr(given, each.name) for each in fields(Sources)})
    print(report(given.archive, sources, given.out, given.work, encoder=given.encoder))


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    _add_prepare(commands.add_parser("prepare", help="inputs of the variants, from a run and its seed"))
    run = commands.add_parser("run", help="train and measure them on a GPU")
    _add_course(run)
    run.add_argument("--out", type=Path, required=True)
    run.add_argument("--only", action="append", choices=list(PLAN), metavar="NAME")
    run.add_argument("--side-by-side", type=int, default=4)
    run.add_argument("--begin", type=float, default=420.0, help="seconds after which none is begun")
    run.add_argument("--stop", type=float, default=560.0, help="seconds after which those that run are stopped")
    run.set_defaults(function=run_variants, one=None)
    one = commands.add_parser("one", help="one of them, in this process")
    one.add_argument("one", choices=list(PLAN), metavar="NAME")
    _add_course(one)
    one.set_defaults(function=run_variants)
    _add_report(commands.add_parser("report", help="tables from what came back"))
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(relativeCreated)6d ms %(message)s")
    try:
        given.function(given)
    except ClewError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _add_prepare(command: argparse.ArgumentParser) -> None:
    for name in ("run", "graph", "chains", "data", "out"):
        command.add_argument(f"--{name}", type=Path, required=True)
    command.set_defaults(function=prepare_inputs)


def _add_course(command: argparse.ArgumentParser) -> None:
    for name in PATHS:
        command.add_argument(f"--{name}", type=Path, required=True)
    command.add_argument("--size", default="small", choices=("tiny", "small", "paper"))
    command.add_argument("--steps", type=int, default=1210)
    command.add_argument("--sequences", type=int, default=512)
    command.add_argument("--rate", type=float, default=1e-3)
    command.add_argument("--least", type=float, default=0.5, help="share of a triple that is added to the seed")
    command.add_argument("--workers", type=int, help="processes that make batches, for each variant")
    command.add_argument("--teaching", type=int, default=4, help="epochs")
    command.add_argument("--teaching-rate", type=float, default=2e-4)
    command.add_argument("--tuning", type=int, default=4, help="epochs of fine-tuning on BC5CDR")


def _add_report(command: argparse.ArgumentParser) -> None:
    command.add_argument("archive", type=Path, nargs="+")
    for name in ("run", "graph", "planted", "arrays", "chains", "variants", "data", "out", "work"):
        command.add_argument(f"--{name}", type=Path, required=True)
    command.add_argument("--encoder", default="minilm", help="of β")
    command.set_defaults(function=report_results)


if __name__ == "__main__":
    sys.exit(main())
