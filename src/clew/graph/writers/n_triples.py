"""N-Triples: entities and relations as IRIs, names as labels, synonyms, cross-references and properties as literals.

CURIEs with a known prefix become the IRIs that others use, all else `urn:clew:…`, which the RDF reader turns back. A
triple that only negated statements make is left out: RDF would state it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from clew.files import new_directory
from clew.graph.contents import GraphContents
from clew.graph.readers.ontology.curies import OBO, PREFIXES
from clew.graph.readers.rdf import vocabulary as words
from clew.graph.readers.rdf.iris import ENTITY_IRI, NEGATED_IRI, RELATION_IRI, TYPE_IRI
from clew.graph.storage.arrays import numbers_of
from clew.graph.writers.blocks import BLOCK_ROWS, entity_blocks
from clew.progress import Progress, silent, track

__all__ = ["write"]

NAME = "graph.nt"
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
ESCAPED = re.compile(r'[\\"\n\r\x00-\x08\x0b\x0c\x0e-\x1f\x7f]')
LOCAL = re.compile(r"[A-Za-z0-9.~-][A-Za-z0-9._~-]*")  # what an IRI may hold unescaped; no colon, so that it reads back
OBO_PREFIX = re.compile(r"[A-Z][A-Za-z]*")
PREDICATES = {
    "synonyms": f"{words.IN_OWL}hasExactSynonym",
    "xrefs": words.XREF,
    "definition": f"{words.OBO}IAO_0000115",
    "comment": words.COMMENT,
    "narrow_synonyms": f"{words.IN_OWL}hasNarrowSynonym",
    "broad_synonyms": f"{words.IN_OWL}hasBroadSynonym",
    "related_synonyms": f"{words.IN_OWL}hasRelatedSynonym",
}
KNOWN = {"is_a": words.SUBCLASS}
SHORTENED = {prefix: iri for prefix, iri in PREFIXES.items() if prefix[0].isupper()}  # not the words of RDF itself


def write(contents: GraphContents, out: Path, *, overwrite: bool = False, progress: Progress = silent) -> list[Path]:
    """Write graph.nt into the new directory `out`."""
    contents.verify()
    with (
        new_directory(out, overwrite=overwrite, marker=NAME) as directory,
        open(directory / NAME, "w", encoding="utf-8", newline="\n") as file,
    ):
        for lines in _flags(contents), _entities(contents, progress), _triples(contents, progress):
            file.writelines(lines)
    return [Path(out) / NAME]


@lru_cache(maxsize=1 << 18)
def entity_iri(identifier: str) -> str:
    """The IRI of an entity.

    >>> entity_iri("HP:0001250"), entity_iri("NCBIGene:2200"), entity_iri("a b")
    ('http://purl.obolibrary.org/obo/HP_0001250', 'http://identifiers.org/ncbigene/2200', 'urn:clew:entity:a%20b')
    """
    prefix, colon, local = identifier.partition(":")
    if colon and LOCAL.fullmatch(local) and "_" not in local:
        if prefix in SHORTENED:
            return SHORTENED[prefix] + local
        if OBO_PREFIX.fullmatch(prefix) and local.isdecimal() and len(local) >= 7:
            return f"{OBO}{prefix}_{local}"
    return ENTITY_IRI + quote(identifier, safe="")


def relation_iri(name: str) -> str:
    """The IRI of a relation."""
    return KNOWN.get(name) or RELATION_IRI + quote(name, safe="")


def _line(subject: str, predicate: str, object_: str) -> str:
    return f"<{subject}> <{predicate}> {object_} .\n"


def _literal(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    return '"' + ESCAPED.sub(lambda found: ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04X}", text) + '"'


def _flags(contents: GraphContents) -> Iterator[str]:
    for relation in contents.schema.relations:
        iri = relation_iri(relation.name)
        kinds = ["ObjectProperty"] + ["SymmetricProperty"] * relation.symmetric
        for kind in kinds + ["TransitiveProperty"] * relation.transitive:
            yield _line(iri, words.TYPE, f"<{words.OWL}{kind}>")
        if relation.inverse is not None and not relation.symmetric:
            yield _line(iri, words.INVERSE, f"<{relation_iri(relation.inverse)}>")
        if relation.negated:
            yield _line(iri, NEGATED_IRI, '"true"')


def _entities(contents: GraphContents, progress: Progress) -> Iterator[str]:
    total = max(1, -(-contents.counts["entities"] // BLOCK_ROWS))
    for block in track(entity_blocks(contents), "writing entities", progress, total=total):
        further = [name for name in block.column_names if name not in ("id", "name", "type")]
        for row in block.to_pylist():
            iri = entity_iri(row["id"])
            yield _line(iri, words.TYPE, f"<{TYPE_IRI}{quote(row['type'], safe='')}>")
            yield _line(iri, f"{words.RDFS}label", _literal(row["name"]))
            for name in further:
                if row[name] is not None:
                    predicate = PREDICATES.get(name) or RELATION_IRI + quote(name, safe="")
                    for value in row[name] if isinstance(row[name], list) else [row[name]]:
                        yield _line(iri, predicate, _literal(value))


def _triples(contents: GraphContents, progress: Progress) -> Iterator[str]:
    """Every triple that some statement does not negate, once."""
    relations = [relation_iri(relation.name) for relation in contents.schema.relations]
    total = max(1, -(-contents.counts["assertions"] // BLOCK_ROWS))
    blocks = contents.scan_triples(assertions=["negated"], rows=BLOCK_ROWS)
    last = -1  # number of the triple written before
    for block in track(blocks, "writing triples", progress, total=total):
        numbers = block["number"].to_numpy(zero_copy_only=False)
        stated = np.ones(len(numbers), bool)
        if "negated" in block.schema.names:
            stated = ~block["negated"].fill_null(False).to_numpy(zero_copy_only=False)
        rows = np.flatnonzero(stated)
        rows = rows[np.diff(numbers[rows], prepend=last) != 0]
        if not len(rows):
            continue
        last = int(numbers[rows[-1]])
        subject, relation, object_ = (numbers_of(block[name])[rows] for name in ("subject", "relation", "object"))
        ends = [contents.describe(each)["id"].to_pylist() for each in (subject, object_)]
        for one, between, other in zip(ends[0], relation.tolist(), ends[1], strict=True):
            yield _line(entity_iri(one), relations[between], f"<{entity_iri(other)}>")
