"""Why a question is declined: the words that nothing in the graph stands for, each in a sentence that fits it."""

from clew.answer.grammar.roles import ASKED, STRUCTURE
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


def test_other_words_keep_their_roles() -> None:
    assert list(_unmet(missing("Which patents cover it?", patents=ASKED, cover=STRUCTURE))) == [
        (ASKED, "patents"),
        (STRUCTURE, "cover"),
    ]
