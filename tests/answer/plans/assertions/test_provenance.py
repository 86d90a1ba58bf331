"""Filters on provenance and time, run in the store, against a slow reading of every assertion by itself."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from arcadedb import Server, arcadedb  # noqa: F401 (a fixture)
from clew.answer.plans.assertions.filters import Filters, Qualifier, with_filters
from clew.answer.plans.assertions.provenance import find_passing
from clew.answer.plans.canonical import same
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.plan import Measure, Part, Plan, Slot, Step
from clew.answer.plans.schema.check import check_plan
from clew.answer.running.evidence import gather_evidence
from clew.answer.running.run import run_plan
from clew.errors import InputError, QueryError
from clew.store.cypher import parse, write
from clew.store.server_load import load_server
from clew.store.store import Store, open_store
from clew.traverse import Engine
from effort import examples

GENES, DISEASES, SIGNS = ([f"{letter}:{number}" for number in range(6)] for letter in "GDP")
SOURCES, LICENCES, PAPERS = ("hpo", "omim", "mined"), ("CC0", "CC BY", None), ("PMID:1", "PMID:2", "PMID:12")
DAYS = (None, date(2010, 1, 1), date(2015, 6, 30), date(2020, 12, 31))
AGENTS = ("manual_agent", "text_mining_agent", None)
SHARES = {"1/4": (0.25, 0.25), "2/4": (0.5, 0.5), "9/10": (0.9, 0.9), "60%": (0.6, 0.6), "HP:0040282": (0.3, 0.79)}
SEXES = ("FEMALE", "MALE", None)


@dataclass(frozen=True)
class Stated:
    """One assertion, as the oracle reads it."""

    subject: str
    relation: str
    object: str
    source: str
    license: str | None
    agent_type: str | None
    confidence: float | None
    valid_from: date | None
    valid_to: date | None
    evidence: tuple[str, ...]
    negated: bool
    frequency: str | None
    sex: str | None

    def passes(self, filters: Filters) -> bool:
        day = filters.as_of and date.fromisoformat(filters.as_of)
        return (
            (not filters.sources or self.source in filters.sources)
            and (not filters.licences or self.license in filters.licences)
            and (filters.layer != "curated" or self.agent_type == "manual_agent")
            and (filters.layer != "no-extracted" or self.agent_type != "text_mining_agent")
            and (day is None or self.valid_from is None or self.valid_from <= day)
            and (day is None or self.valid_to is None or day <= self.valid_to)
            and (filters.min_confidence is None or (self.confidence or -1) >= filters.min_confidence)
            and (not filters.cites or any(paper in filters.cites for paper in self.evidence))
            and (self.relation != "has" or all(map(self.qualifies, filters.qualifiers)))
        )

    def qualifies(self, qualifier: Qualifier) -> bool:
        if not qualifier.shared:
            wanted = qualifier.value if isinstance(qualifier.value, tuple) else (qualifier.value,)
            return self.sex in wanted
        low, high = SHARES.get(self.frequency or "", (None, None))
        if low is None or high is None:
            return False
        return low > qualifier.value if qualifier.operator == ">" else high <= qualifier.value


def stated(random: Random) -> list[Stated]:
    pairs = [(g, "causes", d) for g in GENES for d in DISEASES] + [(d, "has", p) for d in DISEASES for p in SIGNS]
    return [
        Stated(
            *random.choice(pairs),
            source=random.choice(SOURCES),
            license=random.choice(LICENCES),
            agent_type=random.choice(AGENTS),
            confidence=random.choice((None, 0.2, 0.5, 0.9)),
            valid_from=random.choice(DAYS),
            valid_to=random.choice(DAYS),
            evidence=tuple(random.sample(PAPERS, random.randrange(3))),
            negated=random.random() < 0.2,
            frequency=random.choice((None, *SHARES)),
            sex=random.choice(SEXES),
        )
        for _ in range(150)
    ]


class World:
    """A graph of random assertions with its store."""

    def __init__(self, rows: list[Stated], engine: Engine, store: Store) -> None:
        self.rows, self.engine, self.store = rows, engine, store

    def __repr__(self) -> str:
        return "the world"  # or a failing example would list all of it

    def triples(self, relation: str, filters: Filters) -> set[tuple[str, str]]:
        rows = (row for row in self.rows if row.relation == relation and not row.negated)
        return {(row.subject, row.object) for row in rows if row.passes(filters)}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    rows = stated(Random(7))
    types = {"G": "Gene", "D": "Disease", "P": "Sign"}
    entities = pa.table(
        {name: pa.array(values) for name, values in zip(("id", "name", "type"), zip(*(
            (each, f"name of {each}", types[each[0]]) for each in (*GENES, *DISEASES, *SIGNS)
        ), strict=True), strict=True)}
    )  # fmt: skip
    columns = {name: pa.array([getattr(row, name) for row in rows]) for name in Stated.__dataclass_fields__}
    columns = {{"frequency": "qualifier:frequency", "sex": "qualifier:sex"}.get(n, n): c for n, c in columns.items()}
    columns["knowledge_level"] = pa.array(["knowledge_assertion"] * len(rows))
    out = tmp_path_factory.mktemp("stated") / "stated.clew"
    clew.build(pa.table(columns), entities=entities, out=out)
    engine = clew.open(out)
    with open_store("embedded", engine, build=True) as store:
        yield World(rows, engine, store)


CHOSEN = st.builds(
    Filters,
    layer=st.sampled_from(("all", "all", "curated", "no-extracted")),
    sources=st.sampled_from(((), (), ("hpo",), ("hpo", "mined"))),
    licences=st.sampled_from(((), (), ("CC0",), ("CC0", "CC BY"))),
    as_of=st.sampled_from((None, None, "2009-12-31", "2010-01-01", "2015-06-30", "2021-01-01")),
    min_confidence=st.sampled_from((None, None, 0.5, 0.95)),
    cites=st.sampled_from(((), (), ("PMID:1",), ("PMID:2", "PMID:12"))),
    qualifiers=st.sampled_from(
        (
            (),
            (),
            (Qualifier("q_frequency", ">", 0.5, shared=True, relations=frozenset({"HAS"})),),
            (Qualifier("q_frequency", "<=", 0.5, shared=True, relations=frozenset({"HAS"})),),
            (Qualifier("q_sex", "=", "MALE", relations=frozenset({"HAS"})),),
            (
                Qualifier("q_sex", "IN", ("FEMALE", None), relations=frozenset({"HAS"})),
                Qualifier("q_frequency", ">", 0.28, shared=True, relations=frozenset({"HAS"})),
            ),
        )
    ),
)


def ran(world: World, text: str, filters: Filters) -> tuple[Plan, set[str], object]:
    plan = with_filters(read_plan(parse(text)), filters)
    again = read_plan(parse(write(write_statement(plan))))
    assert same(again, plan)
    outcome = run_plan(check_plan(again, world.store.schema).plan, world.store, world.engine)
    if any(each.shared for each in filters.qualifiers):  # split and toFloat are no functions of every store
        parse(outcome.query)
        return plan, {item.id for item in outcome.items}, outcome.value
    shown = world.store.run(outcome.query)  # what is shown is Cypher, and says the same
    if outcome.value is None:
        assert {row[0] for row in shown.rows} == {item.id for item in outcome.items}, outcome.query
    else:
        assert shown.rows[0][0] == outcome.value, outcome.query
    return plan, {item.id for item in outcome.items}, outcome.value


@settings(max_examples=examples(25), deadline=None)
@given(CHOSEN)
def test_rows_are_those_of_single_assertions_that_pass_everything(world: World, filters: Filters) -> None:
    has, causes = world.triples("has", filters), world.triples("causes", filters)
    _, found, _ = ran(world, "MATCH (d:Disease)-[:HAS]->(p:Sign {id: 'P:1'}) RETURN d", filters)
    assert found == {d for d, p in has if p == "P:1"}
    _, found, _ = ran(world, "MATCH (g:Gene)-[:CAUSES]->(:Disease)-[:HAS]->(p:Sign {id: 'P:2'}) RETURN g", filters)
    assert found == {g for g, d in causes if (d, "P:2") in has}
    text = "MATCH (d:Disease)-[:HAS]->(:Sign {id: 'P:3'}) WHERE NOT (d)-[:HAS]->(:Sign {id: 'P:4'}) RETURN d"
    _, found, _ = ran(world, text, filters)
    assert found == {d for d, p in has if p == "P:3" and (d, "P:4") not in has}


@settings(max_examples=examples(20), deadline=None)
@given(CHOSEN)
def test_numbers_and_orders_count_what_passes(world: World, filters: Filters) -> None:
    has = world.triples("has", filters)
    _, _, value = ran(world, "MATCH (d:Disease)-[:HAS]->(:Sign) RETURN count(DISTINCT d)", filters)
    assert value == len({d for d, _ in has})
    _, _, value = ran(world, "MATCH (:Disease {id: 'D:1'})-[:HAS]->(:Sign {id: 'P:1'}) RETURN count(*) > 0", filters)
    assert value == (("D:1", "P:1") in has)
    plan = with_filters(
        read_plan(parse("MATCH (d:Disease)-[:HAS]->(p:Sign) RETURN d, count(p) AS n ORDER BY n DESC")), filters
    )
    outcome = run_plan(plan, world.store, world.engine)
    assert {item.id: item.number for item in outcome.items} == Counter(d for d, _ in has)
    listed = "MATCH (d:Disease) OPTIONAL MATCH (d)-[:HAS]->(p:Sign) RETURN d, count(p) AS n ORDER BY n DESC"
    optional = run_plan(with_filters(read_plan(parse(listed)), filters), world.store, world.engine)
    counts = Counter(d for d, _ in has)
    assert {item.id: item.number for item in optional.items} == {d: counts[d] for d in DISEASES}


@settings(max_examples=examples(15), deadline=None)
@given(CHOSEN)
def test_evidence_rests_on_what_passes(world: World, filters: Filters) -> None:
    plan = with_filters(read_plan(parse("MATCH (d:Disease)-[:HAS]->(p:Sign) RETURN d")), filters)
    outcome = run_plan(plan, world.store, world.engine)
    evidence = gather_evidence(outcome, world.store, world.engine)
    cited = {(each.subject, each.object) for each in evidence.triples}
    assert cited == world.triples("has", filters)


def test_a_server_keeps_to_the_same_filters(world: World, arcadedb: Server) -> None:  # noqa: F811
    address = arcadedb.database()
    load_server(world.engine, address)
    filters = Filters(layer="no-extracted", sources=("hpo", "omim"), as_of="2015-06-30")
    text = "MATCH (g:Gene)-[:CAUSES]->(d:Disease) WHERE NOT (d)-[:HAS]->(:Sign {id: 'P:4'}) RETURN g"
    plan = with_filters(read_plan(parse(text)), filters)
    has, causes = world.triples("has", filters), world.triples("causes", filters)
    with open_store(address, world.engine) as server:
        outcome = run_plan(plan, server, world.engine)
    assert {item.id for item in outcome.items} == {g for g, d in causes if (d, "P:4") not in has}


def test_what_every_source_denies_is_filtered_by_its_denials(world: World) -> None:
    said: dict[tuple[str, str], set[bool]] = {}
    for row in world.rows:
        if row.relation == "has":
            said.setdefault((row.subject, row.object), set()).add(row.negated)
    denied = {pair for pair, negated in said.items() if negated == {True}}
    assert denied
    expected = {row.subject for row in world.rows if (row.subject, row.object) in denied and row.source == "hpo"}
    text = "MATCH (d:Disease)-[r:NOT_HAS]->(:Sign) WHERE r.source = 'hpo' RETURN d"
    assert ran(world, text, Filters())[1] == expected


@pytest.mark.parametrize(
    ("condition", "keeps"),
    [
        (Condition("r", "source", "STARTS WITH", "h"), lambda row: row.source == "hpo"),
        (Condition("r", "source", "CONTAINS", ("po", "im")), lambda row: row.source in ("hpo", "omim")),
        (Condition("r", "source", "=", "hpo", negated=True), lambda row: row.source != "hpo"),
        (Condition("r", "source", "=~", "[ho].*"), lambda row: row.source != "mined"),
        (Condition("r", "license", "IS NULL"), lambda row: row.license is None),
        (Condition("r", "license", "=", "cc0", ignoring_case=True), lambda row: row.license == "CC0"),
        (Condition("r", "license", "<>", "CC0"), lambda row: row.license == "CC BY"),
        (Condition("r", "evidence", "=", "PMID:1"), lambda row: "PMID:1" in row.evidence),
        (Condition("r", "evidence", "STARTS WITH", "PMID:1"), lambda row: {"PMID:1", "PMID:12"} & set(row.evidence)),
        (
            Condition("r", "evidence", "=", "PMID:1", negated=True),
            lambda row: row.evidence and "PMID:1" not in row.evidence,
        ),
        (Condition("r", "evidence", "IS NULL"), lambda row: not row.evidence),
        (Condition("r", "confidence", "<", 0.5), lambda row: row.confidence == 0.2),
        (Condition("r", "valid_from", ">", "2012-01-01"), lambda row: row.valid_from and row.valid_from.year > 2012),
        (Condition("r", "source", ">", 3), lambda row: False),
    ],
)
def test_every_operator_is_about_one_assertion(world: World, condition: Condition, keeps) -> None:
    both = [condition, Condition("r", "source", "IN", ("hpo", "omim"))]
    mask = find_passing(both, world.engine, world.store.schema)
    found = {
        (t.subject, t.object) for t in world.engine.numbered(range(world.engine.counts["triples"])) if mask[t.number]
    }  # fmt: skip
    stated = {(row.subject, row.object) for row in world.rows if not row.negated}
    rows = [row for row in world.rows if row.source in ("hpo", "omim") and keeps(row)]
    assert {pair for pair in found if pair in stated} == {(r.subject, r.object) for r in rows if not r.negated}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("MATCH (d)-[r:HAS*1..3]->(p) WHERE r.source = 'hpo' RETURN d", "r stands for several triples"),
        ("MATCH (d)-[r:HAS]->(p) WHERE r.layer = 'curated' AND r.layer = 'all' RETURN d", "two were asked for"),
        ("MATCH (d)-[r:HAS]->(p) WHERE r.source = p.name RETURN d", "compared with a value"),
    ],
)
def test_what_no_single_assertion_can_meet_is_refused(world: World, text: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        run_plan(read_plan(parse(text)), world.store, world.engine)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("MATCH (d)-[r:HAS]->(p) WHERE r.layer = 'pure' RETURN d", "no layer is called 'pure': known: all, curated"),
        ("MATCH (d)-[r:HAS]->(p) WHERE r.as_of = 'soon' RETURN d", "as_of takes a day such as 2020-05-01"),
        ("MATCH (d)-[r:HAS]->(p) WHERE r.as_of > '2020-01-01' RETURN d", "as_of is compared with = only"),
        ("MATCH (d)-[r:HAS]->(p) WHERE r.colour = 'red' RETURN d", "no property colour"),
    ],
)
def test_what_the_graph_does_not_have_is_said(world: World, text: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        check_plan(read_plan(parse(text)), world.store.schema)


def test_hierarchies_and_paths_are_exempt() -> None:
    plan = read_plan(parse("MATCH (d:Disease)-[:HAS]->(k)-[:IS_A*0..9]->(p {id: 'P:1'}) RETURN d"))
    (part,) = with_filters(plan, Filters(sources=("hpo",))).parts
    assert [condition.of for condition in part.conditions if condition.key == "source"] == [part.steps[0].name]
    path = read_plan(parse("MATCH p = shortestPath((a)-[*1..4]-(b)) RETURN p"))
    assert with_filters(path, Filters(sources=("hpo",))) == path


def test_filters_for_the_engine() -> None:
    assert Filters(layer="curated", sources=("A",)).where == clew.Where(layer="curated", sources="A")
    with pytest.raises(InputError, match="not to licences, documents or qualifiers"):
        _ = Filters(cites=("PMID:1",)).where
    with pytest.raises(InputError, match="as_of= takes a day"):
        Filters(as_of="soon")


def test_later_filters_take_the_place_of_earlier_ones() -> None:
    both = Filters(layer="curated", as_of="2015-12-31").also(Filters(as_of="2020-01-01", sources=("A",)))
    assert both == Filters(layer="curated", as_of="2020-01-01", sources=("A",))
    assert str(both) == "only statements of the layer curated, from A, as of 2020-01-01"
    assert not Filters()
    assert both


def quantified(of: str) -> dict[str, Plan]:
    """Plans that count names, compare with the count of another plan (of a gene), or leave all others out."""
    signs = (Slot("p", ("Sign",)), Slot("d", ("Disease",)))
    has, causes = Step("d", ("HAS",), "p"), Step("g", ("CAUSES",), "d")
    three = Condition("d", "id", "IN", ("D:1", "D:2", "D:3"))
    gene, of_gene = Slot("g", ("Gene",)), Condition("g", "id", "=", of)
    total = Plan(
        (Slot("d", ("Disease",)), gene), (Part("required", (causes,), (of_gene,)),), measure=Measure("count", "d")
    )
    other = Part("absent", (Step("o", ("HAS",), "p"),), (Condition("o", "id", "IN", ("D:1", "D:2"), negated=True),))
    two = Condition("d", "id", "IN", ("D:1", "D:2"))
    asked = (Asked("p"),)
    return {
        "at least two": Plan(
            signs, (Part("required", (has,), (three,)),), asked=asked, measure=Measure("count", "d", "name", ">=", 2)
        ),
        "every": Plan(
            (*signs, gene),
            (Part("required", (has, causes), (of_gene,)),),
            asked=asked,
            measure=Measure("count", "d", None, "=", total),
        ),
        "only": Plan((*signs, Slot("o", ("Disease",))), (Part("required", (has,), (two,)), other), asked=asked),
    }


def test_quantifiers_are_those_of_sets_on_both_stores(world: World, arcadedb: Server) -> None:  # noqa: F811
    has, causes = world.triples("has", Filters()), world.triples("causes", Filters())
    often = Counter(sign for disease, sign in has if disease in ("D:1", "D:2", "D:3"))
    numbers = Counter(gene for gene, _ in causes)
    fewest = min(numbers, key=lambda gene: (numbers[gene], gene))
    diseases = {disease for gene, disease in causes if gene == fewest}
    expected = {
        "at least two": {sign for sign, number in often.items() if number >= 2},
        "every": {sign for sign in SIGNS if all((disease, sign) in has for disease in diseases)},
        "only": {s for s in SIGNS if (shown := {d for d, sign in has if sign == s}) and shown <= {"D:1", "D:2"}},
    }
    assert expected["at least two"]
    assert expected["every"]
    address = arcadedb.database()
    load_server(world.engine, address)
    with open_store(address, world.engine) as server:
        for name, plan in quantified(fewest).items():
            for store in (world.store, server):
                found = {item.id for item in run_plan(plan, store, world.engine).items}
                assert found == expected[name], (name, store)
