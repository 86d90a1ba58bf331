"""The decoder as it is exported: the same scores as the network that was trained, and only ever sketches."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from clew.answer.hearing.symbols import SYMBOLS, to_symbols
from clew.answer.hearing.writing import Decoder
from clew.answer.sketch.sketch import split_words
from clew.embed.session import open_session

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "questions" / "training"))
QUESTION = "Which drugs given for migraine never cause nausea in 2 of 3 people?"
WORDS = split_words(QUESTION, [(22, 30), (43, 49)])


def network(seed: int, folder: Path, *, sharper: float = 1.0):
    import onnx
    from decoder import draw
    from network import Decoder as Network

    torch.manual_seed(seed)
    made = Network(len(SYMBOLS), 2, 0.0).eval()
    arrays = {name: value.numpy() for name, value in made.state_dict().items()}
    arrays["choose.weight"] = arrays["choose.weight"] * sharper
    onnx.save(draw(arrays), folder / "decoder.onnx")
    return made, Decoder(open_session(folder / "decoder.onnx", threads=1))


@pytest.mark.parametrize("seed", range(6))
def test_whatever_its_weights_it_writes_sketches(seed: int, tmp_path: Path) -> None:
    _, decoder = network(seed, tmp_path)
    states = np.random.default_rng(seed).normal(size=(len(WORDS), 384)).astype(np.float32)
    for each in decoder.write(states, WORDS, width=3):
        assert to_symbols(each.sketch)
        assert 0 <= each.probability <= 1


def test_its_scores_are_those_of_the_network(tmp_path: Path) -> None:
    made, decoder = network(1, tmp_path)
    states = np.random.default_rng(1).normal(size=(len(WORDS), 384)).astype(np.float32)
    found = decoder.write(states, WORDS, width=4)
    assert found
    symbols = torch.tensor([to_symbols(found[0].sketch)])
    mask = torch.ones(1, len(WORDS), dtype=torch.bool)
    with torch.no_grad():
        scores = made(symbols[:, :-1], torch.from_numpy(states)[None], mask).log_softmax(-1)
    expected = scores.gather(-1, symbols[:, 1:, None]).sum().item()
    assert np.log(found[0].probability) == pytest.approx(expected, abs=1e-3)


def test_what_is_too_improbable_is_left_out_and_nothing_else_changes(tmp_path: Path) -> None:
    _, decoder = network(1, tmp_path, sharper=6)  # so that some sketches are much more probable than others
    states = np.random.default_rng(1).normal(size=(len(WORDS), 384)).astype(np.float32)
    whole = decoder.write(states, WORDS)
    least = (whole[0].probability * whole[1].probability) ** 0.5
    (best,) = decoder.write(states, WORDS, least=least)
    assert best.sketch == whole[0].sketch
    assert best.probability == pytest.approx(whole[0].probability, rel=1e-4)
    assert decoder.write(states, WORDS, least=whole[0].probability * 1.01) == []
