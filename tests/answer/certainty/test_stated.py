"""What a question states outright is in the plan of a sure answer: its order, and the attributes it names."""

from collections.abc import Iterator

import pytest

from askers import asker_of_csv
from clew.answer import Asker
from clew.answer.certainty.stated import departures
from clew.answer.kept import composer_of, owners_of, vocabulary_of, words_of
from clew.answer.reading.account import account_for
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.question import understand

STATED = """subject,relation,object,year
q1,TAGGED,t1,
q2,TAGGED,t1,
u1,ASKED,q1,2019
u2,ASKED,q2,2021
u1,FOLLOWS,u2,
q2,TAGGED,t2,
"""
ENTITIES = """id,name,type,asked_on,view_count,average_vote,text,link,HYR,born,hired_in
q1,How to sort,Question,2019-05-01,10,4.5,I have a list,,,,
q2,How to search,Question,2021-05-01,20,3.5,I have a tree,,,,
t1,python,Tag,,,,,,,,
t2,rust,Tag,,,,,,,,
u1,Ann,User,,,,,http://ann,2011,1980,2011
u2,Bob,User,,,,,http://bob,2009,1979,2009
"""
ALL = "MATCH (question:Question) RETURN question"
SAME = "MATCH (question:Question), (other:Question) WHERE question <> other AND question.asked_on ="
ALL_OF = " RETURN question"
TAGGED = "MATCH (question:Question)-[:TAGGED]->(tag:Tag {name: 'python'}) RETURN question"
ANN = "MATCH (user:User {name: 'Ann'})"
ANNS = f"{ANN}-[r:ASKED]->(question:Question)"
COUNT, N = "MATCH (user:User)-[:ASKED]->(q:Question)", " RETURN count(user)"


@pytest.fixture(scope="module")
def forum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_csv(tmp_path_factory.mktemp("forum"), STATED, ENTITIES) as asker:
        yield asker


