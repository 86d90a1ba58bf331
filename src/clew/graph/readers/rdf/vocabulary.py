"""The words of RDF, OWL, SKOS and OBO that say what an entity is called and what a relation is like."""

__all__ = [
    "COMMENT",
    "DEFINITIONS",
    "DEPRECATED",
    "GENERIC_TYPES",
    "INVERSE",
    "LABELS",
    "LICENSES",
    "NAMESPACE",
    "ONTOLOGY",
    "ON_PROPERTY",
    "PROPERTY_TYPES",
    "RELATIONS",
    "SAME",
    "SKIPPED",
    "SOME_VALUES",
    "SUBCLASS",
    "SYMMETRIC",
    "SYNONYMS",
    "TRANSITIVE",
    "TYPE",
    "VERSIONS",
    "XREF",
]

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
OBO = "http://purl.obolibrary.org/obo/"
IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
DCTERMS = "http://purl.org/dc/terms/"

TYPE, SUBCLASS = f"{RDF}type", f"{RDFS}subClassOf"
LABELS = frozenset((f"{RDFS}label", f"{SKOS}prefLabel", "http://schema.org/name", "https://schema.org/name"))
SYNONYMS = {  # → scope
    f"{IN_OWL}hasExactSynonym": "EXACT",
    f"{SKOS}altLabel": "EXACT",
    f"{OBO}IAO_0000118": "EXACT",
    f"{IN_OWL}hasNarrowSynonym": "NARROW",
    f"{IN_OWL}hasBroadSynonym": "BROAD",
    f"{IN_OWL}hasRelatedSynonym": "RELATED",
    f"{SKOS}hiddenLabel": "RELATED",
}
XREF = f"{IN_OWL}hasDbXref"
SAME = frozenset((f"{SKOS}exactMatch", f"{OWL}sameAs", f"{IN_OWL}hasAlternativeId", XREF))  # become cross-references
DEFINITIONS = frozenset((f"{OBO}IAO_0000115", f"{SKOS}definition"))
COMMENT, NAMESPACE, DEPRECATED = f"{RDFS}comment", f"{IN_OWL}hasOBONamespace", f"{OWL}deprecated"
ON_PROPERTY, SOME_VALUES, INVERSE = f"{OWL}onProperty", f"{OWL}someValuesFrom", f"{OWL}inverseOf"
TRANSITIVE, SYMMETRIC, ONTOLOGY = f"{OWL}TransitiveProperty", f"{OWL}SymmetricProperty", f"{OWL}Ontology"
PROPERTY_TYPES = frozenset(
    (
        f"{RDF}Property",
        *(f"{OWL}{kind}Property" for kind in ("Object", "Annotation", "Datatype", "Functional", "InverseFunctional")),
        f"{OWL}ReflexiveProperty",
        f"{OWL}IrreflexiveProperty",
        f"{OWL}AsymmetricProperty",
        TRANSITIVE,
        SYMMETRIC,
    )
)
GENERIC_TYPES = frozenset((f"{OWL}Class", f"{OWL}NamedIndividual", f"{OWL}Thing", f"{RDFS}Class", f"{RDFS}Resource"))
VERSIONS = frozenset((f"{OWL}versionInfo", f"{OWL}versionIRI"))
LICENSES = frozenset((f"{DCTERMS}license", "http://creativecommons.org/ns#license"))
SKIPPED = frozenset((f"{RDFS}isDefinedBy", f"{OWL}imports", f"{IN_OWL}id", f"{IN_OWL}shorthand"))
RELATIONS = {
    SUBCLASS: "is_a",
    f"{SKOS}broader": "is_a",
    f"{OBO}BFO_0000050": "part_of",
    f"{OBO}BFO_0000051": "has_part",
}
