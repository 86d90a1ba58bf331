"""Words that mean the same everywhere: a written query that leaves one out is never sure."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Answer, Asker, CypherStrategy, Resources
from trained_model import Trained

STATED = [
    ("Hill v Brook", "Case", "heard_by", "Judge Lane", "Judge"),
    ("Reed v Marsh", "Case", "heard_by", "Judge Crane", "Judge"),
    ("Hill v Brook", "Case", "overrules", "Reed v Marsh", "Case"),
    ("Rex", "Dog", "bit", "Ann Moss", "Person"),
    ("Fly", "Dog", "bit", "Bo Lund", "Person"),
    ("Ann Moss", "Person", "keeps", "Rex", "Dog"),
    ("Ann Moss", "Person", "chairs", "Night Court", "Court"),
    ("GENE1", "Gene", "linked_to", "Ache", "Illness"),
]
BITTEN = "MATCH (dog)-[:BIT]->(person) RETURN person"
OWN = "MATCH (dog)-[:BIT]->(person)-[:KEEPS]->(dog) RETURN person"
CHAIRS = "MATCH (person)-[:CHAIRS]->(court {id: $court1}) RETURN person"
LINKED = "MATCH (gene {id: $gene1})-[:LINKED_TO]->(illness) RETURN illness"
OVERRULING = "MATCH (judge {id: $judge1})<-[:HEARD_BY]-(thecase)-[:OVERRULES]->(thecase2) RETURN count(*) > 0"
OVERRULED = OVERRULING.replace("-[:OVERRULES]->", "<-[:OVERRULES]-")


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("court"), STATED) as asker:
        yield asker


def answered(court: Asker, text: str, query: str) -> Answer:
    own = court.resources
    resources = Resources(own.engine, store=own.store, encoder=None, model=Trained(query))
    return Asker(resources, CypherStrategy(phrase=False)).ask(text)


@pytest.mark.parametrize(
    ("text", "query", "warned"),
    [
        ("Who was bitten by a dog?", BITTEN, False),
        ("Who was bitten by a dog of their own?", BITTEN, True),
        ("Who was bitten by a dog of their own?", OWN, False),
        ("Who chairs the Night Court?", CHAIRS, False),
        ("Who will chair the Night Court?", CHAIRS, True),
        ("Who chairs the Night Court each week?", CHAIRS, False),
        ("Which illnesses is GENE1 linked to?", LINKED, False),
        ("Which illnesses does GENE1 protect from?", LINKED, True),
        ("Has a ruling by Judge Lane ever been overruled?", OVERRULING, True),
        ("Has a ruling by Judge Crane ever been overruled?", OVERRULED, False),
    ],
)
def test_a_query_that_passes_over_a_word_is_doubtful(court: Asker, text: str, query: str, *, warned: bool) -> None:
    answer = answered(court, text, query)
    assert (answer.abstained is not None or answer.certainty == "doubtful") == warned, answer.text
