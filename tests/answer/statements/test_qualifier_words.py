"""Questions about statements themselves: how often, in whom, by which papers, and since when."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Asker, Resources
from clew.answer.statements.column_words import find_column
from clew.answer.statements.qualifier_words import find_qualifiers
from clew.evaluate.evidence import check_evidence
from clew.graph.staging import Relation

ROWS = [  # disease, relation, sign, frequency, sex, documents
    ("Alphoma", "has_phenotype", "Fever", "3/4", None, ["PMID:1", "ORPHA:9"]),
    ("Alphoma", "has_phenotype", "Fever", "HP:0040282", None, ["PMID:2"]),
    ("Alphoma", "has_phenotype", "Cramps", "1/4", "FEMALE", ["PMID:3"]),
    ("Alphoma", "has_phenotype", "Tremor", "20%", "MALE", ["PMID:4"]),
    ("Alphoma", "lacks_phenotype", "Rigor", "0/9", None, ["PMID:5"]),
    ("Betosis", "has_phenotype", "Cramps", "9/10", None, ["PMID:6"]),
]


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    disease, relation, sign, frequency, sex, documents = zip(*ROWS, strict=True)
    table = pa.table(
        {
            "subject": [f"D:{name}" for name in disease],
            "subject_name": disease,
            "subject_type": ["Disease"] * len(ROWS),
            "relation": relation,
            "object": [f"P:{name}" for name in sign],
            "object_name": sign,
            "object_type": ["Phenotype"] * len(ROWS),
            "qualifier:frequency": frequency,
            "qualifier:sex": sex,
            "evidence": documents,
        }
    )
    path = tmp_path_factory.mktemp("ward") / "ward.clew"
    clew.build(table, relations=[Relation("lacks_phenotype", negated=True)], out=path)
    asker = Asker(Resources(clew.open(path), encoder=None))
    yield asker
    asker.close()


@pytest.mark.parametrize(
    ("question", "ids"),
    [
        ("How often is fever seen in Alphoma?", {"3/4", "HP:0040282"}),
        ("What is the frequency of rigor in Alphoma?", {"0/9"}),  # it was looked for
        ("In what percentage of patients with Betosis do cramps occur?", {"9/10"}),
        ("According to which papers does Alphoma show fever?", {"PMID:1", "PMID:2"}),
        ("Which papers report that Betosis shows cramps?", {"PMID:6"}),
        ("Which publications support cramps in Betosis?", {"PMID:6"}),
        ("What are the references for the association between Alphoma and tremor?", {"PMID:4"}),
        ("Which study links Betosis to cramps?", {"PMID:6"}),
        ("publications for fever in Alphoma (D:Alphoma)", {"PMID:1", "PMID:2"}),
        ("Which symptoms are seen in more than half of patients with Alphoma?", {"Fever"}),
        ("Which symptoms of Alphoma occur in at most 25% of cases?", {"Cramps", "Tremor"}),
        ("Which symptoms of Alphoma occur only in women?", {"Cramps"}),
        ("Which symptoms of Alphoma occur in women?", {"Cramps", "Fever"}),  # whatever is not of men alone
        ("Which diseases show cramps in at least 9 of 10 patients?", {"Betosis"}),
        ("Which symptoms of Alphoma are common?", {"Fever"}),
    ],
)
def test_answers(ward: Asker, question: str, ids: set[str]) -> None:
    answer = ward.ask(question)
    assert {item.id.removeprefix("P:").removeprefix("D:") for item in answer.items} == ids, answer.text
    assert list(check_evidence(answer, ward.resources.engine)) == []
    assert answer.evidence.triples


def test_the_headline_says_what_was_asked_of_statements(ward: Asker) -> None:
    often = ward.ask("How often is cramps seen in Betosis?")
    assert often.text == "Betosis has_phenotype Cramps: frequency 9 of 10 (90%)."
    most = ward.ask("Which symptoms are seen in more than half of patients with Alphoma?")
    assert most.text == "1 phenotype of Alphoma (with a frequency above 50%): Fever."


@pytest.mark.parametrize("verb", ["count as", "are classed as", "are"])
def test_a_frequency_that_signs_count_as_is_no_count(ward: Asker, verb: str) -> None:
    answer = ward.ask(f"Which signs of Betosis {verb} very frequent?")
    assert {item.name for item in answer.items} == {"Cramps"}, answer.text


def test_what_has_no_date_is_declined(ward: Asker) -> None:
    answer = ward.ask("Which symptoms of Alphoma have been reported since 2015?")
    assert answer.abstained is not None
    assert "has a date" in answer.text
    assert "since 2015" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Which symptoms are common to Alphoma and Betosis?",
        "Which three diseases have the most symptoms?",
        "Which diseases show fever and half of it?",
        "Cramps in 2015",
    ],
)
def test_numbers_that_are_no_share(ward: Asker, question: str) -> None:
    assert find_qualifiers(question, ward.resources.schema).qualifiers == ()


def test_years_are_days_of_statements_where_they_have_any(tmp_path: Path) -> None:
    rows = {
        "subject": ["Alphoma"] * 3,
        "subject_type": ["Disease"] * 3,
        "relation": ["has_phenotype"] * 3,
        "object": ["Fevering", "Shivering", "Tingling"],
        "object_type": ["Phenotype"] * 3,
        "valid_from": ["2010-05-01", "2015-01-01", None],
    }
    asker = Asker(Resources(clew.build(pa.table(rows), out=tmp_path / "dated.clew"), encoder=None))
    expected = {
        "since 2015": {"Shivering"},
        "before 2015": {"Fevering"},
        "after 2015": set(),
        "reported in 2010": {"Fevering"},
    }
    for said, names in expected.items():
        answer = asker.ask(f"Which symptoms of Alphoma are known {said}?")
        assert {item.name for item in answer.items} == names, answer.text
    asker.close()


def test_a_column_that_is_called_like_a_type_is_not_asked_for_by_its_name() -> None:
    asked = "What is the severity of Fever in Alphoma?"
    assert find_column(asked, ["q_severity"], is_type=lambda word: False)[0] == "q_severity"
    assert find_column(asked, ["q_severity"], is_type=lambda word: word == "severity") == (None, ())
    assert find_column("Which symptoms has Alphoma?", ["q_severity", "source"], is_type=lambda word: False) == (
        None,
        (),
    )


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who is supervised by the charge nurse of Osler Ward?", {"Ines Roy"}),  # a value of a column
        ("Who works on Osler Ward since 2015?", {"Rosa Petrov", "Ines Roy"}),
        ("Who works on Osler Ward since before 2015?", None),
        ("Which doctors worked on Osler Ward before 2012?", {"Pavel Okafor"}),
    ],
)
def test_columns_of_statements_are_conditions(hospital: Asker, question: str, names: set[str] | None) -> None:
    answer = hospital.ask(question)
    if names is None:
        assert answer.certainty != "sure"
    else:
        assert {item.name for item in answer.items} == names
        assert not answer.unrecognised


def test_a_year_needs_a_column_of_the_relation(hospital: Asker) -> None:
    answer = hospital.ask("Which patients were attended by Hugo Brandt since 2015?")
    assert answer.abstained is not None or answer.certainty == "doubtful"


@pytest.mark.parametrize(("since", "until"), [("from", "to"), ("snc", "unt")])
def test_what_holds_at_present_has_no_end_and_what_held_formerly_has_one(
    tmp_path: Path, since: str, until: str
) -> None:
    rows = {
        "subject": ["Ada", "Ben", "Cleo"],
        "subject_type": ["Person"] * 3,
        "relation": ["manages"] * 3,
        "object": ["Harbour Club"] * 3,
        "object_type": ["Club"] * 3,
        since: ["2001", "2007", "2015"],
        until: ["2007", "2015", None],
    }
    asker = Asker(Resources(clew.build(pa.table(rows), out=tmp_path / "club.clew"), encoder=None))
    expected = {
        "Who manages Harbour Club at present?": {"Cleo"},
        "Who currently manages Harbour Club?": {"Cleo"},
        "Who formerly managed Harbour Club?": {"Ada", "Ben"},
        "Who managed Harbour Club until 2007?": {"Ada"},
        "Who manages Harbour Club?": {"Ada", "Ben", "Cleo"},
    }
    for question, names in expected.items():
        answer = asker.ask(question)
        assert {item.name for item in answer.items} == names, answer.text
        assert not answer.unrecognised
    asker.close()
