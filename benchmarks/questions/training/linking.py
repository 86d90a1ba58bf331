"""Batches of questions with their schemas, and how well a reader links them."""

import random
from collections import defaultdict
from dataclasses import dataclass, fields

import numpy as np
import torch
from network import Reader
from torch import Tensor

BEGIN, END, MASK, FIRST_PLACE = 101, 102, 103, 200
GONE, LESS = 0.15, 0.4  # how often what is meant is removed, and up to which share of all else
LONGER, SHORTER = 0.3, 0.2  # how often a phrase takes a small word more, or a word less
SMALL = frozenset({
    "in", "on", "at", "for", "to", "of", "with", "from", "by", "as", "about", "into", "over", "under", "up", "out",
    "off", "after", "against", "through", "it", "them", "they", "is", "are", "was", "were", "do", "does", "did",
    "has", "have", "had",
})  # fmt: skip
KINDS = ("types", "relations", "attributes", "columns")


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions with schemas as tensors; the last of `meant` is nothing."""

    pieces: Tensor
    places: Tensor
    kinds: Tensor
    marks: Tensor
    sees: Tensor
    phrases: Tensor
    items: Tensor
    known: Tensor
    meant: Tensor
    way: Tensor
    weight: Tensor

    def on(self, device: str) -> "Batch":
        """The same on a device."""
        return Batch(*(getattr(self, each.name).to(device, non_blocking=True) for each in fields(self)))


@dataclass(slots=True)
class _Row:
    pieces: list[int]
    numbers: list[int]  # 0 for the question, then the number of the item
    places: list[int]
    marks: list[int]
    spans: list[tuple[list[int], list[int], int, float]]  # pieces, items, way, weight


def linked_batch(asked: list[list[dict]], device: str, *, drop: float = 0.0, training: bool = False) -> Batch:
    rows = [_row(schema, question, drop, training) for schema, question in asked]
    long, most = max(len(row.pieces) for row in rows), max(len(row.spans) for row in rows)
    items = max(max(row.numbers) for row in rows)
    flat = {name: np.zeros((len(rows), long), np.int64) for name in ("pieces", "places", "marks", "numbers")}
    phrases, meant = np.zeros((len(rows), most, long), np.float32), np.zeros((len(rows), most, items + 1), bool)
    way, weight = np.zeros((len(rows), most), np.float32), np.zeros((len(rows), most), np.float32)
    for at, row in enumerate(rows):
        for name, array in flat.items():
            array[at, : len(row.pieces)] = getattr(row, name)
        for number, (pieces, gold, turned, counts) in enumerate(row.spans):
            phrases[at, number, pieces] = 1 / len(pieces)
            meant[at, number, gold or [items]] = True
            way[at, number], weight[at, number] = turned, counts
    numbers, real = flat["numbers"], flat["pieces"] > 0
    member = (numbers[:, None, :] == np.arange(1, items + 1)[None, :, None]) & real[:, None, :]
    sees = (numbers[:, :, None] == numbers[:, None, :]) | (numbers[:, :, None] == 0) | (numbers[:, None, :] == 0)
    made = (
        flat["pieces"], flat["places"], (numbers > 0).astype(np.int64), flat["marks"], sees & real[:, None, :], phrases,
        (member / np.maximum(member.sum(-1, keepdims=True), 1)).astype(np.float32), member.any(-1), meant, way, weight,
    )  # fmt: skip
    return Batch(*(torch.from_numpy(each).to(device) for each in made))


def _row(schema: dict, question: dict, drop: float, training: bool) -> _Row:
    kept = _kept(schema, question) if training else list(range(len(schema["items"])))
    number = {item: at for at, item in enumerate(kept)}
    pieces, first = [BEGIN], list[int]()
    for own in question["pieces"]:
        first.append(len(pieces))
        pieces += [MASK if training and each > 999 and random.random() < drop else each for each in own]
    ends = [*first[1:], len(pieces)]
    pieces.append(END)
    row = _Row(pieces, [0] * len(pieces), list(range(len(pieces))), [0] * len(pieces), [])
    for said, meant, way, weight in question["spans"]:
        said = _resized(said, question["words"]) if training else said
        gold = [number[item] for item in meant if item in number]
        counts = weight if gold or not meant else weight / 2
        row.spans.append(([piece for at in said for piece in range(first[at], ends[at])], gold, way, counts))
    for at, item in enumerate(kept):
        kind, own = schema["items"][item]
        row.pieces += own
        row.numbers += [at + 1] * len(own)
        row.places += range(FIRST_PLACE, FIRST_PLACE + len(own))
        row.marks += [kind + 1, *[0] * (len(own) - 1)]
    return row


def _kept(schema: dict, question: dict) -> list[int]:
    """What a question sees of its schema in training: sometimes less of it, now and then not what it means."""
    gold = {item for _, meant, _, _ in question["spans"] for item in meant}
    gone = {random.choice(sorted(gold))} if gold and random.random() < GONE else set()
    less = random.random() * LESS
    items = range(len(schema["items"]))
    kept = [each for each in items if each not in gone and (each in gold or random.random() > less)]
    random.shuffle(kept)
    return kept


def _resized(places: list[int], words: list[str]) -> list[int]:
    after = places[-1] + 1
    if len(places) > 2 and random.random() < SHORTER:
        return places[1:] if random.random() < 0.5 else places[:-1]
    return [*places, after] if after < len(words) and words[after] in SMALL and random.random() < LONGER else places


@torch.no_grad()
def figures(model: Reader, asked: list[list[dict]], device: str) -> dict[str, dict[str, float]]:
    """By kind: phrases, the share whose likeliest part is right, and those met rightly and wrongly from 0.5, 0.8 on."""
    model.eval()
    rows: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    ways: list[bool] = []
    for start in range(0, len(asked), 96):
        some = asked[start : start + 96]
        batch = linked_batch(some, device)
        states = model.encoder(batch.pieces, batch.places, batch.kinds, batch.marks, batch.sees)
        scores, said, parts = model.linker(states, batch.phrases, batch.items, batch.known)
        shares = scores.float().softmax(-1)[..., :-1].cpu().numpy()
        for at, (schema, question) in enumerate(some):
            for number, (_, meant, way, weight) in enumerate(question["spans"]):
                best = int(shares[at, number].argmax())
                kind = KINDS[schema["items"][meant[0]][0]] if meant else "nothing"
                if weight == 1:
                    rows[kind].append((best in meant, float(shares[at, number, best])))
                if way:
                    turned = model.linker.forward_way(said[at, number], parts[at, meant[0]])
                    ways.append((float(turned) > 0) == (way > 0))
    model.train()
    told = {}
    for kind, found in sorted(rows.items()):
        share = {"phrases": len(found), "likeliest": round(sum(right for right, _ in found) / len(found), 3)}
        for least in (0.5, 0.8):
            share[f"right {least}"] = round(sum(right and p >= least for right, p in found) / len(found), 3)
            share[f"wrong {least}"] = round(sum(not right and p >= least for right, p in found) / len(found), 3)
        told[kind] = share
    told["ends"] = {"phrases": len(ways), "likeliest": round(sum(ways) / max(len(ways), 1), 3)}
    return told
