"""The grammar of queries: the graph's own examples are in it, and all it admits is a plan that reads."""

import re
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.answer import Asker
from clew.answer.kept import words_of
from clew.answer.models.examples import make_examples
from clew.answer.models.schema_grammar import Join, Placeholder, Vocabulary, query_grammar, vocabulary_of
from clew.answer.plans.read import read_plan
from clew.errors import QueryError
from clew.lm.grammar import check_grammar
from clew.store.cypher import parse
from effort import examples
from gbnf import Grammar

PLACEHOLDERS = [Placeholder("gene1", "Gene", "FBN1"), Placeholder("oddtypex1", "Odd `Type` 1", "it's")]
ODD = Vocabulary(
    (Join("Gene", "CAUSES", "Odd `Type` 1"), Join("Gene", "is in", "Gene"), Join("Match", "RETURN", "Gene")),
    {"Gene": "gene", "Odd `Type` 1": "oddtypex", "Match": "thematch", "Alone": "alone"},
    {"name": "string", "size": "integer"},
)
WRITING = re.compile(r"\b(CREATE|MERGE|DELETE|SET|REMOVE|DROP|CALL|LOAD|COPY|FOREACH)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def vocabulary(clinic: Asker) -> Vocabulary:
    return vocabulary_of(clinic.resources.schema)


def test_joins_come_from_the_schema_the_most_frequent_first(vocabulary: Vocabulary) -> None:
    assert vocabulary.joins[0] == Join("Disease", "HAS_PHENOTYPE", "Phenotype")
    assert set(map(str, vocabulary.joins)) == {
        "(:Disease)-[:HAS_PHENOTYPE]->(:Phenotype)",
        "(:Gene)-[:ASSOCIATED_WITH]->(:Disease)",
        "(:Phenotype)-[:IS_A]->(:Phenotype)",
    }


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("MATCH (gene:Gene)-[:ASSOCIATED_WITH]->(:Disease {id: $disease1}) RETURN DISTINCT gene", True),
        ("MATCH (gene:Gene) RETURN count(DISTINCT gene)", True),
        ("MATCH (:Disease {id: $disease1})-[:HAS_PHENOTYPE]->(phenotype:Phenotype) RETURN count(*) > 0", True),
        ("MATCH path = shortestPath((a:Disease {id: $disease1})-[*..4]-(b:Gene {id: $gene1})) RETURN path", True),
        ("MATCH (gene:Gene)<-[:ASSOCIATED_WITH]-(:Disease {id: $disease1}) RETURN DISTINCT gene", False),
        ("MATCH (gene:Gene)-[:ASSOCIATED_WITH]->(:Disease {id: $gene1}) RETURN DISTINCT gene", False),
        ("MATCH (gene:Gene)-[:CAUSES]->(:Disease {id: $disease1}) RETURN DISTINCT gene", False),
        ("MATCH (gene:Gene)-[:ASSOCIATED_WITH]->(:Disease {name: 'Gout'}) RETURN DISTINCT gene", False),
        ("MATCH (gene:Gene) DELETE gene", False),
        ("MATCH (gene:Gene) RETURN DISTINCT gene; MATCH (gene) DELETE gene", False),
        ("CREATE (gene:Gene) RETURN DISTINCT gene", False),
    ],
)
def test_only_what_the_graph_has_can_be_said(vocabulary: Vocabulary, query: str, said: bool) -> None:
    held = [Placeholder("gene1", "Gene", "FBN1"), Placeholder("disease1", "Disease", "Gout")]
    assert Grammar(query_grammar(vocabulary, held)).accepts(query) is said


def test_one_hop_admits_no_second(vocabulary: Vocabulary) -> None:
    two = "MATCH (gene:Gene)-[:ASSOCIATED_WITH]->(:Disease)-[:HAS_PHENOTYPE]->(:Phenotype) RETURN DISTINCT gene"
    assert Grammar(query_grammar(vocabulary, [])).accepts(two)
    assert not Grammar(query_grammar(vocabulary, [], hops=1)).accepts(two)


@pytest.mark.parametrize(
    ("operation", "returned"),
    [("list", "DISTINCT gene"), ("count", "count(DISTINCT gene)"), ("exists", "count(*) > 0"), (None, "DISTINCT gene")],
)
def test_an_operation_returns_what_it_wants(vocabulary: Vocabulary, operation: str | None, returned: str) -> None:
    grammar = Grammar(query_grammar(vocabulary, [], operation=operation))
    every = ("DISTINCT gene", "count(DISTINCT gene)", "count(*) > 0")
    said = [each for each in every if grammar.accepts(f"MATCH (gene:Gene) RETURN {each}")]
    assert said == ([returned] if operation else list(every))


def test_what_is_asked_for_is_what_is_returned(vocabulary: Vocabulary) -> None:
    grammar = Grammar(query_grammar(vocabulary, [], asked=["Gene"]))
    pattern = "MATCH (gene:Gene)-[:ASSOCIATED_WITH]->(disease:Disease) RETURN"
    assert grammar.accepts(f"{pattern} DISTINCT gene")
    assert grammar.accepts(f"{pattern} gene, count(DISTINCT disease) AS number ORDER BY number DESC LIMIT 5")
    assert not grammar.accepts(f"{pattern} DISTINCT disease")
    assert not grammar.accepts(f"{pattern} count(DISTINCT disease)")


def test_only_what_is_denied_can_be_required_not_to_exist(vocabulary: Vocabulary) -> None:
    lonely = "MATCH (gene:Gene) WHERE NOT (gene)-[:ASSOCIATED_WITH]->(:Disease) RETURN DISTINCT gene"
    assert Grammar(query_grammar(vocabulary, [])).accepts(lonely)
    assert not Grammar(query_grammar(vocabulary, [], denying=False)).accepts(lonely)


def test_the_examples_are_sentences_of_it(clinic: Asker, vocabulary: Vocabulary) -> None:
    resources = clinic.resources
    examples = make_examples(resources.engine, resources.schema, vocabulary, words_of(resources))
    assert examples
    for example in examples:
        assert Grammar(query_grammar(vocabulary, example.placeholders)).accepts(example.query), example.query


@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from([1, 3]))
def test_every_sentence_reads_and_none_writes(data: st.DataObject, hops: int) -> None:
    """Whatever a model writes under the grammar is a reading statement; what is no plan is one sentence about why."""
    grammar = query_grammar(ODD, PLACEHOLDERS, hops=hops, values=["12", 'o\'clock \\ "x"'])
    check_grammar(grammar)
    query = data.draw(Grammar(grammar).sentences())
    outside = " ".join(re.sub(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`", " ", query).split())
    assert not WRITING.search(outside)
    statement = parse(query)
    with suppress(QueryError):  # a variable that stands for nothing, say
        read_plan(statement, {"gene1": ("G:1",), "oddtypex1": ("O:1", "O:2")})
