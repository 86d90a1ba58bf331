"""Quality of summaries: spoilt ones are told from whole ones, and a judge that cannot has no figure."""

from random import Random

import pytest

import clew
from clew.answer import Resources
from clew.answer.diagnosis.diagnose import diagnose_with
from clew.answer.diagnosis.relations import ProfileRelations
from clew.errors import InputError
from clew.evaluate.diagnosis.patients import PatientSettings
from clew.evaluate.diagnosis.quality import (
    ATTRIBUTES,
    ModelQualityJudge,
    RuleJudge,
    Summary,
    calibrate_quality,
    evaluate_quality,
    measure_quality,
    spoil,
    summarise,
)
from clew.lm.clients.scripted import Scripted
from ward import build_ward

SIGNS = ProfileRelations("has_sign", "lacks_sign", "is_a", "Disease", "Phenotype", ("causes",))
WHOLE = Summary(
    ("Myopia", "Deafness"),
    ("Findings: Myopia, Deafness.", "1. Disease one: Myopia [PMID:2].", "2. Disease two: Deafness [PMID:4]."),
)


class Guessing:
    name = "guessing"

    def __init__(self) -> None:
        self.random = Random(0)

    def score(self, summary: Summary, attribute: str) -> float | None:
        return self.random.random()


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_spoiling_an_attribute_lowers_its_score_and_leaves_the_findings(attribute: str) -> None:
    spoilt = spoil(WHOLE, attribute, ["Seizure"], Random(1))
    assert spoilt.lines != WHOLE.lines
    assert spoilt.findings == WHOLE.findings
    whole, worse = (RuleJudge().score(each, attribute) for each in (WHOLE, spoilt))
    assert (whole is None) == (worse is None) == (attribute == "comprehensible")  # rules read no meaning
    assert whole is None or worse is None or whole > worse


def test_an_attribute_without_calibration_has_no_figure() -> None:
    summaries = [
        Summary((f"Sign {at}", "Myopia"), (f"Findings: Sign {at}, Myopia.", *WHOLE.lines[1:])) for at in range(40)
    ]
    guessed = measure_quality(Guessing(), calibrate_quality(Guessing(), summaries), summaries)
    assert [row["holds"] for row in guessed] == [None] * len(ATTRIBUTES)
    rows = measure_quality(RuleJudge(), calibrate_quality(RuleJudge(), summaries), summaries)
    ruled = {row["attribute"]: row for row in rows}
    assert ruled["cited"]["holds"]["mean"] == 1.0
    assert (ruled["comprehensible"]["accuracy"], ruled["comprehensible"]["holds"]) == (None, None)
    with pytest.raises(InputError, match="give 4 or more"):
        calibrate_quality(RuleJudge(), summaries[:3])


def test_a_model_judges_by_yes_and_no() -> None:
    model = Scripted(scores={"Yes": -0.5, "No": -2.0})
    assert ModelQualityJudge(model).score(WHOLE, "cited") == 1.5
    prompt = model.scored[0][0].messages[0].content
    assert "The patient has: Myopia, Deafness" in prompt
    assert "Does every diagnosis of the summary cite a source? Answer Yes or No." in prompt


def test_summaries_cite_what_states_a_match(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with Resources(clew.open(build_ward(tmp_path)), encoder=None) as resources:
        summary = summarise(diagnose_with(resources, ["P:2", "P:5"], relations=SIGNS, limit=2))
        assert summary.lines[0] == "Findings: Long fingers, Myopia."
        assert summary.lines[1] == "1. Disease one: Long fingers [PMID:1]; Myopia [PMID:2]."
        settings = PatientSettings(findings=2, noise=0, imprecision=0)
        report = evaluate_quality(resources, SIGNS, RuleJudge(), count=6, settings=settings)
    assert [row["attribute"] for row in report["rows"]] == list(ATTRIBUTES)
    assert report["rows"][0]["holds"] is not None
