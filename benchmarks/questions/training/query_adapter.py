"""Train an adapter of low rank with which a GGUF model of the Qwen2 family writes queries; on a GPU.

    python query_adapter.py MODEL.gguf packs.json OUT [--prompts prompts.jsonl]

A pack is a graph and some questions about it: all of them see the graph, none another question. Answers to the held
questions, and to prompts, are written greedily, with the log-probability of every token; where that is NONE, also the
query that the model would write. Needs torch, tokenizers, gguf.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from llama import Texts, _rotate_halves
from torch import Tensor, nn
from torch.nn import functional

PARTS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
NONE, QUERY = "NONE", "MATCH"  # what an answer begins with
BEGIN, END = "<|im_start|>", "<|im_end|>"
PACKED, AT_ONCE, MOST_WRITTEN = 20_000, 400, 160  # tokens of a step, prompts at once, tokens of a query
MOST_HELD = 480  # questions that are measured


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

    def forward(
        self, ids: Tensor, at: Tensor, sees: Tensor, cache: list[tuple[Tensor, Tensor]] | None = None
    ) -> Tensor:
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
                if layer < len(cache):
                    k, v = (torch.cat(pair, 2) for pair in zip(cache[layer], (k, v), strict=True))
                    cache[layer] = (k, v)
                else:
                    cache.append((k, v))
            read = functional.scaled_dot_product_attention(
                q,
                k.repeat_interleave(self.heads // self.kept, 1),
                v.repeat_interleave(self.heads // self.kept, 1),
                sees,
            )
            x = x + self._apply(read.transpose(1, 2).reshape(b, n, -1), layer, "attn_output")
            h = self._norm(x, f"blk.{layer}.ffn_norm")
            inner = functional.silu(self._apply(h, layer, "ffn_gate")) * self._apply(h, layer, "ffn_up")
            x = x + self._apply(inner, layer, "ffn_down")
        return self._norm(x, "output_norm")

    def scores(self, states: Tensor) -> Tensor:
        return functional.linear(states, self.weights.get("output.weight", self.weights["token_embd.weight"])).float()

    def _norm(self, x: Tensor, name: str) -> Tensor:
        return functional.rms_norm(x, x.shape[-1:], self.weights[f"{name}.weight"], self.epsilon)

    def _apply(self, x: Tensor, layer: int, part: str) -> Tensor:
        place = f"blk.{layer}.{part}"
        out = functional.linear(x, self.weights[f"{place}.weight"], self.weights.get(f"{place}.bias"))
        a, b = (self.low[f"blk_{layer}_{part}_{each}"].bfloat16() for each in "ab")
        return out + functional.linear(functional.linear(x, a), b) * self.scale


def load(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(str(path))
    values = {name: field.contents() for name, field in reader.fields.items()}
    with ThreadPoolExecutor(16) as pool:
        arrays = pool.map(lambda each: dequantize(each.data, each.tensor_type), reader.tensors)
        named = zip([each.name for each in reader.tensors], arrays, strict=True)
        return values, {name: torch.from_numpy(array).to(DEVICE).bfloat16() for name, array in named}


def beginning(instruction: str, graph: str) -> str:
    return f"{BEGIN}system\n{instruction}{END}\n{BEGIN}user\n{graph}\n\n"


def asking(question: str) -> str:
    return f"Question: {question}{END}\n{BEGIN}assistant\n"


def batches(packs: Sequence[dict[str, Any]], texts: Texts, instruction: str) -> Iterator[list[Any]]:
    """Packs as tokens, several to a step."""
    some, longest = [], 0
    for pack in packs:
        first = texts.encode(beginning(instruction, pack["graph"]))
        rest = [(texts.encode(asking(q)), texts.encode(f"{query}{END}")) for q, query in pack["asked"]]
        long = len(first) + sum(len(q) + len(query) for q, query in rest)
        if some and max(longest, long) * (len(some) + 1) > PACKED:
            yield some
            some, longest = [], 0
        some.append((first, rest))
        longest = max(longest, long)
    if some:
        yield some


def tensors(some: Sequence[Any]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Tokens, places, who sees whom, and the token that should follow each (-1: none that is learned)."""
    long = max(len(first) + sum(len(q) + len(a) for q, a in rest) for first, rest in some)
    ids, at = np.zeros((len(some), long), np.int64), np.zeros((len(some), long), np.int64)
    group, follows = np.full((len(some), long), -1, np.int64), np.full((len(some), long), -1, np.int64)
    for row, (first, rest) in enumerate(some):
        here = len(first)
        ids[row, :here], at[row, :here], group[row, :here] = first, range(here), 0
        for number, (q, a) in enumerate(rest, 1):
            both = q + a
            there = here + len(both)
            ids[row, here:there], group[row, here:there] = both, number
            at[row, here:there] = range(len(first), len(first) + len(both))
            follows[row, here + len(q) - 1 : there - 1] = a
            here = there
    made = [torch.from_numpy(each).to(DEVICE) for each in (ids, at, group, follows)]
    group = made[2]
    order = torch.arange(long, device=DEVICE)
    sees = (order[None, :] <= order[:, None]) & ((group[:, :, None] == group[:, None, :]) | (group[:, None, :] == 0))
    sees |= torch.eye(long, dtype=torch.bool, device=DEVICE)
    return made[0], made[1], _added(sees[:, None]), made[3]


