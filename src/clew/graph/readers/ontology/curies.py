"""IRIs to CURIEs and back: `http://purl.obolibrary.org/obo/HP_0001250` is `HP:0001250`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from clew.errors import InputError

__all__ = ["PREFIXES", "Curies", "local_name"]

OBO = "http://purl.obolibrary.org/obo/"
PREFIXES = {  # prefix → the beginning of its IRIs; those of the OBO Foundry need no line, they all look alike
    "DOID": f"{OBO}DOID_",
    "MESH": "http://id.nlm.nih.gov/mesh/",
    "UMLS": "http://linkedlifedata.com/resource/umls/id/",
    "SNOMEDCT": "http://snomed.info/id/",
    "OMIM": "https://omim.org/entry/",
    "Orphanet": "http://www.orpha.net/ORDO/Orphanet_",
    "EFO": "http://www.ebi.ac.uk/efo/EFO_",
    "NCBIGene": "http://identifiers.org/ncbigene/",
    "HGNC": "http://identifiers.org/hgnc/",
    "ENSEMBL": "http://identifiers.org/ensembl/",
    "UniProtKB": "http://purl.uniprot.org/uniprot/",
    "DRUGBANK": "http://identifiers.org/drugbank/",
    "PMID": "http://www.ncbi.nlm.nih.gov/pubmed/",
    "ICD10CM": "http://purl.bioontology.org/ontology/ICD10CM/",
    "ICD10": "http://purl.bioontology.org/ontology/ICD10/",
    "MEDDRA": "http://identifiers.org/meddra/",
    "wd": "http://www.wikidata.org/entity/",
    "dbr": "http://dbpedia.org/resource/",
    "oboInOwl": "http://www.geneontology.org/formats/oboInOwl#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "biolink": "https://w3id.org/biolink/vocab/",
}
OBO_ID = re.compile(r"http://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z.]*)_(\w+)")
PREFIX = re.compile(r"[A-Za-z][\w.-]*")


@dataclass(slots=True)
class Curies:
    """A table of prefixes, those of the caller before those of the file and the known ones.

    >>> curies = Curies({"x": "http://x.example/"})
    >>> curies.curie("http://x.example/a"), curies.curie("http://purl.obolibrary.org/obo/HP_0001250")
    ('x:a', 'HP:0001250')
    >>> curies.curie("http://other.example/a")
    'http://other.example/a'
    """

    prefixes: Mapping[str, str] = field(default_factory=dict)
    _namespaces: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for prefix, namespace in self.prefixes.items():
            if not PREFIX.fullmatch(prefix) or ":" not in namespace:
                raise InputError(
                    f"the prefix {prefix!r} for {namespace!r}: expected PREFIX=IRI, such as ex=http://ex.org/"
                )
        self._namespaces.update({namespace: prefix for prefix, namespace in [*self.prefixes.items()][::-1]})
        for prefix, namespace in PREFIXES.items():
            self._namespaces.setdefault(namespace, prefix)

    def learn(self, prefixes: Mapping[str, str]) -> None:
        """Add the prefixes that a file declares; what is known already stays."""
        taken = set(self._namespaces.values())
        for prefix, namespace in prefixes.items():
            if prefix and prefix not in taken and PREFIX.fullmatch(prefix) and not namespace.startswith(OBO):
                self._namespaces.setdefault(namespace, prefix)

    def curie(self, iri: str) -> str:
        """The CURIE of an IRI; the IRI itself where no prefix fits or the rest would be no local part."""
        for mark in "#/_:":
            cut = iri.rfind(mark) + 1
            prefix = self._namespaces.get(iri[:cut]) if cut and cut < len(iri) else None
            if prefix is not None:
                return f"{prefix}:{iri[cut:]}"
        found = OBO_ID.fullmatch(iri)
        return iri if found is None else f"{found[1]}:{found[2]}"


def local_name(iri: str) -> str:
    """The last part of an IRI or CURIE.

    >>> local_name("http://x.example/ns#treats"), local_name("biolink:treats")
    ('treats', 'treats')
    """
    return re.split(r"[#/:]", iri.rstrip("#/:"))[-1]
