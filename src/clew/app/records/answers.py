"""Answers with their evidence, and errors."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from clew.app.records.statements import cited_record
from clew.errors import ClewError, UnknownName

if TYPE_CHECKING:
    from clew.answer import Answer, Evidence

__all__ = ["answer_record", "answers_record", "error_record"]


def answer_record(answer: "Answer", *, graph: str, snapshot: str, drawing: str | None = None) -> dict[str, Any]:
    """One answer about a graph."""
    return {"graph": graph, "snapshot": snapshot, **_answer(answer), "drawing": drawing}


def answers_record(
    answered: "Sequence[Answer | tuple[str, Exception]]", *, graph: str, snapshot: str
) -> dict[str, Any]:
    """Answers to several questions about a graph; for one that failed, the question with its error."""
    listed = [
        {"question": each[0], **error_record(each[1])} if isinstance(each, tuple) else _answer(each)
        for each in answered
    ]
    return {"graph": graph, "snapshot": snapshot, "answers": listed}


def error_record(error: Exception) -> dict[str, Any]:
    """An error: its kind, one sentence, and the closest matches of an unknown name."""
    close = list(error.close) if isinstance(error, UnknownName) else []
    said = str(error) if isinstance(error, ClewError) else f"unexpected {type(error).__name__}: {error}"
    message = " ".join(said.split())
    return {"error": {"kind": type(error).__name__, "message": message, "close": close}}


def _answer(answer: "Answer") -> dict[str, Any]:
    return {
        "question": answer.question,
        "kind": answer.kind,
        "text": answer.text,
        "items": [asdict(item) for item in answer.items],
        "value": answer.value,
        "total": answer.total,
        "truncated": answer.truncated,
        "evidence": _evidence(answer.evidence),
        "query": answer.query,
        "named": list(answer.named),
        "interpretation": list(answer.interpretation),
        "bindings": [asdict(each) for each in answer.bindings],
        "unrecognised": list(answer.unrecognised),
        "repairs": list(answer.repairs),
        "ambiguities": [asdict(each) for each in answer.ambiguities],
        "alternatives": [asdict(each) for each in answer.alternatives],
        "decided": answer.decided,
        "trace": list(answer.trace),
        "usage": asdict(answer.usage),
        "confidence": answer.confidence,
        "certainty": answer.certainty,
        "late": answer.late,
        "abstained": answer.abstained,
        "suggestions": list(answer.suggestions),
    }


def _evidence(evidence: "Evidence") -> dict[str, Any]:
    return {
        "triples": [{"triple": each.triple, **cited_record(each)} for each in evidence.triples],
        "supports": [
            {"item": each.item, "slots": dict(each.slots), "triples": list(each.triples)} for each in evidence.supports
        ],
        "complete": evidence.complete,
        "documents": list(evidence.documents),
    }
