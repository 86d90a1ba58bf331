"""A network with an adapter: prompts answered together, each graph read once, are answered as each would be alone."""

import sys
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from clew.answer.models.trained import INSTRUCTION

torch = pytest.importorskip("torch")

FOLDERS = ("questions/training", "contexts")  # scripts of a GPU machine import each other without packages
WIDTH, WORDS, LAYERS, HEADS, KEPT = 64, 50, 2, 4, 2
VALUES = {
    "qwen2.block_count": LAYERS,
    "qwen2.attention.head_count": HEADS,
    "qwen2.attention.head_count_kv": KEPT,
    "qwen2.embedding_length": WIDTH,
    "qwen2.attention.layer_norm_rms_epsilon": 1e-6,
    "qwen2.rope.freq_base": 1e4,
}
CLOSE = 0.1  # of log-probabilities in 16 bits

pytestmark = pytest.mark.filterwarnings("ignore:.*mkldnn")


@pytest.fixture(scope="module")
def network() -> Any:
    benchmarks = Path(__file__).parents[3] / "benchmarks"
    with pytest.MonkeyPatch.context() as patch:
        for folder in FOLDERS:
            patch.syspath_prepend(benchmarks / folder)
        import query_network

        yield query_network
        for name in ("query_network", "llama"):
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def model(network: ModuleType) -> Any:
    """A small network with random weights, the same every time, and an adapter that matters."""
    torch.manual_seed(1)
    weights = {"token_embd.weight": torch.randn(WORDS, WIDTH) * 0.5, "output_norm.weight": torch.ones(WIDTH)}
    shapes = {
        "attn_q": (WIDTH, WIDTH),
        "attn_k": (WIDTH * KEPT // HEADS, WIDTH),
        "attn_v": (WIDTH * KEPT // HEADS, WIDTH),
        "attn_output": (WIDTH, WIDTH),
        "ffn_gate": (2 * WIDTH, WIDTH),
        "ffn_up": (2 * WIDTH, WIDTH),
        "ffn_down": (WIDTH, 2 * WIDTH),
    }
    for layer in range(LAYERS):
        for part, shape in shapes.items():
            weights[f"blk.{layer}.{part}.weight"] = torch.randn(*shape) * (0.4 if "attn" in part else 0.2)
        for part in ("attn_norm", "ffn_norm"):
            weights[f"blk.{layer}.{part}.weight"] = torch.ones(WIDTH)
    made = network.Adapted(VALUES, {name: each.bfloat16() for name, each in weights.items()}, 4, 2.0)
    for name, each in made.low.items():
        if name.endswith("_b"):
            each.data = torch.randn_like(each) * 0.1
    return made


class Texts:
    """Tokens as numbers in a row."""

    ends = frozenset({3, 4})

    def decode(self, tokens: list[int]) -> str:
        return " ".join(map(str, tokens))


@pytest.fixture(scope="module")
def prompts(network: ModuleType) -> Any:
    draw = Random(2)
    graphs = [tuple(draw.randrange(5, WORDS) for _ in range(draw.randint(3, 12))) for _ in range(5)]
    return [
        network.Prompt(draw.choice(graphs), [draw.randrange(5, WORDS) for _ in range(draw.randint(1, 6))])
        for _ in range(12)
    ]


def alone(network: ModuleType, model: Any, tokens: list[int]) -> Any:
    """Log-probabilities of what follows some tokens, read from their beginning."""
    long = len(tokens)
    sees = torch.ones(long, long, dtype=torch.bool).tril()[None, None]
    states = model(torch.tensor([tokens]), torch.arange(long)[None], network.added_to_scores(sees))
    return model.scores(states[:, -1]).log_softmax(-1)[0]


def test_what_is_written_together_is_what_each_would_write(network: ModuleType, model: Any, prompts: Any) -> None:
    with torch.inference_mode():
        for prompt, said in zip(prompts, network.answers(model, prompts, Texts()), strict=True):
            tokens = [*prompt.graph, *prompt.rest]
            for token, chance in list(zip(map(int, said["text"].split()), said["chances"], strict=False))[:5]:
                chances = alone(network, model, tokens)
                assert abs(float(chances[token]) - chance) < CLOSE
                assert float(chances.max()) - chance < CLOSE
                tokens.append(token)


def test_few_at_once_are_answered_as_many_are(
    network: ModuleType, model: Any, prompts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = network.answers(model, prompts, Texts())
    monkeypatch.setattr(network, "AT_ONCE", 3 * network.MOST_WRITTEN)
    parts = list(network.together(prompts))
    assert len(parts) > 3
    assert sorted(each for part in parts for each in part) == list(range(len(prompts)))
    few = network.answers(model, prompts, Texts())
    assert [each["text"].split()[:3] for each in few] == [each["text"].split()[:3] for each in at_once]


def test_the_instruction_is_that_of_the_product(network: ModuleType) -> None:
    assert network.INSTRUCTION == INSTRUCTION