@pytest.mark.parametrize(
    ("text", "written", "departs"),
    [
        ("What are the 5 most recent questions?", f"{ALL} ORDER BY question.asked_on LIMIT 5", True),
        ("What are the 5 most recent questions?", f"{ALL} ORDER BY question.asked_on DESC LIMIT 5", False),
        ("What are the first 5 most recent questions?", f"{ALL} ORDER BY question.asked_on LIMIT 5", True),
        ("Which questions were asked on the same day?", f"{SAME} question.asked_on{ALL_OF}", True),
        ("Which questions were asked on the same day?", f"{SAME} other.asked_on{ALL_OF}", False),
        ("What is the oldest question?", f"{ALL} ORDER BY question.asked_on DESC LIMIT 1", True),
        ("What is the oldest question?", f"{ALL} ORDER BY question.asked_on LIMIT 1", False),
        ("List the top 5 questions tagged python.", f"{TAGGED} ORDER BY question.view_count DESC LIMIT 5", True),
        (
            "List the top 5 questions tagged python by views.",
            f"{TAGGED} ORDER BY question.view_count DESC LIMIT 5",
            False,
        ),
        ("List the top 5 questions tagged python.", f"{TAGGED} LIMIT 5", False),
        (
            "What are the top 5 most tagged questions?",
            "MATCH (question:Question)-[:TAGGED]->(tag:Tag) RETURN question ORDER BY question.view_count DESC LIMIT 5",
            True,
        ),
        (
            "What are the top 5 most tagged questions?",
            "MATCH (question:Question)-[:TAGGED]->(tag:Tag) RETURN question, count(tag) AS n ORDER BY n DESC LIMIT 5",
            False,
        ),
        ("Which are the 3 most voted questions?", f"{ALL} ORDER BY question.average_vote DESC LIMIT 3", True),
        ("Which are the 3 most viewed questions?", f"{ALL} ORDER BY question.view_count DESC LIMIT 3", False),
        ("What are the texts of the questions tagged python?", TAGGED, True),
        ("What are the texts of the questions tagged python?", f"{TAGGED}.text", False),
        ("What are the titles of the questions tagged python?", f"{TAGGED}.text", True),
        ("What are the titles of the questions tagged python?", TAGGED, False),
        (
            "Which user links are associated with questions?",
            "MATCH (user:User)-[:ASKED]->(:Question) RETURN user",
            True,
        ),
        (
            "Which user links are associated with questions?",
            "MATCH (user:User)-[:ASKED]->(:Question) RETURN user.link",
            False,
        ),
        ("Which questions are tagged python or rust?", TAGGED, True),
        (
            "Which questions are tagged python or rust?",
            "MATCH (question:Question)-[:TAGGED]->(tag:Tag) WHERE tag.name IN ['python', 'rust'] RETURN question",
            False,
        ),
        (
            "Which users have the most followers?",
            "MATCH (user:User)-[:FOLLOWS]->(other:User) RETURN user, count(other) AS n ORDER BY n DESC LIMIT 5",
            True,
        ),
        (
            "Which users have the most followers?",
            "MATCH (user:User)<-[:FOLLOWS]-(other:User) RETURN user, count(other) AS n ORDER BY n DESC LIMIT 5",
            False,
        ),
        ("Which followers have a link?", "MATCH (user:User) WHERE user.link IS NOT NULL RETURN user", True),
        ("Which questions are about python, not in text?", TAGGED, False),
        (
            "How many users asked a question with the text 'I have a list'?",
            f"{COUNT} WHERE q.text = 'I have a list'{N}",
            False,
        ),
        ("How many users asked a question with the text 'I have a list'?", f"{COUNT}{N}", True),
        ("Which followers asked questions?", "MATCH (user:User)-[:ASKED]->(:Question) RETURN user", False),
        (
            "Which is wordier, How to sort or How to search?",
            f"{ALL} ORDER BY question.view_count DESC LIMIT 1".replace(
                ":Question)", ":Question) WHERE question.name IN ['How to sort', 'How to search']"
            ),
            False,
        ),
        ("Which questions are linked to python?", TAGGED, False),  # a verb that is spelt like an attribute
        (  # a link is an attribute of users, of which this says nothing
            "Which tags does the link between questions and the tag rust come from?",
            "MATCH (question:Question)-[:TAGGED]->(tag:Tag {name: 'rust'}) RETURN question",
            False,
        ),
        ("Who asked the text about how to sort?", f"{COUNT} WHERE q.name = 'How to sort' RETURN user", False),
        ("Who has the text 'How to sort'?", f"{COUNT} WHERE q.name = 'How to sort' RETURN user", True),
        ("How old is Ann?", f"{ANN} RETURN user.HYR", True),  # a code, of whatever it is
        ("How old is Ann?", f"{ANN} RETURN user.hired_in", True),
        ("How old is Ann?", f"{ANN} RETURN user.born", False),
        ("What was up with q1 when Ann asked it?", f"{ANNS} RETURN r.q_year", True),
        ("When did Ann ask q1?", f"{ANNS} RETURN r.q_year", False),
        ("What year did Ann ask q1?", f"{ANNS} RETURN r.q_year", False),
        (
            "How high is the view count of 'How to sort'?",
            "MATCH (question:Question {name: 'How to sort'}) RETURN question.view_count",
            False,
        ),
    ],
)
def test_a_plan_has_what_the_question_states(forum: Asker, text: str, written: str, departs: bool) -> None:
    resources, words = forum.resources, words_of(forum.resources)
    vocabulary = vocabulary_of(resources)
    question = understand(text, resources.linker, words, parser=resources.parser, vocabulary=vocabulary)
    composer = composer_of(resources)
    candidate = composer.read(written, question, composer.placeholders(question)).candidate
    account = account_for(question, candidate, words, next(iter(question.trees), None))
    assert (
        departures(Interpretation(question, candidate, account=account), words, owners_of(resources)) > 0
    ) is departs
