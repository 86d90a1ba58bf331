"""Four ways to an encoder, each with the same gold: the encoder is carried over whole, and scores become figures."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from benchmarks.extraction.graph_part import ARMS, NO_LEAVES, WHOLE, Place, copy_encoder, main, prepare, pretrain

from clew.extract.chains.graphs import write_chains
from clew.extract.sequences.tokenizer import load_tokenizer
from clew.extract.statements.learning.fitting import start_model
from random_chains import make_chains
from statement_corpora import write_corpora, write_start


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Corpora, a start, a hierarchy without anything in it, chains, and the inputs made of them."""
    place = tmp_path_factory.mktemp("graph_part")
    write_corpora(place / "data")
    start = write_start(place / "start")
    (place / "seed").mkdir()
    texts = pa.array([], pa.string())
    pq.write_table(
        pa.table({"id": texts, "xrefs": pa.array([], pa.list_(pa.string()))}), place / "seed/entities.parquet"
    )
    pq.write_table(pa.table({"subject": texts, "relation": texts, "object": texts}), place / "seed/triples.parquet")
    tokenizer = load_tokenizer(start / "tokenizer.json")
    made = make_chains(20, longest=20)
    roots = made.roots % (tokenizer.get_vocab_size() - 7) + 7
    chains = replace(made, roots=roots, tail=np.where(made.tail > 0, 7, 0), tokenizer=tokenizer.to_str())
    write_chains(place / "run" / "chains", chains, identity={})
    prepare(place / "run", place / "data", start, place / "seed", place / "inputs")
    return place


def test_every_way_is_scored_against_gold(folder: Path) -> None:
    common = ["--device", "cpu", "--processes", "1", "--steps", "2", "--gold-epochs", "1", "--seeds", "1"]
    main(["train", "--inputs", str(folder / "inputs"), "--out", str(folder / "out"), *common])
    paths = {
        name: str(folder / place) for name, place in (("--data", "data"), ("--start", "start"), ("--hierarchy", "seed"))
    }
    given = [each for pair in paths.items() for each in pair]
    main(["score", *given, "--results", str(folder / "out"), "--json", str(folder / "figures.json")])
    found = json.loads((folder / "figures.json").read_text())
    assert set(found) == set(ARMS)
    assert found[WHOLE]["seeds"][0]["losses"]["leaf"] > 0
    assert found[NO_LEAVES]["seeds"][0]["losses"]["leaf"] == 0
    assert all(len(each["seeds"]) == 1 and 0 <= each["mean"]["bc5cdr_f1"] <= 1 for each in found.values())


def test_an_untrained_encoder_is_carried_over_as_the_start(folder: Path) -> None:
    place = Place(folder / "inputs", folder / "out", "cpu", 1, 1.0, 1, 8)
    untrained, _ = pretrain(place, NO_LEAVES, 0, rate=0.0)
    wanted, found = (start_model(folder / "inputs" / "start").encoder for _ in range(2))
    with torch.no_grad():
        for parameter in found.parameters():
            parameter[...] = parameter if parameter is found.segment or parameter is found.positions.weight else 0.0
        found.words.weight[...] = wanted.words.weight  # the words of markers are not carried over
    copy_encoder(untrained, found, place)
    for (name, one), (_, other) in zip(wanted.named_parameters(), found.named_parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-5), name
