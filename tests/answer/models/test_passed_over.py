"""Words that mean the same everywhere: a written query that leaves one out is never sure."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from askers import asker_of_csv, asker_of_rows
from clew.answer import Answer, Asker, CypherStrategy, Resources
from trained_model import Trained

STATED = [
    ("Hill v Brook", "Case", "heard_by", "Judge Lane", "Judge"),
    ("Reed v Marsh", "Case", "heard_by", "Judge Crane", "Judge"),
    ("Hill v Brook", "Case", "overrules", "Reed v Marsh", "Case"),
    ("Rex", "Dog", "bit", "Ann Moss", "Person"),
    ("Fly", "Dog", "bit", "Bo Lund", "Person"),
    ("Ann Moss", "Person", "keeps", "Rex", "Dog"),
    ("Bo Lund", "Person", "keeps", "Gip", "Dog"),
    ("Cy Hart", "Person", "keeps", "Rex", "Dog"),
    ("Ann Moss", "Person", "chairs", "Night Court", "Court"),
    ("GENE1", "Gene", "linked_to", "Ache", "Illness"),
    ("Night Court", "Court", "hears", "Appeal", "Matter"),
    ("Day Court", "Court", "hears", "Appeal", "Matter"),
    ("Night Court", "Court", "hears", "Divorce", "Matter"),
]
BITTEN = "MATCH (dog)-[:BIT]->(person) RETURN person"
OWN = "MATCH (dog)-[:BIT]->(person)-[:KEEPS]->(dog) RETURN person"
CHAIRS = "MATCH (person)-[:CHAIRS]->(court {id: $court1}) RETURN person"
HEARS = "MATCH (court)-[:HEARS]->(matter {id: $matter1}) RETURN court"
MOST = "MATCH (court)-[:HEARS]->(matter) RETURN court, count(matter) AS number ORDER BY number DESC LIMIT 1"
HEARD = "MATCH (court)-[:HEARS]->(matter) RETURN court"
ALONE = (
    "MATCH (court)-[:HEARS]->(matter {id: $matter1}) "
    "WHERE NOT EXISTS { MATCH (court)-[:HEARS]->(matter2) WHERE matter2 <> matter } RETURN court"
)
KEEPERS = "MATCH (person)-[:KEEPS]->(dog) WHERE NOT EXISTS { MATCH (%s)-[:BIT]->(%s) } RETURN person"
KEPT = "MATCH (person)-[:KEEPS]->(dog {id: $dog1}) RETURN person"
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
        ("Who is going to chair the Night Court?", CHAIRS, True),
        ("Who chairs the Night Court each week?", CHAIRS, False),
        ("Which courts hear appeal cases?", HEARS, False),
        ("Which court hears the most matters of all?", MOST, False),
        ("Which courts hear all matters?", HEARD, True),
        ("Which courts hear appeal cases and nothing else?", HEARS, True),
        ("Which courts hear nothing but appeal cases?", ALONE, False),
        ("Which people keep dogs, none of which bite people?", KEEPERS % ("dog", "person2"), False),
        ("Which people keep dogs and are bitten by none of them?", KEEPERS % ("dog2", "person"), True),
        ("Who keeps Rex?", KEPT, False),
        ("I am not asking who was bitten by Rex. Who keeps Rex?", KEPT, True),
        ("Which illnesses is GENE1 linked to?", LINKED, False),
        ("Which illnesses does GENE1 protect from?", LINKED, True),
        ("Has a ruling by Judge Lane ever been overruled?", OVERRULING, True),
        ("Has a ruling by Judge Crane ever been overruled?", OVERRULED, False),
    ],
)
def test_a_query_that_passes_over_a_word_is_doubtful(court: Asker, text: str, query: str, *, warned: bool) -> None:
    answer = answered(court, text, query)
    assert (answer.abstained is not None or answer.certainty == "doubtful") == warned, answer.text


HORSES = [
    ("Ann Moss", "Owner", "owns", "Rex", "Horse", "2001", ""),
    ("Ann Moss", "Owner", "owns", "Fly", "Horse", "2003", "2004"),
    ("Rex", "Horse", "trained_by", "Bo Lund", "Trainer", "2001", "2002"),
    ("Fly", "Horse", "trained_by", "Cy Hart", "Trainer", "2003", ""),
    ("Ann Moss", "Owner", "owns", "Ash", "Horse", "2005", ""),
    ("Ash", "Horse", "trained_by", "Di Fox", "Trainer", "2005", ""),
]
NOW = "MATCH (owner {id: $owner1})-[r:OWNS]->(horse)-[r2:TRAINED_BY]->(trainer) WHERE r.q_until IS NULL RETURN trainer"


@pytest.mark.parametrize(
    ("query", "warned"), [(NOW, True), (NOW.replace("NULL RETURN", "NULL AND r2.q_until IS NULL RETURN"), False)]
)
def test_what_is_now_has_ended_nowhere(tmp_path: Path, query: str, *, warned: bool) -> None:
    with asker_of_rows(tmp_path, HORSES, "since", "until") as stable:
        answer = answered(stable, "Which trainers currently train a horse that Ann Moss owns?", query)
    assert (answer.abstained is not None or answer.certainty == "doubtful") == warned, answer.text


FINE = "MATCH (stamp) WHERE stamp.perforation >= 14 RETURN stamp"
FINEST = "MATCH (stamp) RETURN stamp ORDER BY stamp.perforation DESC LIMIT 1"
ISSUED = "MATCH (stamp)-[:ISSUED_BY]->(office) RETURN stamp ORDER BY stamp.perforation DESC LIMIT 1"


@pytest.mark.parametrize(
    ("text", "query", "warned"),
    [
        ("Which stamps have a perforation of 14 or higher?", FINE, False),
        ("Which stamps have a perforation of 14 or finer?", FINE, True),  # no list says which way finer goes
        ("Which stamp has the highest perforation of all?", FINEST, False),
        ("Which stamp do all of the offices issue?", ISSUED, True),
    ],
)
def test_words_beside_a_bound_and_an_order(tmp_path: Path, text: str, query: str, warned: bool) -> None:
    stated, entities = "subject,relation,object\ns1,issued_by,p1\n", "id,name,type,perforation\ns1,Rose,Stamp,14\n"
    with asker_of_csv(tmp_path, stated, f"{entities}p1,Post,Office,\n") as stamps:
        answer = answered(stamps, text, query)
    assert (answer.certainty == "doubtful") is warned
