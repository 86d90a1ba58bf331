"""GraphMERT that begins with a BERT computes what that BERT computes, and is trained on from there."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from clew.errors import InputError
from clew.extract.batches.batch import Batch, collate
from clew.extract.chains.graphs import Chains
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.start import config_of_start, load_start
from clew.extract.sequences.tokenizer import load_tokenizer
from clew.extract.statements.config import config_of_start as statement_config
from clew.extract.statements.learning.encoder import Encoder
from clew.extract.statements.learning.encoder import load_start as load_encoder
from clew.extract.training.pretraining import train
from clew.extract.training.settings import TrainingSettings
from random_chains import make_chains
from statement_corpora import write_start


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_start(tmp_path_factory.mktemp("start"))


def chains_of(start: Path, *, sequences: int) -> Chains:
    tokenizer = load_tokenizer(start / "tokenizer.json")
    size = tokenizer.get_vocab_size()
    made = make_chains(sequences, longest=20, seed=1)
    return replace(
        made, roots=made.roots % (size - 7) + 7, tail=np.where(made.tail > 0, 7, 0), tokenizer=tokenizer.to_str()
    )


def make_model(start: Path, chains: Chains) -> GraphMert:
    config = config_of_start(start, vocabulary=chains.vocabulary, relations=len(chains.relations))
    model = GraphMert(config).eval()
    load_start(model, start, chains.tokenizer)
    return model


def test_roots_are_encoded_as_by_the_bert(start: Path) -> None:
    chains = chains_of(start, sequences=1)
    bare = replace(chains, **{name: getattr(chains, name)[:0] for name in LEAVES})
    model = make_model(start, bare)
    batch = Batch.unpack(collate(bare, np.arange(1), replace(model.config, root_share=0.0), seed=0, epoch=0), CPU)
    encoder = Encoder(statement_config(start)).eval()
    theirs = json.loads((start / "tokenizer.json").read_text())["model"]["vocab"]
    load_encoder(encoder, start, theirs)
    ours = {number: piece for piece, number in json.loads(chains.tokenizer)["model"]["vocab"].items()}
    tokens = [0, *(theirs[ours[int(each)]] for each in batch.tokens[: len(bare.roots)])]
    with torch.no_grad():
        # what stands at place 0 in BERT, [CLS], is no root: it is hidden from the others
        present = torch.tensor([[0.0] + [1.0] * len(bare.roots)])
        wanted = encoder.read(torch.tensor([tokens]), present)[0, 1:]
        found = model.encode(batch)[: len(bare.roots)]
    assert torch.allclose(found, wanted, atol=2e-4)


def test_training_goes_on_from_a_bert(start: Path, tmp_path: Path) -> None:
    chains = chains_of(start, sequences=20)
    config = config_of_start(start, vocabulary=chains.vocabulary, relations=len(chains.relations))
    settings = TrainingSettings(steps=1, sequences=6, rate=0.0, last_rate=0.0, device="cpu")
    still = train(chains, config, settings, tmp_path / "still", start_from=start).model.state_dict()
    wanted = make_model(start, chains).state_dict()
    name = "encoder.layers.1.qkv.weight"
    assert torch.allclose(still[name], wanted[name], atol=1e-6)


def test_a_start_with_other_pieces_is_refused(start: Path) -> None:
    chains = make_chains(2)
    config = config_of_start(start, vocabulary=chains.vocabulary, relations=len(chains.relations))
    with pytest.raises(InputError, match="--tokenizer"):
        load_start(GraphMert(config), start, chains.tokenizer)


CPU = torch.device("cpu")
LEAVES = ("leaf_sequence", "leaf_root", "head_first", "head_last", "leaf_relation", "tail", "tail_length")
