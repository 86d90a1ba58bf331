"""Questions over HPO: read, run, and shown with triples that are really in the graph."""

import gc
from collections.abc import Iterator
from pathlib import Path
from weakref import ref

import pytest

import clew
from clew.answer import Answer, Asker, CypherStrategy, Question, Resources
from clew.answer.kept import schema_paths_of, words_of
from clew.answer.plans.schema.check import check_plan
from clew.answer.reading.candidates import candidates
from clew.answer.reading.question import understand
from clew.errors import QueryError
from clew.evaluate.questions import load_bench
from clew.graph import read_entities
from clew.lm.clients.scripted import Scripted


@pytest.fixture(scope="module")
def asker(hpo: Path) -> Iterator[Asker]:
    """Ranks by words alone: what is tested here must not hang on a model."""
    asker = Asker(Resources(clew.open(hpo), encoder=None))
    yield asker
    asker.close()


def answer_cypher(asker: Asker, query: str) -> Answer:
    return CypherStrategy().answer_cypher(Question(query), asker.resources)


def check_evidence(asker: Asker, answer: Answer) -> None:
    """Every cited triple is in the graph with these words, and every support hangs together."""
    engine = asker.resources.engine
    cited = {triple.triple: triple for triple in answer.evidence.triples}
    for number, triple in cited.items():
        (found,) = engine.numbered([number])
        assert (found.subject, found.relation, found.object) == (triple.subject, triple.relation, triple.object)
        assert triple.assertions == tuple(engine.assertions(number))
    shown = {item.id for item in answer.items}
    for support in answer.evidence.supports:
        touched = {end for number in support.triples for end in (cited[number].subject, cited[number].object)}
        assert support.item is None or (support.item in shown and support.item in touched)
    place = {item.id: at for at, item in enumerate(answer.items)}
    order = [(place.get(each.item or "", 0), *each.slots.values()) for each in answer.evidence.supports]
    assert order == sorted(order)  # whatever order the store has its rows in


@pytest.mark.parametrize(
    ("question", "kind", "holds"),
    [
        ("Which genes are linked to arachnodactyly?", "list", "FBN1"),
        ("What are the symptoms of Marfan syndrome?", "list", "Arachnodactyly"),
        ("Which diseases show both arachnodactyly and ectopia lentis?", "list", "Marfan syndrome"),
        ("Which diseases show ectopia lentis but not arachnodactyly?", "difference", "Aniridia"),
        ("Which five genes are associated with the most diseases?", "top", "LMNA"),
        ("How is Tay-Sachs disease inherited?", "list", "Autosomal recessive inheritance"),
        ("which gene causes huntingtons diseas", "list", "HTT"),
        ("Which features were looked for and not seen in Loeys-Dietz syndrome 1?", "list", "Ectopia lentis"),
    ],
)
def test_lists_hold_what_they_should(asker: Asker, question: str, kind: str, holds: str) -> None:
    answer = asker.ask(question)
    assert answer.abstained is None
    assert answer.kind == kind
    assert holds in [item.name for item in answer.items]
    assert answer.total == len(answer.items)
    assert answer.evidence.triples
    check_evidence(asker, answer)


def test_what_is_excluded_is_not_there(asker: Asker) -> None:
    both = asker.ask("Which diseases show both ectopia lentis and arachnodactyly?")
    only = asker.ask("Which diseases show ectopia lentis but not arachnodactyly?")
    assert not {item.id for item in both.items} & {item.id for item in only.items}


def test_numbers_and_yes_or_no(asker: Asker) -> None:
    counted, listed = asker.ask("How many diseases show chorea?"), asker.ask("Which diseases show chorea?")
    assert counted.value == listed.total
    assert f"{counted.value:,}" in counted.text
    assert asker.ask("Does Angelman syndrome show seizures?").value is True
    no = asker.ask("Is FBN1 associated with Huntington disease?")
    assert (no.value, no.abstained) == (False, None)


def test_a_connection_is_a_path(asker: Asker) -> None:
    answer = asker.ask("How is FBN1 connected to arachnodactyly?")
    assert answer.kind == "path"
    assert answer.total > 0
    check_evidence(asker, answer)


def test_kinds_are_taken_where_nothing_is_annotated_so(hpo: Path, asker: Asker) -> None:
    question = "Which diseases have abnormality of the skeletal system?"
    wide, narrow = (asker.ask(Question(question, subclasses=wanted)) for wanted in (True, False))
    assert wide.total > narrow.total
    assert any("including subclasses" in line for line in wide.interpretation)
    check_evidence(asker, wide)


