"""Both stores answer every kind of query as a plain Python evaluation over the same rows does."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import clew
from arcadedb import Server, arcadedb, start, stop  # noqa: F401 (a fixture)
from clew.errors import InputError, QueryError, Timeout
from clew.graph import Relation, Where
from clew.store.cypher import parse
from clew.store.embedded import EmbeddedStore, build_embedded
from clew.store.server import ServerStore
from clew.store.server_load import load_server
from clew.store.store import STORES, Store, open_store
from clew.store.values import EntityValue, PathValue, RelationshipValue

ODD = "Quote \" ' ` \\ and\nline\ttab 𝔊 🧬 {$x} //"
ENTITIES = [  # id, name, type, score, tags
    ("G:1", "FBN1", "Gene", 3, ["a", "b"]),
    ("G:2", "BRCA1", "Gene", 1, ["b"]),
    ("G:3", ODD, "Gene", None, []),
    ("D:1", "Marfan syndrome", "Disease", 7, None),
    ("D:2", "marfan-like", "Disease", 5, ["c"]),
    ("D:3", "Lonely disease", "Disease", None, None),
    ("P:1", "Arachnodactyly", "Order", 2, None),
    ("P:2", "Same", "Order", 4, None),
    ("P:3", "Same", "Order", 6, None),
    ("X'1", "Product one", "Gene Product", 0, None),
    ("Y:1", "Dotted", "Größe.x`y", -1, None),
]
TRIPLES: list[
    tuple[Any, ...]
] = [  # subject, relation, object, source, evidence, confidence, negated, valid_from, frequency
    ("G:1", "associated with", "D:1", "A", ["PMID:1", "PMID:2"], 0.9, None, "2001-02-03", None),
    ("G:1", "associated with", "D:1", "B", None, 0.2, None, None, "often"),
    ("G:1", "associated with", "D:2", "B", ["PMID:3"], None, None, None, "rare"),
    ("G:2", "associated with", "D:1", "A", None, 0.5, None, None, "often"),
    ("G:2", "associated-with", "D:2", "A", None, None, None, None, None),
    ("D:1", "has", "P:1", "A", ["PMID:4"], None, None, None, "often"),
    ("D:1", "has", "P:2", "A", None, None, None, None, None),
    ("D:2", "has", "P:1", "B", None, None, None, None, "rare"),
    ("D:2", "has", "P:3", "B", None, None, True, None, None),  # only denied
    ("D:1", "has", "P:3", "A", None, None, True, None, None),  # denied by one, stated by another
    ("D:1", "has", "P:3", "B", None, None, None, None, "rare"),
    ("D:3", "lacks", "P:1", "A", None, None, None, None, None),
    ("G:1", "interacts", "G:2", "A", None, None, None, None, None),
    ("G:3", "interacts", "G:1", "A", None, None, None, None, None),
    ("X'1", "order", "G:3", "A", None, None, None, None, None),
    ("Y:1", "is a", "Y:1", "A", None, None, None, None, None),
    ("P:1", "is a", "P:2", "A", None, None, None, None, None),
    ("P:2", "is a", "P:3", "A", None, None, None, None, None),
    ("P:1", "is a", "P:3", "A", None, None, None, None, None),
]
RELATIONS = [Relation("interacts", symmetric=True), Relation("lacks", negated=True)]
NAMES = {
    "associated with": "ASSOCIATED_WITH", "associated-with": "ASSOCIATED_WITH_2", "has": "HAS", "lacks": "LACKS",
    "interacts": "INTERACTS", "order": "ORDER_2", "is a": "IS_A",
}  # fmt: skip


class Plain:
    """The same rows as Python sets and lists: what the stores are compared with."""

    def __init__(self) -> None:
        self.entities = {row[0]: row for row in ENTITIES}
        self.assertions: dict[tuple[str, str, str], list[tuple[Any, ...]]] = defaultdict(list)
        for row in TRIPLES:
            self.assertions[row[:3]].append(row)

    def of_type(self, type: str) -> list[str]:
        return [key for key, row in self.entities.items() if row[2] == type]

    def name(self, entity: str) -> str:
        return self.entities[entity][1]

    def pairs(self, relation: str, *, denied: bool = False) -> list[tuple[str, str]]:
        """(start, end) of each way a relation can be walked."""
        found = []
        for (subject, of, object_), rows in self.assertions.items():
            if of == relation and all(row[6] for row in rows) == denied:
                found.append((subject, object_))
                if relation == "interacts":
                    found.append((object_, subject))
        return found

    def everywhere(self) -> list[tuple[str, str]]:
        """All triples that are stated, as they are stored."""
        stated = [key for key, rows in self.assertions.items() if key[1] != "lacks" and not all(row[6] for row in rows)]
        return [(min(s, o), max(s, o)) if r == "interacts" else (s, o) for s, r, o in stated]


PLAIN = Plain()


def build(out: Path) -> clew.Engine:
    columns = list(zip(*TRIPLES, strict=True))
    names = ("subject", "relation", "object", "source")
    table = {name: pa.array(columns[at], pa.string()) for at, name in enumerate(names)}
    table["evidence"] = pa.array(columns[4], pa.list_(pa.string()))
    table["confidence"] = pa.array(columns[5], pa.float64())
    table["negated"] = pa.array(columns[6], pa.bool_())
    table["valid_from"] = pa.array(columns[7], pa.string())
    table["qualifier:frequency"] = pa.array(columns[8], pa.string())
    ids, named, types, score, tags = zip(*ENTITIES, strict=True)
    entities = pa.table(
        {
            "id": ids,
            "name": named,
            "type": types,
            "score": pa.array(score, pa.int64()),
            "synonyms": pa.array(tags, pa.list_(pa.string())),
        }
    )
    clew.build(pa.table(table), entities=entities, relations=RELATIONS, out=out)
    return clew.open(out)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> clew.Engine:
    return build(tmp_path_factory.mktemp("stores") / "nasty.clew")


@pytest.fixture(scope="module", params=list(STORES))
def store(request: pytest.FixtureRequest, graph: clew.Engine) -> Iterator[Store]:
    if request.param == "embedded":
        build_embedded(graph)
        opened: Store = EmbeddedStore(graph)
    else:
        server: Server = request.getfixturevalue("arcadedb")
        url = server.database()
        load_server(graph, url)
        opened = ServerStore(graph, url)
    with opened:
        yield opened


def plain(value: Any) -> Any:
    """What can be compared and sorted."""
    if isinstance(value, list):
        return tuple(map(plain, value))
    return value.id if isinstance(value, EntityValue) else value


def bag(rows: Any) -> list[Any]:
    """Rows without their order."""
    return sorted((tuple(map(plain, row)) for row in rows), key=repr)


P = PLAIN
TWO_HOPS = [(a, d) for a, b in P.pairs("associated with") for c, d in P.pairs("has") if b == c]
UP = {("P:1", "P:2", 1), ("P:2", "P:3", 1), ("P:1", "P:3", 1), ("P:1", "P:3", 2)}
QUERIES: dict[str, tuple[str, dict[str, Any], list[tuple[Any, ...]]]] = {
    "by name": ("MATCH (n:Gene {name: 'FBN1'}) RETURN n.id", {}, [("G:1",)]),
    "by id": ("MATCH (n {id: $id}) RETURN n.name", {"id": "X'1"}, [("Product one",)]),
    "odd name as parameter": ("MATCH (n:Gene {name: $n}) RETURN n.id", {"n": ODD}, [("G:3",)]),
    "odd name returned": ("MATCH (n:Gene) WHERE n.id = 'G:3' RETURN n.name", {}, [(ODD,)]),
    "reserved label": ("MATCH (n:`Order`) RETURN n.id", {}, [(e,) for e in P.of_type("Order")]),
    "label with a space": ("MATCH (n:`Gene Product`) RETURN n.id", {}, [("X'1",)]),
    "label with what names cannot hold": ("MATCH (n:`Größe_x``y`) RETURN n.id", {}, [("Y:1",)]),
    "forwards": (
        "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d:Disease) RETURN g.id, d.id", {}, P.pairs("associated with"),
    ),
    "backwards": (
        "MATCH (d:Disease)<-[:ASSOCIATED_WITH]-(g:Gene) WHERE d.id = 'D:1' RETURN g.id", {},
        [(a,) for a, b in P.pairs("associated with") if b == "D:1"],
    ),
    "wrong way": ("MATCH (d:Disease)-[:ASSOCIATED_WITH]->(g:Gene) RETURN g.id", {}, []),
    "a name that collided": ("MATCH (a)-[:ASSOCIATED_WITH_2]->(b) RETURN a.id, b.id", {}, [("G:2", "D:2")]),
    "either way": (
        "MATCH (d {id: 'D:1'})-[r]-(x) RETURN x.id", {},
        [(b if a == "D:1" else a,) for a, b in P.everywhere() if "D:1" in (a, b)],
    ),
    "any relationship": ("MATCH (a)-[]->(b) RETURN a.id, b.id", {}, P.everywhere()),
    "two names": (
        "MATCH (a)-[r:HAS|ORDER_2]->(b) RETURN a.id, b.id", {}, P.pairs("has") + P.pairs("order"),
    ),
    "symmetric, forwards": ("MATCH (a)-[:INTERACTS]->(b) RETURN a.id, b.id", {}, P.pairs("interacts")),
    "symmetric, backwards": ("MATCH (a)<-[:INTERACTS]-(b) RETURN a.id, b.id", {}, P.pairs("interacts")),
    "denials apart": ("MATCH (a)-[:NOT_HAS]->(b) RETURN a.id, b.id", {}, P.pairs("has", denied=True)),
    "no denials": ("MATCH (a)-[:HAS]->(b) RETURN a.id, b.id", {}, P.pairs("has")),
    "a relation that denies": ("MATCH (a)-[:LACKS]->(b) RETURN a.id, b.id", {}, P.pairs("lacks")),
    "self-loop": ("MATCH (a)-[:IS_A]->(a) RETURN a.id", {}, [("Y:1",)]),
    "two hops": ("MATCH (g:Gene)-[:ASSOCIATED_WITH]->()-[:HAS]->(p) RETURN g.id, p.id", {}, TWO_HOPS),
    "two patterns": (
        "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d), (d)-[:HAS]->(p) RETURN g.id, p.id", {}, TWO_HOPS,
    ),
    "one relationship is not two": (
        "MATCH (a:Gene)-[:ASSOCIATED_WITH]->(d)<-[:ASSOCIATED_WITH]-(b:Gene) RETURN a.id, b.id", {},
        [(a, c) for a, b in P.pairs("associated with") for c, d in P.pairs("associated with") if b == d and a != c],
    ),
    "repeated": (
        "MATCH p = (a:`Order`)-[:IS_A*1..3]->(b) RETURN a.id, b.id, length(p)", {}, sorted(UP),
    ),
    "repeated, ends distinct": (
        "MATCH (a {id: 'P:1'})-[:IS_A*1..3]->(b) RETURN DISTINCT b.id", {}, [("P:2",), ("P:3",)],
    ),
    "optional": (
        "MATCH (d:Disease) OPTIONAL MATCH (d)-[:HAS]->(p) RETURN d.id, p.id", {},
        [(d, o) for d in P.of_type("Disease") for o in ([b for a, b in P.pairs("has") if a == d] or [None])],
    ),
    "equals": ("MATCH (n) WHERE n.score = 5 RETURN n.id", {}, [("D:2",)]),
    "differs": (
        "MATCH (n:Gene) WHERE n.score <> 3 RETURN n.id", {}, [("G:2",)],
    ),
    "among": ("MATCH (n) WHERE n.id IN $ids RETURN n.name", {"ids": ["G:1", "P:2", "no"]}, [("FBN1",), ("Same",)]),
    "parameters named by keywords": (
        "MATCH (n {id: $start}) WHERE n.name = $`odd name` RETURN n.id", {"start": "G:1", "odd name": "FBN1"},
        [("G:1",)],
    ),
    "among none": ("MATCH (n:Gene) WHERE n.id IN [] RETURN n.name", {}, []),
    "contains": (
        "MATCH (n) WHERE toLower(n.name) CONTAINS 'marfan' RETURN n.id", {},
        [(e,) for e in P.entities if "marfan" in P.name(e).lower()],
    ),
    "starts": ("MATCH (n) WHERE n.name STARTS WITH 'Ma' RETURN n.id", {}, [("D:1",)]),
    "ends": ("MATCH (n) WHERE n.name ENDS WITH 'like' RETURN n.id", {}, [("D:2",)]),
    "and, or, not": (
        "MATCH (n) WHERE (n:Gene OR n:Disease) AND NOT n.score > 4 RETURN n.id", {},
        [(e,) for e, row in P.entities.items() if row[2] in ("Gene", "Disease") and row[3] is not None and row[3] <= 4],
    ),
    "is null": ("MATCH (n) WHERE n.score IS NULL RETURN n.id", {}, [("G:3",), ("D:3",)]),
    "pattern exists": (
        "MATCH (d:Disease) WHERE (d)-[:HAS]->() RETURN d.id", {}, [(d,) for d in {a for a, _ in P.pairs("has")}],
    ),
    "pattern is absent": (
        "MATCH (d:Disease) WHERE NOT (d)-[:HAS]->() RETURN d.id", {}, [("D:3",)],
    ),
    "subquery exists": (
        "MATCH (d:Disease) WHERE EXISTS { MATCH (d)-[:HAS]->(p) WHERE p.id = 'P:2' } RETURN d.id", {}, [("D:1",)],
    ),
    "counts compared": (
        "MATCH (d:Disease) WHERE COUNT { MATCH (d)-[:HAS]->() } < COUNT { MATCH (d)<-[:ASSOCIATED_WITH]-(:Gene) } "
        "RETURN d.id", {},
        [
            (d,) for d in P.of_type("Disease")
            if sum(a == d for a, _ in P.pairs("has")) < sum(b == d for _, b in P.pairs("associated with"))
        ],
    ),
    "counts of two compared": (
        "MATCH (a {id: 'D:3'}), (b {id: 'D:1'}) "
        "WHERE COUNT { MATCH (a)-[:HAS]->() } < COUNT { MATCH (b)-[:HAS]->(p) WHERE p.name = 'Same' } "
        "RETURN count(*) > 0 AS answer", {}, [(True,)],
    ),
    "count": ("MATCH (n:Gene) RETURN count(*)", {}, [(3,)]),
    "count of what is there": ("MATCH (n:Gene) RETURN count(n.score)", {}, [(2,)]),
    "count of nothing": ("MATCH (n:Gene {id: 'no'}) RETURN count(n)", {}, [(0,)]),
    "grouped": (
        "MATCH (d:Disease)-[:HAS]->(p) RETURN d.id, count(p) AS n", {},
        [(d, sum(a == d for a, _ in P.pairs("has"))) for d in ("D:1", "D:2")],
    ),
    "smallest, largest, sum, mean": (
        "MATCH (n) WHERE n.score IS NOT NULL RETURN min(n.score), max(n.score), sum(n.score), avg(n.score)", {},
        [(-1, 7, 27, 3.0)],
    ),
    "distinct": ("MATCH (n:`Order`) RETURN DISTINCT n.name", {}, [("Arachnodactyly",), ("Same",)]),
    "count distinct": ("MATCH (n:`Order`) RETURN count(DISTINCT n.name)", {}, [(2,)]),
    "unwind": ("UNWIND ['P:1', 'no'] AS x MATCH (n {id: x}) RETURN n.name", {}, [("Arachnodactyly",)]),
    "with, where": (
        "MATCH (d:Disease)-[:HAS]->(p) WITH d, count(p) AS n WHERE n > 1 RETURN d.id, n", {}, [("D:1", 3)],
    ),
    "union": (
        "MATCH (n:Gene) RETURN n.name AS x UNION MATCH (n:Disease) RETURN n.name AS x", {},
        [(P.name(e),) for e in P.of_type("Gene") + P.of_type("Disease")],
    ),
    "labels and types": (
        "MATCH (a {id: 'D:3'})-[r:LACKS]->(b) RETURN labels(a), type(r), labels(b)", {},
        [(("Disease",), "LACKS", ("Order",))],
    ),
    "list property": ("MATCH (n:Gene) WHERE 'b' IN n.synonyms RETURN n.id", {}, [("G:1",), ("G:2",)]),
    "list length": ("MATCH (n {id: 'G:1'}) RETURN size(n.synonyms), n.synonyms", {}, [(2, ("a", "b"))]),
    "sources": (
        "MATCH (g {id: 'G:1'})-[r:ASSOCIATED_WITH]->(d {id: 'D:1'}) "
        "RETURN r.source, r.evidence, r.confidence, r.valid_from, r.q_frequency", {},
        [(("A", "B"), ("PMID:1|PMID:2", ""), (0.9, 0.2), ("2001-02-03", ""), ("", "often"))],
    ),
    "a source": (
        "MATCH (g)-[r:ASSOCIATED_WITH]->(d) WHERE 'B' IN r.source RETURN g.id, d.id", {},
        [("G:1", "D:1"), ("G:1", "D:2")],
    ),
    "one assertion passes all": (
        "MATCH (a)-[r:ASSOCIATED_WITH]->(b) "
        "WHERE any(i IN range(0, size(r.source) - 1) WHERE r.source[i] = 'A' AND r.q_frequency[i] = 'often') "
        "RETURN a.id, b.id", {},
        [("G:2", "D:1")],  # G:1 to D:1 has A, and often, but not in one assertion
    ),
    "one assertion states it": (
        "MATCH (a)-[r:HAS]->(b) WHERE any(i IN range(0, size(r.negated) - 1) WHERE r.negated[i]) RETURN a.id, b.id", {},
        [("D:1", "P:3")],
    ),
    "number of a triple": (
        "MATCH ()-[r:ORDER_2]->() RETURN r.triple IS NOT NULL", {}, [(True,)],
    ),
    "arithmetic and case": (
        "MATCH (n:Gene) WHERE n.score IS NOT NULL RETURN n.id, n.score * 2 + 1, "
        "CASE WHEN n.score > 2 THEN 'high' ELSE 'low' END", {},
        [("G:1", 7, "high"), ("G:2", 3, "low")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", QUERIES)
def test_answers_equal_the_plain_evaluation(store: Store, case: str) -> None:
    query, parameters, expected = QUERIES[case]
    found = store.run(query, parameters)
    assert bag(found) == bag(expected)
    assert not found.truncated


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("n.score", ["X'1", "G:2", "P:1"]),
        ("n.score DESC", ["G:3", "D:1", "P:3"]),  # null is larger than everything
        ("n.name DESC, n.id", ["D:2", "P:2", "P:3"]),
    ],
)
def test_order(store: Store, order: str, expected: list[str]) -> None:
    query = f"MATCH (n) WHERE n.id <> 'Y:1' AND n.id <> 'D:3' RETURN n.id ORDER BY {order} LIMIT 3"
    assert [row[0] for row in store.run(query)] == expected


def test_collect(store: Store) -> None:
    rows = store.run("MATCH (d:Disease)-[:HAS]->(p) RETURN d.id, collect(p.id) AS all, collect(DISTINCT p.name)").rows
    found = {disease: (sorted(ids), sorted(names)) for disease, ids, names in rows}
    three, names = ["P:1", "P:2", "P:3"], ["Arachnodactyly", "Same"]
    assert found == {"D:1": (three, names), "D:2": (["P:1"], ["Arachnodactyly"])}


def test_null_comes_last(store: Store) -> None:
    rows = store.run("MATCH (n:Gene) RETURN n.score AS s ORDER BY s").rows
    assert rows == [(1,), (3,), (None,)]


def test_skip_and_limit(store: Store) -> None:
    rows = store.run("MATCH (n) RETURN n.id ORDER BY n.id SKIP 2 LIMIT $many", {"many": 3}).rows
    assert [row[0] for row in rows] == sorted(PLAIN.entities)[2:5]


def test_columns_are_named_as_written(store: Store) -> None:
    found = store.run("MATCH (n:Gene)  RETURN n.id,  count( * ) AS many")
    assert found.columns == ("n.id", "many")


def test_values_are_whole(store: Store) -> None:
    query = "MATCH p = (g {id: 'G:1'})-[r:ASSOCIATED_WITH]->(d {id: 'D:1'}) RETURN g, r, p, collect(d) AS all"
    entity, relationship, path, ends = store.run(query).rows[0]
    assert entity == EntityValue("G:1", "FBN1", "Gene", {"score": 3, "synonyms": ["a", "b"]})
    assert isinstance(relationship, RelationshipValue)
    assert (relationship.subject_id, relationship.relation, relationship.object_id) == ("G:1", "associated with", "D:1")
    assert relationship.properties["source"] == ["A", "B"]
    assert relationship.properties["confidence"] == [0.9, 0.2]
    assert isinstance(path, PathValue)
    assert [each.id for each in path.entities] == ["G:1", "D:1"]
    assert path.relationships == (relationship,)
    assert [each.id for each in ends] == ["D:1"]


def test_the_number_of_a_triple_finds_its_assertions(store: Store, graph: clew.Engine) -> None:
    rows = store.run("MATCH (a)-[r]->(b) RETURN a.id, r, b.id").rows
    assert rows
    for subject, relationship, object_ in rows:
        said = [assertion.source for assertion in graph.assertions(relationship.triple)]
        assert relationship.properties["source"] == said
        assert (relationship.subject_id, relationship.object_id) == (subject, object_)


def test_the_schema_knows_both_ways(store: Store) -> None:
    schema = store.schema
    assert {name: schema.relationship(name).relation for name in NAMES.values()} == {v: k for k, v in NAMES.items()}
    assert schema.names_of("has") == ("HAS", "NOT_HAS")
    assert schema.label_of("Größe.x`y") == "Größe_x`y"
    assert schema.symmetric == {"INTERACTS"}
    assert {each.name for each in schema.relationships if each.negated} == {"LACKS", "NOT_HAS"}
    for label in schema.labels:
        assert store.run(f"MATCH (n:`{label.name.replace('`', '``')}`) RETURN count(n)").rows == [(label.count,)]
    for each in schema.relationships:
        undirected = 2 if each.symmetric else 1
        assert store.run(f"MATCH ()-[r:{each.name}]->() RETURN count(r)").rows == [(each.count * undirected,)]


WRITES = [
    "CREATE (n:Gene {id: 'new'})",
    "MERGE (n:Gene {id: 'new'}) RETURN n",
    "MATCH (n) SET n.name = 'x'",
    "MATCH (n) set n.name = 'x' RETURN n",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) REMOVE n.name RETURN n",
    "DROP TABLE Gene",
    "COPY Gene FROM 'x.csv'",
    "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
    "CALL db.labels()",
    "CALL { CREATE (n:Gene) } RETURN 1",
    "MATCH (n) RETURN n; MATCH (m) DELETE m",
    "/* only reading */ match (n) delete n",
    "// MATCH (n) RETURN n\nCREATE (n:Gene {id: 'new'})",
    "MATCH (n) WHERE EXISTS { CREATE (m) } RETURN n",
    "MATCH (n) FOREACH (x IN [1] | CREATE (:Gene))",
    "ALTER TABLE Gene ADD x STRING",
    "EXPORT DATABASE 'x'",
]


@pytest.mark.parametrize("query", WRITES)
def test_writes_are_refused_before_they_are_sent(store: Store, query: str) -> None:
    before = store.run("MATCH (n) RETURN count(n)").rows
    with pytest.raises(QueryError):
        store.run(query)
    assert store.run("MATCH (n) RETURN count(n)").rows == before


def test_parameters_are_checked(store: Store) -> None:
    with pytest.raises(QueryError, match=r"\$id"):
        store.run("MATCH (n {id: $id}) RETURN n")
    with pytest.raises(QueryError, match=r"\$other"):
        store.run("RETURN 1 AS x", {"other": 1})
    with pytest.raises(QueryError, match="set"):
        store.run("RETURN $x AS x", {"x": {1}})
    with pytest.raises(InputError):
        store.run("RETURN 1 AS x", timeout=0)
    with pytest.raises(InputError):
        store.run("RETURN 1 AS x", limit=-1)


NEVER_ENDS = (
    "UNWIND range(1, 100000) AS i UNWIND range(1, 100000) AS j WITH i, j WHERE i * j = -1 RETURN count(*)",
    "UNWIND range(1, 100000) AS i UNWIND range(1, 100000) AS j RETURN i + j AS x ORDER BY x",
    "MATCH (a)-[:TO*1..30]->(b) RETURN count(*)",
)


DENSE = 24  # entities, each joined to every other


@pytest.fixture(params=list(STORES))
def dense_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store in which walks are endless, on a server of its own: ArcadeDB works on at what it was told to forget, and
    would take a processor from all other tests."""
    ids = [f"X:{at}" for at in range(DENSE)]
    pairs = [(a, b) for a in ids for b in ids if a != b]
    table = {"subject": [a for a, _ in pairs], "relation": ["to"] * len(pairs), "object": [b for _, b in pairs]}
    clew.build(pa.table(table), out=tmp_path / "dense.clew")
    graph = clew.open(tmp_path / "dense.clew")
    if request.param == "embedded":
        build_embedded(graph)
        with EmbeddedStore(graph) as opened:
            yield opened
        return
    server = start(tmp_path)
    try:
        url = server.database()
        load_server(graph, url)
        with ServerStore(graph, url) as opened:
            yield opened
    finally:
        stop(server)


