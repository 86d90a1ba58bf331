"""The reader of pairs: it learns help from harm, shares the lowest layers, and is exported beside its model."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from clew.extract.statements.combining import HARM, HELP, pair_features
from clew.extract.statements.examples import ENTITY_TYPES
from clew.extract.statements.exported import ONNX, PAIRS, WEIGHTS
from clew.extract.statements.gold import Mention, read_training
from clew.extract.statements.learning.export import export, round_weights
from clew.extract.statements.learning.pair_reader import PairReader, ReaderSettings, fit_reader, read_pairs
from clew.extract.statements.learning.storage import TrainedModel, read_trained, write_trained
from clew.extract.statements.marking import Marker
from clew.extract.statements.prediction import StatementModel
from clew.extract.statements.relations import STATED

CAUSED, RELIEVED = "aspirin caused gout .", "aspirin relieved gout ."
MENTIONS = {
    text: [Mention(0, 7, "chemical", ("a",)), Mention(text.index("gout"), text.index("gout") + 4, "disease", ("b",))]
    for text in (CAUSED, RELIEVED)
}


@pytest.fixture(scope="module")
def with_reader(trained: TrainedModel, start: Path) -> TrainedModel:
    """A reader that has learnt two sentences; its lowest layer is the model's."""
    torch.manual_seed(0)
    marker = Marker.for_start(start)
    reader = PairReader(trained.model.config)
    reader.encoder.load_state_dict(trained.model.encoder.state_dict())
    texts = [marker.pair_texts(text, MENTIONS[text], [("a", "b")])[0] for text in (CAUSED, RELIEVED)] * 8
    targets = np.array([[0, 0, 1], [1, 1, 0]] * 8, np.float32)  # harm; not harm, which of the others is open
    targets[1::4] = [0, 1, 0]
    settings = ReaderSettings(frozen=1, epochs=20, batch=4, rate=2e-3, head_rate=5e-3)
    fit_reader(reader, texts, targets, np.ones(16, np.float32), settings)
    columns = {each.name: 1 + (8 if each.corpus == "biored" else 1) for each in STATED}
    combinations = {
        "induces": {"weights": [0.0] * columns["induces"] + [0.0, -1.0, 1.0, 0.0], "bias": 0.0},
        "treats": {"weights": [0.0] * columns["treats"] + [0.0, 1.0, -1.0, 0.0], "bias": 0.0},
    }
    return replace(trained, reader=reader, training={**trained.training, "combinations": combinations})


def test_help_is_told_from_harm(with_reader: TrainedModel, start: Path) -> None:
    marker, reader = Marker.for_start(start), with_reader.reader
    assert reader is not None
    read = read_pairs(reader, [marker.pair_texts(text, MENTIONS[text], [("a", "b")])[0] for text in MENTIONS], "cpu")
    assert read.argmax(1).tolist() == [HARM, HELP]
    assert read.sum(1) == pytest.approx([1, 1])


def test_shared_layers_stay_and_others_are_trained(with_reader: TrainedModel) -> None:
    assert with_reader.reader is not None
    mine, model = with_reader.reader.encoder.state_dict(), with_reader.model.encoder.state_dict()
    same = {name for name in mine if torch.equal(mine[name], model[name])}
    assert {"words.weight", "positions.weight", "layers.0.query.weight"} <= same
    assert "layers.1.query.weight" not in same


def test_it_is_exported_beside_its_model_and_changes_what_is_stated(
    with_reader: TrainedModel, trained: TrainedModel, tmp_path: Path, corpora: Path
) -> None:
    export(tmp_path / "both", with_reader)
    export(tmp_path / "alone", trained)
    shared = (tmp_path / "both" / WEIGHTS).stat().st_size - (tmp_path / "alone" / WEIGHTS).stat().st_size
    assert with_reader.reader is not None
    model = with_reader.model.state_dict()
    own = [
        tensor
        for name, tensor in with_reader.reader.state_dict().items()
        if name not in model or not torch.equal(tensor, model[name])
    ]
    assert 0 < shared <= 4 * sum(each.numel() for each in own)  # vocabulary and lowest layers are stored once
    assert (tmp_path / "both" / ONNX).stat().st_size < 200_000
    assert not (tmp_path / "alone" / PAIRS).exists()
    both, alone = (StatementModel.open(tmp_path / name, threads=1) for name in ("both", "alone"))
    assert both.reads_pairs
    assert not alone.reads_pairs
    rounded = round_weights(with_reader.reader)
    for text, mentions in MENTIONS.items():
        marked = both.marker.mark(text, mentions, types={("chemical", "disease")})
        found = both.read_pairs(text, mentions, marked, np.array([0]))
        (cut,) = both.marker.pair_texts(text, mentions, [("a", "b")])
        assert found == pytest.approx(read_pairs(rounded, [cut], "cpu"), abs=1e-4)
    document = read_training(corpora)[0]
    marked = both.marker.mark_gold(document).marked
    assert both.score(marked) == pytest.approx(alone.score(marked))  # the document is judged as before


def test_a_pair_is_stated_by_both_readings(with_reader: TrainedModel, tmp_path: Path) -> None:
    relations = {name: {"threshold": 0.5} for name in with_reader.training["relations"]}
    hopeful = {corpus: {"scale": 0.01} for corpus in with_reader.training["calibration"]}  # nothing is hopeless
    export(
        tmp_path / "model",
        replace(with_reader, training={**with_reader.training, "relations": relations, "calibration": hopeful}),
    )
    model = StatementModel.open(tmp_path / "model", threads=1)
    stated = {
        text: [(each.relation, each.subject, each.object) for each in model.state(text, mentions) if each.stated]
        for text, mentions in MENTIONS.items()
    }
    assert stated == {CAUSED: [("induces", "a", "b")], RELIEVED: [("treats", "a", "b")]}


def test_a_trained_reader_is_kept_on_disk(with_reader: TrainedModel, tmp_path: Path) -> None:
    write_trained(tmp_path / "trained", with_reader)
    again = read_trained(tmp_path / "trained")
    assert again.reader is not None
    assert with_reader.reader is not None
    for name, tensor in with_reader.reader.state_dict().items():
        assert torch.equal(again.reader.state_dict()[name], tensor)
    assert pair_features(np.ones((0, 2)), np.ones((0, 3)), np.zeros(0, bool)).shape == (0, 6)


@pytest.mark.parametrize(("types", "ends"), [(("gene", "disease"), ([1], [3])), (("gene", "gene"), ([1, 3], [1, 3]))])
def test_a_pair_of_any_types_is_judged_by_its_opening_markers(
    trained: TrainedModel, types: tuple[str, str], ends: tuple[list[int], list[int]]
) -> None:
    torch.manual_seed(1)
    reader = PairReader(trained.model.config).eval()
    first, last = (trained.model.config.vocabulary + 2 * ENTITY_TYPES.index(each) for each in types)
    tokens, hidden = torch.tensor([[1, first, 2, last, 3]]), torch.randn(1, 5, trained.model.config.width)
    parts = [hidden[:, 0], *(hidden[:, places].mean(1) for places in ends)]
    expected = reader.scores(torch.tanh(reader.pair(torch.cat(parts, 1))))
    assert torch.allclose(reader._judge(hidden, tokens), expected, atol=1e-6)
