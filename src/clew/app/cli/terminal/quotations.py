"""The sentence behind an extracted assertion, for people to read."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew import Assertion

__all__ = ["quoted"]


def quoted(assertion: "Assertion") -> str | None:
    """The sentence that an extracted assertion was read in, with document and confidence; None where it has none."""
    sentence = (assertion.qualifiers or {}).get("sentence")
    if not sentence:
        return None
    sure = "" if assertion.confidence is None else f", confidence {assertion.confidence:.2f}"
    document = f" from {assertion.document}" if assertion.document else ""
    return f"extracted{document}{sure}: “{sentence}”"
