"""Terms of an ontology, however they were written, and how they become entities and triples."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from clew.graph.readers.ontology.types import type_of
from clew.graph.readers.tab_separated import constant, line_origin
from clew.graph.staging import Problems, Relation, Source, Staged

__all__ = ["SCOPES", "Ontology", "Term", "keep_old_ids", "stage_terms"]

SCOPES = ("EXACT", "NARROW", "BROAD", "RELATED")
TEXT, LISTS = pa.string(), pa.list_(pa.string())


@dataclass(slots=True)
class Term:
    """One current term."""

    id: str
    line: int
    name: str | None = None
    definition: str | None = None
    comment: str | None = None
    namespace: str | None = None
    synonyms: list[tuple[str, str]] = field(default_factory=list)  # scope and text, exact ones first
    xrefs: list[str] = field(default_factory=list)  # old ids of this term, then other vocabularies
    subsets: list[str] = field(default_factory=list)
    parents: list[tuple[str, int]] = field(default_factory=list)  # id and line
    relationships: list[tuple[str, str, int]] = field(default_factory=list)  # relation, id and line

    def synonym_texts(self) -> list[str]:
        """Every synonym once, exact ones first."""
        return list(dict.fromkeys(text for _, text in self.synonyms))


@dataclass(frozen=True, slots=True)
class Ontology:
    """The current terms by id; `renamed` leads from an old id to its one replacement."""

    file: str
    name: str
    version: str | None
    license: str | None
    terms: dict[str, Term]
    renamed: dict[str, str]
    relations: Mapping[str, Relation] = field(default_factory=dict)  # id of a relationship → its name and flags
    obsolete: int = 0  # terms left out


def keep_old_ids(terms: Mapping[str, Term], replaced: Iterable[tuple[str, str]]) -> dict[str, str]:
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


def stage_terms(ontology: Ontology, problems: Problems) -> Staged:
    """Terms as entities, is_a and relationships as triples; ids of other ontologies become entities without a name."""
    if ontology.obsolete:
        problems.note("obsolete term left out", ontology.file, "is_obsolete: true", count=ontology.obsolete)
    rows = [
        (term.id, relation, ontology.renamed.get(target, target), line)
        for term in ontology.terms.values()
        for relation, target, line in (*(("is_a", *parent) for parent in term.parents), *term.relationships)
    ]
    subject, stated, object_, lines = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [], [])
    flags = {key: ontology.relations.get(key, Relation(key)) for key in dict.fromkeys(stated)}
    flags |= {"is_a": Relation("is_a", transitive=True)}
    columns: dict[str, pa.Array] = {
        "subject": _encoded(subject),
        "relation": _encoded([flags[key].name for key in stated]),
        "object": _encoded(object_),
        "source": constant(ontology.name, len(rows)),
        "source_version": constant(ontology.version, len(rows)),
        "license": constant(ontology.license, len(rows)),
        "knowledge_level": constant("knowledge_assertion", len(rows)),
        "agent_type": constant("manual_agent", len(rows)),
    }
    elsewhere = dict.fromkeys(each for each in object_ if each not in ontology.terms)
    if elsewhere:
        problems.note("term of another ontology", ontology.file, "known by its id only", count=len(elsewhere))
    first_line = dict(zip(reversed(object_), reversed(lines), strict=True))
    at = [term.line for term in ontology.terms.values()] + [first_line[each] for each in elsewhere]
    return Staged(
        pa.table({name: column for name, column in columns.items() if column.null_count < max(1, len(rows))}),
        _entities(ontology.terms, list(elsewhere)),
        list({flag.name: flag for flag in flags.values()}.values()),
        [Source(ontology.name, ontology.version, ontology.license)],
        line_origin([(ontology.file, np.array(lines, np.int64))]),
        line_origin([(ontology.file, np.array(at, np.int64))]),
    )


def _encoded(values: Sequence[str]) -> pa.DictionaryArray:
    return pa.array(values, TEXT).dictionary_encode()


def _entities(terms: Mapping[str, Term], elsewhere: Sequence[str]) -> pa.Table:
    described = [*terms.values(), *(Term(each, 0) for each in elsewhere)]
    columns: dict[str, pa.Array] = {
        "id": pa.array([term.id for term in described], TEXT),
        "name": pa.array([term.name for term in described], TEXT),
        "type": _encoded([type_of(term.id, term.namespace) for term in described]),
        "synonyms": pa.array([term.synonym_texts() for term in described], LISTS),
        "xrefs": pa.array([term.xrefs for term in described], LISTS),
        "definition": pa.array([term.definition for term in described], TEXT),
        "comment": pa.array([term.comment for term in described], TEXT),
        "subsets": pa.array([term.subsets or None for term in described], LISTS),
    }
    for scope in SCOPES[1:]:
        found = [[text for given, text in term.synonyms if given == scope] or None for term in described]
        columns[f"{scope.lower()}_synonyms"] = pa.array(found, LISTS)
    return pa.table({name: column for name, column in columns.items() if column.null_count < max(1, len(column))})
