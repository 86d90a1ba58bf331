"""Requests answered together are answered as each one would be alone; a run that was cut goes on."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

torch = pytest.importorskip("torch")
regex = pytest.importorskip("regex")

from benchmarks.contexts.batch import respond  # noqa: E402
from benchmarks.contexts.engine import Engine, Job  # noqa: E402
from benchmarks.contexts.grammar import grammar_pattern  # noqa: E402
from benchmarks.contexts.llama import Llama  # noqa: E402

LAYERS, WIDTH, HEADS, KEPT, WINDOW = 2, 24, 3, 1, 256
MARKERS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
LETTERS = [chr(at) for at in range(33, 127)] + ["Ġ", "Ċ"]  # bytes as the tokenizer writes them
REQUESTS = [
    {
        "key": f"k{at}",
        "messages": [{"role": "user", "content": "x" * Random(at).randint(1, 90) + f" question {at}"}],
        **(
            {"continuations": ["A", "B", "C"]}
            if at % 2
            else {"max_tokens": 9, "temperature": 0.4 * (at % 4), "seed": at}
        ),
    }
    for at in range(24)
]


def llama(slots: int, kind: str = "llama") -> Llama:
    """A small network with random weights, the same every time."""
    tokens = MARKERS + LETTERS
    values: dict[str, Any] = {
        "general.architecture": kind,
        "tokenizer.ggml.pre": {"llama": "smollm"}.get(kind, kind),
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.merges": [],
        "tokenizer.ggml.token_type": [3] * len(MARKERS) + [1] * len(LETTERS),
        "tokenizer.ggml.eos_token_id": tokens.index("<|im_end|>"),
        "tokenizer.chat_template": "{% for each in messages %}{{ each.content }}<|im_end|>{% endfor %}",
        f"{kind}.block_count": LAYERS,
        f"{kind}.attention.head_count": HEADS,
        f"{kind}.attention.head_count_kv": KEPT,
        f"{kind}.embedding_length": WIDTH,
        f"{kind}.attention.layer_norm_rms_epsilon": 1e-5,
        f"{kind}.rope.freq_base": 10_000.0,
    }
    dice = torch.Generator().manual_seed(7)

    def drawn(*shape: int) -> Any:
        return torch.randn(*shape, generator=dice) / WIDTH**0.5

    kept = WIDTH // HEADS * KEPT
    weights = {"token_embd.weight": drawn(len(tokens), WIDTH), "output_norm.weight": torch.ones(WIDTH)}
    for layer in range(LAYERS):
        for name, shape in (
            ("attn_q", (WIDTH, WIDTH)),
            ("attn_k", (kept, WIDTH)),
            ("attn_v", (kept, WIDTH)),
            ("attn_output", (WIDTH, WIDTH)),
            ("ffn_gate", (2 * WIDTH, WIDTH)),
            ("ffn_up", (2 * WIDTH, WIDTH)),
            ("ffn_down", (WIDTH, 2 * WIDTH)),
        ):
            weights[f"blk.{layer}.{name}.weight"] = 3 * drawn(*shape)
        weights |= {f"blk.{layer}.{name}.weight": torch.ones(WIDTH) for name in ("attn_norm", "ffn_norm")}
        if kind == "qwen2":
            sizes = {"q": WIDTH, "k": kept, "v": kept}
            weights |= {f"blk.{layer}.attn_{name}.bias": drawn(size) for name, size in sizes.items()}
    if kind == "qwen2":
        weights["output.weight"] = drawn(len(tokens), WIDTH)
    return Llama(values, weights, device="cpu", slots=slots, window=WINDOW)


def responses(path: Path) -> dict[str, dict[str, Any]]:
    read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len({each["key"] for each in read}) == len(read)
    return {each["key"]: each for each in read}


@pytest.mark.parametrize("kind", ["llama", "qwen2"])
def test_together_as_alone(tmp_path: Path, kind: str) -> None:
    for slots in (1, 7):
        assert respond(REQUESTS, Engine(llama(slots, kind), slots), tmp_path / f"{slots}.jsonl") == 0
    alone, together = (responses(tmp_path / f"{slots}.jsonl") for slots in (1, 7))
    assert set(alone) == set(together) == {each["key"] for each in REQUESTS}
    for key, one in alone.items():
        other = together[key]
        assert other.pop("scores") == pytest.approx(one.pop("scores"), abs=1e-4)
        assert other == one
    assert len({one["text"] for one in alone.values() if one["text"]}) > 6  # what is written depends on the prompt


def test_letters_are_scored_by_the_distribution_after_the_prompt() -> None:
    network = llama(1)
    prompt = network.texts.chat([{"role": "user", "content": "Which one?"}])
    wanted = tuple(token for letter in "ABC" for token in network.texts.encode(letter))
    expected = network.logprobs(network.run([prompt], [0], [0])[0, -1])[list(wanted)].tolist()
    scored = Engine(llama(1), 1).finish(Job(prompt, {}, wanted))
    assert scored.scores == pytest.approx(expected, abs=1e-5)
    assert scored.made == []


def test_what_is_written_suits_a_grammar(tmp_path: Path) -> None:
    pattern = grammar_pattern('root ::= pair (" " pair){0,2}\npair ::= [a-e]{2} "=" [0-9]')
    asked = [{**each, "pattern": pattern, "temperature": 0.0} for each in REQUESTS if "max_tokens" in each]
    assert respond(asked, Engine(llama(4), 4), tmp_path / "r.jsonl") == 0
    written = {key: each["text"] for key, each in responses(tmp_path / "r.jsonl").items()}
    assert all(regex.fullmatch(pattern, text, partial=True) for text in written.values())
    assert {len(text) for text in written.values()} <= {4, 9}  # one pair, or two: nine tokens are the limit
    with pytest.raises(ValueError, match="contains itself"):
        grammar_pattern('root ::= "a" root')


def test_a_run_that_was_cut_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    respond(REQUESTS[:10], Engine(llama(4), 4), out)
    before = out.read_text("utf-8")
    out.write_text(before + '{"key": "k11", "te', "utf-8")  # killed while it wrote
    engine = Engine(llama(4), 4)
    asked: list[Job] = []
    submit = engine.submit
    engine.submit = lambda job: (asked.append(job), submit(job))[1]  # type: ignore[method-assign, func-returns-value]
    assert respond(REQUESTS, engine, out) == 0
    assert len(asked) == len(REQUESTS) - 10
    assert out.read_text("utf-8").startswith(before)
    assert set(responses(out)) == {each["key"] for each in REQUESTS}


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [({"continuations": ["Yes"]}, "one token"), ({"max_tokens": WINDOW}, "does not fit")],
)
def test_what_cannot_be_answered_is_refused(tmp_path: Path, asked: dict[str, Any], complaint: str) -> None:
    request = {"key": "k", "messages": [{"role": "user", "content": "Which one?"}], **asked}
    with pytest.raises(ValueError, match=complaint):
        respond([request], Engine(llama(1), 1), tmp_path / "r.jsonl")
