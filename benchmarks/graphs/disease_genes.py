"""Genes and diseases, and which of them four sources associate: the graph that BiomixQA is asked of.

Hetionet's disease genes and DISEASES (curated; experiments of two stars or more) as in the iBKH-shaped graph, primary
genes of the GWAS Catalog's loci, and HPO's disease genes, whose OMIM and Orphanet diseases are joined to the Disease
Ontology by its cross-references; one that several diseases refer to is left out.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.graphs.biomed_tables import Statement, gene_diseases, mapped_genes
from benchmarks.graphs.hetionet import READING
from benchmarks.graphs.ibkh import COLUMNS, stage
from benchmarks.graphs.recipe import recipe_of
from clew.graph import Staged
from clew.graph.staging import Problems
from clew.progress import Progress, silent

__all__ = ["build", "digest", "join_hpo", "with_symbols"]

OURS = (
    "benchmarks.graphs.biomed_tables",
    "benchmarks.graphs.disease_genes",
    "benchmarks.graphs.hetionet",
    "benchmarks.graphs.ibkh",
)
HPO = ("clew.graph.readers.hpo.annotations", "clew.graph.readers.hpo.release")
TYPES = ("Gene", "Disease")
RELATION = "associated_with"
LEAST_STARS = 2  # of five, for experiments
ORPHANET = {"ORPHA": "ORDO"}  # HPO's prefix → that of the Disease Ontology's references


def build(data: Path, out: Path, *, overwrite: bool = False, progress: Progress = silent) -> Path:
    """Build the graph at `out` from the data folder and the installed HPO, and return its path."""
    from clew.graph.build import build_graph
    from clew.graph.readers import READERS

    problems = Problems("refuse")
    hpo: Staged = READERS.load("hpo")("hpo", problems=problems, progress=progress)
    staged = _stage(stage(data, problems=problems, progress=progress), hpo, data / "biomed_edges")
    build_graph(staged, out, problems=problems, overwrite=overwrite, progress=progress)
    return out


def digest(data: Path) -> str:
    """What the graph is made with: it changes with the files of the data folder and with the code that reads them."""
    return recipe_of((*READING, *HPO, *OURS), (data / name for name in ("hetionet", "biomed_edges")))


def _stage(staged: Staged, hpo: Staged, folder: Path) -> Staged:
    entities = staged.entities
    assert entities is not None
    entities = entities.filter(pc.is_in(entities["type"], pa.array(TYPES)))
    rows = entities.to_pylist()
    genes = {row["id"]: row["name"] for row in rows if row["type"] == "Gene"}
    diseases = {row["id"]: row["xrefs"] for row in rows if row["type"] == "Disease"}
    ids: dict[str, set[str]] = defaultdict(set)
    for id, symbol in genes.items():
        ids[symbol].add(id)
    stated = [
        *gene_diseases(folder, ids, channel="experiments", least_stars=LEAST_STARS),
        *mapped_genes(folder, genes.keys()),
    ]
    known = [each for each in stated if each.pop("object_name") and each["object"] in diseases]
    known += join_hpo(hpo, genes, diseases)
    triples = staged.triples.filter(pc.equal(staged.triples["relation"], RELATION))
    added = pa.Table.from_pylist(known, COLUMNS)
    used = {*triples["source"].to_pylist(), *added["source"].to_pylist()}
    return replace(
        staged,
        triples=pa.concat_tables([triples, added], promote_options="default"),
        entities=with_symbols(entities, hpo),
        relations=(),
        sources=tuple(each for each in (*staged.sources, *hpo.sources) if each.name in used),
    )


def join_hpo(hpo: Staged, genes: Mapping[str, str], diseases: Mapping[str, list[str]]) -> Iterator[Statement]:
    """HPO's disease genes, of diseases that one disease of the graph refers to."""
    referring: dict[str, set[str]] = defaultdict(set)
    for disease, references in diseases.items():
        for reference in references:
            referring[reference].add(disease)
    columns = [name for name in hpo.triples.column_names if name in COLUMNS.names]
    for row in hpo.triples.filter(pc.equal(hpo.triples["relation"], RELATION)).select(columns).to_pylist():
        prefix, _, local = row["object"].partition(":")
        found = referring[f"{ORPHANET.get(prefix, prefix)}:{local}"]
        if row["subject"] in genes and len(found) == 1:
            yield {**row, "object": next(iter(found))}


def with_symbols(entities: pa.Table, hpo: Staged) -> pa.Table:
    """HPO's symbols, which are newer than Hetionet's, as synonyms of genes."""
    assert hpo.entities is not None
    newer = dict(zip(hpo.entities["id"].to_pylist(), hpo.entities["name"].to_pylist(), strict=True))
    synonyms = []
    for row in entities.select(["id", "name", "type", "synonyms"]).to_pylist():
        own = list(row["synonyms"] or ())
        symbol = newer.get(row["id"]) if row["type"] == "Gene" else None
        synonyms.append([*own, symbol] if symbol and symbol not in (row["name"], *own) else own)
    place = entities.column_names.index("synonyms")
    return entities.set_column(place, "synonyms", pa.array(synonyms, pa.list_(pa.string())))