@pytest.mark.parametrize(
    "question",
    ["Which dragons breathe fire?", "", "?!", "What is the capital of France?", "DROP TABLE Gene", "a" * 5000],
)
def test_what_is_not_understood_is_said(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    assert answer.abstained
    assert answer.items == ()


def test_namesakes_are_taken_together_and_said(asker: Asker) -> None:
    answer = asker.ask("Which genes are associated with Marfan syndrome?")
    assert any("OMIM:154700" in line and "ORPHA:558" in line for line in answer.interpretation)


def test_grounded_plans_need_no_repair(asker: Asker) -> None:
    """Every plan that words and schema give fits the graph as it is, not only those that are run."""
    checked = 0
    for question in load_bench("hpo-60"):
        understood = understand(question.question, asker.resources.linker, words_of(asker.resources))
        for candidate in candidates(understood, asker.resources.schema, schema_paths_of(asker.resources)):
            found = check_plan(candidate.plan, asker.resources.schema)
            assert (found.plan, found.repairs) == (candidate.plan, ())
            checked += 1
    assert checked >= 60


def test_an_abstention_says_what_was_understood_and_what_is_missing(asker: Asker) -> None:
    missing = asker.ask("Which genes does the Jabberwock have?").abstained
    assert missing is not None
    assert "No entity of this graph was recognised" in missing
    assert "a list of genes" in missing
    assert "Not recognised: Jabberwock" in missing


def test_what_is_recognised_but_not_joined_is_named(clinic: Asker) -> None:
    apart = clinic.ask("Which places are linked to arachnodactyly?").abstained
    assert apart is not None
    assert "'arachnodactyly' as Arachnodactyly (Phenotype)" in apart
    assert "a list of places" in apart


def test_the_cost_of_a_model_is_told_question_by_question(clinic: Asker) -> None:
    model = Scripted(lambda request: "FBN2 is linked to Beals syndrome.", scores={"A": -1.0, "B": -2.0})
    resources = Resources(clinic.resources.engine, store=clinic.resources.store, encoder=None, model=model)
    asker = Asker(resources, CypherStrategy(choose="always"))
    first, second = (
        asker.ask(text) for text in ("Which genes explain ectopia lentis?", "Which genes cause Beals syndrome?")
    )
    assert (first.usage.calls, second.usage.calls) == (3, 2 * bool(second.decided) + 1)
    assert second.text == "FBN2 is linked to Beals syndrome."
    assert second.usage.completion_tokens == 6


def test_a_model_may_be_kept_from_phrasing(with_model) -> None:
    model = Scripted([])
    answer = with_model(model).ask("Which genes cause Beals syndrome?")
    assert (answer.usage.calls, model.requests) == (0, [])


def test_as_likely_a_reading_is_tried_where_the_first_finds_nothing(clinic: Asker) -> None:
    """Both plans rank alike; only one of them has rows."""
    answer = clinic.ask("Ectopia lentis together with myopia: which genes could explain it?")
    assert [item.name for item in answer.items] == ["ADAMTSL4"]
    assert "an equally likely interpretation finds nothing" in answer.interpretation


def test_cypher_is_answered_like_a_question(clinic: Asker) -> None:
    answer = answer_cypher(
        clinic, "MATCH (d:disease {name: 'Marfan syndrome'})<-[:linked_to]-(g:Gene) RETURN g.name, g.id"
    )
    assert [item.id for item in answer.items] == ["G:1"]
    assert len(answer.repairs) == 2
    assert {triple.object for triple in answer.evidence.triples} == {"D:1", "D:2"}
    assert answer_cypher(clinic, "MATCH (g:Gene) RETURN count(g)").value == 3
    path = answer_cypher(clinic, "MATCH p = shortestPath((a {id: 'G:1'})-[*..4]-(b {id: 'P:1'})) RETURN p")
    assert (path.kind, path.value) == ("path", True)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("MATCH (g:Gene) DELETE g", "DELETE is not allowed"),
        ("MATCH (g:Gene)-[:CURES]->(d) RETURN g", "no relationship CURES"),
        ("MATCH (g:Gene)-[r:ASSOCIATED_WITH]->(d) RETURN r", "an answer lists"),
        ("MATCH p = shortestPath((a:Gene)-[*..4]-(b:Disease)) RETURN p", "named entities"),
        ("MATCH (d:Disease {name: 'Gout'}) RETURN d", "no Disease of the name"),
        ("", "empty"),
    ],
)
def test_cypher_that_cannot_be_answered_is_one_sentence(clinic: Asker, query: str, why: str) -> None:
    with pytest.raises(QueryError, match=why):
        answer_cypher(clinic, query)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (g)-[:ASSOCIATED_WITH]->(d) RETURN g, count(d) AS n ORDER BY n DESC LIMIT 2",
        "MATCH (d)-[r:HAS_PHENOTYPE]->(p) RETURN d, count(r) AS n ORDER BY n DESC LIMIT 2",
        "MATCH (d:Disease) OPTIONAL MATCH (d)-[:HAS_PHENOTYPE]->(p) RETURN d, count(p) AS n",
        "MATCH (d:Disease)--(x) RETURN DISTINCT d LIMIT 3",
        "MATCH (d:Disease) WHERE NOT (d)-[:HAS_PHENOTYPE]->({name: 'Arachnodactyly'}) RETURN d.name",
        "MATCH (p:Phenotype)-[:IS_A*0..3]->(q {id: 'P:3'}) RETURN p",
        "MATCH (d:Disease) WHERE d.name STARTS WITH 'M' RETURN count(*) > 0",
        "MATCH (d:Disease) WHERE d.name STARTS WITH 'M' RETURN count(DISTINCT d.name)",
        "MATCH (d:Disease)-[:HAS_PHENOTYPE]->(p) WITH d, count(p) AS n WHERE n > 1 RETURN d.name, n",
    ],
)
def test_every_shape_of_query_is_put_into_words(clinic: Asker, query: str) -> None:
    answer = answer_cypher(clinic, query)
    assert answer.items or answer.value is not None
    assert answer.text
    assert answer.interpretation[0].startswith("interpreted as: ")
    assert {item.id for item in answer.items} <= set(read_entities(clinic.resources.engine, ("id",))["id"].to_pylist())


def test_what_was_kept_for_a_graph_is_freed_with_it(hpo: Path) -> None:
    graph = clew.open(hpo)
    clew.ask(graph, "Which genes are associated with Marfan syndrome?")
    opened = ref(graph)
    del graph
    gc.collect()
    assert opened() is None
