"""Statements sorted by what they are for: triples, literals, types, and the axioms of OWL that mean a triple.

IRIs are numbered as they are met and everything is kept as numbers, so that a statement costs a few bytes.
"""

from array import array
from collections import Counter
from dataclasses import dataclass, field

from pyoxigraph import BlankNode, Literal, NamedNode

from clew.graph.readers.rdf import vocabulary as words
from clew.graph.readers.rdf.iris import NEGATED_IRI
from clew.graph.readers.rdf.statements import RdfFile

__all__ = ["Collected", "collect"]

GENERAL = ("", "en")  # languages of a label that becomes the name
PROPERTY_AXIOMS = frozenset(f"{words.RDFS}{each}" for each in ("domain", "range", "subPropertyOf"))
ANNOTATION = ("annotatedSource", "annotatedProperty", "annotatedTarget", "members", "distinctMembers")
STRUCTURE = frozenset((*(f"{words.OWL}{each}" for each in ANNOTATION), f"{words.RDF}first", f"{words.RDF}rest"))


@dataclass(slots=True)
class Collected:
    """What the statements of a file say; numbers are positions in `iris`."""

    iris: dict[str, int] = field(default_factory=dict)
    subject: "array[int]" = field(default_factory=lambda: array("q"))
    relation: "array[int]" = field(default_factory=lambda: array("q"))
    object: "array[int]" = field(default_factory=lambda: array("q"))
    graph: "array[int]" = field(default_factory=lambda: array("q"))  # -1 for the default graph
    place: "array[int]" = field(default_factory=lambda: array("q"))
    literals: dict[int, list[tuple[int, str]]] = field(default_factory=dict)  # predicate → entity and text
    names: dict[int, tuple[str, str]] = field(default_factory=dict)  # entity → name, and its language
    types: dict[int, list[int]] = field(default_factory=dict)
    properties: set[int] = field(default_factory=set)  # IRIs that are relations
    transitive: set[int] = field(default_factory=set)
    symmetric: set[int] = field(default_factory=set)
    inverse: dict[int, int] = field(default_factory=dict)
    negated: set[int] = field(default_factory=set)
    same: list[tuple[int, int]] = field(default_factory=list)  # entity and the IRI of the same thing elsewhere
    namespaces: dict[int, str] = field(default_factory=dict)  # of OBO: biological_process
    deprecated: set[int] = field(default_factory=set)
    ontologies: set[int] = field(default_factory=set)
    about: dict[str, str] = field(default_factory=dict)  # version, license
    blank: Counter[str] = field(default_factory=Counter)  # what was left out

    def number(self, iri: str) -> int:
        """The number of an IRI."""
        return self.iris.setdefault(iri, len(self.iris))

    def add_literal(self, predicate: str, entity: int, text: str) -> None:
        self.literals.setdefault(self.number(predicate), []).append((entity, text))

    def add_triple(self, subject: int, relation: int, object_: int, graph: int, place: int) -> None:
        self.subject.append(subject)
        self.relation.append(relation)
        self.object.append(object_)
        self.graph.append(graph)
        self.place.append(place)


def collect(file: RdfFile) -> Collected:
    """Read every statement of a file."""
    found = Collected()
    restrictions: dict[str, dict[str, str]] = {}  # blank node → its onProperty and someValuesFrom
    superclasses: list[tuple[int, str, int]] = []  # class, blank node, place
    number = found.number
    for place, subject, predicate, object_, graph in file:
        relation: str = predicate.value
        if type(subject) is not NamedNode:
            if relation in (words.ON_PROPERTY, words.SOME_VALUES) and type(object_) is NamedNode:
                restrictions.setdefault(subject.value, {})[relation] = object_.value
            elif relation != words.TYPE and relation not in STRUCTURE:
                found.blank["statement about a blank node"] += 1
            continue
        entity = number(subject.value)
        if type(object_) is Literal:
            _literal(found, entity, relation, object_)
        elif type(object_) is BlankNode:
            if relation == words.SUBCLASS:
                superclasses.append((entity, object_.value, place))
            else:
                found.blank["statement about a blank node"] += 1
        elif type(object_) is NamedNode:
            named = number(graph.value) if type(graph) is NamedNode else -1
            _link(found, entity, relation, object_.value, named, place)
        else:
            found.blank["statement about a statement"] += 1
    for entity, node, place in superclasses:
        restriction = restrictions.get(node, {})
        if len(restriction) == 2:
            ends = number(restriction[words.ON_PROPERTY]), number(restriction[words.SOME_VALUES])
            found.add_triple(entity, *ends, -1, place)
        else:
            found.blank["class expression other than: some value from"] += 1
    return found


def _literal(found: Collected, entity: int, predicate: str, literal: Literal) -> None:
    text = literal.value
    if predicate in words.LABELS:
        language = (literal.language or "").partition("-")[0]
        known = found.names.get(entity)
        if known is None or (known[1] not in GENERAL and language in GENERAL):
            found.names[entity] = text, language
        if known is not None:
            found.add_literal(
                f"{words.IN_OWL}hasExactSynonym", entity, text if found.names[entity][0] != text else known[0]
            )
    elif predicate == words.DEPRECATED:
        if text in ("true", "1"):
            found.deprecated.add(entity)
    elif predicate == NEGATED_IRI:
        found.negated.add(entity)
    elif predicate == words.NAMESPACE:
        found.namespaces[entity] = text
    elif predicate in words.VERSIONS:
        found.about.setdefault("version", text)
    elif predicate in words.LICENSES:
        found.about.setdefault("license", text)
    elif predicate not in words.SKIPPED:
        found.add_literal(predicate, entity, text)


def _link(found: Collected, entity: int, predicate: str, target: str, graph: int, place: int) -> None:
    if predicate == words.TYPE:
        _type(found, entity, target)
    elif predicate in words.SAME:
        found.same.append((entity, found.number(target)))
    elif predicate in words.VERSIONS:
        found.about.setdefault("version", target)
    elif predicate in words.LICENSES:
        found.about.setdefault("license", target)
    elif predicate == words.INVERSE:
        found.inverse[entity] = found.number(target)
        found.properties |= {entity, found.number(target)}
    elif predicate == f"{words.IN_OWL}inSubset":
        found.add_literal(predicate, entity, target)
    elif predicate in PROPERTY_AXIOMS:
        found.properties.add(entity)
    elif predicate not in words.SKIPPED and target not in words.GENERIC_TYPES:
        found.add_triple(entity, found.number(predicate), found.number(target), graph, place)


def _type(found: Collected, entity: int, kind: str) -> None:
    if kind in words.PROPERTY_TYPES:
        found.properties.add(entity)
        if kind == words.TRANSITIVE:
            found.transitive.add(entity)
        elif kind == words.SYMMETRIC:
            found.symmetric.add(entity)
    elif kind == words.ONTOLOGY:
        found.ontologies.add(entity)
    else:
        found.types.setdefault(entity, []).append(found.number(kind))
