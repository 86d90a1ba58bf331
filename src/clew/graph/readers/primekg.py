"""PrimeKG's kg.csv: x and y, their types, names and sources, and the relation between them.

Each triple is listed there twice, once from either end, and is kept once. A relation between entities of one type is
symmetric: kg.csv does not tell which end of disease_disease is the parent. Of the others the name says which end is the
subject (drug_protein). What kg.csv displays (target, carrier, …) is the qualifier display_relation.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.readers.delimited import Delimited
from clew.graph.readers.parts import Part, check_triples
from clew.graph.readers.source_files import check_file
from clew.graph.staging import Origin, Problems, Relation, Source, Staged
from clew.progress import Progress, silent

__all__ = ["read"]

NAME = "PrimeKG"
COLUMNS = (
    "relation",
    "display_relation",
    "x_id",
    "x_type",
    "x_name",
    "x_source",
    "y_id",
    "y_type",
    "y_name",
    "y_source",
)
PREFIXES = {  # source of a node → prefix of its CURIE
    "NCBI": "NCBIGene",
    "DrugBank": "DRUGBANK",
    "MONDO": "MONDO",
    "MONDO_grouped": "MONDO_grouped",
    "HPO": "HP",
    "GO": "GO",
    "UBERON": "UBERON",
    "REACTOME": "REACT",
    "CTD": "CTD",
}
PADDED = frozenset(("MONDO", "HP", "GO", "UBERON"))  # the leading zeros of their ids are lost in kg.csv
TYPES = {"gene/protein": "Gene", "effect/phenotype": "Phenotype"}
ENDS = {  # how relations name their ends → the types of nodes
    "protein": "gene/protein",
    "phenotype": "effect/phenotype",
    "bioprocess": "biological_process",
    "molfunc": "molecular_function",
    "cellcomp": "cellular_component",
    "effect": "effect/phenotype",
}
NEGATED = frozenset(("disease_phenotype_negative", "anatomy_protein_absent"))


def read(source: Path | str, *, problems: Problems, progress: Progress = silent) -> Staged:
    """Stage kg.csv (also with .gz); every row is one of the two listings of a triple."""
    path = check_file(source)
    progress(f"reading {path.name}", 0, 2)
    file = Delimited(path, ",")
    missing = [name for name in COLUMNS if name not in file.header()]
    if missing:
        raise InputError(f"{path} has no column {missing[0]!r}, which PrimeKG's kg.csv has")
    part = file.read(COLUMNS, problems)
    progress("joining both listings", 1, 2)
    table = pa.table({name: part.table[name].combine_chunks().dictionary_encode() for name in COLUMNS})
    turn = _turned(table)
    if turn.any():
        problems.note("row that lists a triple from its object", str(path), "turned round", count=int(turn.sum()))
    columns = {"relation": table["relation"], "qualifier:display_relation": table["display_relation"]}
    for one, other, end in (("x", "y", "subject"), ("y", "x", "object")):
        for column in ("", "_name", "_type"):
            columns[end + column] = pc.if_else(
                pa.array(turn), _column(table, other, column), _column(table, one, column)
            )
    checked = check_triples(Part(part.name, pa.table(columns), part.line), problems)
    progress(f"read {path.name}", 2, 2)
    source_column = pa.array([NAME] * checked.table.num_rows, pa.string()).dictionary_encode()
    names = checked.table["relation"].unique().to_pylist()
    return Staged(
        checked.table.append_column("source", source_column),
        relations=[Relation(each, negated=each in NEGATED, symmetric=_alike(each)) for each in names],
        sources=[Source(NAME, url="https://github.com/mims-harvard/PrimeKG")],
        triple_origin=Origin((checked.name,), (0,), (checked.line,)),
    )


def _column(table: pa.Table, end: str, column: str) -> pa.Array:
    """Id, name or type of one end of each row, as text."""
    if column == "_name":
        return table[f"{end}_name"].cast(pa.string()).combine_chunks()
    if column == "_type":
        kinds = table[f"{end}_type"].combine_chunks()
        named = pa.array([_type(kind) for kind in kinds.dictionary.to_pylist()], pa.string())
        return named.take(kinds.indices)
    prefixes = [PREFIXES.get(each, each) for each in table[f"{end}_source"].combine_chunks().dictionary.to_pylist()]
    owner = table[f"{end}_source"].combine_chunks().indices
    prefix = pa.array(prefixes, pa.string()).take(owner)
    local = table[f"{end}_id"].cast(pa.string()).combine_chunks()
    padded = pc.if_else(pc.utf8_is_digit(local), pc.utf8_lpad(local, 7, "0"), local)
    local = pc.if_else(pc.is_in(prefix, value_set=pa.array(sorted(PADDED))), padded, local)
    return pc.binary_join_element_wise(prefix, local, ":")


def _turned(table: pa.Table) -> NDArray[np.bool_]:
    """The rows whose y is the subject: y has the type that the relation names first."""
    relation, kind = table["relation"].combine_chunks(), table["x_type"].combine_chunks()
    first = [_ends(name)[0] for name in relation.dictionary.to_pylist()]
    alike = [_alike(name) for name in relation.dictionary.to_pylist()]
    wanted = pa.array(first, pa.string()).take(relation.indices)
    differs = pc.not_equal(wanted, kind.cast(pa.string()))
    same = pa.array(alike, pa.bool_()).take(relation.indices)
    return np.asarray(pc.fill_null(pc.and_not(differs, same), False).to_numpy(zero_copy_only=False), bool)


def _ends(relation: str) -> tuple[str, str]:
    """The types of a relation's subject and object, as kg.csv calls them.

    >>> _ends("drug_protein"), _ends("indication"), _ends("disease_phenotype_positive")
    (('drug', 'gene/protein'), ('drug', 'disease'), ('disease', 'effect/phenotype'))
    """
    words = relation.split("_")
    if len(words) < 2:
        return "drug", "disease"
    return ENDS.get(words[0], words[0]), ENDS.get(words[1], words[1])


def _alike(relation: str) -> bool:
    one, other = _ends(relation)
    return one == other


def _type(kind: str) -> str:
    return TYPES.get(kind) or "".join(word.capitalize() for word in kind.replace("/", "_").split("_"))