def test_queries_without_end_are_stopped(dense_store: Store) -> None:
    for query in NEVER_ENDS:
        endless = parse(query)
        begun = time.monotonic()
        with pytest.raises(Timeout, match="stopped after 1 s"):
            dense_store.run(endless, timeout=1)
        assert time.monotonic() - begun < 2
    assert dense_store.run("MATCH (n) RETURN count(n)", timeout=60).rows == [(DENSE,)]  # and the store goes on


MILLION = "UNWIND range(1, 1000) AS i UNWIND range(1, 1000) AS j RETURN i, j"


def test_a_million_rows_are_capped(store: Store) -> None:
    found = store.run(MILLION, limit=5_000)
    assert len(found) == 5_000
    assert found.truncated
    exactly = store.run("UNWIND range(1, 100) AS i RETURN i", limit=100)
    assert (len(exactly), exactly.truncated) == (100, False)
    assert store.run("UNWIND range(1, 100) AS i RETURN i", limit=0).truncated
    own = store.run("UNWIND range(1, 100) AS i RETURN i LIMIT 7", limit=10)
    assert (len(own), own.truncated) == (7, False)
    beyond = store.run("UNWIND range(1, 100) AS i RETURN i LIMIT $many", {"many": 70}, limit=10)
    assert (len(beyond), beyond.truncated) == (10, True)
    both = store.run("UNWIND [1, 1, 2] AS i RETURN i UNION UNWIND [2, 3, 3] AS i RETURN i", limit=3)
    assert (sorted(both.rows), both.truncated) == ([(1,), (2,), (3,)], False)


