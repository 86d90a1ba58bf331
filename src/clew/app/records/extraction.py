"""Extraction: the stages of a run, and extracted triples."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.extract.run.status import StageState

__all__ = ["run_record", "text_record"]

TRIPLE = (
    "subject", "subject_name", "relation", "object", "object_name", "known", "turned", "document", "sentence",
    "sentence_start", "sentence_end", "head_text", "head_start", "head_end", "tail_text", "tail_start", "tail_end",
    "confidence", "similarity", "decoder", "model",
)  # fmt: skip


def run_record(
    action: str,
    run: str,
    states: "Sequence[StageState]",
    triples: Sequence[Mapping[str, Any]],
    *,
    limit: int,
    seconds: float,
) -> dict[str, Any]:
    """A run after a command: its stages with their counts, and the most confident triples."""
    stages = [
        {"stage": each.stage.name, "state": each.state, "holds": each.stage.holds, "counts": each.counts}
        for each in states
    ]
    return {
        "action": action,
        "run": run,
        "seconds": round(seconds, 3),
        "stages": stages,
        "total": len(triples),
        "triples": [_triple(row) for row in triples[:limit]],
    }


def text_record(
    model: str, counts: Mapping[str, Any], triples: Sequence[Mapping[str, Any]], *, limit: int, seconds: float
) -> dict[str, Any]:
    """The triples of one text, and the counts of each stage."""
    return {
        "action": "predict",
        "model": model,
        "seconds": round(seconds, 3),
        "counts": dict(counts),
        "total": len(triples),
        "triples": [_triple(row) for row in triples[:limit]],
    }


def _triple(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: row[name] for name in TRIPLE}
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in kept.items()}
