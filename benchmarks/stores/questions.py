"""The questions asked of both stores in Cypher and of Clew's own engine: one answer each, or nothing is timed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["QUESTIONS", "Answer", "Question", "check_answers"]

Answer = set[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Question:
    """A question in words, in Cypher, and as calls of the engine; `text` is what both look for in names."""

    what: str
    text: str
    cypher: str
    walk: Callable[[Any, str], Answer]  # of an engine and the text

    def ask(self, store: Any, *, timeout: float) -> Answer:
        """The rows that a store gives."""
        found = store.run(self.cypher, {"text": self.text}, timeout=timeout, limit=1_000_000)
        assert not found.truncated, f"{self.what}: more than a million rows"
        return set(found.rows)


def _symptoms(engine: Any, text: str) -> Answer:
    near = engine.hop(_named(engine, "Disease", text), relations="has_symptom")
    return set(zip(_identifiers(engine, near.ids), strict=True))


def _side_effects(engine: Any, text: str) -> Answer:
    drugs = engine.hop(_named(engine, "Disease", text), relations="treats", direction="in")
    caused = engine.triples(drugs.ids, relations="causes")
    return set(zip(*(_identifiers(engine, ends) for ends in (caused.subject, caused.object)), strict=True))


def _interacting(engine: Any, text: str) -> Answer:
    near = engine.hop(_named(engine, "Drug", text), relations="interacts_with", direction="both")
    return set(zip(_identifiers(engine, near.ids), strict=True))


def _named(engine: Any, type: str, text: str) -> np.ndarray:
    """Entities of a type whose name contains a text, in any case."""
    of_type = np.flatnonzero(engine.types_of() == engine.schema.type_number(type))
    names = engine.describe(of_type)["name"].cast(pa.string())
    return of_type[np.asarray(pc.match_substring(names, text, ignore_case=True))]


def _identifiers(engine: Any, entities: np.ndarray) -> list[str]:
    found: list[str] = engine.describe(entities)["id"].to_pylist()
    return found


QUESTIONS = (  # the first two are the paper's, Table V
    Question(
        "symptoms of a disease whose name contains …",
        "alzheimer",
        "MATCH (d:Disease)-[:HAS_SYMPTOM]->(s:Symptom) WHERE toLower(d.name) CONTAINS $text RETURN DISTINCT s.id",
        _symptoms,
    ),
    Question(
        "side effects of the drugs that treat such a disease (two hops)",
        "pulmonary",
        "MATCH (d:Disease)<-[:TREATS]-(m:Drug)-[:CAUSES]->(s:SideEffect) WHERE toLower(d.name) CONTAINS $text "
        "RETURN DISTINCT m.id, s.id",
        _side_effects,
    ),
    Question(
        "drugs that interact with one (stored once, read both ways)",
        "abamab",
        "MATCH (a:Drug)-[:INTERACTS_WITH]-(b:Drug) WHERE toLower(a.name) CONTAINS $text RETURN DISTINCT b.id",
        _interacting,
    ),
)


def check_answers(engine: Any, stores: Sequence[tuple[str, Any]], *, timeout: float) -> dict[str, int]:
    """Ask everybody everything; returns how many rows each question has, or raises at the first difference."""
    rows = {}
    for question in QUESTIONS:
        expected = question.walk(engine, question.text)
        assert expected, f"{question.what}: no answer, so nothing would be compared"
        for name, store in stores:
            found = question.ask(store, timeout=timeout)
            missing, extra = len(expected - found), len(found - expected)
            assert found == expected, f"{question.what}: {name} misses {missing} rows and has {extra} that clew has not"
        rows[question.what] = len(expected)
    return rows
