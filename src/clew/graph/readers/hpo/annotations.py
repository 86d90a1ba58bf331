"""phenotype.hpoa and the gene files: annotations of diseases and genes, with their sources and publications.

Gene-phenotype pairs are not staged: the gene files derive them from gene → disease → phenotype, and leave out that some
of those diseases lack the phenotype.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.graph.readers.tab_separated import TabSeparated, constant, map_values, read_tab_separated
from clew.graph.staging import QUALIFIER_PREFIX, Problems, Relation

__all__ = ["GENE_FILES", "RELATIONS", "Annotations", "read_annotations", "read_genes"]

# Disease has_phenotype Phenotype, has_inheritance Inheritance, … by the aspect of the row. A row that is marked NOT, or
# whose frequency is none of n patients, becomes lacks_phenotype, …: the relation is declared negated, the assertion is
# not (that would be a double negation).
ASPECTS = {"P": "phenotype", "I": "inheritance", "C": "clinical_course", "M": "modifier", "H": "medical_history"}
RELATIONS = (
    Relation("is_a", transitive=True),
    *(Relation(f"has_{aspect}") for aspect in ASPECTS.values()),
    *(Relation(f"lacks_{aspect}", negated=True) for aspect in ASPECTS.values()),
    Relation("associated_with"),  # one way, from gene to disease
)
# Evidence codes: published clinical study, traceable author statement, individual clinical experience are read and
# entered by a person; IEA was taken from the text of OMIM by a program.
AGENTS = {"PCS": "manual_agent", "TAS": "manual_agent", "ICE": "manual_agent", "IEA": "automated_agent"}
QUALIFIERS = {  # column of the file → qualifier
    "frequency": "frequency",
    "onset": "onset",
    "sex": "sex",
    "modifier": "modifier",
    "evidence": "evidence_code",
    "biocuration": "biocuration",
}
NOT_OBSERVED = re.compile(r"0+ */ *[0-9]+|0+(\.0+)? *%|HP:0040285")  # 0/32, 0%, or the frequency Excluded
GENE_FILES = ("genes_to_disease.txt", "genes_to_phenotype.txt", "phenotype_to_genes.txt")  # the best first
NO_SYMBOL = "-"


@dataclass(frozen=True, slots=True)
class Annotations:
    """Triples of one file with the lines they come from, and the names that the file gives to their subjects."""

    rows: TabSeparated
    triples: pa.Table
    names: dict[str, list[str]]  # entity id → names, the usual one first; empty when the file names none
    version: str | None = None


def read_annotations(path: Path, renamed: dict[str, str], *, problems: Problems) -> Annotations:
    """Read phenotype.hpoa; HP ids that are `renamed` in the ontology are brought up to date."""
    rows = read_tab_separated(
        path,
        required=("database_id", "disease_name", "qualifier", "hpo_id", "reference", "evidence", "aspect"),
        optional=("onset", "frequency", "sex", "modifier", "biocuration"),
        problems=problems,
    )
    rows = rows.refuse("database_id", _is_curie, expected="an id such as OMIM:154700", problems=problems)
    rows = rows.refuse("hpo_id", _is_curie, expected="an id such as HP:0001166", problems=problems)
    rows = rows.refuse("aspect", ASPECTS.__contains__, expected=f"one of {', '.join(ASPECTS)}", problems=problems)
    rows = rows.refuse("qualifier", (None, "NOT").__contains__, expected="NOT or nothing", problems=problems)
    aspect = map_values(rows.column("aspect"), ASPECTS.__getitem__).cast(pa.string())
    absent = rows.test("qualifier", lambda value: value == "NOT") | rows.test("frequency", _says_none)
    verb = pa.array(["has", "lacks"]).take(pa.array(absent.astype(np.int8)))
    evidence = rows.column("evidence")
    columns = {
        "subject": rows.column("database_id"),
        "relation": pc.binary_join_element_wise(verb, aspect, "_").dictionary_encode(),
        "object": map_values(rows.column("hpo_id"), lambda identifier: renamed.get(identifier, identifier)),
        "evidence": _split(rows.column("reference")),
        "agent_type": map_values(evidence, lambda code: AGENTS.get(code, "not_provided")),
        "knowledge_level": map_values(
            evidence, lambda code: "knowledge_assertion" if code in AGENTS else "not_provided"
        ),
    }
    columns |= {QUALIFIER_PREFIX + qualifier: rows.column(name) for name, qualifier in QUALIFIERS.items()}
    names = _names(rows.column("database_id"), rows.column("disease_name"))
    return Annotations(rows, pa.table(columns), names, _version(rows.comments))


def read_genes(directory: Path, *, problems: Problems) -> Annotations:
    """Read gene → disease from the best of GENE_FILES; only genes_to_disease.txt says which kind of association.

    The other two files repeat an association for each phenotype of the disease: its first line is taken.
    """
    path = next((directory / name for name in GENE_FILES if (directory / name).is_file()), None)
    if path is None:
        raise InputError(f"{directory} has no gene file; expected one of {', '.join(GENE_FILES)} of an HPO release")
    rows = read_tab_separated(
        path,
        required=("ncbi_gene_id", "gene_symbol", "disease_id"),
        optional=("association_type", "source"),
        problems=problems,
    )
    rows = rows.refuse("ncbi_gene_id", _is_gene, expected="a number such as 2200", problems=problems)
    rows = rows.refuse("disease_id", _is_curie, expected="an id such as OMIM:154700", problems=problems)
    if "association_type" not in rows.table.column_names:
        rows = _first_of_each_pair(rows)
    gene = map_values(rows.column("ncbi_gene_id"), lambda number: f"NCBIGene:{number.removeprefix('NCBIGene:')}")
    same = {"relation": "associated_with", "knowledge_level": "knowledge_assertion", "agent_type": "manual_agent"}
    columns = {name: constant(value, len(gene)) for name, value in same.items()}
    columns |= {
        "subject": gene,
        "object": rows.column("disease_id"),
        "document": rows.column("source"),  # the file of OMIM or Orphanet that HPO took it from
        QUALIFIER_PREFIX + "association_type": rows.column("association_type"),
    }
    symbol = map_values(rows.column("gene_symbol"), lambda symbol: None if symbol == NO_SYMBOL else symbol)
    return Annotations(rows, pa.table(columns), _names(gene, symbol))


def _is_curie(identifier: str | None) -> bool:
    prefix, colon, local = (identifier or "").partition(":")
    return bool(prefix and colon and local)


def _is_gene(identifier: str | None) -> bool:
    return (identifier or "").removeprefix("NCBIGene:").isdecimal()


def _says_none(frequency: str | None) -> bool:
    """Whether a frequency means that the feature was looked for and not seen.

    >>> [_says_none(frequency) for frequency in ("0/32", "0%", "10/32", "0.5%", None)]
    [True, True, False, False, False]
    """
    return NOT_OBSERVED.fullmatch(frequency or "") is not None


def _split(column: pa.DictionaryArray) -> pa.Array:
    """Lists of the values in one field, separated by semicolons."""
    return pc.split_pattern(column.dictionary, ";").take(column.indices)


def _first_of_each_pair(rows: TabSeparated) -> TabSeparated:
    gene, disease = rows.column("ncbi_gene_id"), rows.column("disease_id")
    pair = gene.indices.to_numpy().astype(np.int64) * len(disease.dictionary) + disease.indices.to_numpy()
    first = np.zeros(len(pair), bool)
    first[np.unique(pair, return_index=True)[1]] = True
    return rows.keep(first)


def _names(ids: pa.DictionaryArray, names: pa.DictionaryArray) -> dict[str, list[str]]:
    """The names that go with each id, the most frequent first, then as they come in the file."""
    width = len(names.dictionary) + 1
    name = names.indices.fill_null(width - 1).to_numpy(zero_copy_only=False).astype(np.int64)
    pairs, first, count = np.unique(ids.indices.to_numpy() * width + name, return_index=True, return_counts=True)
    order = np.lexsort((first, -count))
    texts, identifiers = [*names.dictionary.to_pylist(), None], ids.dictionary.to_pylist()
    found: dict[str, list[str]] = {identifiers[code]: [] for code in np.unique(ids.indices.to_numpy()).tolist()}
    for pair in pairs[order].tolist():
        text = texts[pair % width]
        if text is not None:
            found[identifiers[pair // width]].append(text)
    return found


def _version(comments: Iterable[str]) -> str | None:
    for comment in comments:
        name, _, value = comment.lstrip("#").partition(":")
        if name.strip() in ("version", "date"):
            return value.strip()
    return None