def _added(sees: Tensor) -> Tensor:
    """What is added to scores: 0, or so little that nothing is seen; infinities become NaN on the way back."""
    return torch.zeros(sees.shape, dtype=torch.bfloat16, device=DEVICE).masked_fill_(~sees, -30_000.0)


def train(model: Adapted, data: dict[str, Any], texts: Texts, *, rate: float, until: float) -> None:
    steps = [some for epoch in data["epochs"] for some in batches(epoch, texts, data["instruction"])]
    optimizer = torch.optim.AdamW(model.low.parameters(), lr=rate, weight_decay=0.01, betas=(0.9, 0.98))
    begun, seen, lost = time.monotonic(), 0.0, 0
    for number, some in enumerate(steps):
        share = number / len(steps)
        lr = rate * min(1.0, (number + 1) / 20) * (0.5 * (1 + math.cos(math.pi * share)) * 0.95 + 0.05)
        for group in optimizer.param_groups:
            group["lr"] = lr
        ids, at, sees, follows = tensors(some)
        states = model(ids, at, sees)
        chosen = follows >= 0
        loss = functional.cross_entropy(model.scores(states[chosen]), follows[chosen])
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.low.parameters(), 1.0)
        if norm.isfinite():
            optimizer.step()
        else:
            lost += 1
            print(f"step {number}: loss {loss.item()}, gradient {norm.item()}", flush=True)
            if lost > len(steps) // 10:
                raise SystemExit("the gradient is not finite")
        optimizer.zero_grad(set_to_none=True)
        seen = 0.95 * seen + 0.05 * loss.item() if number else loss.item()
        if number % 25 == 0 or number == len(steps) - 1:
            spent = time.monotonic() - begun
            print(f"{number + 1} of {len(steps)}: {seen:.4f}, {spent:.0f} s", flush=True)
        if time.monotonic() > until:
            print("out of time", flush=True)
            break


