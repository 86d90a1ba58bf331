"""Queries that a trained model writes nearly rightly mean what a reader of the graph would say they mean."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from askers import asker_of_rows, found_by_query
from clew.answer import Asker
from clew.answer.kept import composer_of
from clew.answer.models.repairs.values import ranks_texts
from clew.answer.models.trained import brief
from clew.answer.plans.cypher.read import read_plan
from clew.errors import QueryError
from clew.store.cypher import parse

STATED = [  # subject, its type, relation, object, its type, how often, from when on
    ("Ann", "Nurse", "works_on", "Elm Ward", "Ward", None, None),
    ("Bea", "Nurse", "works_on", "Elm Ward", "Ward", None, None),
    ("Carl", "Doctor", "works_on", "Elm Ward", "Ward", None, None),
    ("Dan", "Doctor", "works_on", "Oak Ward", "Ward", None, None),
    ("Ann", "Nurse", "supervises", "Bea", "Nurse", None, None),
    ("Carl", "Doctor", "supervises", "Ann", "Nurse", None, None),
    ("Carl", "Doctor", "shares_office_with", "Dan", "Doctor", None, None),
    ("Gout", "Illness", "has_sign", "Pain", "Sign", "9/10", "x:Old age"),
    ("Gout", "Illness", "has_sign", "Fever", "Sign", "1/10", "x:Youth"),
    ("Flu", "Illness", "has_sign", "Fever", "Sign", "80%", "x:Youth"),
    ("Ann", "Nurse", "is_in", "Youth", "Age", None, None),
    ("Bea", "Nurse", "is_in", "Old age", "Age", None, None),
    ("Flu", "Illness", "kind_of", "Infection", "Illness", None, None),
    ("Infection", "Illness", "kind_of", "Ailment", "Illness", None, None),
    ("Ann", "Nurse", "nurses", "Flu", "Illness", None, None),
]
COLD = {"Elm Ward": "-4", "Oak Ward": "21"}
RANKS = {"Ann": "head nurse", "Bea": "night nurse", "Carl": "head of surgery", "Dan": "registrar"}


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    types = {name: type for row in STATED for name, type in ((row[0], row[1]), (row[3], row[4]))}
    entities = pa.table(
        {
            "id": [f"x:{name}" for name in types],
            "name": list(types),
            "type": list(types.values()),
            "temperature": pa.array([COLD.get(name) for name in types], pa.string()),
            "rank": pa.array([RANKS.get(name) for name in types], pa.string()),
        }
    )
    folder = tmp_path_factory.mktemp("hospital")
    with asker_of_rows(folder, STATED, "frequency", "onset", entities=entities) as asker:
        yield asker


ON_ELM = "MATCH (nurse)-[:WORKS_ON]->(ward {id: $ward1}) RETURN nurse"


def test_a_type_that_nobody_says_is_left_open_where_a_relation_leads_to_several(hospital: Asker) -> None:
    assert found_by_query(hospital, "Who works on Elm Ward?", ON_ELM) == {"Ann", "Bea", "Carl"}
    assert found_by_query(hospital, "Which nurses work on Elm Ward?", ON_ELM) == {"Ann", "Bea"}


def test_anybody_means_all_people_that_a_relation_leads_to(hospital: Asker) -> None:
    written = "MATCH (nurse)-[:WORKS_ON]->(ward {id: $ward1}) RETURN count(*) > 0"
    assert found_by_query(hospital, "Does anybody work on Oak Ward?", written) is True  # a doctor does
    assert found_by_query(hospital, "Does any nurse work on Oak Ward?", written) is False


def test_a_type_that_a_step_excludes_is_the_one_that_all_allow(hospital: Asker) -> None:
    written = "MATCH (nurse)-[:SUPERVISES]->(doctor)-[:WORKS_ON]->(ward {id: $ward1}) RETURN nurse"
    assert found_by_query(hospital, "Who supervises someone on Elm Ward?", written) == {"Ann", "Carl"}
    turned = "MATCH (ward {id: $ward1})-[:WORKS_ON]->(nurse)-[:SUPERVISES]->(nurse2) RETURN nurse"
    assert found_by_query(hospital, "Which nurses on Elm Ward supervise someone?", turned) == {"Ann"}


def test_a_yes_or_no_about_what_is_only_counted_or_absent(hospital: Asker) -> None:
    written = "MATCH (doctor) WHERE COUNT { MATCH (doctor)-[:SUPERVISES]->(nurse) } >= %d RETURN count(*) > 0"
    assert found_by_query(hospital, "Does a doctor supervise two?", written % 2) is False
    absent = "MATCH (nurse) WHERE NOT EXISTS { MATCH (nurse)-[:SUPERVISES]->(nurse2) } RETURN count(*) > 0"
    assert found_by_query(hospital, "Is there a nurse who supervises nobody?", absent) is True


def test_what_only_an_absent_step_leads_to_keeps_its_type(hospital: Asker) -> None:
    written = "MATCH (nurse) WHERE NOT EXISTS { MATCH (nurse)-[:SUPERVISES]->(nurse2) } RETURN nurse"
    assert found_by_query(hospital, "Who supervises nobody?", written) == {"Bea"}


def test_one_of_several_types(hospital: Asker) -> None:
    written = "MATCH (nurse|doctor)-[:WORKS_ON]->(ward {id: $ward1}) RETURN nurse, doctor"
    assert found_by_query(hospital, "Who works on Elm Ward?", written) == {"Ann", "Bea", "Carl"}


def test_a_name_in_the_place_of_an_id(hospital: Asker) -> None:
    written = "MATCH (illness)-[:HAS_SIGN]->(sign) WHERE sign.id = 'fever' RETURN illness"
    assert found_by_query(hospital, "Which illnesses come with it?", written) == {"Gout", "Flu"}
    with pytest.raises(QueryError, match="no Sign of the name"):
        found_by_query(hospital, "Which illnesses come with it?", written.replace("fever", "rash"))


def test_a_parameter_of_another_name(hospital: Asker) -> None:
    assert found_by_query(hospital, "Which nurses work on Elm Ward?", ON_ELM.replace("$ward1", "$department1")) == {
        "Ann",
        "Bea",
    }


def test_one_of_two_names_and_all_but_one(hospital: Asker) -> None:
    text = "Who works on Elm Ward, and who on Oak Ward?"
    both = "MATCH (nurse)-[:WORKS_ON]->(ward) WHERE ward.id IN [$ward1, $ward2] RETURN nurse"
    assert found_by_query(hospital, text, both) == {"Ann", "Bea", "Carl", "Dan"}
    other = "MATCH (nurse)-[:WORKS_ON]->(ward) WHERE ward.id <> $ward1 RETURN nurse"
    assert found_by_query(hospital, "Who does not work on Elm Ward?", other) == {"Dan"}


def test_the_beginning_of_names_means_all_of_them(hospital: Asker) -> None:
    written = "MATCH (nurse)-[:IS_IN]->(age) WHERE age.id = 'old' RETURN nurse"
    assert found_by_query(hospital, "Which nurses are of that age?", written) == {"Bea"}


def test_a_name_that_only_describes_another_need_not_be_in_the_query(hospital: Asker) -> None:
    written = "MATCH (nurse {id: $nurse1})-[:SUPERVISES]->(nurse2) RETURN nurse2"
    assert found_by_query(hospital, "Whom does Ann of Elm Ward supervise?", written) == {"Bea"}
    with pytest.raises(QueryError, match="does not mention Oak Ward"):  # where she does not work
        found_by_query(hospital, "Whom does Ann of Oak Ward supervise?", written)


def test_a_relation_of_other_types_is_the_one_between_those_of_the_query(hospital: Asker) -> None:
    written = "MATCH (nurse)-[:IS_IN]->(age {id: $ward1}) RETURN nurse"
    assert found_by_query(hospital, "Which nurses are at Elm Ward?", written) == {"Ann", "Bea"}


def test_numbers_below_zero(hospital: Asker) -> None:
    written = "MATCH (ward) WHERE ward.temperature = -4 RETURN ward"
    assert found_by_query(hospital, "Which wards are at -4 degrees?", written) == {"Elm Ward"}


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("= 'Registrar'", {"Dan"}),
        ("= 'registrars'", {"Dan"}),
        ("= 'head'", {"Carl"}),
        ("<> 'registrar'", {"Carl"}),
    ],
)
def test_values_in_other_letters_or_by_some_of_their_words(hospital: Asker, value: str, names: set[str]) -> None:
    assert (
        found_by_query(hospital, "Which doctors?", f"MATCH (doctor) WHERE doctor.rank {value} RETURN doctor") == names
    )


def test_one_word_of_several_values_means_any_of_them(hospital: Asker) -> None:
    written = "MATCH (nurse)-[:WORKS_ON]->(ward) WHERE nurse.rank {} RETURN nurse"
    assert found_by_query(hospital, "Who?", written.format("= 'head'")) == {
        "Ann",
        "Carl",
    }  # of any type, which nobody says
    assert found_by_query(hospital, "Which nurses?", written.format("= 'nurse'")) == {"Ann", "Bea"}
    with pytest.raises(QueryError, match="no rank is 'cook'"):
        found_by_query(hospital, "Which nurses?", written.format("= 'cook'"))


def test_a_column_compared_with_a_word_of_its_relation_says_no_more(hospital: Asker) -> None:
    written = "MATCH (illness)-[r:HAS_SIGN]->(sign {id: $sign1}) WHERE r.q_onset = '%s' RETURN illness"
    assert found_by_query(hospital, "Which illnesses have fever as a sign?", written % "sign") == {"Gout", "Flu"}
    assert found_by_query(hospital, "Which illnesses have fever in youth?", written % "youth") == {"Gout", "Flu"}
    with pytest.raises(QueryError, match="no q_onset is 'winter'"):
        found_by_query(hospital, "Which illnesses have fever in winter?", written % "winter")


@pytest.mark.parametrize("bound", ["50", "0.5", "'50%'", "'1/2'"])
def test_shares_are_compared_as_shares(hospital: Asker, bound: str) -> None:
    written = f"MATCH (illness)-[r:HAS_SIGN]->(sign {{id: $sign1}}) WHERE r.q_frequency > {bound} RETURN illness"
    assert found_by_query(hospital, "Which illnesses bring fever to more than half?", written) == {"Flu"}


@pytest.mark.parametrize("value", ["'Youth'", "'youth'", "$age1"])
def test_entities_as_values_of_statements_go_by_their_names(hospital: Asker, value: str) -> None:
    assert "q_onset (Youth, Old age)" in brief(composer_of(hospital.resources).shown)
    written = f"MATCH (illness)-[r:HAS_SIGN]->(sign) WHERE r.q_onset = {value} RETURN sign"
    assert found_by_query(hospital, "Which signs set in during youth?", written) == {"Fever"}


def test_what_holds_with_each_other_holds_both_ways(hospital: Asker) -> None:
    written = "MATCH (doctor {id: $doctor1})-[:SHARES_OFFICE_WITH]->(doctor2) RETURN doctor2"
    assert found_by_query(hospital, "With whom does Dan share an office?", written) == {"Carl"}
    assert found_by_query(hospital, "With whom does Carl share an office?", written) == {"Dan"}


def test_kinds_count_where_nothing_matches_directly(hospital: Asker) -> None:
    answer = hospital.ask("Which nurses nurse ailment?")
    assert ({item.name for item in answer.items}, answer.abstained) == ({"Ann"}, None), answer.text


def test_a_word_that_says_what_a_relation_says_leaves_the_type_open(tmp_path: Path) -> None:
    rows = [("Aspirin", "Drug", "treats", "Gout", "Illness"), ("Bypass", "Procedure", "treats", "Angina", "Illness")]
    rows += [("Aspirin", "Drug", "causes", "Rash", "Illness")]
    with asker_of_rows(tmp_path, rows) as asker:
        written = "MATCH (illness) WHERE NOT EXISTS { MATCH (drug)-[:TREATS]->(illness) } RETURN illness"
        assert found_by_query(asker, "Which illnesses have no treatment?", written) == {"Rash"}
        assert found_by_query(asker, "Which illnesses does no drug treat?", written) == {"Angina", "Rash"}


def test_a_part_of_a_text_stays_a_part(hospital: Asker) -> None:
    written = "MATCH (x) WHERE x.rank CONTAINS '{}' RETURN x"
    assert found_by_query(hospital, "Whose rank has ead in it?", written.format("EAD")) == {"Ann", "Carl"}
    assert found_by_query(hospital, "Whose rank has nurse in it?", written.format("nurse")) == {"Ann", "Bea"}
    assert found_by_query(hospital, "Whose rank has registrar in it?", written.format("registrar")) == {"Dan"}


@pytest.mark.parametrize(("key", "ranked"), [("rank", True), ("temperature", False), ("name", False)])
def test_a_choice_by_a_text_is_told(hospital: Asker, key: str, ranked: bool) -> None:
    plan = read_plan(parse(f"MATCH (x) RETURN x ORDER BY x.{key} DESC LIMIT 1"), {})
    shown = composer_of(hospital.resources).shown
    assert ranks_texts(plan, shown) == ranked
    assert not ranks_texts(replace(plan, limit=None), shown), "all are given, in some order"
