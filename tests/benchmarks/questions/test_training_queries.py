"""Questions over invented schemas: read with their queries, and shown as a model is shown a graph."""

import json
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.questions.training import query_packs
from benchmarks.questions.training.queries import Row, WrittenSchema, read_queries, shown
from benchmarks.questions.training.query_packs import packs

from clew.answer.models.trained import brief

BLOCK = """
== farms
f1: Farm grows Crop {area number} {organic bool}
f2: Farm sells_to Market
f3: Farm next_to Farm [borders]
a1: Farm size =number
a2: Farm certified =bool [is_certified]
a3: Crop season =class(spring,autumn)

- Which [crops|Crop] does {Mill Farm: Farm}? => ignored
- Which [crops|Crop] are (grown|f1) by {Farm: Mill Farm}? => MATCH (f {id: $1})-[:f1]->(c) RETURN c
- Which farms grow {Crop} on more than 5 ha? => MATCH (f)-[g:f1]->(c:Crop {id: $1}) WHERE g.area > 5 RETURN f
- Which certified farms grow {Crop}? => MATCH (f)-[:f1]->(c {id: $1}) WHERE f.a2 = true RETURN f.name
- Which farms border {Farm} and {Farm}? => MATCH (x)-[:f3]->({id: $1}), (x)-[:f3]->({id: $2}) RETURN x
- How many crops are there? => MATCH (c:Crop) RETURN count(c) AS n
- Who owns {Farm}? => NONE
- Which tractors does {Farm} have? => MATCH (f {id: $1})-[:f9]->(t) RETURN t
- Which farms does {Nobody} have? => MATCH (f)-[:f1]->(c) RETURN c
- What is broken? => MATCH (f RETURN f
a line that says nothing

== wells
w1: Well in Town
"""
CALLED = {"farm": ("High Barn", "Lowfield")}  # what farms are called
EVERY = (  # changes that are made now and then
    "OTHERWISE", "LOW", "OPEN", "DOTTED", "TERSE", "WIDER", "DENIED", "NAMED", "UNTYPED", "CODED", "NO_TYPE", "CUT",
    "NO_TYPE_CODED",
)  # fmt: skip


@pytest.fixture
def blocks(tmp_path: Path) -> list[WrittenSchema]:
    path = tmp_path / "some.txt"
    path.write_text(BLOCK)
    return list(read_queries([path]))


@pytest.fixture
def farms(blocks: list[WrittenSchema]) -> WrittenSchema:
    return blocks[0]


def test_blocks_are_schemas(blocks: list[WrittenSchema]) -> None:
    assert [(each.name, each.types) for each in blocks] == [
        ("farms", ["Farm", "Crop", "Market"]),
        ("wells", ["Well", "Town"]),
    ]
    assert blocks[0].relations == {
        "f1": ("Farm", "GROWS", "Crop", {"area": "number", "organic": "bool"}),
        "f2": ("Farm", "SELLS_TO", "Market", {}),
        "f3": ("Farm", "BORDERS", "Farm", {}),
    }
    assert blocks[0].attributes["a2"] == ("Farm", "is_certified", "bool")


def test_totals_with_bounds_and_comparisons_are_read(tmp_path: Path) -> None:
    rows = """
- Which farms? => MATCH (f)-[g:f1]->(c) WITH f, sum(g.area) AS n WHERE n > 5 AND n < 9 RETURN f, n
- How many? => MATCH (f)-[:f2]->(m), (f)-[:f3]->(o) WITH m, avg(o.a1) AS n WHERE n >= 5 RETURN count(DISTINCT m)
- Which are wider? => MATCH (f)-[:f3]->(o) WHERE f.a1 >= o.a1 + 200 RETURN f
- Which alike? => MATCH (f)-[g:f1]->(c)<-[h:f1]-(o) WHERE g.area = h.area AND f.a1 <> o.a1 RETURN f
- Does {Farm}? => MATCH (f {id: $1})-[g:f1]->(c) RETURN max(g.area) > 5
"""
    path = tmp_path / "totals.txt"
    path.write_text(BLOCK.split("- Which", 1)[0] + rows)
    (schema,) = read_queries([path])
    assert [row.query for row in schema.rows] == [
        "MATCH (farm)-[r:GROWS]->(crop) WITH farm, sum(r.q_area) AS number WHERE number > 5 AND number < 9 "
        "RETURN farm, number",
        "MATCH (farm)-[:SELLS_TO]->(market), (farm)-[:BORDERS]-(farm2) WITH market, avg(farm2.size) AS number "
        "WHERE number >= 5 RETURN count(DISTINCT market)",
        "MATCH (farm)-[:BORDERS]-(farm2) WHERE farm.size >= farm2.size + 200 RETURN farm",
        "MATCH (farm)-[r:GROWS]->(crop)<-[r2:GROWS]-(farm2) WHERE r.q_area = r2.q_area AND farm.size <> farm2.size "
        "RETURN farm",
        "MATCH (farm {id: $n0})-[r:GROWS]->(crop) RETURN max(r.q_area) > 5",
    ]


