"""A verb has the doer that the question says, and no hop that nobody said leads to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from askers import asker_of_rows
from clew.answer import Asker


@pytest.fixture(scope="module")
def stable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    rows = [
        ("Hedda Lunde", "Groom", "brushes", "Copper Rain", "Horse"),
        ("Hedda Lunde", "Groom", "brushes", "Night Fern", "Horse"),
        ("Ivan Brask", "Groom", "brushes", "Old Tansy", "Horse"),
        ("Copper Rain", "Horse", "eats", "lucerne", "Fodder"),
        ("Old Tansy", "Horse", "eats", "barley mash", "Fodder"),
        ("Copper Rain", "Horse", "stabled_in", "East Block", "Building"),
        ("Copper Rain", "Horse", "ridden_by", "Marit Aas", "Jockey"),
        ("Old Tansy", "Horse", "ridden_by", "Pia Holm", "Jockey"),
        ("Night Fern", "Horse", "received", "Silver Spur", "Prize"),
        ("Hedda Lunde", "Groom", "is_trained_on", "Hot Walker", "Machine"),
        ("Night Fern", "Horse", "annoyed_by_insect", "Gadfly", "Insect"),
        ("Old Tansy", "Horse", "stolen_from", "Karl Moe", "Farmer"),
    ]
    with asker_of_rows(tmp_path_factory.mktemp("stable"), rows) as asker:
        yield asker


@pytest.mark.parametrize(
    ("question", "ends"),
    [
        ("Does Hedda Lunde eat lucerne?", "eats leads from horses to fodders"),  # her horse does
        ("Does East Block eat lucerne?", "eats leads from horses to fodders"),
        ("Is Copper Rain trained on the Hot Walker?", "is_trained_on leads from grooms to machines"),
        ("Does Copper Rain brush Hedda Lunde?", "brushes leads from grooms to horses"),
        ("Is Hedda Lunde brushed by Copper Rain?", "brushes leads from grooms to horses"),
        ("Does lucerne eat Copper Rain?", "eats leads from horses to fodders"),
        ("Did Silver Spur receive Night Fern?", "received leads from horses to prizes"),
        ("Is Marit Aas ridden by Copper Rain?", "ridden_by leads from horses to jockeys"),
    ],
)
def test_what_no_statement_can_say_is_declined_with_the_ends_of_the_relation(
    stable: Asker, question: str, ends: str
) -> None:
    answer = stable.ask(question)
    assert answer.abstained is not None
    assert ends in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Which grooms eat lucerne?",
        "How many grooms eat lucerne?",
        "Which jockeys eat lucerne?",
        "Which horses are trained on the Hot Walker?",
        "Which horses brush Hedda Lunde?",
        "Which grooms does Copper Rain brush?",
        "Which jockeys are ridden by Copper Rain?",
    ],
)
def test_a_list_of_others_is_never_sure(stable: Asker, question: str) -> None:
    answer = stable.ask(question)
    assert answer.abstained is not None or answer.certainty == "doubtful"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which horses eat lucerne?", {"Copper Rain"}),
        ("Which horses does Hedda Lunde brush?", {"Copper Rain", "Night Fern"}),
        ("Which grooms brush horses that eat lucerne?", {"Hedda Lunde"}),
        ("Which horses received Silver Spur?", {"Night Fern"}),
        ("Which jockeys ride Copper Rain?", {"Marit Aas"}),
        ("Which horses are ridden by Marit Aas?", {"Copper Rain"}),
        ("Which grooms are trained on the Hot Walker?", {"Hedda Lunde"}),
        ("Which insects annoyed Night Fern?", {"Gadfly"}),
    ],
)
def test_plain_questions_stay_sure(stable: Asker, question: str, found: set[str]) -> None:
    answer = stable.ask(question)
    assert ({item.name for item in answer.items}, answer.certainty) == (found, "sure")


@pytest.mark.parametrize(
    "question",
    ["Does Copper Rain eat lucerne?", "Is Copper Rain brushed by Hedda Lunde?", "Does Marit Aas ride Copper Rain?"],
)
def test_a_plain_yes_stays_sure(stable: Asker, question: str) -> None:
    answer = stable.ask(question)
    assert (answer.value, answer.certainty) == (True, "sure")


def test_words_that_are_not_the_name_of_a_relation_may_lead_over_a_hop_but_not_backwards(tmp_path: Path) -> None:
    rows = [
        ("FBN9", "Gene", "associated_with", "Marlow syndrome", "Disease"),
        ("Marlow syndrome", "Disease", "has_phenotype", "Long fingers", "Phenotype"),
    ]
    with asker_of_rows(tmp_path, rows) as asker:
        plain = asker.ask("Which genes cause long fingers?")
        assert (plain.certainty, [item.name for item in plain.items]) == ("sure", ["FBN9"])
        for turned in ("Does Marlow syndrome cause FBN9?", "Does long fingers cause FBN9?"):
            assert asker.ask(turned).abstained is not None
        for turned in ("Which diseases cause FBN9?", "Which diseases are a feature of long fingers?"):
            answer = asker.ask(turned)
            assert answer.abstained is not None or answer.certainty == "doubtful"
        for right in ("Which phenotypes characterise Marlow syndrome?", "Which diseases result from FBN9?"):
            assert asker.ask(right).signs["contradicted"] == 0


def test_a_verb_that_goes_both_ways_is_not_turned(tmp_path: Path) -> None:
    rows = [
        ("Ana Reyes", "Actor", "acted_in", "Low Tide", "Film"),
        ("Ben Osei", "Actor", "acted_in", "High Noon", "Film"),
    ]
    with asker_of_rows(tmp_path, rows) as asker:
        answer = asker.ask("Which films star Ana Reyes?")
        assert (answer.signs["contradicted"], [item.name for item in answer.items]) == (0, ["Low Tide"])


@pytest.mark.parametrize(
    ("question", "sure"), [("Who stole Old Tansy?", False), ("Who was Old Tansy stolen from?", True)]
)
def test_who_stole_it_is_not_whom_it_is_stolen_from(stable: Asker, question: str, sure: bool) -> None:
    assert (stable.ask(question).certainty == "sure") is sure
