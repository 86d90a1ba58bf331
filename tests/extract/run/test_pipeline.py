"""The toy corpus from end to end: what comes out, that nothing is repeated, and that a killed run goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pyarrow.parquet as pq
import pytest

import clew
from clew.errors import DerivedError, InputError, MissingDependency
from clew.extract.filter.triples import NOT_SIMILAR, read_triples
from clew.extract.packaging.locate import find_model
from clew.extract.run import pipeline
from clew.extract.run.options import RunOptions
from clew.extract.run.pipeline import finish, prepare, run_all, train
from clew.extract.run.single_text import extract_from_text
from clew.extract.run.status import STAGES, run_status
from clew.extract.toy import toy_held_out, toy_seed
from clew.lm.clients.scripted import Scripted
from clew.traverse import open as open_graph

TINY = RunOptions(size="tiny")
SOURCE = Path(clew.__file__).parents[1]


def seals(run: Path) -> dict[str, tuple[int, str]]:
    """When each finished stage was sealed, and its checksum."""
    found = {}
    for stage in STAGES:
        seal = run / stage.name / "seal.json"
        if seal.is_file():
            found[stage.name] = seal.stat().st_mtime_ns, json.loads(seal.read_text("utf-8"))["checksum"]
    return found


def test_all_stages_are_finished_and_counted(toy_run: Path) -> None:
    assert [each.state for each in run_status(toy_run)] == ["finished"] * (len(STAGES) - 1)  # no facts are held out
    counts = {each.stage.name: each.counts for each in run_status(toy_run)}
    assert counts["queries"]["queries"] == counts["predictions"]["queries"] == counts["tails"]["queries"]
    triples = counts["triples"]
    assert triples["tails"] == counts["tails"]["tails"]
    assert triples["tails"] - sum(triples["left out"].values()) == triples["assertions"] > 100
    assert triples["triples"] <= triples["assertions"]


def test_every_place_is_in_the_text(toy_run: Path) -> None:
    """Read from the files as anybody would, without the code that wrote them."""
    documents = pq.read_table(toy_run / "corpus" / "documents.parquet").to_pylist()
    texts = {row["document"]: row["text"] for row in documents}
    lines = (toy_run / "triples" / "extracted_edges.jsonl").read_text("utf-8").splitlines()
    assert len(lines) > 100
    named = 0
    for line in map(json.loads, lines):
        text = texts[line["document"]]
        start, end = int(line["sentence_start_qualifier"]), int(line["sentence_end_qualifier"])
        assert text[start:end] == line["sentence_qualifier"]
        head = slice(int(line["head_start_qualifier"]), int(line["head_end_qualifier"]))
        assert text[head] == line["head_text_qualifier"]
        assert start <= head.start < head.stop <= end
        if "tail_start_qualifier" in line:
            tail = slice(int(line["tail_start_qualifier"]), int(line["tail_end_qualifier"]))
            assert text[tail].lower() == line["tail_text_qualifier"]
            assert start <= tail.start < tail.stop <= end
            named += 1
        assert line["agent_type"] == "text_mining_agent"
        assert 0 < line["has_confidence_score"] <= 1
        assert line["license"] == "CC0-1.0"
    assert named > len(lines) / 2


def test_what_is_learnt_is_found_again(toy_run: Path) -> None:
    rows = pq.read_table(toy_run / "triples" / "triples.parquet").to_pylist()
    sure = [row for row in rows if row["confidence"] > 0.8]
    assert sum(row["known"] for row in sure) > len(sure) / 2
    seed = {
        (row["subject"], row["predicate"].removeprefix("biolink:"), row["object"])
        for row in _read_tsv(toy_seed() / "toy_edges.tsv")
    }
    for row in rows:
        assert row["known"] == ((row["subject"], row["relation"], row["object"]) in seed)
    held_out = {(row["subject"], row["relation"], row["object"]) for row in _read_tsv(toy_held_out())}
    assert not any(row["known"] for row in rows if (row["subject"], row["relation"], row["object"]) in held_out)


def test_facts_that_were_held_out_of_the_seed_are_found_in_the_texts(toy_run: Path) -> None:
    rows = pq.read_table(toy_run / "triples" / "triples.parquet").to_pylist()
    held_out = {(row["subject"], row["relation"], row["object"]) for row in _read_tsv(toy_held_out())}
    new = [(row["subject"], row["relation"], row["object"]) for row in rows if not row["known"]]
    assert len(set(new) & held_out) > len(held_out) / 3
    assert sum(each in held_out for each in new) > len(new) / 2  # and little else is said


def _read_tsv(path: Path) -> list[dict[str, str]]:
    titles, *lines = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    return [dict(zip(titles, line, strict=False)) for line in lines]


def build_both(run: Path, folder: Path) -> clew.Engine:
    """A graph of the toy's seed and of what was extracted."""
    for file in (*toy_seed().glob("toy_*"), *(run / "triples").glob("extracted_*")):
        (folder / file.name).write_bytes(file.read_bytes())
    return clew.build(folder, out=folder / "both.clew")


