"""Heads, planted facts, matches, injection and chains as stages of a run: made once, noticed when changed, resumed."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from clew.embed.encoders.hashed import HashedEncoder
from clew.extract.chains.graphs import read_chains
from clew.extract.chains.injection import InjectionSettings, prepare_injected, read_injected
from clew.extract.chains.leaves import prepare_chains
from clew.extract.corpus import prepare_corpus
from clew.extract.mentions import heads as heads_module
from clew.extract.mentions.discovery import discover_mentions
from clew.extract.mentions.heads import prepare_heads, read_heads
from clew.extract.seed.candidate_triples import collect_candidate_triples
from clew.extract.seed.held_out import (
    HoldOutSettings,
    mark_unseen,
    prepare_held_out,
    read_held_out,
    read_removed_triples,
)
from clew.extract.seed.selection import SelectionSettings, prepare_matches, read_matches
from clew.extract.sequences.packing import SequenceSettings, prepare_sequences
from clew.lm.clients.scripted import Scripted
from clew.traverse import GraphEngine
from extract.seeds import make_seed

TEXTS = (
    "Aspirin caused bleeding in the patients. Heparin caused bleeding as well.",
    "The fever fell after aspirin was given. A gastric ulcer was found after aspirin.",
    "Patients with TNF in their blood had a fever for days.",
)
SELECTION = SelectionSettings(fewest=1)


@pytest.fixture
def graph(tmp_path: Path) -> GraphEngine:
    return make_seed(tmp_path)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    rows = [{"id": f"T{number}", "title": "", "text": text} for number, text in enumerate(TEXTS)]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = tmp_path / "run"
    prepare_corpus([path], run)
    prepare_sequences(run, settings=SequenceSettings(vocabulary_size=200))
    return run


def test_the_stages_follow_one_another_and_are_not_repeated(run: Path, graph: GraphEngine) -> None:
    def prepare() -> tuple[object, ...]:
        return (
            prepare_heads(run, graph),
            prepare_matches(run, graph, settings=SELECTION),
            prepare_injected(run, settings=InjectionSettings(quantile=0.0)),
            prepare_chains(run),
        )

    first = prepare()
    stages = [run / name for name in ("heads", "matches", "injected")]
    made = [(stage / "seal.json").stat().st_mtime_ns for stage in stages]
    assert prepare() == first
    assert [(stage / "seal.json").stat().st_mtime_ns for stage in stages] == made
    chains, injected = read_chains(run / "chains"), read_injected(run)
    assert len(chains.leaf_sequence) == injected.num_rows > 0
    assert set(chains.relations) == set(injected["relation"].to_pylist())
    assert {"Aspirin", "Heparin", "TNF"} <= set(read_heads(run)["text"].to_pylist())


def test_other_settings_make_a_stage_again(run: Path, graph: GraphEngine) -> None:
    prepare_heads(run, graph)
    prepare_matches(run, graph, settings=SELECTION)
    before = read_matches(run)
    prepare_matches(run, graph, settings=SelectionSettings(fewest=1, tails="name"), encoder=HashedEncoder())
    after = read_matches(run)
    assert before["score"].to_pylist() != after["score"].to_pylist()


def test_a_killed_search_for_heads_goes_on_with_the_next_documents(
    run: Path, graph: GraphEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heads_module, "DOCUMENTS_AT_ONCE", 1)
    searched: list[int] = []

    def broken(task: str, done: int, total: int | None) -> None:
        if task == "finding heads" and done == 2:
            raise KeyboardInterrupt

    def counting(task: str, done: int, total: int | None) -> None:
        if task == "finding heads" and total and done < total:
            searched.append(done)

    with pytest.raises(KeyboardInterrupt):
        prepare_heads(run, graph, progress=broken)
    prepare_heads(run, graph, progress=counting)
    assert searched == [2]
    resumed = read_heads(run)
    monkeypatch.setattr(heads_module, "DOCUMENTS_AT_ONCE", 2000)
    (run / "heads" / "seal.json").unlink()
    (run / "heads").rename(run / "old")
    prepare_heads(run, graph)
    assert read_heads(run).equals(resumed)


def test_planted_facts_are_in_no_match(run: Path, graph: GraphEngine) -> None:
    prepare_heads(run, graph)
    counts = prepare_held_out(run, graph, settings=HoldOutSettings(share=0.9, fewest=1))
    assert prepare_held_out(run, graph, settings=HoldOutSettings(share=0.9, fewest=1)) == counts
    facts, removed = read_held_out(run), read_removed_triples(run)
    assert facts.num_rows == counts["facts to be found"] > 0
    prepare_matches(run, graph, settings=SELECTION, without=removed)
    planted = set(zip(facts["subject"].to_pylist(), facts["object"].to_pylist(), strict=True))
    matches = read_matches(run)
    matched = set(zip(matches["subject"].to_pylist(), matches["object"].to_pylist(), strict=True))
    assert not planted & (matched | {(object_, subject) for subject, object_ in matched})
    assert len(collect_candidate_triples(graph, without=removed, fewest=1)) < len(
        collect_candidate_triples(graph, fewest=1)
    )


def test_a_subject_is_unseen_if_no_injected_triple_has_it(run: Path, graph: GraphEngine) -> None:
    prepare_heads(run, graph)
    prepare_held_out(run, graph, settings=HoldOutSettings(share=0.9, fewest=1))
    facts = read_held_out(run)
    subject = facts["subject"][0].as_py()
    settled = mark_unseen(facts, pa.table({"subject": ["X:1"], "object": [subject]}))
    assert settled["unseen"].to_pylist() == [each != subject for each in facts["subject"].to_pylist()]


def test_what_a_model_lists_becomes_heads_that_are_linked_by_likeness(run: Path, graph: GraphEngine) -> None:
    model = Scripted(lambda request: "ulcer was\nbleedings\npatients")
    mentions, counts = discover_mentions(run, model)
    assert counts["not in the text"] > 0
    counted = prepare_heads(run, graph, mentions=mentions)
    rows = read_heads(run).to_pylist()
    found = {row["text"]: (row["entity"], row["method"]) for row in rows}
    assert found["patients"] == (None, "given")
    assert "ulcer was" not in found  # it overlaps what the dictionary knows
    assert found["bleeding"][0] == "D:1"
    assert counted["heads that stay without an entity"] >= 1
    assert np.all(np.diff([row["sequence"] for row in rows]) >= 0)
