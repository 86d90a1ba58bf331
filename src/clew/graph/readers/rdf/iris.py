"""The IRIs of our own exports, for what has none of its own: `urn:clew:` and the name, percent-encoded."""

__all__ = ["ENTITY_IRI", "NEGATED_IRI", "RELATION_IRI", "TYPE_IRI"]

ENTITY_IRI = "urn:clew:entity:"
RELATION_IRI = "urn:clew:relation:"  # also of properties
TYPE_IRI = "urn:clew:type:"
NEGATED_IRI = "urn:clew:negated"  # of a relation that states an absence
