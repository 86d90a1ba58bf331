"""Train the reader of questions: `python train.py data.json minilm.npz OUT`; on a GPU where there is one.

Each step reads a batch of sketches and a batch of questions with their schemas. With `--fold N` a fifth of the
schemas is kept out of training and measured.
"""

import argparse
import json
import math
import random
import time
from pathlib import Path

import numpy as np
import torch
from network import Reader
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from linking import Batch, figures, linked_batch

FOLDS = 5


def sketched_batch(rows: list[dict], device: str, *, bare: float, drop: float = 0.0) -> tuple[Tensor, ...]:
    chosen = [row["bare" if random.random() < bare else "whole"] for row in rows]
    length = max(len(pieces) for pieces, _ in chosen)
    most = max(len(firsts) for _, firsts in chosen)
    long = max(len(row["symbols"]) for row in rows)
    pieces = np.zeros((len(rows), length), np.int64)
    firsts, words = np.zeros((len(rows), most), np.int64), np.zeros((len(rows), most), bool)
    symbols = np.full((len(rows), long), -1, np.int64)
    for at, (row, (own, begins)) in enumerate(zip(rows, chosen, strict=True)):
        own = [103 if each > 999 and random.random() < drop else each for each in own]
        pieces[at, : len(own)], firsts[at, : len(begins)], words[at, : len(begins)] = own, begins, True
        symbols[at, : len(row["symbols"])] = row["symbols"]
    return tuple(torch.from_numpy(each).to(device) for each in (pieces, pieces > 0, firsts, words, symbols))


def evaluate(model: Reader, rows: list[dict], device: str) -> dict[str, float]:
    """Shares of whole sketches written rightly (greedily, without a grammar) and of symbols after right ones."""
    model.eval()
    right = teacher = total = 0.0
    with torch.no_grad():
        for start in range(0, len(rows), 256):
            some = rows[start : start + 256]
            pieces, mask, firsts, words, symbols = sketched_batch(some, device, bare=0.0)
            states = model.read(pieces, mask, firsts)
            gold = symbols[:, 1:]
            scores = model.decoder(symbols[:, :-1].clamp(min=0), states, words)
            known = gold >= 0
            teacher += ((scores.argmax(-1) == gold) & known).sum().item()
            total += known.sum().item()
            written = torch.zeros(len(some), 1, dtype=torch.long, device=device)
            done = torch.zeros(len(some), dtype=torch.bool, device=device)
            for _ in range(min(symbols.shape[1] + 4, 95)):
                following = model.decoder(written, states, words)[:, -1].argmax(-1)
                following = torch.where(done, torch.ones_like(following), following)
                written = torch.cat([written, following[:, None]], 1)
                done |= following == 1
                if bool(done.all()):
                    break
            for row, out in zip(some, written.tolist(), strict=True):
                own = out[: out.index(1) + 1] if 1 in out else out
                right += own == row["symbols"]
    model.train()
    return {"exact": round(right / len(rows), 4), "symbols": round(teacher / total, 4)}


class Steps(Dataset):
    """The batches of every step, made by other processes: what is read when is drawn beforehand."""

    def __init__(self, rows: list[dict], asked: list[list[dict]], given: argparse.Namespace) -> None:
        self.given, self.steps = given, list[tuple[list[dict], list[list[dict]]]]()
        waiting = list[dict]()
        for _ in range(given.epochs):
            random.shuffle(asked)
            for at in range(0, len(asked), given.questions):
                if len(waiting) < given.batch:
                    waiting = random.sample(rows, len(rows))
                some, waiting = waiting[: given.batch], waiting[given.batch :]
                self.steps.append((some, asked[at : at + given.questions]))

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, number: int) -> tuple[tuple[Tensor, ...], Batch]:
        some, asked = self.steps[number]
        random.seed(f"{self.given.seed} {number}")
        sketched = sketched_batch(some, "cpu", bare=self.given.bare, drop=self.given.drop)
        return sketched, linked_batch(asked, "cpu", drop=self.given.drop, training=True)


def loss_of_sketches(model: Reader, batch: tuple[Tensor, ...]) -> Tensor:
    pieces, mask, firsts, words, symbols = batch
    scores = model.decoder(symbols[:, :-1].clamp(min=0), model.read(pieces, mask, firsts), words)
    gold = symbols[:, 1:]
    return functional.cross_entropy(scores[gold >= 0].float(), gold[gold >= 0])


