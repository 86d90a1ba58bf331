"""Codebooks: what is given as codes has names in the graph, and what nothing has is reported."""

from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.errors import InputError
from clew.graph.readers import stage
from clew.graph.readers.codebook import Codes
from clew.graph.staging import Problems, Staged

TRIPLES = pa.table(
    {
        "subject": ["L1", "L2", "C1"],
        "relation": ["RCL", "RCL", "HRD"],
        "object": ["C1", "C1", "T1"],
        "hrs": ["9", "12", None],
        "res": [None, "U", None],
    }
)
ENTITIES = pa.table(
    {
        "id": ["L1", "L2", "C1", "T1"],
        "name": ["Ada", "Ben", "A v B", "High Court"],
        "type": ["LW", "LW", "CS", "CT"],
        "sta": [None, None, "U", None],
    }
)
CODEBOOK = """code,name,of
LW,lawyer,type
CS,case,type
CT,court,type
RCL,acts for the claimant in,relation
HRD,heard by,relation
hrs,hours,column
res,result,column
U,upheld,res
"""


def read(codebook: Codes, problems: Problems | None = None) -> Staged:
    return stage(TRIPLES, entities=ENTITIES, codebook=codebook, problems=problems or Problems())


@pytest.fixture
def codebook(tmp_path: Path) -> Path:
    path = tmp_path / "codes.csv"
    path.write_text(CODEBOOK)
    return path


def test_types_relations_columns_and_values_have_names(codebook: Path) -> None:
    problems = Problems()
    staged = read(codebook, problems)
    assert staged.entities is not None
    assert staged.entities["type"].to_pylist() == ["lawyer", "lawyer", "case", "court"]
    assert staged.triples["relation"].to_pylist() == ["acts for the claimant in"] * 2 + ["heard by"]
    assert staged.triples["qualifier:hours"].to_pylist() == ["9", "12", None]
    assert staged.triples["qualifier:result"].to_pylist() == [None, "upheld", None]
    assert staged.entities["sta"].to_pylist() == [None, None, "U", None]  # a value of another column
    assert not problems.differences


def test_a_codebook_of_code_and_name_is_for_all_that_are_called_so() -> None:
    staged = read({"RCL": "claimant", "hrs": "hours"})
    assert staged.triples["relation"].to_pylist() == ["claimant", "claimant", "HRD"]
    assert "qualifier:hours" in staged.triples.column_names


def test_flags_are_declared_by_the_code() -> None:
    flags = [clew.Relation("RCL", symmetric=True, inverse="HRD")]
    staged = stage(
        TRIPLES, entities=ENTITIES, relations=flags, codebook={"RCL": "with", "HRD": "beside"}, problems=Problems()
    )
    assert [*staged.relations] == [clew.Relation("with", symmetric=True, inverse="beside")]


def test_a_graph_is_asked_and_updated_by_its_names(codebook: Path, tmp_path: Path) -> None:
    built = clew.build(TRIPLES, entities=ENTITIES, codebook=codebook, out=tmp_path / "g.clew")
    assert sorted(built.schema.types) == ["case", "court", "lawyer"]
    assert clew.ask(built, "Which lawyers act for the claimant in A v B?").text.startswith("2 lawyers")
    more = pa.table({"subject": ["L1"], "relation": ["HRD"], "object": ["T1"]})
    updated = clew.update(tmp_path / "g.clew", more, codebook=codebook)
    assert {each.name for each in updated.schema.relations} == {"acts for the claimant in", "heard by"}


def test_a_code_that_nothing_has_is_reported() -> None:
    problems = Problems()
    read({"RCLL": "claimant", "zzz": "nothing"}, problems)
    assert problems.difference_examples == [
        "RCLL: code that nothing has: did you mean 'RCL'?",
        "zzz: code that nothing has: no type, relation, column or value is called so",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("short,long\nRCL,claimant\n", "has the columns short, long, expected code and name"),
        ("code,name\nRCL,\n", "has no name for 'RCL'"),
        ("code,name\nRCL,one\nRCL,two\n", "says that RCL is 'one' and that it is 'two'"),
        ("code,name\nsta,type\n", "calls the column sta 'type', and so is another"),
        ("code,name\nhrs,res\n", "calls the column hrs 'res', and so is another"),
        ("code,name\nRCL,claimant,more\n", "3 fields"),
        ("", "is empty"),
    ],
)
def test_a_bad_codebook_is_one_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text(text)
    with pytest.raises((InputError, clew.errors.BuildError), match=sentence):
        read(path)
