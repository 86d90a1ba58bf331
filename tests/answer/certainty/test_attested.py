"""What the linker of words and schema does not bear out is never sure: it knows no list of synonyms."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from askers import asker_of_csv
from clew.answer import Asker
from clew.answer.certainty.attested import is_attested
from clew.answer.hearing.linking import Meant
from clew.answer.kept import composer_of, words_of
from clew.answer.reading.account import account_for
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.question import understand
from clew.answer.sketch.sketch import split_words
from clew.answer.strategies import readers

ENTITIES = (
    "id,name,type\ni1,Cellar Slug,insect\ni2,Ash Fly,insect\np1,Mallet,plant\np2,Thrift,plant\nb1,North Bed,bed\n"
)
STATED = "subject,predicate,object\ni1,eats,p1\np2,repels,i1\ni2,eats,p2\np1,grows_in,b1\np2,grows_in,b1\n"


class Told:
    """A linked question that says of single words what they mean, and of several that they mean nothing."""

    def __init__(self, question: str, meant: Mapping[str, Mapping[str, float]]) -> None:
        self._words, self._said = [word.text for word in split_words(question, [])], meant

    def meant(self, numbers: Sequence[int]) -> Meant:
        relations = self._said.get(self._words[numbers[0]], {}) if len(numbers) == 1 else {}
        return Meant({}, relations, {}, {}, {}, 1 - sum(relations.values()))


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    """Answers by both readers."""
    with asker_of_csv(tmp_path_factory.mktemp("garden"), STATED, ENTITIES) as asker:
        yield Asker(type(asker.resources)(asker.resources.engine, store=asker.resources.store))


@pytest.mark.parametrize(
    ("question", "query", "meant", "expected"),
    [
        ("Which insects devour plants?", "(i:insect)-[:EATS]->(:plant)", {"devour": {"EATS": 0.9}}, True),
        ("Which insects devour plants?", "(i:insect)-[:EATS]->(:plant)", {"devour": {"EATS": 0.2}}, False),
        ("Which insects eat plants?", "(i:insect)-[:EATS]->(:plant)", {}, True),  # in its own words
        (
            "Which insects devour plants?",
            "(i:insect)-[:EATS]->(:plant)",
            {"devour": {"EATS": 0.3, "REPELS": 0.65}},
            False,
        ),
        ("Which insects eat healing plants?", "(i:insect)-[:EATS]->(:plant)", {"healing": {"GROWS_IN": 0.7}}, False),
        (  # nobody has to say what leads on, if no word was taken for it
            "Which insects devour plants?",
            "(i:insect)-[:EATS]->(:plant)-[:GROWS_IN]->(:bed)",
            {"devour": {"EATS": 0.9}},
            True,
        ),
    ],
)
def test_each_relation_that_words_are_taken_for_is_meant(
    garden: Asker, question: str, query: str, meant: Mapping[str, Mapping[str, float]], expected: bool
) -> None:
    resources, words = garden.resources, words_of(garden.resources)
    parsed = understand(question, resources.linker, words, parser=resources.parser)
    composer = composer_of(resources)
    candidate = composer.read(f"MATCH {query} RETURN i", parsed, composer.placeholders(parsed)).candidate
    read = Interpretation(
        parsed, candidate, account=account_for(parsed, candidate, words, next(iter(parsed.trees), None))
    )
    said = split_words(question, [])
    assert is_attested(read, Told(question, meant), said, words, ()) is expected  # type: ignore[arg-type]


def test_only_what_is_said_in_other_words_has_to_be_borne_out(garden: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    assert garden.ask("Which insects hunt Mallet?").certainty == "sure"
    monkeypatch.setattr(readers, "is_attested", lambda *given: False)
    answer = garden.ask("Which insects hunt Mallet?")
    assert (answer.certainty, [item.name for item in answer.items]) == ("doubtful", ["Cellar Slug"])
    assert answer.interpretation[-1] == "words may mean another relation of this graph, or none"
    assert garden.ask("Which insects eat Mallet?").certainty == "sure"
