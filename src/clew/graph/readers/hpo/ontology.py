"""hp.obo: the terms of the ontology, their types and the is_a triples between them.

A term's type is the branch it descends from; where it descends from several (three terms), the first in BRANCHES wins.
Obsolete terms are no entities: their ids, like alternative ids, become xrefs of the terms that replace them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import BuildError, InputError
from clew.graph.readers.tab_separated import constant
from clew.graph.staging import Problems

__all__ = ["BRANCHES", "ROOT_TYPE", "Ontology", "Term", "read_ontology"]

BRANCHES = (
    ("HP:0000118", "Phenotype"),
    ("HP:0000005", "Inheritance"),
    ("HP:0031797", "ClinicalCourse"),  # onset, progression, age of death: a branch of clinical modifier
    ("HP:0012823", "Modifier"),
    ("HP:0032443", "MedicalHistory"),
    ("HP:0040279", "Frequency"),
    ("HP:0032223", "BloodGroup"),
    ("HP:0020228", "BiospecimenFeature"),
)
ROOT_TYPE = "OntologyTerm"  # the root "All", and any branch that a later release adds
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(\w*)')  # "text" SCOPE
ESCAPED = re.compile(r"\\(.)")
ESCAPES = {"n": "\n", "t": "\t", "W": " "}


@dataclass(slots=True)
class Term:
    """One current term."""

    id: str
    line: int
    name: str | None = None
    definition: str | None = None
    comment: str | None = None
    synonyms: list[str] = field(default_factory=list)  # of every scope, exact ones first
    xrefs: list[str] = field(default_factory=list)  # old ids of this term, then other vocabularies
    parents: list[tuple[str, int]] = field(default_factory=list)  # id and line
    type: str = ROOT_TYPE


@dataclass(frozen=True, slots=True)
class Ontology:
    """The current terms by id; `renamed` leads from an old id to its one replacement."""

    file: str
    version: str | None
    license: str | None
    terms: dict[str, Term]
    renamed: dict[str, str]

    def entities(self) -> pa.Table:
        """Every term as an entity."""
        terms = self.terms.values()
        return pa.table(
            {
                "id": pa.array(self.terms, pa.string()),
                "name": pa.array([term.name for term in terms], pa.string()),
                "type": pa.array([term.type for term in terms]).dictionary_encode(),
                "synonyms": pa.array([term.synonyms for term in terms], pa.list_(pa.string())),
                "xrefs": pa.array([term.xrefs for term in terms], pa.list_(pa.string())),
                "definition": pa.array([term.definition for term in terms], pa.string()),
                "comment": pa.array([term.comment for term in terms], pa.string()),
            }
        )

    def is_a(self) -> tuple[pa.Table, NDArray[np.int64]]:
        """Term → parent as triples, and the line of each; curated by hand as a whole."""
        rows = [(term.id, parent, line) for term in self.terms.values() for parent, line in term.parents]
        child, parent, line = zip(*rows, strict=True) if rows else ((), (), ())
        same = {"relation": "is_a", "knowledge_level": "knowledge_assertion", "agent_type": "manual_agent"}
        columns = {name: constant(value, len(rows)) for name, value in same.items()}
        ends = {"subject": child, "object": parent}
        columns |= {name: pa.array(ids, pa.string()).dictionary_encode() for name, ids in ends.items()}
        return pa.table(columns), np.array(line, np.int64)


def read_ontology(path: Path, *, problems: Problems) -> Ontology:
    """Read an OBO file of the Human Phenotype Ontology."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BuildError(f"cannot read {path} as UTF-8 text: {error}") from error
    header: dict[str, list[tuple[int, str]]] = {}
    terms: dict[str, Term] = {}
    replaced: list[tuple[str, str]] = []  # old id, current id
    for kind, line, tags in _stanzas(text, path.name, problems):
        if kind == "":
            header = tags
        elif kind == "[Term]":
            if "id" not in tags:
                problems.add("malformed row", f"{path.name}:{line}", "a term without an id")
            elif any(value == "true" for _, value in tags.get("is_obsolete", ())):
                replaced += ((tags["id"][0][1], _first_word(value)) for _, value in tags.get("replaced_by", ()))
            else:
                term = _term(line, tags, path.name, problems)
                terms[term.id] = term
                replaced += ((_first_word(old), term.id) for _, old in tags.get("alt_id", ()))
    if not terms:
        raise BuildError(f"{path} holds no terms; expected an OBO file with [Term] stanzas")
    _assign_types(terms)
    version = next((value for _, value in header.get("data-version", ())), None)
    return Ontology(
        path.name,
        None if version is None else version.rsplit("/", 1)[-1],  # "hp/releases/2025-01-16"
        _license(header),
        terms,
        _keep_old_ids(terms, replaced),
    )


