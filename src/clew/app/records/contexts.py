"""The context of a question: its lines with the triples and sources behind each."""

from typing import TYPE_CHECKING, Any

from clew.app.records.statements import triple_record

if TYPE_CHECKING:
    from clew.traverse.context import Context, ContextLine

__all__ = ["context_record", "line_metadata"]


def context_record(context: "Context", *, graph: str, snapshot: str) -> dict[str, Any]:
    """What a graph states about a question."""
    return {
        "graph": graph,
        "snapshot": snapshot,
        "question": context.question,
        "text": context.text,
        "style": context.style,
        "entities": list(context.entities),
        "budget": context.budget,
        "tokens": context.tokens,
        "found": context.found,
        "pruned": context.pruned,
        "left_out": context.left_out,
        "ranking": context.ranking,
        "notes": list(context.notes),
        "seconds": round(context.seconds, 4),
        "lines": [{"text": line.text, **line_metadata(line)} for line in context.lines],
    }


def line_metadata(line: "ContextLine") -> dict[str, Any]:
    """What is known of a line beside its text."""
    return {
        "score": line.score,
        "triples": [{"triple": each.number, **triple_record(each)} for each in line.triples],
        "sources": list(line.sources),
        "documents": list(line.documents),
    }
