"""Train an adapter of low rank with which a GGUF model of the Qwen2 family writes queries; on a GPU.

    python query_adapter.py MODEL.gguf OUT --packs packs.json [--prompts prompts.jsonl]
    python query_adapter.py MODEL.gguf OUT --checks ADAPTER.gguf --packs packs.json       # with verdicts
    python query_adapter.py MODEL.gguf OUT --adapter ADAPTER.gguf --packs packs.json      # which goes on learning
    python query_adapter.py MODEL.gguf OUT --adapter ADAPTER.gguf --prompts prompts.jsonl # asked only

A pack is a graph and some questions about it: all of them see the graph, none another question. With `--checks` an
earlier adapter first answers the questions of the packs that are new to it (`query_packs --new`), and the one that is
trained also learns to tell which of these queries, and of those it nearly wrote, are right. Answers to the held
questions, and to prompts, are written greedily, with the log-probability of every token; where that is NONE, also the
query that the model would write; then the model is asked whether its query is right. Needs torch, tokenizers, gguf, and
Clew for `--checks`.
"""

import argparse
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from llama import Texts
from query_network import (
    DEVICE,
    END,
    INSTRUCTION,
    NONE,
    RIGHT,
    WRONG,
    Adapted,
    adapt,
    added_to_scores,
    answered,
    asking,
    beginning,
    checking,
    load,
    save,
)
from torch import Tensor
from torch.nn import functional

PACKED = 20_000  # tokens of a step
ALIKE = 1_000  # packs among which those as long are found
ALIGNED = 16  # tokens of a row are a multiple of it, as attention reads them fastest
VERDICT = 5.0  # weight of a token of a verdict: a query has fifty tokens, a verdict two
MOST_LOST = 10  # steps in turn whose gradients may be not finite
MOST_JUDGED = 96  # tokens of a query that is judged
JUDGED = 1_000  # packs whose queries are judged together: if there is no memory for them, they are learned without
MOST_HELD = 480  # questions that are measured
WRITTEN_OUT = 2_000  # prompts whose answers are written to the file at once


def batches(packs: Sequence[dict[str, Any]], texts: Texts, instruction: str, *, seed: int = 0) -> list[list[Any]]:
    """Packs as tokens, several to a step: such as are about as long, so that little is padded, in random order."""
    encoded = [_encoded(pack, texts, instruction) for pack in packs]
    steps: list[list[Any]] = []
    for start in range(0, len(encoded), ALIKE):
        some: list[Any] = []
        for pack in sorted(encoded[start : start + ALIKE], key=_tokens):  # the last one is the longest
            if some and _tokens(pack) * (len(some) + 1) > PACKED:
                steps.append(some)
                some = []
            some.append(pack)
        steps += [some] if some else []
    Random(seed).shuffle(steps)
    return steps


def _encoded(pack: dict[str, Any], texts: Texts, instruction: str) -> tuple[list[int], list[Any]]:
    rest = [(texts.encode(asking(q)), texts.encode(f"{query}{END}"), 1.0) for q, query in pack["asked"]]
    rest += [
        (texts.encode(asking(q) + checking(query)), texts.encode(f"{verdict}{END}"), VERDICT)
        for q, query, verdict in pack.get("checked", ())
    ]
    return texts.encode(beginning(instruction, pack["graph"])), rest


def _tokens(pack: tuple[list[int], list[Any]]) -> int:
    first, rest = pack
    return len(first) + sum(len(q) + len(query) for q, query, _ in rest)


