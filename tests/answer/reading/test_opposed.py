"""A word of help is not met by a relation of harm, nor the reverse; what the graph holds instead is named."""

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from askers import asker_of_rows
from clew.answer import Asker, Resources
from clew.answer.kept import polarity_of
from clew.answer.lexicon.forms import stem
from clew.answer.lexicon.own_words import read_words, save_words
from clew.answer.lexicon.polarity import is_of_that_kind, polarity_at, polarity_of_name
from clew.errors import InputError
from clew.store.layout import Relationship

ENTITIES = [
    ("C:1", "Alphadrug", "Compound"),
    ("C:2", "Betadrug", "Compound"),
    ("C:3", "Gammadrug", "Compound"),
    ("D:1", "Fever", "Disease"),
    ("D:2", "Cramps", "Disease"),
    ("D:3", "Tetany syndrome", "Disease"),
    ("S:1", "Tetany", "SideEffect"),
]
TRIPLES = [
    ("C:1", "treats", "D:1"),
    ("C:2", "causes", "D:1"),
    ("C:3", "contraindicated_for", "D:1"),
    ("C:1", "causes", "D:2"),
    ("C:2", "causes", "S:1"),
    ("C:3", "treats", "D:3"),
    ("C:1", "binds", "C:2"),
]


@pytest.fixture(scope="module")
def pharmacy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    path = tmp_path_factory.mktemp("pharmacy") / "pharmacy.clew"
    entities = pa.table(dict(zip(("id", "name", "type"), zip(*ENTITIES, strict=True), strict=True)))
    triples = pa.table(dict(zip(("subject", "relation", "object"), zip(*TRIPLES, strict=True), strict=True)))
    clew.build(triples, entities=entities, out=path)
    asker = Asker(Resources(clew.open(path), encoder=None))
    yield asker
    asker.close()


def test_relations_have_the_polarity_of_their_names(pharmacy: Asker) -> None:
    assert polarity_of(pharmacy.resources) == {
        "TREATS": "help",
        "CAUSES": "harm",
        "CONTRAINDICATED_FOR": "harm",
        "BINDS": "neither",
    }


@pytest.mark.parametrize(
    ("relation", "polarity"), [("ae", "harm"), ("drug_ci", "harm"), ("indic", "help"), ("loc", "neither")]
)
def test_abbreviated_relations_mean_what_they_are_short_for(relation: str, polarity: str) -> None:
    assert polarity_of_name(Relationship(relation.upper(), relation, 0, False, False, False, (), ())) == polarity


def test_against_is_a_word_of_help() -> None:
    said = [stem(word) for word in ["what", "do", "we", "have", "against", "a", "fever"]]
    assert list(polarity_at(said)) == [(3, "help")]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which drugs treat fever?", {"Alphadrug"}),
        ("What cures fever?", {"Alphadrug"}),
        ("What relieves fever?", {"Alphadrug"}),
        ("Which drugs cause fever?", {"Betadrug"}),
        ("Which drugs that cause cramps treat fever?", {"Alphadrug"}),
        ("Which drugs treat fever and cause cramps?", {"Alphadrug"}),
        ("What treats tetany?", {"Gammadrug"}),  # the disease, not the side effect of the very name
        ("What causes tetany?", {"Betadrug"}),
    ],
)
def test_help_and_harm_are_kept_apart(pharmacy: Asker, question: str, names: set[str]) -> None:
    answer = pharmacy.ask(question)
    assert {item.name for item in answer.items} == names, answer.text


def test_what_the_graph_holds_instead_is_named(pharmacy: Asker) -> None:
    answer = pharmacy.ask("Which drugs treat cramps?")
    assert answer.items == ()
    assert "The graph does hold 1 compound that causes Cramps: Alphadrug." in answer.text
    judged = pharmacy.ask("Does Betadrug treat fever?")
    assert judged.value is False
    assert "Betadrug causes Fever" in judged.text


def test_the_owner_of_a_graph_has_the_last_word(tmp_path: Path) -> None:
    triples = {"subject": ["a", "b"], "relation": ["supports", "attacks"], "object": ["c", "c"]}
    engine = clew.build(pa.table(triples), out=tmp_path / "debate.clew")
    plain = polarity_of(Resources(engine, encoder=None))
    assert plain == {"SUPPORTS": "help", "ATTACKS": "harm"}
    save_words(engine.snapshot, engine.schema, {"polarity": {"attacks": ["neither"]}})
    assert polarity_of(Resources(engine, encoder=None)) == {"SUPPORTS": "help", "ATTACKS": "neither"}
    wrong = tmp_path / "words.json"
    wrong.write_text(json.dumps({"polarity": {"attacks": ["bad"]}}), "utf-8")
    with pytest.raises(InputError, match="expected one of"):
        read_words(wrong)


@pytest.mark.parametrize(
    ("word", "relation", "met"),
    [
        ("ease", "relieves", True),
        ("cure", "relieves", False),
        ("relieve", "treats", True),  # which says no way
        ("prevent", "treats", False),
        ("prevents", "prevents", True),
        ("safe", "indicated_for", False),
        ("worsens", "causes", False),
        ("aggravate", "worsens", True),
        ("helps", "relieves", True),
    ],
)
def test_what_helps_in_one_way_need_not_help_in_another(word: str, relation: str, met: bool) -> None:
    known = Relationship(relation.upper(), relation, 0, False, False, False, (), (), relation)
    assert is_of_that_kind(stem(word), known) is met


def test_what_eases_is_no_answer_to_what_prevents(tmp_path: Path) -> None:
    rows = [
        ("Wall slide", "Exercise", "eases", "Hip fracture", "Condition"),
        ("Squat", "Exercise", "eases", "Backache", "Condition"),
    ]
    with asker_of_rows(tmp_path, rows) as asker:
        assert [item.name for item in asker.ask("Which exercises relieve backache?").items] == ["Squat"]
        assert asker.ask("Which exercises prevent backache?").abstained is not None
