"""The toy corpus and its seed: the one speaks of what the other holds."""

import csv
from pathlib import Path

import clew
from clew.extract.corpus import prepare_corpus, read_documents
from clew.extract.toy import toy_corpus, toy_held_out, toy_seed


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def test_the_corpus_is_read_whole(tmp_path: Path) -> None:
    counts = prepare_corpus([toy_corpus()], tmp_path / "run")
    assert counts.documents == 118
    assert not counts.left_out
    assert counts.removed == {"boilerplate": 4}
    assert min(counts.flagged[flag] for flag in ("negated", "speculative", "animal")) >= 9
    assert counts.kept > 450
    assert counts.licenses == {"CC0-1.0": 118}


def test_the_seed_can_be_built(tmp_path: Path) -> None:
    clew.build(toy_seed(), out=tmp_path / "toy.clew")
    graph = clew.open(tmp_path / "toy.clew")
    assert (graph.counts["entities"], graph.counts["triples"]) == (316, 437)


def test_texts_state_what_is_held_out_and_the_seed_does_not(tmp_path: Path) -> None:
    prepare_corpus([toy_corpus()], tmp_path / "run")
    texts = [text.lower() for text in read_documents(tmp_path / "run")["text"].to_pylist()]
    names = {row["id"]: row["name"].lower() for row in rows(toy_seed() / "toy_nodes.tsv")}
    seed = {
        (row["subject"], row["predicate"].removeprefix("biolink:"), row["object"])
        for row in rows(toy_seed() / "toy_edges.tsv")
    }
    held_out = [(row["subject"], row["relation"], row["object"]) for row in rows(toy_held_out())]
    assert len(held_out) == 30
    assert not seed & set(held_out)
    stated = [
        any(names[subject] in text and names[object] in text for text in texts) for subject, _, object in held_out
    ]
    assert all(stated)
    assert {relation for _, relation, _ in held_out} <= {relation for _, relation, _ in seed}