def tensors(some: Sequence[Any]) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Tokens, places, who sees whom, the token that should follow each (-1: none that is learned), and its weight."""
    long = -(-max(map(_tokens, some)) // ALIGNED) * ALIGNED
    ids, at = np.zeros((len(some), long), np.int64), np.zeros((len(some), long), np.int64)
    group, follows = np.full((len(some), long), -1, np.int64), np.full((len(some), long), -1, np.int64)
    weights = np.zeros((len(some), long), np.float32)
    for row, (first, rest) in enumerate(some):
        here = len(first)
        ids[row, :here], at[row, :here], group[row, :here] = first, range(here), 0
        for number, (q, a, weight) in enumerate(rest, 1):
            both = q + a
            there = here + len(both)
            ids[row, here:there], group[row, here:there] = both, number
            at[row, here:there] = range(len(first), len(first) + len(both))
            learned = slice(here + len(q) - 1, there - 1)
            follows[row, learned], weights[row, learned] = a, weight
            here = there
    made = [torch.from_numpy(each).to(DEVICE) for each in (ids, at, group, follows, weights)]
    group = made[2]
    order = torch.arange(long, device=DEVICE)
    sees = (order[None, :] <= order[:, None]) & ((group[:, :, None] == group[:, None, :]) | (group[:, None, :] == 0))
    sees |= torch.eye(long, dtype=torch.bool, device=DEVICE)
    return made[0], made[1], added_to_scores(sees[:, None]), made[3], made[4]


def with_verdicts(model: Adapted, packs: Sequence[Any], texts: Texts, instruction: str) -> list[dict[str, Any]]:
    """Packs, those that are new to the model with the queries that it writes or nearly wrote, and which are right."""
    from query_checks import are_right

    new = [pack for pack in packs if pack.get("new")]
    asked = [(pack["graph"], question) for pack in new for question, _ in pack["asked"]]
    queries = [query for pack in new for _, query in pack["asked"]]
    said = answered(model, asked, texts, instruction, verdict=False, most=MOST_JUDGED)
    first = [one.get("forced", one) for one in said]
    written = [
        list(dict.fromkeys(each["text"] for each in (one, *one.get("others", ())) if each["ended"])) for one in first
    ]
    pairs = [(text, query) for some, query in zip(written, queries, strict=True) for text in some]
    good = dict(zip(pairs, are_right(*zip(*pairs, strict=True)), strict=True)) if pairs else {}
    print(f"{len(said)} questions, {len(pairs)} queries, {sum(map(good.__getitem__, pairs))} right", flush=True)
    rows = iter(zip(asked, queries, written, strict=True))
    out = []
    for pack in packs:
        own = [next(rows) for _ in pack["asked"]] if pack.get("new") else []
        checked = [[q, text, RIGHT if good[text, query] else WRONG] for (_, q), query, some in own for text in some]
        out.append({**pack, "checked": checked} if checked else pack)
    return out


def judged(
    model: Adapted, packs: Sequence[Any], texts: Texts, instruction: str, *, until: float
) -> list[dict[str, Any]]:
    """Packs with the verdicts that there is time and memory for."""
    out: list[dict[str, Any]] = []
    for start in range(0, len(packs), JUDGED):
        some = list(packs[start : start + JUDGED])
        if time.monotonic() < until:
            try:
                some = with_verdicts(model, some, texts, instruction)
            except torch.OutOfMemoryError as error:
                print(f"without verdicts: {error}", flush=True)
                torch.cuda.empty_cache()
        out += some
    return out


def train(model: Adapted, data: dict[str, Any], texts: Texts, *, rate: float, until: float) -> None:
    steps = [
        some
        for seed, epoch in enumerate(data["epochs"])
        for some in batches(epoch, texts, data["instruction"], seed=seed)
    ]
    optimizer = torch.optim.AdamW(model.low.parameters(), lr=rate, weight_decay=0.01, betas=(0.9, 0.98))
    begun, seen, lost = time.monotonic(), 0.0, 0
    for number, some in enumerate(steps):
        share = max(number / len(steps), (time.monotonic() - begun) / (until - begun))
        lr = rate * min(1.0, (number + 1) / 20) * (0.5 * (1 + math.cos(math.pi * share)) * 0.95 + 0.05)
        for group in optimizer.param_groups:
            group["lr"] = lr
        ids, at, sees, follows, weights = tensors(some)
        states = model(ids, at, sees)
        chosen = follows >= 0
        each = functional.cross_entropy(model.scores(states[chosen]), follows[chosen], reduction="none")
        loss = (each * weights[chosen]).sum() / weights[chosen].sum()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.low.parameters(), 1.0)
        if norm.isfinite():
            optimizer.step()
            lost = 0
        else:
            lost += 1
            print(f"step {number}: loss {loss.item()}, gradient {norm.item()}", flush=True)
            if lost == MOST_LOST:
                print(f"{lost} gradients in turn are not finite: what was learned before is kept", flush=True)
                return
        optimizer.zero_grad(set_to_none=True)
        seen = 0.95 * seen + 0.05 * loss.item() if number else loss.item()
        if number % 25 == 0 or number == len(steps) - 1:
            spent = time.monotonic() - begun
            print(f"{number + 1} of {len(steps)}: {seen:.4f}, {spent:.0f} s", flush=True)
        if time.monotonic() > until:
            print("out of time", flush=True)
            break


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--packs", type=Path, help="what to train on")
    parser.add_argument("--adapter", type=Path, help="a trained adapter to begin with")
    parser.add_argument("--checks", type=Path, help="an adapter to judge: learn which of its queries are right")
    parser.add_argument("--prompts", type=Path, help="JSON lines with key, graph and question")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--verdicts", type=float, default=300.0, help="seconds until no more queries are judged")
    parser.add_argument("--seconds", type=float, default=500.0, help="of training, from the start")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    begun = time.monotonic()
    torch.manual_seed(given.seed)
    values, weights = load(given.model)
    texts = Texts(values)
    print(f"opened in {time.monotonic() - begun:.0f} s", flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    model = Adapted(values, weights, given.rank, 2.0)
    data = json.loads(given.packs.read_text()) if given.packs else {"held": (), "instruction": INSTRUCTION}
    if given.checks:
        earlier = Adapted(values, weights, given.rank, 2.0)
        adapt(earlier, given.checks)
        share = given.verdicts / len(data["epochs"])  # every epoch has its verdicts, the last one too
        data["epochs"] = [
            judged(earlier, each, texts, data["instruction"], until=begun + share * number)
            for number, each in enumerate(data["epochs"], 1)
        ]
        print(f"verdicts, {time.monotonic() - begun:.0f} s", flush=True)
    if given.adapter:
        adapt(model, given.adapter)
    if given.packs:
        train(model, data, texts, rate=given.rate, until=begun + given.seconds)
        save(model, given.out, given.rank)
    if given.prompts:
        asked = [json.loads(line) for line in given.prompts.read_text().splitlines()]
        with (given.out / "answers.jsonl").open("w") as file:
            for start in range(0, len(asked), WRITTEN_OUT):  # what is done is kept if time runs out
                some = asked[start : start + WRITTEN_OUT]
                said = answered(model, [(each["graph"], each["question"]) for each in some], texts, data["instruction"])
                for each, one in zip(some, said, strict=True):
                    file.write(json.dumps({"key": each["key"], **one}) + "\n")
                file.flush()
                print(f"{start + len(some)} prompts, {time.monotonic() - begun:.0f} s", flush=True)
    held = [(pack["graph"], q, query) for pack in data["held"] for q, query in pack["asked"]][:MOST_HELD]
    if held:
        said = answered(model, [(graph, q) for graph, q, _ in held], texts, data["instruction"])
        right = [one["text"] == query for one, (_, _, query) in zip(said, held, strict=True)]
        known = [same for same, (_, _, query) in zip(right, held, strict=True) if query == NONE]
        print(
            f"held: {sum(right)} of {len(right)}; NONE {sum(known)} of {len(known)}; {time.monotonic() - begun:.0f} s"
        )
        rows = [{"question": q, "query": query, **one} for (_, q, query), one in zip(held, said, strict=True)]
        (given.out / "held.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
