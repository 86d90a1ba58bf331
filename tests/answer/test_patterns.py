"""Every operation and pattern from a plain question, on a small graph shaped like Hetionet."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Asker, Question, Resources
from clew.answer.plans.canonical import same
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.schema.ground import names_to_ids
from clew.answer.running.expand import expand
from clew.answer.running.run import run_plan
from clew.graph import Relation
from clew.store.cypher import parse, write

ENTITIES = [
    ("C:1", "Donepezil", "Compound"), ("C:2", "Aspirin", "Compound"), ("C:3", "Metformin", "Compound"),
    ("G:1", "ACHE", "Gene"), ("G:2", "PTGS2", "Gene"), ("G:3", "PRKAB1", "Gene"),
    ("D:1", "Alzheimer's disease", "Disease"), ("D:2", "gout", "Disease"), ("D:3", "asthma", "Disease"),
    ("D:4", "obesity", "Disease"), ("D:5", "brain disease", "Disease"), ("D:6", "illness of an organ", "Disease"),
    ("S:1", "Fever", "Symptom"), ("S:2", "Memory Disorders", "Symptom"), ("S:3", "Cough", "Symptom"),
    ("E:1", "Nausea", "SideEffect"), ("E:2", "Rash", "SideEffect"),
    ("A:1", "liver", "Anatomy"), ("A:2", "brain", "Anatomy"),
    ("W:1", "Signal Transduction", "Pathway"), ("K:1", "Biguanides", "PharmacologicClass"),
]  # fmt: skip
TRIPLES = [
    ("C:1", "binds", "G:1"), ("C:2", "binds", "G:2"), ("C:3", "binds", "G:3"), ("C:2", "binds", "G:3"),
    ("C:1", "treats", "D:1"), ("C:2", "treats", "D:2"), ("C:2", "palliates", "D:3"), ("C:3", "treats", "D:4"),
    ("C:1", "causes", "E:1"), ("C:2", "causes", "E:1"), ("C:2", "causes", "E:2"),
    ("D:1", "associates", "G:1"), ("D:2", "associates", "G:2"), ("D:3", "associates", "G:2"),
    ("D:4", "associates", "G:3"),
    ("D:1", "presents", "S:2"), ("D:2", "presents", "S:1"), ("D:3", "presents", "S:1"), ("D:3", "presents", "S:3"),
    ("D:1", "localizes", "A:2"), ("D:4", "localizes", "A:1"),
    ("D:2", "resembles", "D:3"), ("D:1", "is_a", "D:5"), ("D:5", "is_a", "D:6"),
    ("A:1", "expresses", "G:3"), ("A:2", "expresses", "G:1"),
    ("G:1", "participates", "W:1"), ("G:3", "participates", "W:1"), ("K:1", "includes", "C:3"),
]  # fmt: skip


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    out = Path(tmp_path_factory.mktemp("small")) / "hetionet.clew"
    entities = pa.table(dict(zip(("id", "name", "type"), map(list, zip(*ENTITIES, strict=True)), strict=True)))
    triples = pa.table(dict(zip(("subject", "relation", "object"), map(list, zip(*TRIPLES, strict=True)), strict=True)))
    relations = [Relation("is_a", transitive=True), Relation("resembles", symmetric=True)]
    clew.build(triples, entities=entities, relations=relations, out=out)
    made = Asker(Resources(clew.open(out), encoder=None))
    yield made
    made.close()


QUESTIONS = {
    # one hop
    "Which drugs bind ACHE?": "MATCH (c:Compound)-[:BINDS]->(:Gene {name: 'ACHE'}) RETURN c",
    "What are the side effects of aspirin?": "MATCH (:Compound {name: 'Aspirin'})-[:CAUSES]->(e:SideEffect) RETURN e",
    # two, three and four hops
    "Which drugs bind genes associated with gout?": (
        "MATCH (c:Compound)-[:BINDS]->(:Gene)<-[:ASSOCIATES]-(:Disease {name: 'gout'}) RETURN c"
    ),
    "Which drugs bind genes associated with diseases that present fever?": (
        "MATCH (c:Compound)-[:BINDS]->(:Gene)<-[:ASSOCIATES]-(:Disease)-[:PRESENTS]->"
        "(:Symptom {name: 'Fever'}) RETURN c"
    ),
    "Which anatomical structures express genes bound by drugs that treat obesity?": (
        "MATCH (a:Anatomy)-[:EXPRESSES]->(:Gene)<-[:BINDS]-(:Compound)-[:TREATS]->(:Disease {name: 'obesity'}) RETURN a"
    ),
    "Which side effects are caused by drugs that bind genes associated with diseases that present cough?": (
        "MATCH (e:SideEffect)<-[:CAUSES]-(:Compound)-[:BINDS]->(:Gene)<-[:ASSOCIATES]-(:Disease)-[:PRESENTS]->"
        "(:Symptom {name: 'Cough'}) RETURN e"
    ),
    "Which pathways contain genes bound by drugs that treat diseases localized to the liver?": (
        "MATCH (w:Pathway)<-[:PARTICIPATES]-(:Gene)<-[:BINDS]-(:Compound)-[:TREATS]->(:Disease)-[:LOCALIZES]->"
        "(:Anatomy {name: 'liver'}) RETURN w"
    ),
    # shared by all, either, difference
    "Which diseases present both fever and cough?": (
        "MATCH (:Symptom {name: 'Fever'})<-[:PRESENTS]-(d:Disease)-[:PRESENTS]->(:Symptom {name: 'Cough'}) RETURN d"
    ),
    "Which drugs bind ACHE or PTGS2?": (
        "MATCH (c:Compound)-[:BINDS]->(g:Gene) WHERE g.name IN ['ACHE', 'PTGS2'] RETURN c"
    ),
    "Which diseases present fever but not cough?": (
        "MATCH (d:Disease)-[:PRESENTS]->(:Symptom {name: 'Fever'}) "
        "WHERE NOT (d)-[:PRESENTS]->(:Symptom {name: 'Cough'}) RETURN d"
    ),
    "Which drugs bind PRKAB1 and cause rash?": (
        "MATCH (:Gene {name: 'PRKAB1'})<-[:BINDS]-(c:Compound)-[:CAUSES]->(:SideEffect {name: 'Rash'}) RETURN c"
    ),
    # count, top, more than
    "How many drugs bind genes associated with obesity?": (
        "MATCH (c:Compound)-[:BINDS]->(:Gene)<-[:ASSOCIATES]-(:Disease {name: 'obesity'}) RETURN count(DISTINCT c)"
    ),
    "Which two side effects are caused by the most drugs?": (
        "MATCH (e:SideEffect)<-[:CAUSES]-(c:Compound) RETURN e, count(DISTINCT c) AS n ORDER BY n DESC LIMIT 2"
    ),
    "Which genes are bound by at least 2 drugs?": (
        "MATCH (g:Gene)<-[:BINDS]-(c:Compound) WITH g, count(DISTINCT c) AS n WHERE n >= 2 RETURN g ORDER BY n DESC"
    ),
    # exists, path, hierarchy
    "Does donepezil treat Alzheimer's disease?": (
        "MATCH (:Compound {name: 'Donepezil'})-[:TREATS]->(:Disease {name: 'Alzheimer\\'s disease'}) "
        "RETURN count(*) > 0"
    ),
    "How is donepezil connected to memory disorders?": (
        "MATCH p = shortestPath((a:Compound {name: 'Donepezil'})-[*1..4]-(b:Symptom {name: 'Memory Disorders'})) "
        "RETURN p"
    ),
    "What are the parents of brain disease?": (
        "MATCH (:Disease {name: 'brain disease'})-[:IS_A]->(d:Disease) RETURN d"
    ),
    "Which subtypes of brain disease are there?": (
        "MATCH (d:Disease)-[:IS_A]->(:Disease {name: 'brain disease'}) RETURN d"
    ),
    "Is Alzheimer's disease a kind of illness of an organ?": (
        "MATCH (:Disease {name: 'Alzheimer\\'s disease'})-[:IS_A*1..20]->(:Disease {name: 'illness of an organ'}) "
        "RETURN count(*) > 0"
    ),
    "Which diseases resemble gout?": "MATCH (d:Disease)-[:RESEMBLES]-(:Disease {name: 'gout'}) RETURN d",
}  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_plain_question_becomes_the_plan_it_says(asker: Asker, question: str) -> None:
    gold = names_to_ids(read_plan(parse(QUESTIONS[question])), asker.resources.engine, asker.resources.schema)
    answer = asker.ask(Question(question, subclasses=False))
    assert answer.abstained is None
    read = read_plan(parse(answer.query))
    if question != "Which diseases resemble gout?":  # a symmetric relation has no direction to be written
        assert same(read, gold), answer.query
    if gold.kind != "path":
        expected = run_plan(gold, asker.resources.store, asker.resources.engine)
        assert {item.id for item in answer.items} == {item.id for item in expected.items}
        assert answer.value == expected.value
        assert answer.items or answer.value is not None
    again = read_plan(parse(write(write_statement(gold))))
    assert same(again, gold)


def test_a_word_for_two_relations_means_the_one_of_its_name_first(asker: Asker) -> None:
    assert [
        item.name for item in asker.ask(Question("Which diseases does aspirin treat?", subclasses=False)).items
    ] == ["gout"]
    assert [item.name for item in asker.ask(Question("Which drugs treat asthma?", subclasses=False)).items] == [
        "Aspirin"
    ]  # nothing but palliates


def test_walking_a_hierarchy_beforehand_changes_nothing(asker: Asker) -> None:
    text = "MATCH (c:Compound)-[:TREATS]->(d:Disease)-[:IS_A*0..9]->(o:Disease {id: 'D:6'}) RETURN c"
    plan = read_plan(parse(text))
    walked = expand(plan, asker.resources.engine, asker.resources.schema)
    assert len(walked.required.steps) == 1
    assert [slot.name for slot in walked.slots] == ["c", "d"]
    rows = [asker.resources.store.run(write_statement(each)).rows for each in (plan, walked)]
    assert sorted(rows[0]) == sorted(rows[1]) == [("C:1", "Donepezil")]
