"""BC5CDR: rules and a model's scores, evaluated on the CID relations of the dev part.

Scores of train and dev candidates (see `examples`) go in, a record of figures comes out. Everything is chosen on train;
dev is scored once for each configuration, and every such scoring is kept in a log.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import DISEASE, Abstract
from clew.evaluate.extraction.bc5cdr.aggregation import Candidates, read_candidates, uniform_scores
from clew.evaluate.extraction.bc5cdr.pairs import PairScore, more_general, score_pairs
from clew.evaluate.extraction.bc5cdr.rules import RULES, sentence_pairs
from clew.evaluate.extraction.bc5cdr.selection import (
    Choice,
    aggregate_all,
    apply_choice,
    choose,
    cross_validate,
)
from clew.files import write_text

__all__ = ["Ancestors", "Scored", "log_dev", "rule_rows", "score_bc5cdr", "score_row"]

Pair = tuple[str, str]
Predicted = Mapping[str, Collection[Pair]]
Ancestors = Mapping[str, Collection[str]]
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scored:
    """One row of the table: all pairs, and those left when more general diseases of a document are never predicted."""

    name: str
    part: str
    figures: PairScore
    filtered: PairScore | None = None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def rule_rows(abstracts: Sequence[Abstract], part: str, *, ancestors: Ancestors | None = None) -> list[Scored]:
    """The figures of each rule alone."""
    return [
        score_row(name, part, abstracts, {each.document: rule(each) for each in abstracts}, ancestors)
        for name, rule in RULES.items()
    ]


def score_bc5cdr(
    arrays: Path,
    train: Sequence[Abstract],
    dev: Sequence[Abstract],
    train_scores: Scores,
    dev_scores: Scores,
    *,
    ancestors: Ancestors | None = None,
) -> list[Scored]:
    """The model on train (cross-validated) and dev: by itself, kept to pairs of one sentence, and beside a control.

    The control is a model to which every tail is equally likely: what counting mentions reaches without one.
    """
    candidates, candidates_dev = read_candidates(arrays / "scoring-train"), read_candidates(arrays / "scoring-dev")
    induces = {each.document: each.induces for each in train}
    gold = np.array([pair[1:] in induces[pair[0]] for pair in candidates.pairs])
    total = sum(map(len, induces.values()))
    by_model = aggregate_all(candidates, train_scores), aggregate_all(candidates_dev, dev_scores)
    by_nothing = tuple(aggregate_all(each, uniform_scores(each)) for each in (candidates, candidates_dev))
    rows = []
    for name, rule, (known, new) in (
        ("model", None, by_model),
        ("model, pairs of one sentence", sentence_pairs, by_model),
        ("control: uniform scores", None, by_nothing),
    ):
        allowed, allowed_dev = None, None
        if rule is not None:
            allowed = _allowed(candidates, {each.document: rule(each) for each in train})
            allowed_dev = _allowed(candidates_dev, {each.document: rule(each) for each in dev})
        estimated = cross_validate(candidates, known, induces, allowed=allowed)
        choice = choose(known, gold, total=total, allowed=allowed)
        predicted = apply_choice(candidates_dev, new, choice, among=allowed_dev)
        rows.append(score_row(name, "train, cross-validated", train, estimated, ancestors))
        rows.append(score_row(name, "dev", dev, predicted, ancestors, note=_said(choice)))
    return rows


def score_row(
    name: str,
    part: str,
    abstracts: Sequence[Abstract],
    predicted: Predicted,
    ancestors: Ancestors | None,
    note: str = "",
) -> Scored:
    """Predicted pairs as a row, with the filtered figures where it is known what is more general."""
    whole = score_pairs(abstracts, predicted)
    if ancestors is None:
        return Scored(name, part, whole, note=note)
    kept = {}
    for each in abstracts:
        general = more_general(each.ids(DISEASE), ancestors)
        kept[each.document] = {pair for pair in predicted.get(each.document, ()) if pair[1] not in general}
    return Scored(name, part, whole, score_pairs(abstracts, kept), note)


def _allowed(candidates: Candidates, pairs: Predicted) -> NDArray[np.bool_]:
    return np.array([pair[1:] in pairs[pair[0]] for pair in candidates.pairs])


def _said(choice: Choice) -> str:
    return f"{choice.aggregation}; at least {choice.threshold:.3f}, chosen on train (F1 {choice.f1:.3f})"


def log_dev(log: Path, configuration: str, scores: Sequence[Scores], rows: Sequence[Scored]) -> None:
    """Add a scoring of dev to the log; a configuration that was scored with other scores is refused."""
    checksum = hashlib.sha256(b"".join(np.ascontiguousarray(each).tobytes() for each in scores)).hexdigest()
    earlier = log.read_text("utf-8") if log.is_file() else ""
    for line in earlier.splitlines():
        entry = json.loads(line)
        if entry["configuration"] == configuration:
            if entry["scores"] == checksum:
                return
            raise InputError(
                f"dev was scored as {configuration!r} on {entry['when']} with other scores: dev is scored once "
                "for each configuration, so name the one that changed something"
            )
    entry = {
        "configuration": configuration,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "scores": checksum,
        "rows": [each.to_json() for each in rows if each.part == "dev"],
    }
    write_text(log, earlier + json.dumps(entry, ensure_ascii=False) + "\n")
