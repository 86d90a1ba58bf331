"""Why a question is declined: the words that nothing in the graph stands for, each in a sentence that fits it."""

from pathlib import Path

from askers import asker_of_csv
from clew.answer.grammar.roles import ASKED, COMPARISON, STRUCTURE
from clew.answer.reading.account import Unbound
from clew.answer.wording.explain import _unmet


def missing(question: str, **roles: str) -> list[Unbound]:
    found = [(question.index(word), word, role) for word, role in roles.items()]
    return [Unbound(start, start + len(word), word, role) for start, word, role in sorted(found)]


def test_a_word_that_asks_is_said_with_what_it_asks() -> None:
    said = list(_unmet(missing("How old was Emil when he died?", How=ASKED, old=STRUCTURE, died=STRUCTURE)))
    assert said == [("said", "how old"), (STRUCTURE, "died")]


def test_a_word_that_asks_stands_alone_where_the_next_is_understood() -> None:
    assert list(_unmet(missing("Why does Emil smoke?", Why=ASKED, smoke=STRUCTURE))) == [
        ("said", "why"),
        (STRUCTURE, "smoke"),
    ]


def test_a_word_that_compares_is_said_with_what_it_compares() -> None:
    said = list(_unmet(missing("Who takes the highest dose of it?", highest=COMPARISON, dose=STRUCTURE)))
    assert said == [(STRUCTURE, "highest dose")]


def test_what_is_recorded_is_not_said_to_be_missing(tmp_path: Path) -> None:
    triples = "subject,relation,object,dose\nP1,takes,R1,5 mg\nP2,takes,R1,10 mg\nP1,lies_on,W1,\nP2,lies_on,W1,\n"
    entities = (
        "id,name,type,beds,age\nP1,Ann Moss,Patient,,81\nP2,Bo Lund,Patient,,40\n"
        "R1,digoxin,Medicine,,\nW1,Elm Ward,Ward,24,\nW2,Oak Ward,Ward,18,\n"
    )
    with asker_of_csv(tmp_path, triples, entities) as asker:
        for text, recorded in (
            ("Who takes the highest dose of digoxin?", "dose of 'takes'"),
            ("What is the total number of beds?", "beds of wards"),
            ("Is Ann Moss older than every other patient?", "age of patients"),
        ):
            answer = asker.ask(text)
            assert answer.abstained is not None
            assert f"this graph records {recorded}" in answer.abstained


def test_other_words_keep_their_roles() -> None:
    assert list(_unmet(missing("Which patents cover it?", patents=ASKED, cover=STRUCTURE))) == [
        (ASKED, "patents"),
        (STRUCTURE, "cover"),
    ]
