"""Clauses that the grammar of a question has: who is joined to whom by which words, and what is denied."""

import pytest

from clew.answer.grammar.clauses import describe_clause, find_clauses
from clew.answer.grammar.parse import Known, Parser, open_parser


@pytest.fixture(scope="module")
def parser() -> Parser:
    opened = open_parser()
    assert opened is not None, "run `clew models get english`"
    return opened


def known(text: str) -> tuple[str, list[Known]]:
    """A question with its names in brackets, without them; and where the names stand."""
    names = []
    while "[" in text:
        start, end = text.index("["), text.index("]") - 1
        names.append(Known(start, end, "name", len(names)))
        text = text.replace("[", "", 1).replace("]", "", 1)
    return text, names


@pytest.mark.parametrize(
    ("question", "asked", "clauses"),
    [
        ("Which drugs treat [gout]?", "drugs", ["drugs [treat] §"]),
        ("Which films did [Ana Ruiz] produce?", "films", ["§ [produce] films"]),
        ("What does [Warfarin] bind to?", "What", ["§ [bind to] What"]),
        (
            "Which drugs treat [gout], inhibit [COX2] and cause [rash]?",
            "drugs",
            ["drugs [treat] §", "drugs [inhibit] §", "drugs [cause] §"],
        ),
        (
            "Which players play for teams that beat the [Lions] but are not based in [Corby]?",
            "players",
            ["players [play for] teams", "teams [beat] §", "not teams [based in] §"],
        ),
        (
            "Which airlines fly to [Barajas] but not to [Portela]?",
            "airlines",
            ["airlines [fly to] §", "not airlines [fly to] §"],
        ),
        (
            "In which country is the school where [Ana Ruiz] trained?",
            "country",
            ["school [is In] country", "§ [trained] school"],
        ),
        ("Who directed the sequel of [Night Harbour]?", "Who", ["Who [directed] sequel", "sequel [sequel of] §"]),
    ],
)
def test_some_tree_has_the_clauses(parser: Parser, question: str, asked: str, clauses: list[str]) -> None:
    text, names = known(question)
    found = []
    for tree in parser.trees(text, names):
        sentence = find_clauses(tree)
        said = "" if sentence.asked is None else tree.words[sentence.asked].text
        found.append((said, [describe_clause(each, tree.words) for each in sentence.clauses]))
    assert (asked, clauses) in found


def test_words_stand_where_they_stood_in_the_question(parser: Parser) -> None:
    text, names = known("Which films did [Ana Ruiz] direct?")
    for tree in parser.trees(text, names):
        for word in tree.words:
            written = text[word.start : word.end]
            assert (
                word.text == "?"
                or (word.anchor is not None and written == "Ana Ruiz")
                or word.text.lower() == written.lower()
            )


def test_english_words_are_known(parser: Parser) -> None:
    assert parser.knows("president")
    assert parser.knows("Directed")
    assert not parser.knows("sympoms")
