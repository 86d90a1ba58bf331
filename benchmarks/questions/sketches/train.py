"""Train the parser of sketches: `python train.py data.json minilm.npz OUT`; on a GPU where there is one."""

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from network import Parser
from torch.nn import functional

PAD = 0


def batch_of(rows: list[dict], device: str, *, bare: float, drop: float = 0.0) -> tuple[torch.Tensor, ...]:
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


def evaluate(model: Parser, rows: list[dict], few: int, device: str) -> dict[str, float]:
    """Shares of whole sketches written rightly (greedily, without a grammar) and of symbols after right ones."""
    model.eval()
    right = teacher = total = loss = 0.0
    with torch.no_grad():
        for start in range(0, len(rows), 256):
            some = rows[start : start + 256]
            pieces, mask, firsts, words, symbols = batch_of(some, device, bare=0.0)
            states = model.read(pieces, mask, firsts)
            gold = symbols[:, 1:]
            scores = model.decoder(symbols[:, :-1].clamp(min=0), states, words)
            known = gold >= 0
            teacher += ((scores.argmax(-1) == gold) & known).sum().item()
            total += known.sum().item()
            loss += functional.cross_entropy(scores[known].float(), gold[known], reduction="sum").item()
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
    return {"exact": right / len(rows), "symbols": teacher / total, "loss": loss / total}


def train(rows: list[dict], held: list[dict], few: int, start: dict, given: argparse.Namespace, device: str) -> None:
    torch.manual_seed(given.seed)
    random.seed(given.seed)
    model = Parser(few, layers=given.layers, dropout=given.dropout).to(device)
    model.encoder.load({name: torch.from_numpy(start[name].astype(np.float32)) for name in start})
    for part in (model.encoder.words, model.encoder.places, model.encoder.kinds):
        part.requires_grad_(False)  # they stay MiniLM's
    groups = [
        {"params": [each for each in model.encoder.parameters() if each.requires_grad], "lr": given.rate},
        {"params": [*model.decoder.parameters(), *model.norm.parameters()], "lr": given.rate * given.faster},
    ]
    steps = given.epochs * ((len(rows) + given.batch - 1) // given.batch)
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, step / (0.08 * steps)) * max(0.0, 1 - step / steps) ** 0.7
    )
    begun, order, best = time.time(), list(rows), -1.0
    for epoch in range(given.epochs):
        random.shuffle(order)
        for at in range(0, len(order), given.batch):
            some = order[at : at + given.batch]
            pieces, mask, firsts, words, symbols = batch_of(some, device, bare=given.bare, drop=given.drop)
            states = model.read(pieces, mask, firsts)
            scores = model.decoder(symbols[:, :-1].clamp(min=0), states, words)
            gold = symbols[:, 1:]
            known = gold >= 0
            loss = functional.cross_entropy(scores[known].float(), gold[known])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
        if held and (epoch % given.every == given.every - 1 or epoch == given.epochs - 1):
            figures = {key: round(value, 4) for key, value in evaluate(model, held, few, device).items()}
            print(given.name, epoch + 1, round(time.time() - begun), round(loss.item(), 3), figures, flush=True)
            if figures["exact"] > best:
                best = figures["exact"]
                save(model, given.out, best)
    if not held:
        save(model, given.out, best)


def save(model: Parser, out: Path, exact: float) -> None:
    """What was learned, in parts of less than 16 MB, and the share of held-out sketches that were written exactly."""
    out.mkdir(parents=True, exist_ok=True)
    parts: dict[str, dict[str, np.ndarray]] = {}
    for name, value in model.state_dict().items():
        if name.startswith(("encoder.words", "encoder.places", "encoder.kinds")):
            continue
        number = int(name.split(".")[2]) if name.startswith("encoder.layers") else -1
        part = "decoder" if number < 0 else f"layers{number // 3}"
        parts.setdefault(part, {})[name] = value.detach().cpu().numpy().astype(np.float16)
    for part, arrays in parts.items():
        np.savez(out / f"{part}.npz", **arrays)
    (out / "exact.txt").write_text(str(exact))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("start", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--name", default="run")
    parser.add_argument(
        "--hold", default="", help="sets that are kept out of training and evaluated, with commas between"
    )
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--bare", type=float, default=0.3, help="how often names are masked")
    parser.add_argument("--drop", type=float, default=0.05, help="how often a piece is masked")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--faster", type=float, default=6.0, help="how much faster the decoder learns")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    data = json.loads(given.data.read_text())
    few, rows = len(data["symbols"]), data["rows"]
    sets = given.hold.split(",")
    held = [row for row in rows if row["set"] in sets]
    kept = [row for row in rows if row["set"] not in sets]
    start = np.load(given.start)
    train(kept, held, few, {name: start[name] for name in start.files}, given, device)


if __name__ == "__main__":
    main()