def test_seed_and_extracted_stand_apart_in_one_graph(toy_run: Path, tmp_path: Path) -> None:
    seed, both = open_graph(toy_run / "seed.clew"), build_both(toy_run, tmp_path)
    assert both.counts["triples"] > seed.counts["triples"]
    rows = pq.read_table(toy_run / "triples" / "triples.parquet").to_pylist()
    new = next(row for row in rows if not row["known"])
    where = {"relations": new["relation"]}
    everything = set(both.hop(new["subject"], **where).entities["id"].to_pylist())
    curated = set(both.hop(new["subject"], layer="curated", **where).entities["id"].to_pylist())
    kept_out = set(both.hop(new["subject"], layer="no-extracted", **where).entities["id"].to_pylist())
    assert new["object"] in everything
    assert new["object"] not in curated | kept_out
    assert curated == kept_out
    (triple,) = [each for each in both.triples(new["subject"], **where) if each.object == new["object"]]
    assertions = both.assertions(triple.number)
    assert {assertion.agent_type for assertion in assertions} == {"text_mining_agent"}
    assert new["sentence"] in {(assertion.qualifiers or {})["sentence"] for assertion in assertions}
    known = next(row for row in rows if row["known"])
    (stated,) = [
        each
        for each in both.triples(known["subject"], relations=known["relation"], layer="curated")
        if each.object == known["object"]
    ]
    assert {each.agent_type for each in both.assertions(stated.number)} == {"manual_agent", "text_mining_agent"}


def test_questions_see_the_layers(toy_run: Path, tmp_path: Path) -> None:
    from clew.answer import Asker, Filters, Question, Resources

    both = build_both(toy_run, tmp_path)
    rows = pq.read_table(toy_run / "triples" / "triples.parquet").to_pylist()
    new = next(
        row for row in rows if not row["known"] and row["relation"] == "treats" and row["object_type"] == "Disease"
    )
    asker = Asker(Resources(both, encoder=None))
    try:
        question = f"Which drugs treat {new['object_name']}?"
        everything, curated = (
            asker.ask(Question(question, filters=Filters(layer=layer))) for layer in ("all", "curated")
        )
    finally:
        asker.close()
    assert new["subject"] in {item.id for item in everything.items}
    assert new["subject"] not in {item.id for item in curated.items}
    assert {item.id for item in curated.items} < {item.id for item in everything.items}


def test_nothing_is_repeated(toy_run: Path) -> None:
    before = seals(toy_run)
    run_all(toy_run, TINY, device="cpu")
    assert seals(toy_run) == before
    assert len(before) == len(STAGES) - 1


def test_a_changed_choice_repeats_only_what_depends_on_it(toy_run: Path, tmp_path: Path) -> None:
    run = copytree(toy_run, tmp_path / "run")
    before = seals(run)
    counts = finish(run, RunOptions(size="tiny", confidence=0.9))
    assert {name for name, seal in seals(run).items() if seal != before[name]} == {"triples"}
    assert 0 < counts["assertions"] < run_status(toy_run)[-1].counts["assertions"]
    prepare(run, RunOptions(size="tiny", confidence=0.9, alpha=0.9))
    states = {each.stage.name: each.state for each in run_status(run)}
    assert states["matches"] == states["injected"] == states["chains"] == "finished"
    assert states["pretrained"] == states["model"] == states["predictions"] == states["triples"] == "outdated"
    assert states["examples"] == "finished"


