"""A GGUF model of the Qwen2 family with an adapter of low rank, on a GPU: what it writes to prompts, many at once.

Needs torch, tokenizers, gguf; run from a folder that has contexts/llama.py beside it.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from llama import Texts, _rotate_halves
from torch import Tensor, nn
from torch.nn import functional

__all__ = [
    "DEVICE", "END", "INSTRUCTION", "NONE", "RIGHT", "WRONG", "Adapted", "adapt", "added_to_scores", "answered",
    "asking", "beginning", "checking", "load", "save",
]  # fmt: skip

PARTS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
torch.backends.cuda.enable_cudnn_sdp(False)  # its gradients are NaN for some masks of aligned length, one step of nine
INSTRUCTION = "Write the Cypher query that answers the question from this graph, or NONE."
NONE, QUERY = "NONE", "MATCH"  # what an answer begins with
CHECK, RIGHT, WRONG = "Right?", "yes", "no"  # what it is asked about a query, and says
BEGIN, END = "<|im_start|>", "<|im_end|>"
MOST_WRITTEN = 160  # tokens of a query
BRANCHES = 2  # tokens of a query in whose place a runner-up is tried
MOST_READ, AT_ONCE = 100_000, 1_600_000  # tokens that are read at once, and those of prompts answered at once


class Adapted(nn.Module):
    """A frozen network in 16 bits with trained matrices of low rank beside its own."""

    def __init__(self, values: Mapping[str, Any], weights: dict[str, Tensor], rank: int, scale: float) -> None:
        super().__init__()
        self.weights, self.scale = weights, scale
        self.layers: int = values["qwen2.block_count"]
        self.heads: int = values["qwen2.attention.head_count"]
        self.kept: int = values["qwen2.attention.head_count_kv"]
        self.size: int = values["qwen2.embedding_length"] // self.heads
        self.epsilon: float = values["qwen2.attention.layer_norm_rms_epsilon"]
        powers = torch.arange(0, self.size, 2, device=DEVICE, dtype=torch.float64) / self.size
        self.rates = values["qwen2.rope.freq_base"] ** -powers
        self.low = nn.ParameterDict()
        for layer in range(self.layers):
            for part in PARTS:
                wide, long = weights[f"blk.{layer}.{part}.weight"].shape
                name = f"blk_{layer}_{part}"
                self.low[f"{name}_a"] = nn.Parameter(torch.randn(rank, long, device=DEVICE) / math.sqrt(long))
                self.low[f"{name}_b"] = nn.Parameter(torch.zeros(wide, rank, device=DEVICE))

    def forward(self, ids: Tensor, at: Tensor, sees: Tensor, cache: "Cache | None" = None) -> Tensor:
        """Last states of (b, n) tokens in places `at`; `sees` is (b, 1, n, all). Keys and values go into the cache."""
        b, n = ids.shape
        angles = at[:, :, None, None] * self.rates
        turn = (angles.cos().bfloat16(), angles.sin().bfloat16())
        x = self.weights["token_embd.weight"][ids]
        for layer in range(self.layers):
            h = self._norm(x, f"blk.{layer}.attn_norm")
            q, k, v = (self._apply(h, layer, part).view(b, n, -1, self.size) for part in ("attn_q", "attn_k", "attn_v"))
            q, k, v = (each.transpose(1, 2) for each in (_rotate_halves(q, turn), _rotate_halves(k, turn), v))
            if cache is not None:
                k, v = cache.added(layer, k, v)
            if n == 1:  # the heads that share keys as so many queries: nothing is copied
                q = q.view(b, self.kept, -1, self.size)
                read = functional.scaled_dot_product_attention(q, k, v, sees).reshape(b, 1, -1)
            else:
                k, v = (each.repeat_interleave(self.heads // self.kept, 1) for each in (k, v))
                read = functional.scaled_dot_product_attention(q, k, v, sees).transpose(1, 2).reshape(b, n, -1)
            x = x + self._apply(read, layer, "attn_output")
            h = self._norm(x, f"blk.{layer}.ffn_norm")
            inner = functional.silu(self._apply(h, layer, "ffn_gate")) * self._apply(h, layer, "ffn_up")
            x = x + self._apply(inner, layer, "ffn_down")
        if cache is not None:
            cache.filled += n
        return self._norm(x, "output_norm")

    def scores(self, states: Tensor) -> Tensor:
        return functional.linear(states, self.weights.get("output.weight", self.weights["token_embd.weight"])).float()

    def _norm(self, x: Tensor, name: str) -> Tensor:
        return functional.rms_norm(x, x.shape[-1:], self.weights[f"{name}.weight"], self.epsilon)

    def _apply(self, x: Tensor, layer: int, part: str) -> Tensor:
        place = f"blk.{layer}.{part}"
        a, b = (self.low[f"blk_{layer}_{part}_{each}"].bfloat16() for each in "ab")
        weight, bias = self.weights[f"{place}.weight"], self.weights.get(f"{place}.bias")
        out: Tensor = Beside.apply(x.flatten(0, -2), weight, bias, a, b, self.scale)
        return out.unflatten(0, x.shape[:-1])


class Beside(torch.autograd.Function):
    """A frozen linear layer with trained matrices of low rank beside it, added within its products.

    As separate sums, which autograd would keep and read again, they took a third of a step.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, a: Tensor, b: Tensor, scale: float
    ) -> Tensor:
        low = x @ a.T  # (n, rank)
        ctx.save_for_backward(x, weight, a, b, low)
        ctx.scale = scale
        return functional.linear(x, weight, bias).addmm_(low, b.T, alpha=scale)

    @staticmethod
    def backward(ctx: Any, up: Tensor) -> Any:  # type: ignore[override]
        x, weight, a, b, low = ctx.saved_tensors
        back = (up @ b) * ctx.scale  # (n, rank)
        down = (up @ weight).addmm_(back, a) if ctx.needs_input_grad[0] else None
        return down, None, None, back.T @ x, (up.T @ low) * ctx.scale, None


