"""Masked-word training: rows of tokens, shares of masked ones, and a loss that falls."""

from pathlib import Path

import numpy as np
import pytest
import torch

from clew.errors import InputError
from clew.extract.statements.learning.fitting import start_model
from clew.extract.statements.learning.masked_words import MaskedWordSettings, Words, _mask, continue_pretraining
from clew.extract.statements.learning.texts import cut_texts, read_texts
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


MASK = VOCABULARY.index("[MASK]")
WHOLE = Words(MASK, np.zeros(len(VOCABULARY), bool))


def test_one_in_seven_tokens_is_chosen_and_most_of_them_masked() -> None:
    torch.manual_seed(0)
    tokens = torch.full((200, 100), 7)
    shown, chosen = _mask(tokens, torch.from_numpy(WHOLE.continues), MASK)
    assert float(chosen.float().mean()) == pytest.approx(0.15, abs=0.01)
    assert float((shown[chosen] == MASK).float().mean()) == pytest.approx(0.8, abs=0.05)
    assert (shown[~chosen] == 7).all()


def test_all_pieces_of_a_word_are_chosen_together() -> None:
    torch.manual_seed(0)
    continues = torch.zeros(len(VOCABULARY), dtype=torch.bool)
    continues[8] = True
    tokens = torch.tensor([[7, 8, 8] * 40] * 50)
    _, chosen = _mask(tokens, continues, MASK)
    chosen = chosen[1:].view(-1, 3)
    assert (chosen.all(1) | ~chosen.any(1)).all()


def test_the_loss_falls(start: Path) -> None:
    torch.manual_seed(0)
    model = start_model(start)
    settings = MaskedWordSettings(epochs=15, batch=8, length=10, rate=3e-3)
    rows = cut_texts(TEXTS, start / "tokenizer.json", length=10)
    losses = continue_pretraining(model.encoder, rows, settings, WHOLE)
    assert losses[-1] < 0.6 * losses[0]


def test_documents_of_a_development_set_are_left_out_of_the_texts(corpora: Path) -> None:
    path = str(corpora / "bc5cdr" / "cdr_train.pubtator.gz")
    everything = read_texts([path], without=())
    assert len(read_texts([path], without={"100", "101"})) == len(everything) - 2
    with pytest.raises(InputError, match="no text"):
        read_texts([path], without={str(100 + each) for each in range(8)})
