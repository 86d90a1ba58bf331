"""Training: it learns a small corpus by heart, pads and freezes without changing a score, and is saved whole."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from clew.errors import DerivedError, InputError
from clew.extract.statements.examples import Example
from clew.extract.statements.gold import Mention, is_held_out, read_training
from clew.extract.statements.learning.batches import cut_batches, make_batch
from clew.extract.statements.learning.fitting import Settings, fit, score_examples, start_model, train
from clew.extract.statements.learning.storage import TrainedModel, read_trained, write_trained
from clew.extract.statements.marking import Marker


def examples(corpora: Path, start: Path) -> list[Example]:
    marker = Marker.for_start(start)
    return [marker.mark_gold(each) for each in read_training(corpora)]


@pytest.mark.parametrize("compare", [True, False])
def test_a_few_documents_are_learnt_by_heart(corpora: Path, start: Path, compare: bool) -> None:
    torch.manual_seed(0)
    model = start_model(start, compare=compare, dropout=0.0)
    given = examples(corpora, start)
    settings = Settings(epochs=40, batch=7, rate=1e-3, head_rate=3e-3, held_out=0)
    losses = fit(model, given, settings)
    assert losses[0]["biored"] > 0.5
    scored = score_examples(model, given, settings)
    for documents in scored.values():
        for each in documents:
            assert each.scores.argmax(1).tolist() == each.labels.tolist()


def test_padding_changes_no_score(corpora: Path, start: Path) -> None:
    model, marker = start_model(start), Marker.for_start(start)
    model.eval()
    long = marker.mark("aspirin caused gout . fever was seen with tremor in patients .", two_mentions())
    short = examples(corpora, start)[0].marked
    batch = make_batch([long, short], "cpu")
    with torch.inference_mode():
        together = model.judge(*model.encoder(batch.tokens, batch.present), batch.inputs)[1, : len(short.pairs)]
        arrays = (short.tokens[None], short.openings, short.membership, short.pairs, short.features)
        alone = model(*map(torch.from_numpy, arrays))
    assert len(long.pairs) != len(short.pairs)
    assert torch.allclose(together, alone, atol=1e-5)


def two_mentions() -> list[Mention]:
    return [Mention(0, 7, "chemical", ("a",)), Mention(15, 19, "disease", ("b",))]


def test_frozen_layers_stay_and_the_rest_learns(corpora: Path, start: Path) -> None:
    model = start_model(start)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    fit(model, examples(corpora, start), Settings(epochs=1, batch=4, frozen=2))
    changed = {name for name, tensor in model.state_dict().items() if not torch.equal(tensor, before[name])}
    still = ("encoder.words", "encoder.positions", "encoder.layers.0.", "encoder.layers.1.", "encoder.segment")
    assert not [name for name in changed if name.startswith((*still, "encoder.norm"))]
    assert "encoder.layers.2.query.weight" in changed
    assert "scores.weight" in changed


def test_two_halves_of_the_encoder_are_the_whole(corpora: Path, start: Path) -> None:
    model = start_model(start)
    model.eval()
    batch = make_batch([each.marked for each in examples(corpora, start)[:3]], "cpu")
    with torch.inference_mode():
        whole, _ = model.encoder(batch.tokens, batch.present)
        lower = model.encoder.lower(batch.tokens, batch.present, 2)
        upper, _ = model.encoder.upper(lower, batch.present, 2)
    assert torch.equal(whole, upper)


def test_all_layers_cannot_be_frozen(corpora: Path, start: Path) -> None:
    model = start_model(start)
    with pytest.raises(InputError, match="at least one"):
        fit(model, examples(corpora, start), Settings(frozen=3))


def test_held_out_documents_are_not_learnt_from_and_the_seed_decides(corpora: Path, start: Path) -> None:
    documents = examples(corpora, start)
    settings = Settings(epochs=1, batch=4, held_out=0.3)
    one, other = (train(documents, start, settings) for _ in range(2))
    kept = [each for each in documents if not is_held_out(each.document, share=0.3)]
    assert sum(one.training["documents"].values()) == len(kept) < len(documents)
    assert sum(one.training["held_out"].values()) == len(documents) - len(kept)
    for name, tensor in one.model.state_dict().items():
        assert torch.equal(tensor, other.model.state_dict()[name]), name


def test_every_document_is_in_one_batch_of_an_epoch(corpora: Path, start: Path) -> None:
    given = examples(corpora, start)
    numbers = [each for batch in cut_batches(given, 3, np.random.default_rng(0)) for each in batch]
    assert sorted(numbers) == list(range(len(given)))


def test_what_is_saved_is_read_back_the_same(trained: TrainedModel, tmp_path: Path) -> None:
    write_trained(tmp_path / "model", trained)
    again = read_trained(tmp_path / "model")
    assert again.training == trained.training
    assert again.tokenizer == trained.tokenizer
    for name, tensor in trained.model.state_dict().items():
        assert torch.equal(tensor, again.model.state_dict()[name]), name
    (tmp_path / "model" / "weights.safetensors").write_bytes(b"")
    with pytest.raises(DerivedError, match="clew statements train"):
        read_trained(tmp_path / "model")


def test_a_start_that_is_no_bert_is_one_clear_error(start: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--start"):
        start_model(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="vocab_size"):
        start_model(tmp_path)
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((start / name).read_bytes())
    with pytest.raises(InputError, match="safetensors"):
        start_model(tmp_path)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_named(corpora: Path, start: Path) -> None:
    with pytest.raises(InputError, match="no cuda"):
        train(examples(corpora, start), start, Settings(device="cuda"))


def test_settings_that_cannot_be() -> None:
    with pytest.raises(InputError, match="at least 1 epoch"):
        Settings(epochs=0)


def test_training_needs_none_of_the_libraries_of_graphs_and_corpora() -> None:
    """A GPU machine may have torch and little else."""
    program = (
        "import sys; sys.modules.update(dict.fromkeys(['pyarrow', 'numba', 'typer', 'onnxruntime', 'tokenizers']));"
        "import clew.extract.statements.learning.fitting, clew.extract.statements.learning.export; print('done')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "done\n", done.stderr
