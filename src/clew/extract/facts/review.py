"""Verdicts of a reader on extracted facts, kept as JSON lines beside their folder, and the precision they give."""

import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.extract.facts.folder import read_facts
from clew.extract.facts.status import STATED

__all__ = [
    "VERDICTS",
    "Precision",
    "Verdict",
    "add_verdict",
    "precision_of",
    "read_verdicts",
    "verdicts_path",
    "waiting",
]

VERDICTS = ("right", "wrong", "unsure")
NORMAL = 1.959964  # of a 95 % interval
Key = tuple[str, str, str, str]  # document, subject, relation, object


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reader says of a fact."""

    document: str
    subject: str
    relation: str
    object: str
    confidence: float
    sentence: str
    verdict: str

    @property
    def key(self) -> Key:
        """Which fact is meant."""
        return self.document, self.subject, self.relation, self.object


@dataclass(frozen=True, slots=True)
class Precision:
    """The share of right facts among those judged right or wrong, with its 95 % interval (Wilson's)."""

    right: int
    wrong: int
    unsure: int

    @property
    def value(self) -> float | None:
        """None where nothing is judged."""
        judged = self.right + self.wrong
        return self.right / judged if judged else None

    @property
    def interval(self) -> tuple[float, float]:
        """The lower and the upper end; everything where nothing is judged."""
        judged = self.right + self.wrong
        if not judged:
            return 0.0, 1.0
        share, square = self.right / judged, NORMAL**2
        middle = (share + square / (2 * judged)) / (1 + square / judged)
        half = NORMAL / (1 + square / judged) * math.sqrt(share * (1 - share) / judged + square / (4 * judged**2))
        return max(0.0, middle - half), min(1.0, middle + half)


def verdicts_path(folder: Path) -> Path:
    """Where the verdicts on a folder of facts are kept: beside it, so that extracting again leaves them."""
    folder = Path(folder).absolute()
    return folder.with_name(f"{folder.name}.verdicts.jsonl")


def read_verdicts(path: Path) -> list[Verdict]:
    """All verdicts, the last one for each fact; none where there is no file."""
    found: dict[Key, Verdict] = {}
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except FileNotFoundError:
        return []
    for number, line in enumerate(lines, start=1):
        try:
            verdict = Verdict(**json.loads(line))
            if verdict.verdict not in VERDICTS:
                raise ValueError(f"no verdict is called {verdict.verdict!r}")
        except (ValueError, TypeError) as error:
            raise InputError(f"{path}, line {number} is not a verdict ({error}): mend or remove the line") from error
        found[verdict.key] = verdict
    return list(found.values())


def add_verdict(path: Path, fact: Mapping[str, Any], verdict: str) -> Verdict:
    """Append a verdict on a row of facts.parquet."""
    names = ("document", "subject", "relation", "object", "confidence", "sentence")
    made = Verdict(**{name: fact[name] for name in names}, verdict=verdict)
    with Path(path).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(asdict(made), ensure_ascii=False) + "\n")
    return made


def waiting(folder: Path, *, seed: int = 0) -> Iterator[dict[str, Any]]:
    """The facts of a folder that have no verdict yet, in a random order that the seed decides; marked statements are no
    facts."""
    judged = {each.key for each in read_verdicts(verdicts_path(folder))}
    rows: list[dict[str, Any]] = read_facts(folder).to_pylist()
    random.Random(seed).shuffle(rows)
    for row in rows:
        key = row["document"], row["subject"], row["relation"], row["object"]
        if key not in judged and row["status"] == STATED:
            yield row


def precision_of(verdicts: Sequence[Verdict]) -> dict[str, Precision]:
    """The precision of each relation, and of all."""
    relations = sorted({each.relation for each in verdicts})
    found = {name: _count(each for each in verdicts if each.relation == name) for name in relations}
    return {**found, "all": _count(verdicts)}


def _count(verdicts: Iterable[Verdict]) -> Precision:
    said = [each.verdict for each in verdicts]
    return Precision(*(said.count(name) for name in VERDICTS))
