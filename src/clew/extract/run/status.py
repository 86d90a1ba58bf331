"""The stages of a run in order, and the state of each."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clew.extract.chains import injection, leaves
from clew.extract.corpus import tables
from clew.extract.filter import triples
from clew.extract.mentions import heads
from clew.extract.predict import predictions, queries, tails
from clew.extract.ranking import examples
from clew.extract.run.options import RunOptions
from clew.extract.seed import held_out, reserved, selection
from clew.extract.sequences import packing
from clew.extract.stage import COUNTS, Stage, read_counts
from clew.extract.training.stages import MODEL, PRETRAINED

__all__ = ["STAGES", "StageState", "run_status"]

STAGES: tuple[Stage, ...] = (
    tables.STAGE,
    packing.STAGE,
    heads.STAGE,
    held_out.STAGE,
    reserved.STAGE,
    selection.STAGE,
    injection.STAGE,
    leaves.STAGE,
    examples.STAGE,
    PRETRAINED,
    MODEL,
    queries.STAGE,
    predictions.STAGE,
    tails.STAGE,
    triples.STAGE,
)


@dataclass(frozen=True, slots=True)
class StageState:
    """A stage of a run: missing, in part, finished or outdated; and its counts."""

    stage: Stage
    state: str
    counts: dict[str, Any] = field(default_factory=dict)


def run_status(run: Path) -> list[StageState]:
    """The stages of a run in order; held-out facts are listed only where the run holds any out."""
    run = Path(run)
    options = RunOptions.read(run)
    found: list[StageState] = []
    outdated: set[str] = set()
    for stage in STAGES:
        if stage is held_out.STAGE and options.hold_out is None:
            continue
        state = stage.state(run)
        if state == "finished" and outdated.intersection(stage.reads):
            state = "outdated"
        if state == "outdated":
            outdated.add(stage.name)
        counts = stage.directory(run) / COUNTS
        counted = state in ("finished", "outdated") and counts.is_file()
        found.append(StageState(stage, state, read_counts(stage.directory(run)) if counted else {}))
    return found
