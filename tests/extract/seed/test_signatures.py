"""Types and relations of a seed: what fits, and what is kept in a file."""

from pathlib import Path

import pytest

from clew.errors import InputError, UnknownName
from clew.extract.seed.signatures import Signatures, read_signatures
from clew.graph.schema import RelationSchema, Schema

TYPES = ("Disease", "Drug", "Gene")
SCHEMA = Schema(
    {"Disease": 5, "Drug": 3, "Gene": 4},
    (
        RelationSchema("treats", 0, 10, joins="1,0,9;1,1,1", type_names=TYPES),
        RelationSchema("interacts_with", 1, 4, symmetric=True, joins="1,2,4", type_names=TYPES),
        RelationSchema("is_a", 2, 20, joins="0,0,20", type_names=TYPES),
    ),
)


def test_what_the_seed_joins_fits() -> None:
    signatures = Signatures.of_schema(SCHEMA)
    assert signatures.fits("Drug", "treats", "Disease")
    assert not signatures.fits("Disease", "treats", "Drug")
    assert not signatures.fits("Gene", "treats", None)
    assert signatures.fits(None, "treats", "Drug")
    assert not signatures.fits(None, "treats", "Gene")
    assert signatures.fits(None, "treats", None)
    assert not signatures.fits(None, "unheard of", None)


def test_symmetric_relations_fit_both_ways() -> None:
    signatures = Signatures.of_schema(SCHEMA)
    assert signatures.fits("Gene", "interacts_with", "Drug")
    assert signatures.fits("Drug", "interacts_with", "Gene")
    assert signatures.symmetric == {"interacts_with"}


def test_relations_and_types_come_commonest_first() -> None:
    signatures = Signatures.of_schema(SCHEMA)
    assert signatures.relations_of("Drug") == ("treats", "interacts_with")
    assert signatures.relations_of(None) == ("is_a", "treats", "interacts_with")
    assert signatures.relations_of("Anatomy") == ()
    assert signatures.object_types("treats") == ("Disease", "Drug")
    assert signatures.object_types("interacts_with", subject="Drug") == ("Gene",)


def test_an_inverse_turns_what_its_relation_joins() -> None:
    schema = Schema(
        {"Disease": 1, "Drug": 1},
        (RelationSchema("treats", 0, 10, inverse="treated_by", joins="1,0,9", type_names=TYPES),),
    )
    signatures = Signatures.of_schema(schema)
    assert signatures.fits("Disease", "treated_by", "Drug")
    assert not signatures.fits("Drug", "treated_by", "Disease")
    assert signatures.relations_of("Disease") == ("treated_by",)
    assert signatures.inverses == {"treated_by": "treats"}
    assert Signatures.of_schema(schema, relations=["treated_by"]).pairs.keys() == {"treated_by"}
    both = Schema(schema.types, (*schema.relations, RelationSchema("treated_by", 1, 0, type_names=TYPES)))
    assert Signatures.of_schema(both).inverses == {}  # it is stored itself


def test_rare_signatures_can_be_left_out() -> None:
    signatures = Signatures.of_schema(SCHEMA, relations=["treats"], least=2)
    assert not signatures.fits("Drug", "treats", "Drug")
    assert signatures.relations_of("Disease") == ()
    with pytest.raises(UnknownName):
        Signatures.of_schema(SCHEMA, relations=["treat"])


def test_a_file_says_the_same(tmp_path: Path) -> None:
    signatures = Signatures.of_schema(SCHEMA)
    (tmp_path / "signatures.json").write_text(signatures.to_json(), "utf-8")
    assert read_signatures(tmp_path / "signatures.json") == signatures
    (tmp_path / "signatures.json").write_text("{}", "utf-8")
    with pytest.raises(InputError, match="signatures"):
        read_signatures(tmp_path / "signatures.json")
