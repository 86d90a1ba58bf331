"""Tune MiniLM's biases and norms so that words lie near the relations they mean, and measure it on unseen schemas.

    python -m benchmarks.matching.tune --fold 0      # trains on four fifths of the schemas, prints figures of the rest
    python -m benchmarks.matching.tune --out matching.npz    # trains on all and writes what the package carries

Two minutes on a GPU; needs torch and onnx.
"""

import argparse
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.matching.schemas import Example, Schema, examples_of, read_schemas
from clew.answer.lexicon.matching import small_words
from clew.models import locate

STEPS, WARM_UP, EXAMPLES = 900, 60, 24
RATE, RATE_OF_WEIGHTS = 1e-3, 0.02
START = (3.3, 0.0, 4.8, 3.7, 1.1, 4.0)  # weights of the cosines and of none, from a regression on frozen vectors
START_OF_NONE = 5.3
FITTING_ONLY, WITHOUT_WHAT_IS_MEANT = 0.6, 0.25  # shares of examples that see less of their schema
FOLDS = 5
PARTS = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
         "o": "attention.output.dense", "i": "intermediate.dense", "d": "output.dense"}  # fmt: skip
THRESHOLDS = (0.5, 0.65, 0.75, 0.85, 0.9)


class MiniLM(nn.Module):
    """The encoder of the package in torch; only biases and norms are trained."""

    def __init__(self, model: Path) -> None:
        super().__init__()
        stored = {each.name: numpy_helper.to_array(each) for each in onnx.load(model).graph.initializer}
        scaled = {
            name[:-2]: each.astype(np.float32) * stored[f"{name[:-2]}_scale"]
            for name, each in stored.items()
            if name.endswith("_q")
        }
        matrices = sorted((name for name in scaled if name.startswith("val_")), key=lambda name: int(name[4:]))
        self.fixed = {name: torch.tensor(each) for name, each in scaled.items()}
        self.fixed |= {
            f"{layer}.{part}": self.fixed[matrices[layer * len(PARTS) + number]]
            for layer in range(6)
            for number, part in enumerate(PARTS)
        }
        self.fixed["type"] = torch.tensor(stored["inner.embeddings.token_type_embeddings.weight"][0])
        self.names = [name for name in stored if name.endswith(".bias") or "LayerNorm" in name]
        self.tuned = nn.ParameterList(nn.Parameter(torch.tensor(stored[name])) for name in self.names)
        self.mix = nn.Parameter(torch.tensor(START))
        self.none = nn.Parameter(torch.tensor(START_OF_NONE))

    def to_device(self, device: str) -> "MiniLM":
        self.fixed = {name: each.to(device) for name, each in self.fixed.items()}
        return self.to(device)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The last layer (texts, tokens, 384)."""
        own = dict(zip(self.names, self.tuned, strict=True))
        count, length = ids.shape

        def norm(rows: Tensor, at: str) -> Tensor:
            return functional.layer_norm(rows, (384,), own[f"{at}.weight"], own[f"{at}.bias"], 1e-12)

        def linear(rows: Tensor, layer: int, part: str) -> Tensor:
            return rows @ self.fixed[f"{layer}.{part}"] + own[f"inner.encoder.layer.{layer}.{PARTS[part]}.bias"]

        embedded = self.fixed["inner.embeddings.word_embeddings.weight"][ids] + self.fixed["type"]
        rows = norm(
            embedded + self.fixed["inner.embeddings.position_embeddings.weight"][:length], "inner.embeddings.LayerNorm"
        )
        unseen = (~mask)[:, None, None, :].float() * -1e9
        for layer in range(6):
            at = f"inner.encoder.layer.{layer}"
            heads = (linear(rows, layer, part).view(count, length, 12, 32).transpose(1, 2) for part in "qkv")
            seen = functional.scaled_dot_product_attention(*heads, attn_mask=unseen)
            seen = seen.transpose(1, 2).reshape(count, length, 384)
            rows = norm(rows + linear(seen, layer, "o"), f"{at}.attention.output.LayerNorm")
            inner = linear(functional.gelu(linear(rows, layer, "i")), layer, "d")
            rows = norm(rows + inner, f"{at}.output.LayerNorm")
        return rows


class Tuner:
    """The model with its tokenizer; scores of relations for the marked words of examples."""

    def __init__(self, device: str) -> None:
        from tokenizers import Tokenizer

        files = locate("minilm")
        self.device = device
        self.model = MiniLM(files["model.onnx"]).to_device(device)
        self.tokenizer = Tokenizer.from_file(str(files["tokenizer.json"]))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def scores(self, schema: Schema, examples: list[Example]) -> Tensor:
        """(examples, relations + 1); the last is none."""
        texts = [list(each.words) for each in examples] + [text for each in schema.relations for text in each.texts]
        encoded = self.tokenizer.encode_batch(texts, is_pretokenized=True)
        longest = max(len(each.ids) for each in encoded)
        ids = np.zeros((len(texts), longest), np.int64)
        whole = np.zeros((len(texts), longest), np.float32)
        parts = np.zeros((2, len(examples), longest), np.float32)  # the marked words, and all words that say something
        small = small_words()
        for row, each in enumerate(encoded):
            ids[row, : len(each.ids)], whole[row, : len(each.ids)] = each.ids, 1
        for row, example in enumerate(examples):
            places = [at for at in example.places if example.words[at] not in small] or list(example.places)
            content = [at for at, word in enumerate(example.words) if word not in small and word.isalnum()]
            owners = encoded[row].word_ids
            for part, wanted in ((0, places), (1, content or places)):
                for at in wanted:
                    own = [number for number, owner in enumerate(owners) if owner == at]
                    parts[part, row, own] = 1 / len(own) / len(wanted)
        hidden = self.model(self._tensor(ids), self._tensor(whole).bool())
        means = functional.normalize(torch.einsum("ntd,nt->nd", hidden, self._tensor(whole)), dim=-1)
        text, named, typed = means[: len(examples)], means[len(examples) :: 2], means[len(examples) + 1 :: 2]
        word, around = (
            functional.normalize(torch.einsum("ntd,nt->nd", hidden[: len(examples)], self._tensor(each)), dim=-1)
            for each in parts
        )
        pairs = ((text, typed), (text, named), (word, named), (word, typed), (around, named), (around, typed))
        scores = torch.stack([one @ other.T for one, other in pairs], -1) @ self.model.mix
        return torch.cat([scores, self.model.none.expand(len(examples), 1)], 1)

    def _tensor(self, values: Any) -> Tensor:
        return torch.from_numpy(values).to(self.device)

    def train(self, schemas: list[Schema], draw: random.Random, steps: int = STEPS) -> None:
        own, theirs = [self.model.mix, self.model.none], list(self.model.tuned)
        optimizer = torch.optim.AdamW([{"params": own}, {"params": theirs}], weight_decay=0.0)
        for step in range(1, steps + 1):
            share = min(1, step / WARM_UP) * (0.1 + 0.45 * (1 + math.cos(math.pi * step / steps)))
            for group, rate in zip(optimizer.param_groups, (RATE_OF_WEIGHTS, RATE), strict=True):
                group["lr"] = rate * share
            schema = draw.choice(schemas)
            examples = examples_of(schema, EXAMPLES, draw)
            scores = self.scores(schema, examples)
            seen, meant = zip(*(_seen(schema, each, draw) for each in examples), strict=True)
            logs = scores.masked_fill(~self._tensor(np.stack(seen)), -1e4).log_softmax(1)
            loss = -torch.logsumexp(logs.masked_fill(~self._tensor(np.stack(meant)), -1e9), 1).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_([*own, *theirs], 1.0)
            optimizer.step()

    def save(self, out: Path) -> None:
        stored = {
            name: each.detach().cpu().numpy() for name, each in zip(self.model.names, self.model.tuned, strict=True)
        }
        mix, none = (each.detach().cpu().numpy() for each in (self.model.mix, self.model.none))
        np.savez_compressed(out, mix=mix, none=none, **{name: each.astype(np.float16) for name, each in stored.items()})


def _seen(schema: Schema, example: Example, draw: random.Random) -> tuple[np.ndarray, np.ndarray]:
    """The relations that an example sees, and what is right among them: one that is taken away makes it none."""
    count = len(schema.relations)
    seen, right = np.zeros(count + 1, bool), np.zeros(count + 1, bool)
    seen[schema.fitting(example) if draw.random() < FITTING_ONLY else range(count)] = True
    left_out = draw.random() * 0.3
    seen[[number for number in range(count) if draw.random() < left_out]] = False
    seen[list(example.meant)] = draw.random() >= WITHOUT_WHAT_IS_MEANT
    seen[count] = True
    right[[number for number in example.meant if seen[number]] or [count]] = True
    return seen, right


def measure(tuner: Tuner, schemas: list[Schema]) -> None:
    """Print how often words are bound rightly, wrongly, and where no relation means them."""
    bound: list[tuple[float, bool, str]] = []
    with torch.no_grad():
        for schema in schemas:
            scores = tuner.scores(schema, list(schema.examples)).cpu().numpy()
            for example, row in zip(schema.examples, scores, strict=True):
                fitting = schema.fitting(example)
                for left_out in (False, True) if example.meant else (False,):
                    among = [each for each in fitting if not (left_out and each in example.meant)]
                    raised = np.exp(row[[*among, -1]] - row.max())
                    shares = (raised / raised.sum())[:-1]
                    best = among[int(shares.argmax())] if among else -1
                    kind = "left out" if left_out else "meant" if example.meant else "none"
                    bound.append((float(shares.max(initial=0.0)), best in example.meant, kind))
    for threshold in THRESHOLDS:
        counts = {
            kind: np.array(
                [(share >= threshold, share >= threshold and right) for share, right, own in bound if own == kind]
            )
            for kind in ("meant", "none", "left out")
        }
        meant = counts["meant"].mean(0)
        print(
            f"{threshold}: bound rightly {meant[1]:.3f}, wrongly {meant[0] - meant[1]:.3f}; where nothing is meant "
            f"{counts['none'].mean(0)[0]:.3f}, where it was left out {counts['left out'].mean(0)[0]:.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fold", type=int)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    given = parser.parse_args()
    schemas = read_schemas()
    order = random.Random(7).sample(range(len(schemas)), len(schemas))
    held = {at for number, at in enumerate(order) if number % FOLDS == given.fold}
    tuner = Tuner("cuda" if torch.cuda.is_available() else "cpu")
    tuner.train([each for at, each in enumerate(schemas) if at not in held], random.Random(0), given.steps)
    if held:
        measure(tuner, [schemas[at] for at in sorted(held)])
    if given.out:
        tuner.save(given.out)


if __name__ == "__main__":
    main()