def loss_of_links(model: Reader, batch: Batch) -> Tensor:
    """Of what phrases mean, and of which end of a relation stands before them."""
    states = model.encoder(batch.pieces, batch.places, batch.kinds, batch.marks, batch.sees)
    scores, said, parts = model.linker(states, batch.phrases, batch.items, batch.known)
    right = torch.logsumexp(scores.float().log_softmax(-1).masked_fill(~batch.meant, -1e4), -1)
    loss = -(right * batch.weight).sum() / batch.weight.sum()
    told = batch.way != 0
    if bool(told.any()):
        chosen = batch.meant[..., :-1].float().argmax(-1)[..., None].expand(-1, -1, parts.shape[-1])
        ways = model.linker.forward_way(said, torch.gather(parts, 1, chosen))
        loss = loss + 0.3 * functional.binary_cross_entropy_with_logits(
            ways[told].float(), (batch.way[told] > 0).float()
        )
    return loss


def train(data: dict, start: dict, given: argparse.Namespace, device: str) -> None:
    torch.manual_seed(given.seed)
    random.seed(given.seed)
    schemas = data["schemas"]
    random.Random(7).shuffle(schemas)
    kept_out = [each["held"] or at % FOLDS == given.fold for at, each in enumerate(schemas)]
    asked, unseen = (
        [[each, row] for each, out in zip(schemas, kept_out, strict=True) if out == only for row in each["questions"]]
        for only in (False, True)
    )
    rows = [row for row in data["sketches"] if row["set"] not in given.hold.split(",")]
    held = [row for row in data["sketches"] if row["set"] in given.hold.split(",")]
    model = Reader(len(data["symbols"]), layers=given.layers).to(device)
    model.encoder.load({name: torch.from_numpy(start[name].astype(np.float32)) for name in start})
    for part in (model.encoder.words, model.encoder.places, model.encoder.kinds):
        part.requires_grad_(False)  # they stay MiniLM's
    read = [each for each in model.encoder.parameters() if each.requires_grad]
    rest = [*model.decoder.parameters(), *model.norm.parameters(), *model.linker.parameters()]
    groups = [{"params": read, "lr": given.rate}, {"params": rest, "lr": given.rate * given.faster}]
    batches = Steps(rows, asked, given)
    steps, epoch = len(batches), math.ceil(len(asked) / given.questions)
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, step / (0.08 * steps)) * max(0.0, 1 - step / steps) ** 0.7
    )
    begun = time.time()
    loader = DataLoader(batches, batch_size=None, shuffle=False, num_workers=given.workers, prefetch_factor=8)
    for step, (sketched, linked) in enumerate(loader, start=1):
        sketched = tuple(each.to(device, non_blocking=True) for each in sketched)
        linked = linked.on(device)
        with torch.autocast("cuda", torch.bfloat16, enabled=device == "cuda"):
            loss = loss_of_sketches(model, sketched) + given.share * loss_of_links(model, linked)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        if step % (epoch * given.every) == 0 or step == steps:
            told = evaluate(model, held, device), figures(model, unseen, device) if unseen else ""
            print(given.name, step // epoch, round(time.time() - begun), round(loss.item(), 3), *told, flush=True)
            save(model, given.out)


def save(model: Reader, out: Path) -> None:
    """What was learned, in parts of less than 16 MB."""
    out.mkdir(parents=True, exist_ok=True)
    parts: dict[str, dict[str, np.ndarray]] = {}
    for name, value in model.state_dict().items():
        if name.startswith(("encoder.words", "encoder.places", "encoder.kinds")):
            continue
        number = int(name.split(".")[2]) if name.startswith("encoder.layers") else -1
        part = "heads" if number < 0 else f"layers{number // 3}"
        parts.setdefault(part, {})[name] = value.detach().cpu().numpy().astype(np.float16)
    for part, arrays in parts.items():
        np.savez(out / f"{part}.npz", **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("start", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--name", default="run")
    parser.add_argument(
        "--hold", default="unseen,small_graphs,strangers", help="sets of sketches that are only measured"
    )
    parser.add_argument("--fold", type=int, default=-1, help="the fifth of the schemas that is only measured")
    parser.add_argument("--epochs", type=int, default=8, help="times that each question with a schema is read")
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--batch", type=int, default=64, help="sketches of a step")
    parser.add_argument("--questions", type=int, default=48, help="questions with schemas of a step")
    parser.add_argument("--share", type=float, default=0.5, help="weight of linking")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--bare", type=float, default=0.3, help="how often names are masked")
    parser.add_argument("--drop", type=float, default=0.05, help="how often a piece is masked")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--faster", type=float, default=5.0, help="how much faster all but the encoder learns")
    parser.add_argument("--workers", type=int, default=3, help="processes that make batches")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    with np.load(given.start) as start:
        train(json.loads(given.data.read_text()), {name: start[name] for name in start.files}, given, device)


if __name__ == "__main__":
    main()
