"""The exported model: the scores of torch, without torch."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from clew.errors import DerivedError
from clew.extract.statements.gold import read_training
from clew.extract.statements.learning.export import export, round_weights
from clew.extract.statements.learning.storage import TrainedModel
from clew.extract.statements.prediction import StatementModel

WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from pathlib import Path
from clew.extract.statements.gold import Mention
from clew.extract.statements.prediction import StatementModel
model = StatementModel.open(Path(sys.argv[1]))
found = model.judge("aspirin caused gout .", [Mention(0, 7, "chemical", ("a",)), Mention(15, 19, "disease", ("b",))])
print(len(found), found[0].subject, found[0].object)
"""


@pytest.fixture(scope="module")
def exported(trained: TrainedModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exported") / "model"
    export(path, trained)
    return path


def test_onnx_gives_the_scores_of_torch_with_rounded_weights(
    trained: TrainedModel, exported: Path, corpora: Path
) -> None:
    opened, rounded = StatementModel.open(exported, threads=1), round_weights(trained.model)
    for document in read_training(corpora):
        marked = opened.marker.mark_gold(document).marked
        given = (marked.tokens[None], marked.openings, marked.membership, marked.pairs, marked.features)
        with torch.inference_mode():
            expected = rounded(*(torch.from_numpy(each) for each in given)).numpy()
            whole = trained.model(*(torch.from_numpy(each) for each in given)).numpy()
        found = opened.score(marked)
        assert np.abs(found - expected).max() < 1e-5
        assert np.abs(found - whole).max() < 0.1  # 8 bits a weight
        assert not np.array_equal(expected, whole)


def test_prediction_needs_no_torch(exported: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(exported)], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["2", "a", "b"], done.stderr


def test_statements_are_sorted_and_stated_from_the_threshold_on(exported: Path, corpora: Path) -> None:
    opened = StatementModel.open(exported)
    document = read_training(corpora)[0]
    found = opened.judge(document.text, document.mentions)
    assert [each.probability for each in found] == sorted((each.probability for each in found), reverse=True)
    assert {(each.corpus, each.subject, each.object) for each in found} == {
        (corpus, "ID:lithium", disease) for corpus in ("bc5cdr", "biored") for disease in ("ID:nausea", "ID:gout")
    }
    for each in found:
        assert each.stated == (each.probability >= opened.calibration[each.corpus].threshold)


def test_a_document_without_pairs_states_nothing(exported: Path) -> None:
    assert StatementModel.open(exported).judge("fever was seen .", []) == []


def test_a_damaged_export_is_one_clear_error(exported: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(exported, tmp_path / "model")
    size = (tmp_path / "model" / "model.onnx").stat().st_size
    (tmp_path / "model" / "model.onnx").write_bytes(b"\0" * size)
    with pytest.raises(DerivedError, match="clew statements export"):
        StatementModel.open(tmp_path / "model")
