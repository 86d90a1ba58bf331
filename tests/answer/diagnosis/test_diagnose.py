"""Findings to diagnoses on a graph whose ranking can be worked out by hand, and on HPO."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.answer import Resources
from clew.answer.diagnosis.diagnose import Diagnoses, diagnose_with, ranker_of
from clew.answer.diagnosis.profiles import read_profiles
from clew.answer.diagnosis.ranking import Ranker, RankSettings
from clew.answer.diagnosis.relations import choose_relations
from clew.errors import InputError, UnknownName
from ward import build_ward


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resources]:
    with Resources(clew.open(build_ward(tmp_path_factory.mktemp("ward"))), encoder=None) as resources:
        yield resources


@pytest.fixture(scope="module")
def ranker(ward: Resources) -> Ranker:
    return ranker_of(ward, choose_relations(ward.engine.schema))


def ids(found: Diagnoses) -> list[str]:
    return [each.id for each in found.items]


def terms(ranker: Ranker, ward: Resources, *names: str) -> list[int]:
    return ranker.profiles.find_terms(ward.engine.lookup(list(names)).astype(np.int64)).tolist()


def test_relations_come_from_the_schema(ward: Resources) -> None:
    chosen = choose_relations(ward.engine.schema)
    assert (chosen.finding, chosen.negated, chosen.hierarchy) == ("has_sign", "lacks_sign", "is_a")
    assert (chosen.diagnosis_type, chosen.finding_type, chosen.beside) == ("Disease", "Phenotype", ("causes",))
    assert choose_relations(ward.engine.schema, finding="causes").diagnosis_type == "Gene"
    with pytest.raises(UnknownName, match="has_sign"):
        choose_relations(ward.engine.schema, finding="has_sing")


def test_a_graph_without_a_hierarchy_of_findings_asks_for_the_relation(tmp_path: Path) -> None:
    graph = clew.build(pa.table({"subject": ["a"], "relation": ["likes"], "object": ["b"]}), out=tmp_path / "g")
    with pytest.raises(InputError, match="the relations are likes"):
        clew.diagnose(graph, "b")


def test_frequent_findings_count_more(ward: Resources) -> None:
    found = diagnose_with(ward, ["Long fingers", "P:5"])
    assert ids(found)[:2] == ["D:1", "D:2"]
    assert found.total == 5
    assert found.note.startswith("Not medical advice")


def test_the_score_is_the_stated_formula(ward: Resources, ranker: Ranker) -> None:
    (fingers, hand, seizure) = terms(ranker, ward, "P:2", "P:1", "P:4")
    scores = ranker.score([fingers])
    at = {each: place for place, each in enumerate(ward.engine.describe(ranker.profiles.diagnoses)["id"].to_pylist())}
    settings = RankSettings()
    assert scores[at["D:1"]] == pytest.approx(np.log(settings.noise + 0.9 * 5 / 2 * 1 / (1 + 1.8)))
    shared = (
        settings.related * 0.9 * 5 / 3 * 1 / (1 + 0.9 + 0.5)
    )  # by abnormal hand, which three of five diagnoses have
    assert scores[at["D:3"]] == pytest.approx(np.log(settings.noise + shared))
    assert scores[at["D:4"]] == pytest.approx(np.log(settings.lacked))
    without = ranker.score([seizure], [hand])
    before = ranker.score([seizure])
    assert without[at["D:3"]] - before[at["D:3"]] == pytest.approx(np.log(1 - 0.9 * (1 - settings.missed)))
    assert without[at["D:4"]] == before[at["D:4"]]


def test_each_finding_is_matched_with_its_statement(ward: Resources) -> None:
    found = diagnose_with(ward, ["Abnormal hand", "Deafness"], absent=["Seizure"])
    kinds = {each.id: [match.kind for match in each.matches] for each in found.items}
    assert kinds["D:1"] == ["more specific", "unexplained", "absent"]
    assert kinds["D:4"] == ["lacked", "same", "expected"]
    (one,) = (each for each in found.items if each.id == "D:1")
    match = one.matches[0]
    assert match.term is not None
    assert match.ancestor is not None
    assert match.statement is not None
    assert (match.term.name, match.ancestor.name, match.frequency) == ("Long fingers", "Abnormal hand", 0.9)
    assert match.statement.assertions[0].evidence == ("PMID:1",)
    assert [each.subject_name for each in one.beside] == ["ABC1"]
    (four,) = (each for each in found.items if each.id == "D:4")
    assert four.matches[0].statement is not None
    assert four.matches[0].statement.assertions[0].evidence == ("PMID:10",)
    assert four.matches[0].weight < 0


def test_the_shared_ancestor_is_the_most_informative(ward: Resources) -> None:
    found = diagnose_with(ward, ["Long fingers"])
    (three,) = (each for each in found.items if each.id == "D:3")
    match = three.matches[0]
    assert match.ancestor is not None
    assert match.term is not None
    assert (match.kind, match.term.name, match.ancestor.name) == ("related", "Short fingers", "Abnormal hand")


def test_a_note_is_read_with_its_negations(ward: Resources) -> None:
    found = diagnose_with(ward, note="A boy with long fingers. No seizures. His mother has myopia. Possible deafness.")
    assert [(each.id, each.present) for each in found.findings] == [("P:2", True), ("P:4", False)]
    assert {each.text: each.reason.split(" (")[0] for each in found.ignored} == {
        "myopia": "about a family member",
        "deafness": "uncertain",
    }
    both = diagnose_with(ward, ["no seizures", "seizure", "lomg fingers"])
    assert [(each.id, each.present) for each in both.findings] == [("P:4", True), ("P:2", True)]


def test_mistakes_are_said(ward: Resources) -> None:
    with pytest.raises(InputError, match="'qwertz': no Phenotype has such a name"):
        diagnose_with(ward, ["qwertz"])
    with pytest.raises(InputError, match="absent: give at least one"):
        diagnose_with(ward, absent=["Seizure"])
    with pytest.raises(InputError, match="not 0"):
        diagnose_with(ward, ["Seizure"], limit=0)
    assert diagnose_with(ward, ["Seizure", "qwertz"]).ignored[0].text == "qwertz"
    assert diagnose_with(ward, ["Seizure", "Lonely sign"]).ignored[0].reason.startswith("no diagnosis has Lonely sign")


def test_without_some_rows_a_diagnosis_keeps_its_first(ward: Resources, ranker: Ranker) -> None:
    none = ranker.profiles.without(np.ones(len(ranker.profiles.term), bool))
    assert len(none.term) == len(none.diagnoses) == 5
    assert none.information[terms(ranker, ward, "P:5")[0]] == pytest.approx(np.log(5))


def test_on_hpo_a_classic_case_is_found(hpo: Path) -> None:
    """By ids alone: an index of all names takes long to build."""
    engine = clew.open(hpo)
    ranker = Ranker(read_profiles(engine, choose_relations(engine.schema)))
    found = ranker.profiles.find_terms(engine.lookup(["HP:0001166", "HP:0001083", "HP:0002616"]).astype(np.int64))
    best = np.argsort(-ranker.score(found.tolist()))[:5]
    assert "Marfan syndrome" in engine.describe(ranker.profiles.diagnoses[best])["name"].to_pylist()
