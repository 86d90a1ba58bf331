"""Entities, triples and assertions: what every other record is made of."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew import Assertion, GraphEngine, Triple
    from clew.answer import Cited

__all__ = ["assertion_record", "cited_record", "entity_records", "triple_record"]


def entity_records(engine: "GraphEngine", ids: Any) -> list[dict[str, str]]:
    """Id, name and type of entities given by number, in the order given."""
    records: list[dict[str, str]] = engine.describe(ids).to_pylist()
    return records


def triple_record(triple: "Triple | Cited") -> dict[str, str]:
    """A triple by ids and names."""
    return {
        "subject": triple.subject,
        "subject_name": triple.subject_name,
        "relation": triple.relation,
        "object": triple.object,
        "object_name": triple.object_name,
    }


def cited_record(cited: "Cited") -> dict[str, Any]:
    """A triple that supports an answer, with its assertions."""
    return {**triple_record(cited), "assertions": [assertion_record(each) for each in cited.assertions]}


def assertion_record(assertion: "Assertion") -> dict[str, Any]:
    """One source's statement, without the fields it does not state."""
    said: dict[str, Any] = {
        "source": assertion.source,
        "source_version": assertion.source_version,
        "license": assertion.license,
        "retrieved_at": assertion.retrieved_at,
        "document": assertion.document,
        "evidence": list(assertion.evidence),
        "valid_from": assertion.valid_from and assertion.valid_from.isoformat(),
        "valid_to": assertion.valid_to and assertion.valid_to.isoformat(),
        "knowledge_level": assertion.knowledge_level,
        "agent_type": assertion.agent_type,
        "confidence": _finite(assertion.confidence),
        "negated": assertion.negated,
        "qualifiers": dict(assertion.qualifiers or {}),
    }
    kept: Iterable[str] = ("evidence", "negated", "qualifiers")
    return {name: value for name, value in said.items() if value is not None or name in kept}


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None