def test_a_cap_bounds_memory(store: Store) -> None:
    import resource

    store.run("UNWIND range(1, 10) AS i RETURN i")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert store.run(MILLION, limit=1_000).truncated
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024  # KiB; the rows would take more


def test_many_threads_ask_at_once(store: Store) -> None:
    def ask(number: int) -> Any:
        return store.run("MATCH (n {id: $id}) RETURN n.name", {"id": ENTITIES[number % 11][0]}).rows

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(ask, range(44)))
    assert answers == [[(ENTITIES[number % 11][1],)] for number in range(44)]


def test_a_slow_query_does_not_hold_up_others(dense_store: Store) -> None:
    slow = threading.Thread(target=lambda: _quietly(lambda: dense_store.run(NEVER_ENDS[0], timeout=2)))
    dense_store.run("MATCH (n) RETURN n.id")  # the first question of all reads the grammar
    slow.start()
    begun = time.monotonic()
    dense_store.run("MATCH (n) RETURN n.id")
    assert time.monotonic() - begun < 1.5
    slow.join()


def _quietly(work: Callable[[], Any]) -> None:
    with suppress(Timeout):
        work()


def test_what_is_wrong_with_a_query_is_one_sentence(store: Store) -> None:
    with pytest.raises(QueryError) as refused:
        store.run("MATCH (n:Gene) RETURN m.name")
    assert "\n" not in str(refused.value)


