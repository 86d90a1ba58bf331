"""Each listed fact is found or lost at a stage, and wrong statements are counted."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.extraction.lost_facts import STAGES, read_abstract
from benchmarks.extraction.statements import main

from clew.extract.facts.finding import FactFinder
from made_once import made_once
from shipped_models import CAUSED, write_shipped


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = made_once(tmp_path_factory, "shipped", lambda place: write_shipped(place / "tiny")) / "tiny"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEW_HOME", str(tmp_path_factory.getbasetemp() / "home"))
        yield made


@pytest.fixture(scope="module")
def finder(shipped: Path) -> FactFinder:
    return FactFinder.open(shipped, threads=1)


def abstract(text: str, *facts: tuple[str, str, str]) -> dict[str, object]:
    types = {
        "aspirin": "chemical",
        "lithium": "chemical",
        "tremor": "disease",
        "fever": "disease",
        "unknown": "disease",
    }
    return {
        "id": "W1", "title": "", "abstract": text,
        "entities": {name: {"type": kind, "names": [name]} for name, kind in types.items()},
        "facts": [{"subject": one, "relation": relation, "object": other} for one, relation, other in facts],
    }  # fmt: skip


def stage(finder: FactFinder, text: str, fact: tuple[str, str, str], *, confidence: float | None = None) -> str:
    ((found, count),) = read_abstract(finder, abstract(text, fact), confidence=confidence).stages[fact[1]].items()
    assert count == 1
    assert found in STAGES
    return found


def test_a_found_fact_is_right_and_any_other_statement_wrong(finder: FactFinder) -> None:
    outcome = read_abstract(finder, abstract(CAUSED, ("aspirin", "induces", "tremor")))
    assert (outcome.right["induces"], outcome.wrong.total()) == (1, 0)
    assert read_abstract(finder, abstract(CAUSED)).wrong == {"induces": 1}


def test_the_stage_at_which_a_fact_is_lost(finder: FactFinder) -> None:
    assert stage(finder, CAUSED, ("aspirin", "induces", "tremor")) == "found"
    assert stage(finder, CAUSED, ("aspirin", "induces", "unknown")) == "a name is not found"
    assert stage(finder, CAUSED, ("aspirin", "induces", "fever")) == "no sentence names both"
    assert stage(finder, CAUSED, ("aspirin", "treats", "tremor")) == "below the threshold"
    marked = stage(finder, f"Never {CAUSED}", ("aspirin", "induces", "tremor"), confidence=0.0)
    assert marked == "marked given, denied or speculative"


def test_the_command_counts_facts_statements_and_stages(shipped: Path, tmp_path: Path) -> None:
    rows = [abstract(CAUSED, ("aspirin", "induces", "tremor"), ("aspirin", "induces", "unknown")), abstract(CAUSED)]
    (tmp_path / "abstracts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "figures.json"
    main(["written", str(tmp_path / "abstracts.jsonl"), "--model", str(shipped), "--threads", "1", "--json", str(out)])
    found = json.loads(out.read_text())
    assert (found["all"]["right"], found["all"]["said"], found["all"]["gold"]) == (1, 2, 2)
    assert found["stages"]["found"] == found["stages"]["a name is not found"] == 1