@torch.inference_mode()
def answers(model: Adapted, prompts: Sequence[str], texts: Texts, *, begun: str = "") -> list[dict[str, Any]]:
    """What the model writes to each prompt, perhaps from a given beginning on: text, and log-probabilities."""
    first = texts.encode(begun)[0] if begun else None
    coded = [texts.encode(each) for each in prompts]
    out: list[dict[str, Any]] = [{} for _ in prompts]
    order = sorted(range(len(prompts)), key=lambda each: len(coded[each]))
    for start in range(0, len(order), AT_ONCE):
        rows = order[start : start + AT_ONCE]
        long = max(len(coded[each]) for each in rows)
        ids = torch.zeros(len(rows), long, dtype=torch.long, device=DEVICE)
        real = torch.zeros(len(rows), long, dtype=torch.bool, device=DEVICE)
        for at, each in enumerate(rows):  # padded on the left
            ids[at, long - len(coded[each]) :] = torch.tensor(coded[each], device=DEVICE)
            real[at, long - len(coded[each]) :] = True
        places = (real.cumsum(1) - 1).clamp(min=0)
        sees = torch.ones(long, long, dtype=torch.bool, device=DEVICE).tril()[None] & real[:, None, :]
        sees |= torch.eye(long, dtype=torch.bool, device=DEVICE)
        cache: list[tuple[Tensor, Tensor]] = []
        state = model(ids, places, sees[:, None], cache)[:, -1]
        written: list[list[int]] = [[] for _ in rows]
        chances: list[list[float]] = [[] for _ in rows]
        done = torch.zeros(len(rows), dtype=torch.bool, device=DEVICE)
        last = places[:, -1]
        for number in range(MOST_WRITTEN):
            logs = model.scores(state).log_softmax(-1)
            best, token = logs.max(-1)
            if number == 0 and first is not None:
                best, token = logs[:, first], torch.full_like(token, first)
            over = done.tolist()
            for at, (one, chance) in enumerate(zip(token.tolist(), best.tolist(), strict=True)):
                if not over[at]:
                    chances[at].append(round(chance, 4))
                    written[at].append(one)
            done |= torch.tensor([one in texts.ends for one in token.tolist()], device=DEVICE)
            if done.all():
                break
            last = last + 1
            real = torch.cat([real, torch.ones(len(rows), 1, dtype=torch.bool, device=DEVICE)], 1)
            state = model(token[:, None], last[:, None], real[:, None, None, :], cache)[:, -1]
        for at, each in enumerate(rows):
            ended = bool(written[at]) and written[at][-1] in texts.ends
            own = written[at][:-1] if ended else written[at]
            out[each] |= {"text": texts.decode(own), "chances": chances[at], "ended": ended}
    return out


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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("packs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--prompts", type=Path, help="JSON lines with key, graph and question")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--seconds", type=float, default=500.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    begun = time.monotonic()
    torch.manual_seed(given.seed)
    values, weights = load(given.model)
    texts, data = Texts(values), json.loads(given.packs.read_text())
    print(f"opened in {time.monotonic() - begun:.0f} s", flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    model = Adapted(values, weights, given.rank, 2.0)
    train(model, data, texts, rate=given.rate, until=begun + given.seconds)
    save(model, given.out, given.rank)
    if given.prompts:
        asked = [json.loads(line) for line in given.prompts.read_text().splitlines()]
        prompts = [beginning(data["instruction"], each["graph"]) + asking(each["question"]) for each in asked]
        said = answers(model, prompts, texts)
        none = [at for at, one in enumerate(said) if one["text"] == NONE]
        for at, one in zip(none, answers(model, [prompts[at] for at in none], texts, begun=QUERY), strict=True):
            said[at]["forced"] = one
        lines = (json.dumps({"key": each["key"], **one}) for each, one in zip(asked, said, strict=True))
        (given.out / "answers.jsonl").write_text("".join(f"{line}\n" for line in lines))
        print(f"{len(asked)} prompts, {time.monotonic() - begun:.0f} s", flush=True)
    held = [(pack["graph"], q, query) for pack in data["held"] for q, query in pack["asked"]][:MOST_HELD]
    said = answers(model, [beginning(data["instruction"], graph) + asking(q) for graph, q, _ in held], texts)
    right = [one["text"] == query for one, (_, _, query) in zip(said, held, strict=True)]
    known = [one["text"] == query for one, (_, _, query) in zip(said, held, strict=True) if query == NONE]
    print(f"held: {sum(right)} of {len(right)}; NONE {sum(known)} of {len(known)}; {time.monotonic() - begun:.0f} s")
    rows = [{"question": q, "query": query, **one} for (_, q, query), one in zip(held, said, strict=True)]
    (given.out / "held.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
