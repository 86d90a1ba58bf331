"""What a taught model makes of the lessons of a fold that it was not taught: how many epochs are enough?

    python -m benchmarks.bc5cdr_device teach --model MODEL --lessons RUN/examples --taught TAUGHT --out SCORES/NAME \\
        --epochs 4 --rate 2e-4 --fold 0 --score lessons=RUN/examples
    python -m benchmarks.extraction_lessons RUN/examples SCORES/*/lessons.npy --out teaching.json

A lesson has a right tail among the mentions of its sequence, or [NONE] is right. Each line tells how well the two kinds
are told apart by the share of [NONE], how often it wins in each, how often the right mention is the likeliest, beside
what a random choice would reach, and how much of what is said with some share is right.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.extract.predict.both_directions import mention_shares
from clew.extract.ranking.batches import Examples, read_examples
from clew.files import write_text

SAID = (0.5, 0.8)
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was made of the lessons of one part: those held out, or those that were taught."""

    scores: str
    part: str
    with_a_tail: int
    without: int
    area_under_curve: float
    none_wins_with_a_tail: float
    none_wins_without: float
    right_among_mentions: float
    random_among_mentions: float
    right_of_what_is_said: dict[str, float]  # by the least share that is asked for; lessons of both kinds


def measure(lessons: Examples, scores: NDArray[np.float64], chosen: Bools, *, name: str, part: str) -> Learnt:
    """The figures of the chosen lessons; `scores` are log-probabilities, row by row."""
    count = np.diff(lessons.row_offsets) - 1
    none = lessons.row_offsets[:-1]
    mention = np.ones(lessons.rows, bool)
    mention[none] = False
    length = lessons.terms[lessons.row_tail] - 1  # without the end; for a tail that fills its leaf it comes to the same
    share = mention_shares(scores, count, length[mention])
    gold = lessons.row_gold[mention] == 1
    begin = np.cumsum(count) - count
    said = np.add.reduceat(share, begin)  # what is left of [NONE]
    best = np.maximum.reduceat(share, begin)
    query = np.repeat(np.arange(len(count)), count)
    right = np.bincount(query, gold & (share == best[query]), len(count)) > 0
    random = np.bincount(query, gold, len(count)) / count
    silent, answered = 1 - said >= best, lessons.row_gold[none] == 0
    here, elsewhere = chosen & answered, chosen & ~answered
    return Learnt(
        scores=name,
        part=part,
        with_a_tail=int(here.sum()),
        without=int(elsewhere.sum()),
        area_under_curve=round(area_under_curve(said[here], said[elsewhere]), 4),
        none_wins_with_a_tail=round(float(silent[here].mean()), 4),
        none_wins_without=round(float(silent[elsewhere].mean()), 4),
        right_among_mentions=round(float(right[here].mean()), 4),
        random_among_mentions=round(float(random[here].mean()), 4),
        right_of_what_is_said={
            str(least): round(float(right[chosen & (best >= least)].mean()), 4)
            for least in SAID
            if (chosen & (best >= least)).any()
        },
    )


def area_under_curve(of_true: NDArray[np.floating], of_wrong: NDArray[np.floating]) -> float:
    """How often one of the first is greater than one of the others; ties count half."""
    others = np.sort(of_wrong)
    below = np.searchsorted(others, of_true, side="left") + np.searchsorted(others, of_true, side="right")
    return float(below.mean() / 2 / max(1, len(others)))


def main() -> None:
    """Print a table, best first; write the figures where --out says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("scores", type=Path, nargs="+")
    parser.add_argument("--fold", type=int, default=0, help="that was not taught")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    lessons = read_examples(given.lessons)
    held = lessons.fold == given.fold
    taught = ~held & (lessons.touches >> given.fold & 1 == 0)
    found = [
        measure(lessons, np.load(file).astype(np.float64), chosen, name=file.parent.name, part=part)
        for file in given.scores
        for part, chosen in (("held out", held), ("taught", taught))
    ]
    found.sort(key=lambda each: (each.part, -each.area_under_curve))
    for each in found:
        print(json.dumps(asdict(each)))
    if given.out is not None:
        write_text(given.out, json.dumps([asdict(each) for each in found], indent=1) + "\n")


if __name__ == "__main__":
    main()
