"""Two models on BC5CDR, several seeds each: mean F1 of each, and their difference with the same documents drawn.

    python -m benchmarks.bc5cdr_difference --arrays ARRAYS --data DATA --first OUT/no-hgat-* --second OUT/full-*
    python -m benchmarks.bc5cdr_difference --arrays ARRAYS/found --data DATA --first … --second OUT/full-*/found

Each folder holds train.npy and dev.npy, as `bc5cdr_device.py learn --dev` writes them; way and threshold of every seed
are chosen on train. Compared are dev and, with way and threshold of each fold chosen on the others, train.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.evaluate.extraction.bc5cdr_choice import apply_choice, choose, cross_validate, weigh_in_all_ways
from clew.evaluate.extraction.bc5cdr_ways import Asked, read_asked
from clew.evaluate.extraction.pubtator import Abstract, read_pubtator

RESAMPLES = 10_000
Counts = NDArray[np.float64]
Predicted = Mapping[str, set[tuple[str, str]]]  # chemical and disease, by document


def predict_parts(folder: Path, asked: Mapping[str, Asked], train: Sequence[Abstract]) -> dict[str, Predicted]:
    """The pairs of every document, of both parts."""
    induces = {each.document: each.induces for each in train}
    gold = np.array([pair[1:] in induces[pair[0]] for pair in asked["train"].pairs])
    weighed = weigh_in_all_ways(asked["train"], np.load(folder / "train.npy"))
    choice = choose(weighed, gold, total=sum(map(len, induces.values())))
    new = weigh_in_all_ways(asked["dev"], np.load(folder / "dev.npy"), (choice.way,))
    return {"train": cross_validate(asked["train"], weighed, induces), "dev": apply_choice(asked["dev"], new, choice)}


def count_hits(found: Predicted, abstracts: Sequence[Abstract]) -> Counts:
    """Hits, predicted and gold pairs of every document: (documents, 3)."""
    rows = []
    for each in abstracts:
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
        [predict_parts(folder, asked, parts["train"]) for folder in folders] for folders in (given.first, given.second)
    ]
    compared = {
        part: compare(*([count_hits(found[part], abstracts) for found in group] for group in groups))
        for part, abstracts in parts.items()
    }
    print(json.dumps(compared, indent=1))


if __name__ == "__main__":
    main()
