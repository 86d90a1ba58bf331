"""Names, kinds and counts of a graph in a property graph."""

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import clew
from clew.errors import UnknownName
from clew.graph import Relation
from clew.store.layout import kind_of, lay_out, upper_snake
from effort import examples
from graphs import raw_graphs, write
from oracle import RawGraph


@pytest.mark.parametrize(
    ("relation", "name"),
    [
        ("associated with", "ASSOCIATED_WITH"),
        ("associated_with", "ASSOCIATED_WITH"),
        ("hasPhenotype", "HAS_PHENOTYPE"),
        ("biolink:treats", "BIOLINK_TREATS"),
        ("  treats / prevents! ", "TREATS_PREVENTS"),
        ("größer als", "GRÖSSER_ALS"),
        ("->", "RELATION"),
        ("IS_A", "IS_A"),
        ("CtD", "CT_D"),
    ],
)
def test_upper_snake(relation: str, name: str) -> None:
    assert upper_snake(relation) == name


def built(out: Path, relations: list[str], types: list[str], **columns: pa.Array) -> clew.Engine:
    """A triple of each relation, an entity of each type and more than enough of them."""
    many = max(len(relations), len(types))
    ids = [f"X:{at}" for at in range(many)]
    triples = {"subject": ids[: len(relations)], "relation": relations, "object": ids[: len(relations)]}
    entities = {"id": ids, "name": ids, "type": [types[at % len(types)] for at in range(many)], **columns}
    clew.build(pa.table(triples), entities=pa.table(entities), out=out)
    return clew.open(out)


def test_names_that_would_be_alike_get_numbers(tmp_path: Path) -> None:
    graph = built(
        tmp_path / "g.clew",
        ["gene", "part of", "part-of", "PartOf", "not part of"],
        ["Gene", "gene", "PART_OF"],
    )
    schema = lay_out(graph)
    names = [each.name for each in (*schema.labels, *schema.relationships)]
    assert len({name.lower() for name in names}) == len(names) == 8
    assert {each.type: each.name for each in schema.labels} == {"Gene": "Gene", "gene": "gene_2", "PART_OF": "PART_OF"}
    assert {schema.relationship(each.name).relation for each in schema.relationships} == {
        "gene", "part of", "part-of", "PartOf", "not part of",
    }  # fmt: skip
    for relation in ("part of", "part-of", "PartOf"):
        (name,) = schema.names_of(relation)
        assert name.startswith("PART_OF_")


def test_denials_stand_apart(tmp_path: Path) -> None:
    rows = {
        "subject": ["a", "a", "a", "b"],
        "relation": ["treats", "treats", "not treats", "treats"],
        "object": ["b", "c", "c", "c"],
        "negated": [True, False, False, True],
    }
    clew.build(pa.table(rows), relations=[Relation("not treats", negated=True)], out=tmp_path / "g.clew")
    schema = lay_out(clew.open(tmp_path / "g.clew"))
    assert {
        each.name: (each.relation, each.count, each.negated_only, each.negated) for each in schema.relationships
    } == {
        "TREATS": ("treats", 1, False, False),
        "NOT_TREATS": ("not treats", 1, False, True),
        "NOT_TREATS_2": ("treats", 2, True, True),
    }
    assert schema.names_of("treats") == ("TREATS", "NOT_TREATS_2")
    with pytest.raises(UnknownName, match="HEALS"):
        schema.relationship("HEALS")


def test_properties_have_kinds_and_names_of_their_own(tmp_path: Path) -> None:
    graph = built(
        tmp_path / "g.clew",
        ["r"],
        ["T"],
        Name=pa.array(["x"]),
        _hidden=pa.array([1.5]),
        size=pa.array([3], pa.int32()),
        tags=pa.array([["a"]]),
        **{"with.dot": pa.array([True]), "source": pa.array(["entity's own"])},
    )
    schema = lay_out(graph)
    assert {each.column: (each.name, each.kind) for each in schema.properties} == {
        "Name": ("Name_2", "string"),
        "_hidden": ("p_hidden", "float"),
        "size": ("size", "integer"),
        "tags": ("tags", "strings"),
        "with.dot": ("with_dot", "boolean"),
        "source": ("source", "string"),  # no assertion of this graph has a source
    }


def test_an_entity_property_gives_way_to_provenance(tmp_path: Path) -> None:
    triples = pa.table({"subject": ["a"], "relation": ["r"], "object": ["a"], "source": ["S"]})
    entities = pa.table({"id": ["a"], "name": ["A"], "type": ["T"], "source": ["mine"]})
    clew.build(triples, entities=entities, out=tmp_path / "g.clew")
    schema = lay_out(clew.open(tmp_path / "g.clew"))
    assert [each.name for each in schema.properties] == ["entity_source"]
    assert schema.provenance == {"source"}


@pytest.mark.parametrize(
    ("arrow", "kind"),
    [
        (pa.string(), "string"), (pa.dictionary(pa.int32(), pa.string()), "string"), (pa.int8(), "integer"),
        (pa.uint64(), "string"), (pa.float32(), "float"), (pa.bool_(), "boolean"), (pa.date32(), "string"),
        (pa.list_(pa.int64()), "integers"), (pa.list_(pa.list_(pa.string())), "string"),
        (pa.struct([("a", pa.int8())]), "string"),
    ],
)  # fmt: skip
def test_kinds(arrow: pa.DataType, kind: str) -> None:
    assert kind_of(arrow) == kind


@given(raw=raw_graphs())
@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
def test_every_triple_lies_under_exactly_one_name(tmp_path_factory: pytest.TempPathFactory, raw: RawGraph) -> None:
    out = tmp_path_factory.mktemp("layout") / "g.clew"
    write(raw, out)
    graph = clew.open(out)
    schema = lay_out(graph)
    assert schema.relationship_count == graph.counts["triples"]
    assert schema.entity_count == graph.counts["entities"]
    for each in schema.relationships:
        for ends in each.ends:
            assert ends.count > 0
            assert {ends.subject, ends.object} <= {label.name for label in schema.labels}
