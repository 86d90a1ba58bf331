"""Hetionet: the shared extract against plain line counts, and a tiny one that is always there."""

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from clew.errors import BuildError, InputError
from clew.graph.readers import hetionet
from clew.graph.staging import Problems, Staged

DATA = Path(__file__).parents[4] / "shared" / "data" / "hetionet"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the Hetionet extract is not beside this checkout (shared/data)"
)


def find(staged: Staged, **wanted: str) -> list[dict[str, Any]]:
    table = staged.triples
    for name, value in wanted.items():
        table = table.filter(pc.equal(table[name].cast(pa.string()), value))
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def ends(staged: Staged) -> list[tuple[str, str, str]]:
    columns = (staged.triples[name].cast(pa.string()).to_pylist() for name in ("subject", "relation", "object"))
    return list(zip(*columns, strict=True))


# A tiny Hetionet

NODES = """id\tname\tkind
Gene::10\tNAT2\tGene
Gene::11\tG11\tGene
Disease::DOID:7\tflu\tDisease
Compound::DB01\taspirin\tCompound
Biological Process::GO:5\tgrowth\tBiological Process
Pathway::PC7_1\tway\tPathway
Pathway::WP2_r3\tother way\tPathway
Pharmacologic Class::N01\tclass\tPharmacologic Class
Side Effect::C01\trash\tSide Effect
Symptom::D01\tcough\tSymptom
New Kind::odd\todd\tNew Kind
"""
METAGRAPH = {
    "metaedge_tuples": [
        ["Gene", "Gene", "interacts", "both"],
        ["Gene", "Gene", "regulates", "forward"],
        ["Gene", "Biological Process", "participates", "both"],
        ["Disease", "Gene", "associates", "both"],
        ["Compound", "Gene", "binds", "both"],
        ["Disease", "Gene", "upregulates", "both"],
        ["Compound", "Gene", "upregulates", "both"],
    ],
    "kind_to_abbrev": {
        "Gene": "G",
        "Disease": "D",
        "Compound": "C",
        "Biological Process": "BP",
        "interacts": "i",
        "regulates": "r",
        "participates": "p",
        "associates": "a",
        "binds": "b",
        "upregulates": "u",
    },
}
METAEDGES = """metaedge\tabbreviation\tedges
Gene - interacts - Gene\tGiG\t1
Gene > regulates > Gene\tGr>G\t1
Gene - participates - Biological Process\tGpBP\t1
Disease - associates - Gene\tDaG\t1
Compound - binds - Gene\tCbG\t1
Disease - upregulates - Gene\tDuG\t1
Compound - upregulates - Gene\tCuG\t1
"""
EDGES = """source\tmetaedge\ttarget
Gene::10\tGiG\tGene::11
Gene::10\tGr>G\tGene::11
Gene::10\tGpBP\tBiological Process::GO:5
Disease::DOID:7\tDaG\tGene::10
Compound::DB01\tCbG\tGene::10
Compound::DB01\tCuG\tGene::10
Disease::DOID:7\tDuG\tGene::11
Disease::DOID:7\tDaG\tGene::11
"""
ASSOCIATIONS = """doid_id\tdoid_name\tentrez_gene_id\tgene_symbol\tsources\tlicense
DOID:7\tflu\t10\tNAT2\tDISEASES|DisGeNET\t
DOID:8\tcold\t10\tNAT2\tDISEASES\tCC BY 4.0
DOID:7\tflu\t11\tG11\tDISEASES\tCC BY 4.0
"""
BINDINGS = """drugbank_id\tentrez_gene_id\tsources\tpubmed_ids\tactions\taffinity_nM\tlicense\turls
DB01\t10\tDrugBank (enzyme)|DrugBank (target)\t1|2\tinhibitor\t\tCC BY-NC 4.0\t
DB01\t11\tBindingDB|DrugBank (target)\t3\tagonist\t5.5\tCC BY-NC 4.0\thttps://a|https://b
DB99\t11\tBindingDB\t4\t\t\tCC BY 3.0\t
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hetionet-v1.0-nodes.tsv").write_text(NODES, "utf-8")
    (tmp_path / "hetionet-v1.0-metagraph.json").write_text(json.dumps(METAGRAPH))
    (tmp_path / "some.sif.gz").write_bytes(gzip.compress(EDGES.encode()))
    return tmp_path


def read(folder: Path, **options: Any) -> Staged:
    problems = Problems()
    staged = hetionet.read(folder, problems=problems, **options)
    problems.settle()
    return staged


def test_entities_get_curies_types_and_keep_their_ids(folder: Path) -> None:
    staged = read(folder)
    assert staged.entities is not None
    found = {row["id"]: row for row in staged.entities.to_pylist()}
    assert list(found) == [
        "NCBIGene:10",
        "NCBIGene:11",
        "DOID:7",
        "DrugBank:DB01",
        "GO:5",
        "PathwayCommons:PC7_1",
        "WikiPathways:WP2_r3",
        "NDFRT:N01",
        "UMLS:C01",
        "MESH:D01",
        "NewKind:odd",
    ]
    process = {"id": "GO:5", "name": "growth", "type": "BiologicalProcess", "xrefs": ["Biological Process::GO:5"]}
    assert found["GO:5"] == process
    assert staged.entity_origin(4) == "hetionet-v1.0-nodes.tsv:6"


@pytest.mark.parametrize("listing", ["metagraph", "metaedges"])
def test_metaedges_become_verbs(folder: Path, listing: str) -> None:
    if listing == "metaedges":
        (folder / "hetionet-v1.0-metagraph.json").unlink()
        (folder / "metaedges.tsv").write_text(METAEDGES)
    staged = read(folder)
    assert ends(staged) == [
        ("NCBIGene:10", "interacts", "NCBIGene:11"),
        ("NCBIGene:10", "regulates", "NCBIGene:11"),
        ("NCBIGene:10", "participates", "GO:5"),
        ("DOID:7", "associates", "NCBIGene:10"),
        ("DrugBank:DB01", "binds", "NCBIGene:10"),
        ("DrugBank:DB01", "upregulates", "NCBIGene:10"),
        ("DOID:7", "upregulates", "NCBIGene:11"),
        ("DOID:7", "associates", "NCBIGene:11"),
    ]
    assert [relation.name for relation in staged.relations if relation.symmetric] == ["interacts"]
    assert len(staged.relations) == 6
    assert set(staged.triples["source"].to_pylist()) == {"Hetionet"}
    assert set(staged.triples["agent_type"].to_pylist()) == {"not_provided"}


def test_each_source_states_its_triple(folder: Path) -> None:
    (folder / "DaG-association.tsv").write_text(ASSOCIATIONS)
    staged = read(folder)
    found = find(staged, relation="associates")
    assert [(row["object"], row["source"], row["license"]) for row in found] == [
        ("NCBIGene:10", "DISEASES", "CC BY 4.0"),  # as seen where DISEASES is alone
        ("NCBIGene:10", "DisGeNET", None),
        ("NCBIGene:11", "DISEASES", "CC BY 4.0"),
    ]
    assert {row["subject"] for row in found} == {"DOID:7"}  # DOID:8 is no entity of Hetionet
    assert [source.name for source in staged.sources] == ["Hetionet", "DISEASES", "DisGeNET"]
    assert staged.triple_origin(staged.triples.num_rows - 1) == "DaG-association.tsv:4"
    assert staged.triple_origin(4) == "some.sif.gz:7"  # line 5 is stated by the other file


def test_publications_go_to_their_source_only_if_it_is_known(folder: Path) -> None:
    (folder / "CbG-binding.tsv").write_text(BINDINGS)
    found = find(read(folder), relation="binds")
    shown = (
        "object",
        "source",
        "qualifier:source_detail",
        "license",
        "evidence",
        "qualifier:actions",
        "qualifier:affinity_nM",
    )
    urls = ["PMID:3", "https://a", "https://b"]
    assert [tuple(row[name] for name in shown) for row in found] == [
        ("NCBIGene:10", "DrugBank", "enzyme", "CC BY-NC 4.0", ["PMID:1", "PMID:2"], "inhibitor", None),
        ("NCBIGene:10", "DrugBank", "target", "CC BY-NC 4.0", ["PMID:1", "PMID:2"], "inhibitor", None),
        ("NCBIGene:11", "BindingDB", None, None, None, None, None),
        ("NCBIGene:11", "DrugBank", "target", "CC BY-NC 4.0", None, None, None),
        ("NCBIGene:11", "Hetionet", None, "CC BY-NC 4.0", urls, "agonist", "5.5"),
    ]


def test_bad_rows_are_reported_with_file_and_line(folder: Path) -> None:
    (folder / "hetionet-v1.0-nodes.tsv").write_text(NODES + "Gene10\tx\tGene\nGene::12\tx\t\n")
    (folder / "bad.sif").write_text(
        "source\tmetaedge\ttarget\nGene::10\tGxG\tGene::11\nGene::10\tGiG\t11\nGene::10\tGiG\n"
    )
    problems = Problems(on_error="skip")
    staged = hetionet.read(folder, edges="bad.sif", problems=problems)
    assert staged.triples.num_rows == 0
    assert sorted(example.split(": ")[0] for example in problems.examples) == [
        "bad.sif:2",
        "bad.sif:3",
        "bad.sif:4",
        "hetionet-v1.0-nodes.tsv:13",
        "hetionet-v1.0-nodes.tsv:14",
    ]


def test_which_edges_are_read(folder: Path) -> None:
    (folder / "other.sif").write_text("source\tmetaedge\ttarget\nGene::10\tGiG\tGene::11\n")
    with pytest.raises(InputError, match=r"other\.sif, some\.sif\.gz.*edges="):
        read(folder)
    assert read(folder, edges="other.sif").triples.num_rows == 1
    assert read(folder, edges=folder / "some.sif.gz").triples.num_rows == 8
    (folder / "hetionet-v1.0-edges.sif").write_text("source\tmetaedge\ttarget\n")
    assert read(folder).triples.num_rows == 0


def test_missing_or_broken_files_are_named(folder: Path) -> None:
    (folder / "hetionet-v1.0-metagraph.json").write_text("{}")
    with pytest.raises(BuildError, match="not a Hetionet metagraph"):
        read(folder)
    (folder / "hetionet-v1.0-metagraph.json").unlink()
    with pytest.raises(InputError, match=r"neither hetionet-v1\.0-metagraph\.json nor metaedges\.tsv"):
        read(folder)
    (folder / "metaedges.tsv").write_text("metaedge\tabbreviation\nGene interacts Gene\tGiG\n")
    with pytest.raises(BuildError, match=r"metaedges\.tsv:2: metaedge 'Gene interacts Gene'"):
        read(folder)
    (folder / "metaedges.tsv").write_text(METAEDGES)
    (folder / "hetionet-v1.0-nodes.tsv").unlink()
    with pytest.raises(InputError, match=r"no hetionet-v1\.0-nodes\.tsv"):
        read(folder)


# The shared extract


def lines(name: str) -> list[list[str]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file][1:]


@pytest.fixture(scope="module")
def shared() -> Staged:
    return read(DATA)


@needs_data
def test_shared_entities(shared: Staged) -> None:
    assert shared.entities is not None
    nodes = lines("hetionet-v1.0-nodes.tsv.gz")
    assert len(set(shared.entities["id"].to_pylist())) == shared.entities.num_rows == len(nodes) == 47_031
    assert Counter(shared.entities["type"].to_pylist()) == Counter(row[2].replace(" ", "") for row in nodes)
    assert shared.entities["xrefs"].to_pylist() == [[row[0]] for row in nodes]
    assert all(":" in identifier for identifier in shared.entities["id"].to_pylist())


@needs_data
def test_shared_triples_are_those_of_the_files(shared: Staged) -> None:
    assert shared.entities is not None
    given = dict(
        zip(
            shared.entities["id"].to_pylist(), (xrefs[0] for xrefs in shared.entities["xrefs"].to_pylist()), strict=True
        )
    )
    listing = (line.split("\t") for line in (DATA / "metaedges.tsv").read_text().splitlines()[1:])
    verbs = {row[1]: re.split(" [->] ", row[0])[1] for row in listing}
    expected = {(row[0], verbs[row[1]], row[2]) for row in lines("edges-5k.sif.gz")}
    assert len(expected) == 99_676
    expected |= {(f"Disease::{row[0]}", "associates", f"Gene::{row[2]}") for row in lines("DaG-association.tsv.gz")}
    known = set(given.values())
    binding = {(f"Compound::{row[0]}", "binds", f"Gene::{row[1]}") for row in lines("CbG-binding.tsv.gz")}
    binding = {row for row in binding if row[0] in known and row[2] in known}
    assert len(binding) == 11_571  # as many as Hetionet v1.0 says it has (metaedges.tsv)
    found = {(given[subject], relation, given[object_]) for subject, relation, object_ in ends(shared)}
    assert found == expected | binding
    assert len(found) == 113_870


@needs_data
def test_shared_relations(shared: Staged) -> None:
    symmetric = {relation.name for relation in shared.relations if relation.symmetric}
    assert symmetric == {"covaries", "interacts", "resembles"}
    assert len(shared.relations) == 16


@needs_data
def test_shared_sources_and_licences(shared: Staged) -> None:
    sources = Counter(shared.triples["source"].to_pylist())
    for name in ("DISEASES", "DisGeNET", "DOAF", "GWAS Catalog"):
        assert sources[name] == sum(name in row[4].split("|") for row in lines("DaG-association.tsv.gz"))
    (row,) = find(shared, subject="DrugBank:DB00945", object="NCBIGene:213", relation="binds")  # aspirin, albumin
    assert (row["source"], row["qualifier:source_detail"]) == ("DrugBank", "carrier")
    assert row["license"] == "CC BY-NC 4.0"
    assert row["evidence"] == ["PMID:16419075", "PMID:3780693"]
    licenses = {source.name: source.license for source in shared.sources}
    assert licenses["DisGeNET"] == "ODbL 1.0"
    assert licenses["DOAF"] is None
    names = zip(*(shared.triples[name].to_pylist() for name in ("source", "license", "relation")), strict=True)
    unstated = [relation for source, license_, relation in names if source == "Hetionet" and license_ is None]
    assert len(unstated) == 89_676  # the SIF rows of all other metaedges
    assert not set(unstated) & {"associates", "binds"}