@pytest.mark.parametrize(
    ("written", "learned"),
    [
        (
            "MATCH (f:Farm) WHERE f.a1 > 5 AND COUNT { MATCH (f)-[:f1]->(c)<-[:f1]-(o) } >= 3 RETURN f",
            "MATCH (farm)-[:GROWS]->(crop)<-[:GROWS]-(farm2) WHERE farm.size > 5 "
            "WITH farm, count(DISTINCT farm2) AS number WHERE number >= 3 RETURN farm",
        ),
        (
            "MATCH (f:Farm) WHERE COUNT { MATCH (f)-[:f1]->(c) } <= 3 RETURN f",  # perhaps none
            "MATCH (farm) WHERE COUNT { MATCH (farm)-[:GROWS]->(crop) } <= 3 RETURN farm",
        ),
    ],
)
def test_a_bound_on_a_count_is_learned_in_one_form(written: str, learned: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    path.write_text(BLOCK.split("- Which", 1)[0] + f"- Which farms? => {written}\n")
    (schema,) = read_queries([path])
    assert [row.query for row in schema.rows] == [learned]


def test_questions_lose_their_marks_and_queries_speak_of_the_graph(farms: WrittenSchema) -> None:
    assert farms.rows == [
        Row(
            "Which crops are grown by {0}?",
            ("Farm",),
            "MATCH (farm {id: $n0})-[:GROWS]->(crop) RETURN crop",
            frozenset({"f1"}),
        ),
        Row(
            "Which farms grow {0} on more than 5 ha?",
            ("Crop",),
            "MATCH (farm)-[r:GROWS]->(crop {id: $n0}) WHERE r.q_area > 5 RETURN farm",
            frozenset({"f1", ".area"}),
        ),
        Row(
            "Which certified farms grow {0}?",
            ("Crop",),
            "MATCH (farm)-[:GROWS]->(crop {id: $n0}) WHERE farm.is_certified = 'yes' RETURN farm.name",
            frozenset({"f1", "a2"}),
        ),
        Row(
            "Which farms border {0} and {1}?",
            ("Farm", "Farm"),
            "MATCH (farm)-[:BORDERS]-(farm2 {id: $n0}), (farm)-[:BORDERS]-(farm3 {id: $n1}) RETURN farm",  # both ways
            frozenset({"f3"}),
        ),
        Row("How many crops are there?", (), "MATCH (crop) RETURN count(crop) AS number", frozenset()),
        Row("Who owns {0}?", ("Farm",), "NONE", frozenset()),
    ]
    assert farms.unreadable == 4


def test_a_schema_is_shown_without_what_is_left_out(farms: WrittenSchema) -> None:
    lines = brief(shown(farms, random.Random(1))).splitlines()
    assert sum(line.startswith("(") for line in lines) == 3
    (grown,) = (line for line in lines if "GROWS" in line)
    assert grown.startswith("(farm)-[:GROWS]->(crop) with q_area (")
    assert grown.endswith("), q_organic (no, yes)")
    assert "crop: season (spring, autumn)" in lines
    less = brief(shown(farms, random.Random(1), frozenset({"f1", "a2", "a3"})))
    assert "GROWS" not in less
    assert "is_certified" not in less
    assert "season" not in less
    assert "BORDERS" in less


def test_types_are_shown_with_names_even_where_they_are_codes(
    farms: WrittenSchema, monkeypatch: pytest.MonkeyPatch
) -> None:
    for often in EVERY:
        monkeypatch.setattr(query_packs, often, float(often == "CODED"))
    monkeypatch.setattr(query_packs, "_left_out", lambda *given: frozenset())
    (pack,) = packs(farms, random.Random(1), CALLED)
    code = next(line for line in str(pack["graph"]).splitlines() if "High Barn" in line).split()[0]
    assert code in ("fa", "far", "fr", "frm")
    queries = dict(pack["asked"])  # type: ignore[call-overload]
    assert queries[f"Who owns ${code}1?"] == "NONE"
    query = queries[f"Which farms border ${code}1 and ${code}2?"]
    assert query.startswith(f"MATCH ({code})-[:F3]-({code}2 {{id: ${code}1}})")


def test_things_of_a_type_may_have_none(farms: WrittenSchema) -> None:
    bare = query_packs._retyped(farms, {"farm": "Entity", "Farm": "Entity"})
    row = next(each for each in bare.rows if "grown by" in each.question)
    assert (row.named, row.query) == (("Entity",), "MATCH (entity {id: $n0})-[:GROWS]->(crop) RETURN crop")
    quoted = WrittenSchema("x", farms.relations, rows=[replace(row, query="MATCH (farm) WHERE farm.farm = 'farm'")])
    (changed,) = query_packs._retyped(quoted, {each: "Barn" for each in farms.types if each.lower() == "farm"}).rows
    assert changed.query == "MATCH (barn) WHERE barn.farm = 'farm'"


def test_packs_as_they_are(farms: WrittenSchema) -> None:
    (pack,) = packs(farms, random.Random(1), CALLED, plain=True)
    assert "(farm)-[:GROWS]->(crop)" in str(pack["graph"])
    assert ["Who owns $farm1?", "NONE"] in pack["asked"]  # type: ignore[operator]
    assert [  # type: ignore[operator]
        "Which farms border $farm1 and $farm2?",
        "MATCH (farm)-[:BORDERS]-(farm2 {id: $farm1}), (farm)-[:BORDERS]-(farm3 {id: $farm2}) RETURN farm",
    ] in pack["asked"]


def test_what_needs_something_that_is_left_out_has_no_answer(
    farms: WrittenSchema, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_packs, "_left_out", lambda *given: frozenset({"f1"}))
    for often in (
        "OTHERWISE",
        "LOW",
        "OPEN",
        "DOTTED",
        "TERSE",
        "WIDER",
        "DENIED",
        "NAMED",
        "UNTYPED",
        "CODED",
        "NO_TYPE",
    ):
        monkeypatch.setattr(query_packs, often, 0.0)
    (pack,) = packs(farms, random.Random(1), CALLED)
    queries = dict(pack["asked"])  # type: ignore[call-overload]
    assert "GROWS" not in str(pack["graph"])
    assert queries["Which crops are grown by $farm1?"] == "NONE"
    assert queries["Which farms border $farm1 and $farm2?"] != "NONE"


def test_now_and_then_something_needed_is_left_out_and_else_nothing(
    farms: WrittenSchema, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = set().union(*(row.keys for row in farms.rows))
    monkeypatch.setattr(query_packs, "GONE", 0.0)
    kept = [query_packs._left_out(farms, farms.rows, random.Random(seed)) for seed in range(40)]
    assert not any(needed & each for each in kept)
    assert set().union(*kept) == {"f2", "a1", "a3"}
    monkeypatch.setattr(query_packs, "GONE", 1.0)
    gone = [query_packs._left_out(farms, farms.rows, random.Random(seed)) for seed in range(40)]
    assert {len(needed & each) for each in gone} == {1}


def test_graphs_are_shown_as_real_ones_are(farms: WrittenSchema, monkeypatch: pytest.MonkeyPatch) -> None:
    for often in ("OTHERWISE", "LOW", "OPEN", "DOTTED", "TERSE", "NAMED", "CODED", "NO_TYPE"):
        monkeypatch.setattr(query_packs, often, 0.0)
    for often in ("WIDER", "MOST_WIDER", "DENIED", "UNTYPED"):
        monkeypatch.setattr(query_packs, often, 1.0)
    monkeypatch.setattr(query_packs, "_left_out", lambda *given: frozenset())
    found = [pack for seed in range(20) for pack in packs(farms, random.Random(seed), CALLED)]
    graphs = " ".join(str(pack["graph"]) for pack in found)
    assert "LACKS_GROWS" in graphs
    assert "(farm|market)-[:GROWS]->(crop)" in graphs
    asked, query = next(each for each in found[0]["asked"] if "grown by" in each[0])  # type: ignore[attr-defined]
    assert (asked, query) == (
        "Which crops are grown by $entity1?",
        "MATCH (farm {id: $entity1})-[:GROWS]->(crop) RETURN crop",
    )


def test_terse_names_are_the_keys(farms: WrittenSchema) -> None:
    named = WrittenSchema("farms", {"grw": farms.relations["f1"]}, {"siz": farms.attributes["a1"]})
    terse = query_packs._terse(named)
    assert (terse.relations["grw"][1], terse.attributes["siz"][1]) == ("GRW", "siz")
    query = "MATCH (farm)-[:GROWS]->(crop) WHERE farm.size > 3 RETURN farm"
    assert query_packs._as_in(query, named, terse) == "MATCH (farm)-[:GRW]->(crop) WHERE farm.siz > 3 RETURN farm"
    assert query_packs._terse(farms).relations == farms.relations, "two letters say nothing"


@pytest.mark.parametrize("seed", range(5))
def test_names_are_cut_down_to_a_few_letters_each_in_its_own_way(farms: WrittenSchema, seed: int) -> None:
    cut = query_packs._cut(farms, random.Random(seed))
    names = [*(name for _, name, _, _ in cut.relations.values()), *(name for _, name, _ in cut.attributes.values())]
    assert len(set(names)) == len(names)
    assert all(2 <= len(each) <= 5 for each in names)
    _, grows, _, columns = cut.relations["f1"]
    area, size = next(iter(columns)), cut.attributes["a1"][1]
    query = "MATCH (farm)-[r:GROWS]->(crop) WHERE r.q_area > 5 AND farm.size > 3 RETURN farm"
    changed = f"MATCH (farm)-[r:{grows}]->(crop) WHERE r.q_{area} > 5 AND farm.{size} > 3 RETURN farm"
    assert query_packs._as_in(query, farms, cut) == changed
    assert grows.startswith("G")


def test_what_may_be_of_several_types_has_a_variable_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "ships.txt"
    path.write_text(
        "== ships\no1: Person owns Ship\no2: Company owns Ship\n"
        "- whose is {Ship}? => MATCH (x)-[:o1|o2]->(s {id: $1}) RETURN x\n"
    )
    (ships,) = read_queries([path])
    assert ships.rows[0].query == "MATCH (x)-[:OWNS]->(ship {id: $n0}) RETURN x"
    assert "(person|company)-[:OWNS]->(ship)" in brief(shown(ships, random.Random(3))).replace(
        "company|person", "person|company"
    )


def test_other_ways_to_say_it(farms: WrittenSchema, monkeypatch: pytest.MonkeyPatch) -> None:
    for often in ("OTHERWISE", "LOW", "OPEN", "DOTTED"):
        monkeypatch.setattr(query_packs, often, 1.0)
    for often in ("TERSE", "WIDER", "DENIED", "NAMED", "UNTYPED", "CODED", "NO_TYPE"):
        monkeypatch.setattr(query_packs, often, 0.0)
    monkeypatch.setattr(query_packs, "_left_out", lambda *given: frozenset())
    (pack,) = packs(farms, random.Random(1), CALLED)
    (asked, query) = next(each for each in pack["asked"] if "grown by" in each[0])  # type: ignore[attr-defined]
    assert asked in {
        *(f"which crops are grown by $farm1 or ${other}1" for other in ("crop", "market")),
        *(f"which crops are grown by ${other}1 or $farm1" for other in ("crop", "market")),
    }
    assert query == "MATCH (farm {id: $farm1})-[:FARM_GROWS]->(crop) RETURN crop"
    assert "(farm)-[:FARM_GROWS]->(crop)" in str(pack["graph"])


def test_the_command_writes_what_training_starts_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "names.tsv").write_text("farm\tHigh Barn | Lowfield\n")
    (tmp_path / "one.txt").write_text(BLOCK)
    (tmp_path / "two.txt").write_text(BLOCK.replace("== farms", "== more farms"))
    out = tmp_path / "packs.json"
    monkeypatch.setattr(
        sys, "argv", ["query_packs", str(out), "--epochs", "2", "--folder", str(tmp_path), "--new", "two"]
    )
    query_packs.main()
    written = json.loads(out.read_text())
    assert len(written["epochs"]) == 2
    assert [len(pack["asked"]) for epoch in written["epochs"] for pack in epoch] == [6, 6]
    assert [pack["new"] for epoch in written["epochs"] for pack in epoch] == [True, True]
    assert len(written["held"]) == 1, "one schema of twenty is measured"


def test_files_that_are_not_there_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["query_packs", "packs.json", "--new", "twenty_sx"])
    with pytest.raises(SystemExit):
        query_packs.main()
    assert "has no file twenty_sx: choose among eight" in capsys.readouterr().err