def test_with_beta_only_what_is_near_its_text_is_kept(toy_run: Path, tmp_path: Path) -> None:
    run = copytree(toy_run, tmp_path / "run")
    all_of_them = read_triples(run)
    assert all_of_them["similarity"].null_count == all_of_them.num_rows  # by default nothing is compared
    counts = finish(run, RunOptions(size="tiny", beta=0.5))
    near = read_triples(run)
    assert counts["beta of"] == "matched triples"
    assert 0 < near.num_rows == all_of_them.num_rows - counts["left out"][NOT_SIMILAR] < all_of_them.num_rows
    assert min(near["similarity"].to_pylist()) >= counts["beta"] - 1e-4


KILLED = """
from pathlib import Path
import sys
from clew.extract.run.pipeline import run_all
from clew.extract.run.options import RunOptions
run_all(Path(sys.argv[1]), RunOptions(size="tiny", steps=80), device="cpu")
"""


@pytest.mark.soak
def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(run)], env=environment)
    try:
        _wait(lambda: (run / "pretrained.checkpoint" / "state.json").is_file(), child)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait(60)
    assert child.returncode == -signal.SIGKILL
    before = seals(run)
    assert set(before) == {"corpus", "sequences", "heads", "reserved", "matches", "injected", "chains", "examples"}
    assert {each.stage.name: each.state for each in run_status(run)}["pretrained"] == "in part"
    said: list[int] = []
    choices = RunOptions(size="tiny", steps=80)
    assert seals(run) == before
    train(run, choices, device="cpu", progress=lambda task, done, total: said.append(done))
    after = seals(run)
    assert {name: seal for name, seal in after.items() if name in before} == before
    assert said[0] > 50  # it went on after the checkpoint
    assert not list(run.glob("*.checkpoint"))
    whole = json.loads((run / "model" / "training.json").read_text("utf-8"))
    assert whole["history"][-1]["step"] == 80
    assert len(whole["ranking"]["history"]) == whole["ranking"]["settings"]["epochs"] > 0


def _wait(ready: Callable[[], bool], child: "subprocess.Popen[bytes]") -> None:
    limit = time.monotonic() + 300
    while not ready():
        assert child.poll() is None, "the run ended by itself"
        assert time.monotonic() < limit, "the run takes too long"
        time.sleep(0.02)


def test_teaching_can_be_left_out_and_made_up_for(toy_run: Path, tmp_path: Path) -> None:
    run = copytree(toy_run, tmp_path / "run")
    before = seals(run)
    train(run, RunOptions(size="tiny", rank_epochs=0), device="cpu")
    plain = json.loads((run / "model" / "training.json").read_text("utf-8"))
    assert plain["ranking"]["history"] == []
    assert (run / "model" / "weights.safetensors").read_bytes() == (
        run / "pretrained" / "weights.safetensors"
    ).read_bytes()
    assert {name for name, seal in seals(run).items() if seal != before[name]} == {"model"}
    train(run, TINY, device="cpu")
    assert seals(run)["model"][1] == before["model"][1]  # the same model to the last bit


def test_texts_without_known_names_are_a_clear_end(tmp_path: Path, toy_run: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "ship.txt").write_text("The ship left the harbour early. It sailed to the north.", "utf-8")
    choices = RunOptions(size="tiny", inputs=(str(tmp_path / "texts"),), seed_graph=str(toy_run / "seed.clew"))
    with pytest.raises(InputError, match=r"no name of .* occurs in the 1 sequences"):
        run_all(tmp_path / "run", choices)
    states = {each.stage.name: each.state for each in run_status(tmp_path / "run")}
    assert states["heads"] == "finished"
    assert states["matches"] == "missing"


