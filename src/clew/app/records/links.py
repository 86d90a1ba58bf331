"""Names linked to entities, and mentions in running text."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.link import Candidate, Linked, Mention

__all__ = ["MARKS", "links_record", "mentions_record"]

MARKS = ("negated", "uncertain", "family", "historical")


def links_record(
    found: "Sequence[Linked]", *, graph: str, snapshot: str, types: Sequence[str] | None
) -> dict[str, Any]:
    """Names with the candidate entities of each."""
    return {"graph": graph, "snapshot": snapshot, "types": types, "linked": [_linked(each) for each in found]}


def mentions_record(
    mentions: "Sequence[Mention]", *, graph: str, snapshot: str, types: Sequence[str] | None
) -> dict[str, Any]:
    """The mentions of a text with their context flags (negated, uncertain, …)."""
    listed = [_mention(each) for each in mentions]
    return {"graph": graph, "snapshot": snapshot, "types": types, "count": len(listed), "mentions": listed}


def _linked(linked: "Linked") -> dict[str, Any]:
    return {
        "mention": linked.mention,
        "best": None if linked.best is None else _candidate(linked.best),
        "alternatives": [_candidate(each) for each in linked.alternatives],
        "margin": linked.margin,
        "candidates": [_candidate(each) for each in linked.candidates],
    }


def _mention(mention: "Mention") -> dict[str, Any]:
    linked = _linked(mention.linked)
    return {
        "start": mention.start,
        "end": mention.end,
        "text": mention.text,
        "marks": {mark: bool(getattr(mention.marks, mark, False)) for mark in MARKS},
        "cues": [asdict(cue) for cue in getattr(mention.marks, "cues", ())],
        "abbreviation_of": mention.abbreviation_of,
        "best": linked["best"],
        "alternatives": linked["alternatives"],
    }


def _candidate(candidate: "Candidate") -> dict[str, Any]:
    return {name: value for name, value in asdict(candidate).items() if name != "entity"}
