"""Masked-word training: rows of tokens, shares of masked ones, and a loss that falls."""

from pathlib import Path

import numpy as np
import pytest
import torch

from clew.errors import InputError
from clew.extract.statements.masked_words import MaskedWordSettings, _mask, continue_pretraining
from clew.extract.statements.texts import cut_texts, read_texts
from clew.extract.statements.training import start_model
from statement_corpora import DRUGS, ILLS, WORDS

VOCABULARY = [*WORDS, *DRUGS, *ILLS]
TEXTS = [f"{drug} caused {ill} ." for drug, ill in zip(DRUGS, ILLS, strict=True)] * 20


def test_texts_follow_each_other_in_rows(start: Path) -> None:
    rows = cut_texts(TEXTS[:4], start / "tokenizer.json", length=10)
    read = " ".join(VOCABULARY[each] for each in rows[0])
    assert read == "aspirin caused nausea . [SEP] lithium caused gout . [SEP]"
    assert rows.shape == (2, 10)
    with pytest.raises(InputError, match="at least 50"):
        cut_texts(TEXTS[:4], start / "tokenizer.json", length=50)


def test_one_in_seven_tokens_is_chosen_and_most_of_them_masked() -> None:
    rows = np.full((200, 100), 7, np.int32)
    tokens, places, targets = _mask(rows, np.random.default_rng(0), len(VOCABULARY), VOCABULARY.index("[MASK]"))
    assert len(targets) / rows.size == pytest.approx(0.15, abs=0.01)
    assert (tokens[places] == VOCABULARY.index("[MASK]")).mean() == pytest.approx(0.8, abs=0.05)
    assert (targets == 7).all()
    untouched = np.ones(rows.shape, bool)
    untouched[places] = False
    assert (tokens[untouched] == 7).all()


def test_the_loss_falls(start: Path) -> None:
    torch.manual_seed(0)
    model = start_model(start)
    settings = MaskedWordSettings(epochs=15, batch=8, length=10, rate=3e-3)
    rows = cut_texts(TEXTS, start / "tokenizer.json", length=10)
    mask = VOCABULARY.index("[MASK]")
    losses = continue_pretraining(model.encoder, rows, settings, vocabulary=len(VOCABULARY), mask=mask)
    assert losses[-1] < 0.6 * losses[0]


def test_documents_of_a_development_set_are_left_out_of_the_texts(corpora: Path) -> None:
    path = str(corpora / "bc5cdr" / "cdr_train.pubtator.gz")
    everything = read_texts([path], without=())
    assert len(read_texts([path], without={"100", "101"})) == len(everything) - 2
    with pytest.raises(InputError, match="no text"):
        read_texts([path], without={str(100 + each) for each in range(8)})
