"""Two models on BC5CDR dev, several seeds each: mean F1 of each, and their difference with the same documents drawn.

    python benchmarks/bc5cdr_difference.py --arrays ARRAYS --data DATA --first OUT/no-hgat-* --second OUT/full-*

Each folder holds train.npy and dev.npy, as `bc5cdr_device.py learn --dev` writes them; way and threshold of every seed
are chosen on train.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.evaluate.extraction.bc5cdr_choice import apply_choice, choose, weigh_in_all_ways
from clew.evaluate.extraction.bc5cdr_ways import Asked, read_asked
from clew.evaluate.extraction.pubtator import Abstract, read_pubtator

RESAMPLES = 10_000
Counts = NDArray[np.float64]


def count_hits(
    folder: Path, train: Asked, dev: Asked, taught: Sequence[Abstract], scored: Sequence[Abstract]
) -> Counts:
    """Hits, predicted and gold pairs of every dev document: (documents, 3)."""
    induces = {each.document: each.induces for each in taught}
    gold = np.array([pair[1:] in induces[pair[0]] for pair in train.pairs])
    choice = choose(
        weigh_in_all_ways(train, np.load(folder / "train.npy")), gold, total=sum(map(len, induces.values()))
    )
    found = apply_choice(dev, weigh_in_all_ways(dev, np.load(folder / "dev.npy"), (choice.way,)), choice)
    rows = []
    for each in scored:
        predicted = found.get(each.document, set())
        rows.append((len(predicted & each.induces), len(predicted), len(each.induces)))
    return np.array(rows, float)


def f1(sums: Counts) -> Counts:
    """F1 from sums of hits, predicted and gold in the last axis."""
    hits, predicted, gold = np.moveaxis(sums, -1, 0)
    return 2 * hits / np.maximum(predicted + gold, 1)


def compare(first: Sequence[Counts], second: Sequence[Counts]) -> dict[str, Any]:
    """Mean F1 over seeds of both, and how much higher the second is."""
    n = len(first[0])
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    weights = np.vstack([np.ones(n), drawn])  # the documents themselves, then resamples
    means = [np.mean([f1(weights @ counts) for counts in group], axis=0) for group in (first, second)]
    difference = means[1] - means[0]
    low, high = np.percentile(difference[1:], (2.5, 97.5))
    singles = [[round(float(f1(counts.sum(axis=0))), 4) for counts in group] for group in (first, second)]
    return {
        "first": {"seeds": singles[0], "mean": round(float(means[0][0]), 4)},
        "second": {"seeds": singles[1], "mean": round(float(means[1][0]), 4)},
        "difference": [round(float(each), 4) for each in (difference[0], low, high)],
    }


def main() -> None:
    """Print the comparison as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--arrays", "--data"):
        parser.add_argument(name, type=Path, required=True)
    for name in ("--first", "--second"):
        parser.add_argument(name, type=Path, nargs="+", required=True)
    given = parser.parse_args()
    parts = {part: read_pubtator(given.data / "bc5cdr" / f"cdr_{part}.pubtator.gz") for part in ("train", "dev")}
    asked = {part: read_asked(given.arrays / f"scoring-{part}") for part in parts}
    groups = [
        [count_hits(folder, asked["train"], asked["dev"], parts["train"], parts["dev"]) for folder in folders]
        for folders in (given.first, given.second)
    ]
    print(json.dumps(compare(*groups), indent=1))


if __name__ == "__main__":
    main()
