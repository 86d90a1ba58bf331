"""Relations as strangers name them, in sentences: from either end, of one thing and of several, stated and denied."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Asker
from clew.answer.kept import words_of
from clew.answer.plans.cypher.read import read_plan
from clew.answer.wording.plan_phrases import question_phrase, verbalise
from clew.answer.wording.relation_words import RelationWords
from clew.answer.wording.step_phrases import End, StepPhrase
from clew.store.cypher import parse

INCIDENTS, HOSPITALS = End(["incident"]), End(["hospital"])
MERCY, HARBOUR = End(["hospital"], 1, named=True), End(["incident"], 1, named=True)


def said(
    relation: str, here: End, there: End, *, forward: bool = True, absent: bool = False, had: str = ""
) -> tuple[str, str]:
    words = RelationWords.between(relation.replace("_", " "), "incident", "hospital", own=relation)
    return StepPhrase([words], [had], here, there, forward, absent).templates


@pytest.mark.parametrize(
    ("relation", "of_subjects", "denied", "of_objects"),
    [
        ("last_seen_at", "last seen at {}", "not known to have been last seen at {}", "that {} was last seen at"),
        ("is_part_of", "that are part of {}", "not known to be part of {}", "that {} is part of"),
        ("allergic_to", "allergic to {}", "not known to be allergic to {}", "that {} is allergic to"),
        ("same_as", "the same as {}", "not known to be the same as {}", "that {} is the same as"),
        ("may_treat", "that may treat {}", "not known to possibly treat {}", "that {} may treat"),
        ("went_to", "that went to {}", "not known to have gone to {}", "that {} went to"),
        ("co_occurs_with", "that co-occur with {}", "not known to co-occur with {}", "that {} co-occurs with"),
        ("incident_treated_at_hospital", "treated at {}", "not known to be treated at {}", "that {} is treated at"),
        ("BELONGS TO CLASS".lower(), "that belong to class {}", "not known to belong to class {}",
         "listed as class that {} belongs to"),
        ("casualty_taken_to", "with the casualty_taken_to {}", "without the casualty_taken_to {}",
         "listed as casualty_taken_to of {}"),
        ("P31", "with the P31 {}", "without the P31 {}", "listed as P31 of {}"),
        ("odd{}name_sent_to", "with the odd{{}}name_sent_to {}", "without the odd{{}}name_sent_to {}",
         "listed as odd{{}}name_sent_to of {}"),
    ],
)  # fmt: skip
def test_of_a_named_thing(relation: str, of_subjects: str, denied: str, of_objects: str) -> None:
    assert said(relation, INCIDENTS, MERCY)[0] == of_subjects
    assert said(relation, INCIDENTS, MERCY, absent=True)[0] == denied
    assert said(relation, HOSPITALS, HARBOUR, forward=False)[0] == of_objects


def test_verbs_agree_with_what_stands_before_them() -> None:
    every = End(["incident"], 1, counted=True)
    assert said("reports_to", HOSPITALS, every, forward=False)[0] == "that {} reports to"
    assert said("reports_to", HOSPITALS, INCIDENTS, forward=False)[0] == "that {} report to"
    assert said("reports_to", HOSPITALS, HARBOUR, forward=False)[1] == "that {} report to"
    assert said("capital_of", HOSPITALS, HARBOUR, forward=False, absent=True) == (
        "that {} is not known to be a capital of",
        "that {} are not known to be capitals of",
    )


def test_a_noun_after_a_verb_says_what_the_far_end_is() -> None:
    most = End(["hospital"], counted=True)
    assert said("holds_office", INCIDENTS, HOSPITALS)[0] == "that hold an office among {}"
    assert said("holds_office", INCIDENTS, most)[0] == "that hold {} as offices"
    assert said("holds_office", INCIDENTS, MERCY)[1] == "that hold {} as offices"
    assert said("holds_office", HOSPITALS, HARBOUR, forward=False, absent=True)[0] == (
        "not listed as office that {} holds"
    )


def test_what_is_had_is_named_unless_its_type_is_called_so() -> None:
    member, person = End(["member"], 1, named=True), End(["person"], 1, named=True)
    assert said("has_member", INCIDENTS, member, had="member") == ("with {}", "with {}")
    assert said("has_member", INCIDENTS, person, had="member") == ("with the member {}", "with {} as members")
    assert said("has_member", INCIDENTS, End(["person"]), had="member")[0] == "with a member among {}"


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    rows = [
        ("Harbour fire", "Incident", "casualty_taken_to", "Mercy", "Hospital"),
        ("Bridge crash", "Incident", "casualty_taken_to", "Mercy", "Hospital"),
        ("Bridge crash", "Incident", "casualty_taken_to", "Saint Luke", "Hospital"),
        ("Aspirin", "Substance", "BELONGS_TO_CLASS", "Salicylates", "DrugClass"),
        ("Salsalate", "Substance", "BELONGS_TO_CLASS", "Salicylates", "DrugClass"),
        ("Ibuprofen", "Substance", "BELONGS_TO_CLASS", "Propionates", "DrugClass"),
        ("Aspirin", "Substance", "may_treat", "Gout", "Condition"),
        ("Salsalate", "Substance", "may_treat", "Gout", "Condition"),
        ("Gout", "Condition", "first_described_by", "Max Planter", "Person"),
        ("Ada Byron", "Person", "co_authored_with", "Max Planter", "Person"),
        ("Aspirin", "Substance", "substance_targets_gene", "GENE7", "Gene"),
        ("Tide Choir", "Choir", "hasMember", "Ada Byron", "Person"),
        ("Tide Choir", "Choir", "hasMember", "Max Planter", "Person"),
        ("Mercy", "Hospital", "main_sponsor", "Tide Choir", "Choir"),
        ("Mercy", "Hospital", "currently_owned_by", "Ada Byron", "Person"),
    ]
    with asker_of_rows(tmp_path_factory.mktemp("strangers"), rows) as asker:
        yield asker


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "Which hospitals were casualties of Bridge crash taken to?",
            "2 hospitals listed as casualty_taken_to of Bridge crash: Mercy and Saint Luke.",
        ),
        ("How many incidents had a casualty taken to Saint Luke?", "1 incident with the casualty_taken_to Saint Luke."),
        (
            "Which drug class does every substance that may treat Gout belong to?",
            "1 drug class that every substance that may treat Gout belongs to: Salicylates (2).",
        ),
        ("Which substances belong to Propionates?", "1 substance that belongs to Propionates: Ibuprofen."),
        ("Which substances may not treat Gout?", "1 substance not known to possibly treat Gout: Ibuprofen."),
        ("Who first described Gout?", "1 person who first described Gout: Max Planter."),
        ("Who co-authored with Max Planter?", "1 person who co-authored with Max Planter: Ada Byron."),
        ("Which genes does Aspirin target?", "1 gene that Aspirin targets: GENE7."),
        ("Which choirs have Ada Byron as a member?", "1 choir with the member Ada Byron: Tide Choir."),
        ("Which choir has the most members?", "1 choir with the most people as members: Tide Choir (2)."),
        ("Who currently owns Mercy?", "1 person who Mercy is currently owned by: Ada Byron."),
    ],
)
def test_answers(strangers: Asker, question: str, text: str) -> None:
    assert strangers.ask(question).text == text


def test_one_thing_without_a_name_has_verbs_in_the_singular(strangers: Asker) -> None:
    words = words_of(strangers.resources)
    checked = "MATCH (h:Hospital)-[:MAIN_SPONSOR]->(c:Choir)-[:HAS_MEMBER]->(p:Person) RETURN count(*) > 0"
    assert question_phrase(read_plan(parse(checked), {}), {"h": "Mercy"}, words) == (
        "whether Mercy has as main sponsor a choir with a member among people"
    )
    chained = "MATCH (a:Person)<-[:FIRST_DESCRIBED_BY]-(c:Condition)<-[:MAY_TREAT]-(s:Substance) RETURN count(*) > 0"
    assert question_phrase(read_plan(parse(chained), {}), {"a": "Max"}, words) is None  # no step begins with Max
    once = "MATCH (s:Substance)-[:BELONGS_TO_CLASS]->(d:DrugClass) WITH d, count(DISTINCT s) AS n WHERE n >= 1 RETURN d"
    assert verbalise(read_plan(parse(once), {}), {}, words) == "drug classes that at least 1 substance belongs to"


def test_either_way_is_said_of_relations_that_hold_both_ways_alone(strangers: Asker) -> None:
    words = words_of(strangers.resources)
    authors = read_plan(parse("MATCH (a:Person)-[:CO_AUTHORED_WITH]-(b:Person) RETURN a"), {})
    assert verbalise(authors, {"b": "Max"}, words) == "people who co-authored with Max"
    owned = read_plan(parse("MATCH (a)-[:CURRENTLY_OWNED_BY]-(b:Person) RETURN a"), {})
    assert verbalise(owned, {"b": "Ada"}, words) is None
