"""What of a gold query a graph does not have, found without asking anything."""

import pyarrow as pa
import pytest

import clew
from clew.evaluate.coverage import missing_parts
from clew.store.cypher import parse
from clew.store.layout import lay_out
from clew.traverse import Engine


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """One gene, two diseases called alike, one drug of the same name."""
    out = tmp_path_factory.mktemp("coverage") / "small.clew"
    rows = [("G:1", "FBN1", "Gene", "D:1", "Gout", "Disease"), ("G:1", "FBN1", "Gene", "D:2", "Gout", "Disease")]
    columns = ("subject", "subject_name", "subject_type", "object", "object_name", "object_type")
    table = pa.table({name: [row[at] for row in rows] for at, name in enumerate(columns)})
    return clew.build(table.append_column("relation", pa.array(["causes"] * 2)), out=out)


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("MATCH (g:Gene)-[:CAUSES]->(d:Disease {name: 'Gout'}) RETURN g.id", ()),
        ("MATCH (g:Gene {id: 'G:1'})-[:CAUSES]->(d:Disease) RETURN d.id", ()),
        ("MATCH (g:Gene)-[:CAUSES]->(d:Disease) WHERE d.name = 'Gout' RETURN g.id", ()),
        ("MATCH (g:Gene)-[:CAUSES]->(d:Disease {name: 'Scurvy'}) RETURN g.id", ("Disease 'Scurvy'",)),
        ("MATCH (g:Gene)-[:CAUSES]->(d:Disease) WHERE d.name IN ['Gout', 'Rickets'] RETURN g", ("Disease 'Rickets'",)),
        ("MATCH (g:Gene {name: 'Gout'}) RETURN g.id", ("Gene 'Gout'",)),  # a disease is called so, no gene
        ("MATCH (g:Gene {id: 'G:9'}) RETURN g.id", ("Gene 'G:9'",)),
        ("MATCH (g:Gene)-[:TREATS]->(d:Disease {name: 'Gout'}) RETURN g.id", ("relation TREATS",)),
        ("MATCH (g:Drug)-[:CAUSES|TREATS]->(d:Disease) RETURN g.id", ("type Drug", "relation TREATS")),
        ("MATCH (d:Disease) WHERE NOT (:Gene {name: 'TTN'})-[:CAUSES]->(d) RETURN d.id", ("Gene 'TTN'",)),
        ("MATCH (a {name: 'Gout'}), (b {name: 'Gaut'}) RETURN a.id", ("entity 'Gaut'",)),
    ],
)
def test_what_is_missing_is_named(graph: Engine, query: str, missing: tuple[str, ...]) -> None:
    assert missing_parts(parse(query), graph, lay_out(graph)) == missing


def test_each_missing_part_is_named_once(graph: Engine) -> None:
    query = "MATCH (a:Gene)-[:TREATS]->(b:Gene)-[:TREATS]->(c:Gene) RETURN c.id"
    assert missing_parts(parse(query), graph, lay_out(graph)) == ("relation TREATS",)
