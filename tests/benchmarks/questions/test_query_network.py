"""A network with an adapter: prompts answered together, each graph read once, are answered as each would be alone."""

import sys
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from clew.answer.models.branches import BRANCHES
from clew.answer.models.query_reader import MOST_TOKENS
from clew.answer.models.trained import CHECK, INSTRUCTION, RIGHT, WRONG

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

    def encode(self, text: str) -> list[int]:
        return [5 + ord(each) % (WORDS - 5) for each in text[-20:]]

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
            for token, chance in list(zip(said["tokens"], said["chances"], strict=False))[:5]:
                chances = alone(network, model, tokens)
                assert abs(float(chances[token]) - chance) < CLOSE
                assert float(chances.max()) - chance < CLOSE
                tokens.append(token)


def assert_alike(some: list[dict[str, Any]], others: list[dict[str, Any]]) -> None:
    """The same first tokens, or such as are as likely in 16 bits."""
    for one, other in zip(some, others, strict=True):
        for at in range(min(3, len(one["chances"]), len(other["chances"]))):
            assert abs(one["chances"][at] - other["chances"][at]) < CLOSE
            if one["tokens"][at : at + 1] != other["tokens"][at : at + 1]:
                break


def test_few_at_once_are_answered_as_many_are(
    network: ModuleType, model: Any, prompts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = network.answers(model, prompts, Texts())
    monkeypatch.setattr(network, "AT_ONCE", 3 * network.MOST_WRITTEN)
    parts = list(network.together(prompts))
    assert len(parts) > 3
    assert sorted(each for part in parts for each in part) == list(range(len(prompts)))
    few = network.answers(model, prompts, Texts())
    assert_alike(few, at_once)


def test_few_are_read_at_once_though_many_are_answered(
    network: ModuleType, model: Any, prompts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = network.answers(model, prompts, Texts())
    most, sizes = 40, []
    monkeypatch.setattr(network, "MOST_READ", most)
    noted = model.register_forward_pre_hook(lambda _, given: sizes.append(given[2].shape))
    few = network.answers(model, prompts, Texts())
    noted.remove()
    assert any(rows == len(prompts) for rows, *_ in sizes)  # a token of every prompt
    assert all(rows * seen <= most for rows, _, read, seen in sizes if read > 1)
    assert_alike(few, at_once)


def test_a_query_is_written_again_after_the_likeliest_runners_up(network: ModuleType, model: Any, prompts: Any) -> None:
    written = dict(enumerate(network.answers(model, prompts, Texts(), most=6)))
    branches = network._branches(model, prompts, written, Texts(), 6)
    for at, others in branches.items():
        runners = written[at]["runners"]
        tried = sorted(each["at"] for each in others)
        left_out = [log for place, (_, log) in enumerate(runners) if place and place not in tried]
        assert 0 not in tried
        assert min(runners[place][1] for place in tried) >= max(left_out, default=-1e9)
        for each in others:
            token, log = runners[each["at"]]
            begun = [*written[at]["tokens"][: each["at"]], *([token] if token not in Texts.ends else [])]
            assert each["tokens"][: len(begun)] == begun
            assert each["chances"][each["at"]] == pytest.approx(log, abs=1e-3)
            assert (each["tokens"] == begun and each["ended"]) or token not in Texts.ends


def test_answers_come_with_other_queries_and_verdicts_on_all(network: ModuleType, model: Any) -> None:
    asked = [("(a)-[:B]->(c)", "Which?"), ("(a)-[:B]->(c)", "Who?"), ("(d)-[:E]->(f)", "Who?")]
    for one in network.answered(model, asked, Texts(), "Write.", most=6):
        assert one["text"] == " ".join(one["parts"])
        assert [each["at"] for each in one["others"]] == list(one["runners"])
        assert len({one["text"], *(each["text"] for each in one["others"])}) > 1
        assert all(0 <= each["right"] <= 1 for each in (one, *one["others"]))
    (plain,) = network.answered(model, asked[:1], Texts(), "Write.", verdict=False, most=6)
    assert plain["others"]
    assert all("right" not in each for each in (plain, *plain["others"]))


def test_what_it_is_asked_and_how_often_is_as_in_the_product(network: ModuleType) -> None:
    asked = (network.INSTRUCTION, network.CHECK, network.RIGHT, network.WRONG, network.MOST_WRITTEN, network.BRANCHES)
    assert asked == (INSTRUCTION, CHECK, RIGHT, WRONG, MOST_TOKENS, BRANCHES)


def test_what_is_learned_beside_a_layer_is_what_separate_sums_learn(network: ModuleType) -> None:
    torch.manual_seed(2)
    x, a, b = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((6, 8), (3, 8), (5, 3)))
    weight, bias = torch.randn(5, 8, dtype=torch.float64), torch.randn(5, dtype=torch.float64)
    toward = torch.randn(6, 5, dtype=torch.float64)
    plain = torch.nn.functional.linear(x, weight, bias) + (x @ a.T) @ b.T * 2.0
    wanted = torch.autograd.grad((plain * toward).sum(), (x, a, b))
    out = network.Beside.apply(x, weight, bias, a, b, 2.0)
    assert torch.allclose(out, plain)
    found = torch.autograd.grad((out * toward).sum(), (x, a, b))
    assert all(torch.allclose(one, other) for one, other in zip(found, wanted, strict=True))