@dataclass(slots=True)
class Cache:
    """Keys and values of some sequences, with room for more tokens: (b, kept, tokens, size) for each layer."""

    layers: list[Tensor]
    filled: int = 0

    @classmethod
    def empty(cls, model: Adapted, rows: int, tokens: int) -> "Cache":
        shape = (2, rows, model.kept, tokens, model.size)
        return cls([torch.zeros(shape, dtype=torch.bfloat16, device=DEVICE) for _ in range(model.layers)])

    def part(self, rows: slice) -> "Cache":
        """Some of its sequences: what is added to these is added here, all but the number of tokens."""
        return Cache([held[:, rows] for held in self.layers], self.filled)

    def added(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """All keys and values of a layer, with those of further tokens."""
        upto = self.filled + keys.shape[2]
        held = self.layers[layer]
        held[0, :, :, self.filled : upto], held[1, :, :, self.filled : upto] = keys, values
        return held[0, :, :, :upto], held[1, :, :, :upto]

    def of(self, other: "Cache", rows: Tensor) -> None:
        """Begin with some rows of another cache."""
        for own, held in zip(self.layers, other.layers, strict=True):
            own[:, :, :, : other.filled] = held[:, rows, :, : other.filled]
        self.filled = other.filled


def load(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(str(path))
    values = {name: field.contents() for name, field in reader.fields.items()}
    with ThreadPoolExecutor(16) as pool:
        arrays = pool.map(lambda each: dequantize(each.data, each.tensor_type), reader.tensors)
        named = zip([each.name for each in reader.tensors], arrays, strict=True)
        return values, {name: torch.from_numpy(array).to(DEVICE).bfloat16() for name, array in named}


def adapt(model: Adapted, path: Path) -> None:
    """Take the matrices of an adapter for llama.cpp."""
    from gguf import GGUFReader

    for each in GGUFReader(str(path)).tensors:
        name, _, end = each.name.replace(".", "_").rpartition("_weight_lora_")
        held = model.low[f"{name}_{end}"]
        held.data = torch.tensor(each.data.reshape(held.shape), dtype=torch.float32, device=DEVICE)


def beginning(instruction: str, graph: str) -> str:
    return f"{BEGIN}system\n{instruction}{END}\n{BEGIN}user\n{graph}\n\n"


def asking(question: str) -> str:
    return f"Question: {question}{END}\n{BEGIN}assistant\n"


def checking(query: str) -> str:
    """What follows a question where a model is asked whether a query is right."""
    return f"{query}{END}\n{BEGIN}user\n{CHECK}{END}\n{BEGIN}assistant\n"


def added_to_scores(sees: Tensor) -> Tensor:
    """What is added to scores: 0, or so little that nothing is seen; infinities become NaN on the way back."""
    return torch.zeros(sees.shape, dtype=torch.bfloat16, device=DEVICE).masked_fill_(~sees, -30_000.0)


@dataclass(slots=True)
class Prompt:
    """The tokens of a graph and of what is asked about it."""

    graph: tuple[int, ...]
    rest: list[int]


def padded(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Tokens padded on the left, and which of them are real."""
    long = max(map(len, rows))
    ids = np.array([[0] * (long - len(row)) + list(row) for row in rows], np.int64)
    real = np.array([[False] * (long - len(row)) + [True] * len(row) for row in rows])
    return torch.from_numpy(ids).to(DEVICE), torch.from_numpy(real).to(DEVICE)


def read_prompts(model: Adapted, prompts: Sequence[Prompt], room: int) -> tuple[Tensor, Tensor, Cache]:
    """The states behind some prompts, which tokens of the cache are real, and the cache; a graph is read once."""
    graphs = list(dict.fromkeys(each.graph for each in prompts))
    place = {graph: at for at, graph in enumerate(graphs)}
    which = torch.tensor([place[each.graph] for each in prompts], device=DEVICE)
    ids, real = padded(graphs)
    long = ids.shape[1]
    read = Cache.empty(model, len(graphs), long)
    for here in _read_at_once(real):
        model(ids[here], _places(real[here]), added_to_scores(_before(real[here])), read.part(here))
    read.filled = long
    rest, shown = padded([each.rest for each in prompts])
    cache = Cache.empty(model, len(prompts), long + rest.shape[1] + room)
    cache.of(read, which)
    seen = torch.cat([real[which], shown], 1)
    states = []
    for here in _read_at_once(seen):
        sees = _before(seen[here])[:, :, long:]
        every = model(rest[here], _places(seen[here])[:, long:], added_to_scores(sees), cache.part(here))
        states.append(every[:, -1])
    cache.filled = seen.shape[1]
    return torch.cat(states), seen, cache


def _read_at_once(tokens: Tensor) -> Iterator[slice]:
    """Rows of tokens, as many as memory has room for while they are read."""
    rows, long = tokens.shape
    some = max(1, MOST_READ // long)
    return (slice(start, start + some) for start in range(0, rows, some))


def _places(real: Tensor) -> Tensor:
    return (real.cumsum(1) - 1).clamp(min=0)


def _before(real: Tensor) -> Tensor:
    """(b, 1, n, n): every token sees itself and the real ones before it."""
    long = real.shape[1]
    sees = torch.ones(long, long, dtype=torch.bool, device=DEVICE).tril()[None] & real[:, None, :]
    return (sees | torch.eye(long, dtype=torch.bool, device=DEVICE))[:, None]


def together(prompts: Sequence[Prompt]) -> Iterator[list[int]]:
    """The numbers of prompts that are answered at once: those about one graph, and about graphs as long."""
    some: list[int] = []
    longest = 0
    for each in sorted(range(len(prompts)), key=lambda each: (len(prompts[each].graph), prompts[each].graph)):
        longest = max(longest, len(prompts[each].rest) + MOST_WRITTEN)
        if some and (len(prompts[each].graph) + longest) * (len(some) + 1) > AT_ONCE:
            yield some
            some, longest = [], len(prompts[each].rest) + MOST_WRITTEN
        some.append(each)
    if some:
        yield some


@torch.inference_mode()
def answers(
    model: Adapted, prompts: Sequence[Prompt], texts: Texts, *, begun: str = "", most: int = MOST_WRITTEN
) -> list[dict[str, Any]]:
    """What the model writes to each prompt, perhaps from a given beginning on: tokens, log-probabilities, runners-up.

    A runner-up is the second likeliest token in a place, with its log-probability.
    """
    first = texts.encode(begun)[0] if begun else None
    out: list[dict[str, Any]] = [{} for _ in prompts]
    ends = torch.tensor(sorted(texts.ends), device=DEVICE)
    for rows in together(prompts):
        state, real, cache = read_prompts(model, [prompts[each] for each in rows], most)
        written, chances, seconds, others = [], [], [], []
        done = torch.zeros(len(rows), dtype=torch.bool, device=DEVICE)
        last = real.sum(1) - 1
        for number in range(most):
            scores = model.scores(state).log_softmax(-1)
            best, two = scores.topk(2, -1)
            token, log = two[:, 0], best[:, 0]
            if number == 0 and first is not None:
                token, log = torch.full_like(token, first), scores[:, first]
            written.append(token)
            chances.append(log)
            seconds.append(two[:, 1])
            others.append(best[:, 1])
            done |= torch.isin(token, ends)
            if number % 8 == 7 and done.all():
                break
            last = last + 1
            real = torch.cat([real, torch.ones(len(rows), 1, dtype=torch.bool, device=DEVICE)], 1)
            state = model(token[:, None], last[:, None], added_to_scores(real[:, None, None, :]), cache)[:, -1]
        lists = (torch.stack(each, 1).tolist() for each in (written, chances, seconds, others))
        for each, own, log, second, other in zip(rows, *lists, strict=True):
            end = next((at for at, one in enumerate(own) if one in texts.ends), None)
            upto = len(own) if end is None else end
            with_end = upto + (end is not None)
            out[each] = {
                "tokens": own[:upto],
                "chances": [round(one, 4) for one in log[:with_end]],
                "runners": list(zip(second[:with_end], other[:with_end], strict=True)),
                "ended": end is not None,
            }
    return out


@torch.inference_mode()
def verdicts(model: Adapted, prompts: Sequence[Prompt], texts: Texts) -> list[float]:
    """The probability that the model says yes to each prompt, rather than no."""
    yes, no = texts.encode(RIGHT)[0], texts.encode(WRONG)[0]
    out = [0.0] * len(prompts)
    for rows in together(prompts):
        state, _, _ = read_prompts(model, [prompts[each] for each in rows], 0)
        chances = model.scores(state)[:, [yes, no]].softmax(-1)[:, 0].tolist()
        for each, chance in zip(rows, chances, strict=True):
            out[each] = round(chance, 4)
    return out


def answered(
    model: Adapted,
    asked: Sequence[tuple[str, str]],
    texts: Texts,
    instruction: str,
    *,
    verdict: bool = True,
    most: int = MOST_WRITTEN,
) -> list[dict[str, Any]]:
    """What the model writes about some graphs and questions; the query it would write instead of NONE.

    Beside these the queries it would write with a runner-up in place of a token that it is least sure of; its verdicts.
    """
    graphs = {graph: tuple(texts.encode(beginning(instruction, graph))) for graph in {graph for graph, _ in asked}}
    prompts = [Prompt(graphs[graph], texts.encode(asking(question))) for graph, question in asked]
    said = answers(model, prompts, texts, most=most)
    none = [at for at, one in enumerate(said) if texts.decode(one["tokens"]) == NONE]
    forced = answers(model, [prompts[at] for at in none], texts, begun=QUERY, most=most)
    written = dict(enumerate(said)) | dict(zip(none, forced, strict=True))
    branches = _branches(model, prompts, written, texts, most)
    every = [(at, one) for at in written for one in (written[at], *branches.get(at, ()))]
    for one in (*said, *(each for _, each in every)):
        _told(one, texts, branching=verdict)
    if verdict:
        checks = [
            Prompt(prompts[at].graph, texts.encode(asking(asked[at][1]) + checking(one["text"]))) for at, one in every
        ]
        for (_, one), right in zip(every, verdicts(model, checks, texts), strict=True):
            one["right"] = right
    for at, others in branches.items():
        written[at]["others"] = others
    for at in none:
        said[at]["forced"] = written[at]
    return said


def _branches(
    model: Adapted, prompts: Sequence[Prompt], written: Mapping[int, dict[str, Any]], texts: Texts, most: int
) -> dict[int, list[dict[str, Any]]]:
    """What the model writes after the likeliest runners-up in each query; nothing after one that ends it."""
    begun = [(at, place, *one["runners"][place]) for at, one in written.items() for place in _least_sure(one)]
    starts = [written[at]["tokens"][:place] + [token] * (token not in texts.ends) for at, place, token, _ in begun]
    open_ = [each for each, (*_, token, _) in enumerate(begun) if token not in texts.ends]
    more = [Prompt(prompts[begun[each][0]].graph, prompts[begun[each][0]].rest + starts[each]) for each in open_]
    rest = dict(zip(open_, answers(model, more, texts, most=most), strict=True))
    out: dict[int, list[dict[str, Any]]] = {}
    for each, ((at, place, _, log), start) in enumerate(zip(begun, starts, strict=True)):
        one = rest.get(each, {"tokens": [], "chances": [], "ended": True})
        chances = [*written[at]["chances"][:place], round(log, 4), *one["chances"]]
        found = {"at": place, "tokens": start + one["tokens"], "chances": chances, "ended": one["ended"]}
        out.setdefault(at, []).append(found)
    return out


def _least_sure(one: Mapping[str, Any]) -> list[int]:
    """The places behind the first of a query where its runners-up are the likeliest."""
    return sorted(range(1, len(one["runners"])), key=lambda place: -one["runners"][place][1])[:BRANCHES]


def _told(one: dict[str, Any], texts: Texts, *, branching: bool) -> None:
    """What was written, as texts; the text of every token only where another query begins after some of them."""
    tokens = one.pop("tokens", None)
    if tokens is None:
        return
    one["text"] = texts.decode(tokens)
    if not branching:
        one.pop("runners", None)
    elif "runners" in one:
        one["parts"] = [texts.decode([token]) for token in tokens]
        told = {place: one["runners"][place] for place in _least_sure(one)}
        one["runners"] = {
            place: ["" if token in texts.ends else texts.decode([token]), round(log, 4)]
            for place, (token, log) in told.items()
        }


def save(model: Adapted, folder: Path, rank: int) -> None:
    """The trained matrices in 16 bits, in files of a third of the layers each."""
    third = -(-model.layers // 3)
    for number in range(3):
        layers = range(number * third, min(model.layers, (number + 1) * third))
        kept = {
            f"blk.{layer}.{part}.{each}": model.low[f"blk_{layer}_{part}_{each}"].detach().half().cpu().numpy()
            for layer in layers for part in PARTS for each in "ab"
        }  # fmt: skip
        np.savez(folder / f"adapter{number}.npz", **kept)
    (folder / "adapter.json").write_text(json.dumps({"rank": rank, "scale": model.scale}))
