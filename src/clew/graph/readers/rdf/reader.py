"""RDF (N-Triples, N-Quads, Turtle, TriG, RDF/XML, JSON-LD; OWL in one of these) staged as a graph.

Statements between IRIs are triples, `subClassOf some` restrictions too. Labels are names, literals are properties of
their subject, exactMatch and sameAs are cross-references. A named graph is the source of its triples.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.readers.ontology.curies import Curies, local_name
from clew.graph.readers.ontology.types import WORD, type_of
from clew.graph.readers.rdf import vocabulary as words
from clew.graph.readers.rdf.collected import Collected, collect
from clew.graph.readers.rdf.iris import ENTITY_IRI, RELATION_IRI, TYPE_IRI
from clew.graph.readers.rdf.statements import RdfFile
from clew.graph.readers.tab_separated import line_origin
from clew.graph.staging import Origin, Problems, Relation, Source, Staged
from clew.progress import Progress, silent

__all__ = ["read"]

TEXT, LISTS = pa.string(), pa.list_(pa.string())
GENERIC = frozenset((*words.GENERIC_TYPES, f"{words.SKOS}Concept"))
LISTED = ("synonyms", "xrefs", "subsets", "narrow_synonyms", "broad_synonyms", "related_synonyms")
Ints = NDArray[np.int64]


def read(
    source: Path | str,
    *,
    prefixes: Mapping[str, str] | None = None,
    problems: Problems,
    progress: Progress = silent,
) -> Staged:
    """Stage one file of RDF; `prefixes` (prefix → IRI) shorten IRIs before those of the file and the known ones."""
    path = Path(source)
    curies = Curies(prefixes or {})
    file = RdfFile(path, problems)
    progress(f"reading {path.name}", 0, 2)
    found = collect(file)
    if not found.iris:
        raise InputError(f"{path} has no statements about IRIs: expected RDF with at least one triple")
    curies.learn(file.prefixes)
    progress(f"joining {path.name}", 1, 2)
    for what, count in found.blank.items():
        problems.note(f"{what} left out", str(path), "RDF that is no triple of a graph", count=count)
    staged = _Staging(found, curies, path).staged(problems, by_line=file.by_line)
    progress(f"read {path.name}", 2, 2)
    return staged


class _Staging:
    """Numbered IRIs as CURIEs and names."""

    def __init__(self, found: Collected, curies: Curies, path: Path) -> None:
        self.found, self.path = found, path
        self.iris = list(found.iris)
        self.curies = [
            unquote(iri[len(ENTITY_IRI) :]) if iri.startswith(ENTITY_IRI) else curies.curie(iri) for iri in self.iris
        ]
        self.relations: dict[int, str] = {}

    def staged(self, problems: Problems, *, by_line: bool) -> Staged:
        """The triples and entities of the file."""
        found = self.found
        subject, relation, object_ = (
            np.array(each, np.int64) for each in (found.subject, found.relation, found.object)
        )
        left_out = np.zeros(len(self.iris), bool)
        left_out[list(found.deprecated | found.properties | found.ontologies)] = True
        if found.deprecated:
            problems.note("obsolete term left out", str(self.path), "owl:deprecated true", count=len(found.deprecated))
        kept = ~(left_out[subject] | left_out[object_])
        subject, relation, object_ = subject[kept], relation[kept], object_[kept]
        about = self._source()
        graph = np.array(found.graph, np.int64)[kept]
        places = np.array(found.place, np.int64)[kept]
        triples = pa.table(
            {
                "subject": self._encoded(subject, self.curies),
                "relation": self._encoded(relation, self._relation_names(np.unique(relation).tolist())),
                "object": self._encoded(object_, self.curies),
                "source": self._encoded(np.where(graph < 0, len(self.iris), graph), [*self.curies, about.name]),
            }
        )
        origin = line_origin([(str(self.path), places)])
        if not by_line:
            origin = Origin((f"{self.path}, statement",), origin.starts, origin.lines)
        return Staged(
            triples,
            self._entities(subject, object_, left_out),
            self._flags(relation),
            [about],
            origin,
            Origin((str(self.path),)),
        )

    def _encoded(self, numbers: Ints, texts: list[str]) -> pa.DictionaryArray:
        """Texts by number, each distinct text once."""
        used, codes = np.unique(numbers, return_inverse=True)
        values = pa.array([texts[number] for number in used.tolist()], TEXT).dictionary_encode()
        return pa.DictionaryArray.from_arrays(values.indices.take(pa.array(codes)), values.dictionary)

    def _source(self) -> Source:
        ontology = next((self.iris[number] for number in self.found.ontologies), None)
        name = self.path.name.partition(".")[0]
        version = self.found.about.get("version")
        return Source(
            name if ontology is None else local_name(ontology).removesuffix(".owl").upper(),
            None if version is None else next((part for part in version.split("/") if part[:2] == "20"), version),
            self.found.about.get("license"),
            None if ontology is None or not ontology.startswith("http") else ontology,
        )

    # ---- relations

    def _relation_names(self, used: list[int]) -> list[str]:
        """A name for each used relation: our own, a known one, its label, its last part; its CURIE if two are alike."""
        names = [""] * len(self.iris)
        owner: dict[str, int] = {}
        for number in used:
            name = self._plain_name(number)
            if owner.setdefault(name, number) != number and self.iris[number] not in words.RELATIONS:
                name = self.curies[number]
            names[number] = self.relations[number] = name
        return names

    def _plain_name(self, number: int) -> str:
        iri = self.iris[number]
        if iri.startswith(RELATION_IRI):
            return unquote(iri[len(RELATION_IRI) :])
        label = self.found.names.get(number, ("", ""))[0]
        return words.RELATIONS.get(iri) or "_".join(label.split()) or local_name(iri) or iri

    def _flags(self, relation: Ints) -> list[Relation]:
        found = self.found
        flags: dict[str, Relation] = {}
        for number in np.unique(relation).tolist():
            name, inverse = self.relations[number], found.inverse.get(number)
            symmetric = number in found.symmetric
            flags[name] = Relation(
                name,
                symmetric=symmetric,
                negated=number in found.negated,
                transitive=number in found.transitive or (name == "is_a" and number not in found.properties),
                inverse=None if inverse is None or symmetric else self._plain_name(inverse),
            )
        return list(flags.values())

    # ---- entities

    def _entities(self, subject: Ints, object_: Ints, left_out: NDArray[np.bool_]) -> pa.Table:
        """Everything that has a triple, a literal or a type."""
        found = self.found
        met = np.zeros(len(self.iris), bool)
        for numbers in (subject, object_, *([entity for entity, _ in each] for each in found.literals.values())):
            met[np.array(numbers, np.int64)] = True
        met[list(found.names)] = True
        met[list(found.types)] = True
        met &= ~left_out
        rows = np.flatnonzero(met)
        columns: dict[str, pa.Array] = {
            "id": pa.array([self.curies[number] for number in rows.tolist()], TEXT),
            "name": pa.array([found.names.get(number, (None, ""))[0] for number in rows.tolist()], TEXT),
            "type": pa.array([self._type(number) for number in rows.tolist()], TEXT),
        }
        place = np.full(len(self.iris), -1, np.int64)
        place[rows] = np.arange(len(rows))
        columns |= self._properties(place, len(rows))
        return pa.table(columns)

    def _type(self, number: int) -> str | None:
        """The first telling type; of classes and concepts what their prefix or namespace says."""
        kinds = [self.iris[kind] for kind in self.found.types.get(number, ())]
        told = next((kind for kind in kinds if kind not in GENERIC), None)
        if told is not None:
            if told.startswith(TYPE_IRI):
                return unquote(told[len(TYPE_IRI) :])
            label = self.found.names.get(self.found.iris[told], ("", ""))[0]
            return "".join(word[0].upper() + word[1:] for word in WORD.findall(label)) or local_name(told)
        known = type_of(self.curies[number], self.found.namespaces.get(number))
        return known if kinds or known != type_of("") else None

    def _properties(self, place: Ints, rows: int) -> dict[str, pa.Array]:
        """A column for each predicate of literals; lists where an entity has several values."""
        gathered: dict[str, list[tuple[int, str]]] = {}
        for predicate, values in self.found.literals.items():
            for name in self._columns(self.iris[predicate], predicate):
                gathered.setdefault(name, []).extend(values)
        same = ((entity, self.curies[other]) for entity, other in self.found.same)
        gathered.setdefault("xrefs", []).extend(same)
        columns: dict[str, pa.Array] = {}
        for name, repeated in gathered.items():
            values = list(dict.fromkeys(repeated)) if name in LISTED else repeated
            owner = place[np.array([entity for entity, _ in values], np.int64)]
            order = np.argsort(owner, kind="stable")
            order = order[owner[order] >= 0]
            texts = pa.array([values[at][1] for at in order.tolist()], TEXT)
            counts = np.bincount(owner[order], minlength=rows)
            offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
            if name in LISTED or counts.max(initial=0) > 1:
                columns[name] = pa.ListArray.from_arrays(
                    pa.array(offsets), texts, type=LISTS, mask=pa.array(counts == 0)
                )
            else:
                columns[name] = texts.take(pa.array(offsets[:-1], mask=counts == 0))
        return columns

    def _columns(self, iri: str, predicate: int) -> tuple[str, ...]:
        """Where the literals of a predicate go."""
        if iri in words.SYNONYMS:
            scope = words.SYNONYMS[iri]
            return ("synonyms",) if scope == "EXACT" else ("synonyms", f"{scope.lower()}_synonyms")
        if iri in words.SAME:
            return ("xrefs",)
        if iri in words.DEFINITIONS:
            return ("definition",)
        name = (
            "comment"
            if iri == words.COMMENT
            else "subsets"
            if iri.endswith("#inSubset")
            else self._plain_name(predicate)
        )
        return (f"{name}_property" if name in ("id", "name", "type", "synonyms", "xrefs") else name,)
