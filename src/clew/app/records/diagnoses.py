"""Diagnoses with the statements for and against each."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from clew.app.records.statements import cited_record

if TYPE_CHECKING:
    from clew.answer.diagnosis.diagnose import Diagnoses, Diagnosis, FindingMatch, Term
    from clew.answer.diagnosis.findings import Finding
    from clew.answer.diagnosis.two_rounds import Fate, TwoRounds

__all__ = ["diagnoses_record"]


def diagnoses_record(
    found: "Diagnoses", *, graph: str, snapshot: str, rounds: "TwoRounds | None" = None
) -> dict[str, Any]:
    """What `clew diagnose --json` prints; `rounds` is null without a model."""
    return {
        "graph": graph,
        "snapshot": snapshot,
        "note": found.note,
        "relations": asdict(found.relations),
        "findings": [_finding(each) for each in found.findings],
        "ignored": [{"text": each.text, "reason": each.reason} for each in found.ignored],
        "ranked": found.total,
        "seconds": round(found.seconds, 4),
        "diagnoses": [_diagnosis(each) for each in found.items],
        "rounds": None if rounds is None else [_fate(each) for each in rounds.fates],
    }


def _finding(finding: "Finding") -> dict[str, Any]:
    return {
        "text": finding.text,
        "id": finding.id,
        "name": finding.name,
        "present": finding.present,
        "reason": finding.reason,
    }


def _diagnosis(diagnosis: "Diagnosis") -> dict[str, Any]:
    return {
        "id": diagnosis.id,
        "name": diagnosis.name,
        "score": diagnosis.score,
        "matches": [_match(each) for each in diagnosis.matches],
        "beside": [cited_record(each) for each in diagnosis.beside],
    }


def _fate(fate: "Fate") -> dict[str, Any]:
    return {
        "id": fate.id,
        "name": fate.name,
        "fate": fate.fate,
        "reason": fate.reason,
        "hops": fate.hops,
        "similarity": fate.similarity,
        "path": [cited_record(each) for each in fate.path],
    }


def _match(match: "FindingMatch") -> dict[str, Any]:
    return {
        "finding": match.finding.id,
        "kind": match.kind,
        "weight": match.weight,
        "term": _term(match.term),
        "ancestor": _term(match.ancestor),
        "frequency": match.frequency,
        "statement": None if match.statement is None else cited_record(match.statement),
    }


def _term(term: "Term | None") -> dict[str, str] | None:
    return None if term is None else {"id": term.id, "name": term.name}