def _stanzas(text: str, file: str, problems: Problems) -> Iterator[tuple[str, int, dict[str, list[tuple[int, str]]]]]:
    """Every stanza: its "[Kind]" line ("" for the header), line number, and tag → (line, value)s."""
    kind, start = "", 1
    tags: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("["):
            yield kind, start, tags
            kind, start, tags = line.rstrip(), number, {}
        elif line and not line.startswith("!"):
            tag, colon, value = line.partition(":")
            if colon:
                tags.setdefault(tag, []).append((number, value.strip()))
            elif line.strip():
                problems.add("malformed row", f"{file}:{number}", f"{line[:40]!r}, expected 'tag: value'")
    yield kind, start, tags


def _term(line: int, tags: dict[str, list[tuple[int, str]]], file: str, problems: Problems) -> Term:
    term = Term(_first_word(tags["id"][0][1]), line)
    if "name" in tags:
        term.name = _unescape(tags["name"][0][1])
    if "comment" in tags:
        term.comment = _unescape(tags["comment"][0][1])
    if "def" in tags:
        term.definition = next(iter(_quoted(tags["def"], file, problems)), ("", None))[1]
    by_scope = sorted(_quoted(tags.get("synonym", ()), file, problems), key=lambda scoped: scoped[0] != "EXACT")
    term.synonyms = list(dict.fromkeys(text for _, text in by_scope))
    term.xrefs = [_unescape(_first_word(value)) for _, value in tags.get("xref", ())]
    term.parents = [(_first_word(value), number) for number, value in tags.get("is_a", ())]
    return term


def _quoted(values: Iterable[tuple[int, str]], file: str, problems: Problems) -> list[tuple[str, str]]:
    """Scope and text of values such as: "Spider fingers" EXACT layperson []."""
    found: list[tuple[str, str]] = []
    for number, value in values:
        match = QUOTED.match(value)
        if match is None:
            problems.add("malformed row", f"{file}:{number}", f"{value[:40]!r}, expected text in double quotes")
        else:
            found.append((match[2], _unescape(match[1])))
    return found


def _first_word(value: str) -> str:
    """An id without the comment or description behind it: "HP:0001238 ! Slender finger"."""
    return value.split(" ", 1)[0]


def _unescape(text: str) -> str:
    return ESCAPED.sub(lambda match: ESCAPES.get(match[1], match[1]), text) if "\\" in text else text


def _license(header: dict[str, list[tuple[int, str]]]) -> str | None:
    stated = (value.split(" ") for _, value in header.get("property_value", ()))
    return next((words[1] for words in stated if words[0] == "terms:license"), None)


def _assign_types(terms: dict[str, Term]) -> None:
    """Walk down from each branch; a term keeps the first type it is given."""
    children: dict[str, list[str]] = {}
    for term in terms.values():
        for parent, _ in term.parents:
            children.setdefault(parent, []).append(term.id)
    typed: set[str] = set()
    for branch, kind in BRANCHES:
        waiting = [branch]
        while waiting:
            identifier = waiting.pop()
            if identifier in terms and identifier not in typed:
                typed.add(identifier)
                terms[identifier].type = kind
                waiting += children.get(identifier, ())


def _keep_old_ids(terms: dict[str, Term], replaced: list[tuple[str, str]]) -> dict[str, str]:
    """Put old ids in front of the xrefs of what replaced them; returns the old ids that have one replacement."""
    targets: dict[str, set[str]] = {}
    old_ids: dict[str, list[str]] = {}
    for old, current in replaced:
        if old not in terms and current in terms:
            targets.setdefault(old, set()).add(current)
            old_ids.setdefault(current, []).append(old)
    for current, earlier in old_ids.items():
        terms[current].xrefs = list(dict.fromkeys([*earlier, *terms[current].xrefs]))
    return {old: next(iter(found)) for old, found in targets.items() if len(found) == 1}
