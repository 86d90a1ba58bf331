"""Which relations of a graph describe its diagnoses: findings, findings that are ruled out, a hierarchy, and genes.

Chosen from the schema alone: the finding relation leads to a type with a hierarchy (a transitive relation from the type
to itself); one with a negated counterpart is preferred, then the one with most triples.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.errors import InputError
from clew.graph.schema import RelationSchema, Schema

__all__ = ["ProfileRelations", "choose_relations"]


@dataclass(frozen=True, slots=True)
class ProfileRelations:
    """The relations of a profile by name; `negated` and `hierarchy` are None where the graph has none."""

    finding: str  # diagnosis → finding
    negated: str | None
    hierarchy: str | None
    diagnosis_type: str
    finding_type: str
    beside: tuple[str, ...] = ()  # other types that lead to a diagnosis: genes


def choose_relations(
    schema: Schema, *, finding: str | None = None, negated: str | None = None, hierarchy: str | None = None
) -> ProfileRelations:
    """The relations that are named, and for those that are not the ones that the schema suggests."""
    if finding is None:
        finding = _suggested(schema)
    relation = schema.relation(finding)
    if not relation.signatures:
        raise InputError(f"the relation {finding!r} has no triples: name another relation")
    ends = relation.signatures[0]
    if negated is None:
        opposite = [each for each in _between(schema, ends.subject, ends.object) if each.negated]
        negated = max(opposite, key=lambda each: each.triples).name if opposite else None
    else:
        schema.relation(negated)
    if hierarchy is None:
        hierarchy = _hierarchies(schema).get(ends.object)
    else:
        schema.relation(hierarchy)
    beside = [
        each.name
        for each in schema.relations
        if not each.negated
        and not each.transitive
        and any(s.object == ends.subject and s.subject not in (ends.subject, ends.object) for s in each.signatures)
    ]
    return ProfileRelations(finding, negated, hierarchy, ends.subject, ends.object, tuple(beside))


def _hierarchies(schema: Schema) -> dict[str, str]:
    """The hierarchy of each type that has one."""
    found: dict[str, tuple[int, str]] = {}
    for relation in schema.relations:
        if relation.transitive and not relation.negated:
            for ends in relation.signatures:
                if ends.subject == ends.object:
                    found[ends.subject] = max(found.get(ends.subject, (0, "")), (ends.triples, relation.name))
    return {type: name for type, (_, name) in found.items()}


def _between(schema: Schema, subject: str, object: str) -> Sequence[RelationSchema]:
    """The relations that lead from one type to another more often than between any other types."""
    return [
        each
        for each in schema.relations
        if each.signatures and (each.signatures[0].subject, each.signatures[0].object) == (subject, object)
    ]


def _suggested(schema: Schema) -> str:
    known = _hierarchies(schema)
    fitting = [
        each
        for each in schema.relations
        if not (each.negated or each.transitive or each.symmetric)
        and each.signatures
        and each.signatures[0].object in known
        and each.signatures[0].subject != each.signatures[0].object
    ]
    if not fitting:
        listed = ", ".join(each.name for each in schema.relations[:12]) or "none"
        raise InputError(
            "this graph has no relation from a diagnosis to findings that have a hierarchy (a transitive relation): "
            f"name the relation from a diagnosis to its findings; the relations are {listed}"
        )

    def rank(relation: RelationSchema) -> tuple[bool, int]:
        ends = relation.signatures[0]
        return any(each.negated for each in _between(schema, ends.subject, ends.object)), relation.triples

    return max(fitting, key=rank).name