def test_a_hostile_corpus_is_counted_and_read(tmp_path: Path, toy_run: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "broken.xml").write_text("<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Art", "utf-8")
    (texts / "empty.txt").write_text("", "utf-8")
    (texts / "control.txt").write_text("Aspirin\x00 treats\x07 fever in patients with\x1b[31m influenza.", "utf-8")
    (texts / "line.txt").write_text("aspirin " * 1_300_000, "utf-8")  # 10 MB of one line
    (texts / "gout.txt").write_text("Allopurinol is used to treat gout. Gout affects the joint.", "utf-8")
    choices = RunOptions(size="tiny", inputs=(str(texts),), seed_graph=str(toy_run / "seed.clew"))
    assert prepare(tmp_path / "run", choices)["chains"]["leaves"] > 0
    corpus = run_status(tmp_path / "run")[0].counts
    assert 1 <= corpus["documents"] <= 3
    assert corpus["documents"] + sum(corpus["left_out"].values()) == 5
    assert all(reason for reason in corpus["left_out"])


def test_a_corpus_needs_a_seed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="seed graph"):
        prepare(tmp_path / "run", RunOptions(inputs=("texts",)))


def test_ones_own_text_is_read_with_a_finished_model(toy_run: Path) -> None:
    model, graph = find_model(toy_run)
    text = "Quinine is used to treat malaria. Aspirin did not cause asthma."
    settings = RunOptions(size="tiny", beta=0.0, confidence=0.0).settings()
    triples, counts = extract_from_text(text, model, graph, settings=settings, device="cpu")
    assert counts["corpus"]["flagged"] == {"negated": 1}
    rows = triples.to_pylist()
    assert {row["head_text"] for row in rows} <= {"Quinine", "malaria"}
    treated = [row for row in rows if row["relation"] == "treats" and row["head_text"] == "Quinine"]
    assert max(treated, key=lambda row: row["confidence"])["tail_text"] == "malaria"
    for row in rows:
        assert text[row["head_start"] : row["head_end"]] == row["head_text"]
    with pytest.raises(InputError, match="mentions no entity"):
        extract_from_text("The ship left the harbour.", model, graph, settings=settings, device="cpu")


def test_a_model_without_a_seed_beside_it_asks_for_one(toy_run: Path, tmp_path: Path) -> None:
    copytree(toy_run / "model", tmp_path / "model")
    with pytest.raises(InputError, match="--seed-graph"):
        find_model(tmp_path / "model")
    model, graph = find_model(tmp_path / "model", seed_graph=str(toy_run / "seed.clew"))
    assert model == tmp_path / "model"
    assert graph.counts["entities"] > 100
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no trained model"):
        find_model(tmp_path / "empty")


def test_without_torch_the_extra_is_named(toy_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"clew\[extract\]"):
        train(toy_run, TINY)


def test_damage_is_noticed_and_mended(toy_run: Path, tmp_path: Path) -> None:
    run = copytree(toy_run, tmp_path / "run")
    (run / "tails" / "tails.parquet").write_bytes(b"")
    assert {each.stage.name: each.state for each in run_status(run)}["tails"] == "missing"
    with pytest.raises(DerivedError, match="tails"):
        finish(run, RunOptions(size="tiny", confidence=0.7))


def test_a_helper_lists_heads_once(toy_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Zorbafen is used to treat gout. Allopurinol is used to treat gout."
    (tmp_path / "one.txt").write_text(text, "utf-8")
    models = [Scripted(lambda request: "Zorbafen\nunheardof") for _ in range(2)]
    waiting = list(models)
    monkeypatch.setattr(pipeline, "open_model", lambda spec: waiting.pop(0))
    choices = RunOptions(
        size="tiny",
        inputs=(str(tmp_path / "one.txt"),),
        seed_graph=str(toy_run / "seed.clew"),
        helper="scripted",
        helper_for=("heads",),
    )
    for _ in range(2):
        prepare(tmp_path / "run", choices)
    heads = pq.read_table(tmp_path / "run" / "heads" / "heads.parquet").to_pylist()
    assert [row["text"] for row in heads] == ["Zorbafen", "gout", "Allopurinol", "gout"]
    assert heads[0]["entity"] is None
    assert heads[1]["entity"] is not None
    assert [len(model.requests) for model in models] == [1, 0]  # the second time they are remembered