def test_hpo_as_the_engine_walks_it(hpo: Path) -> None:
    """The whole of HPO on the embedded store: counts, hops and provenance."""
    graph = clew.open(hpo)
    engine = clew.open(hpo)
    with open_store("embedded", graph, build=True) as store:
        query = (
            "MATCH (g:Gene {name: 'FBN1'})-[:ASSOCIATED_WITH]->(:Disease)-[:HAS_PHENOTYPE]->(p:Phenotype) "
            "RETURN DISTINCT p.id"
        )
        found = engine.hop(["FBN1"], 2, relations=[["associated_with"], ["has_phenotype"]], types=["Phenotype"])
        expected = set(found.entities["id"].to_pylist())
        assert {row[0] for row in store.run(query)} == expected
        assert len(expected) > 100
        often = (
            "MATCH (d:Disease)-[r:HAS_PHENOTYPE]->(p {id: 'HP:0001166'}) "
            "WHERE any(i IN range(0, size(r.source) - 1) WHERE r.q_frequency[i] = 'HP:0040281') RETURN d.id"
        )
        filtered = engine.hop(
            ["HP:0001166"], 1, direction="in", relations=["has_phenotype"],
            where=Where(qualifiers={"frequency": "HP:0040281"}),
        )  # fmt: skip
        assert {row[0] for row in store.run(often)} == set(filtered.entities["id"].to_pylist())
        for each in store.schema.relationships:
            assert store.run(f"MATCH ()-[r:{each.name}]->() RETURN count(r)").rows == [(each.count,)]
