"""How far a judge can be trusted: statements whose truth is known, and its balanced accuracy on them.

Texts: 100 gold chemical-disease pairs of BC5CDR train, and 100 pairs that share a sentence but are not gold. Validity:
100 triples of the seed graph, and the same with an object drawn from another type than the relation leads to. The
threshold of a judge is set on half of the statements and tested on the other half, both ways round, and what is
reported is the accuracy on what the threshold was not set on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.extraction.judge import EVEN, Judge, ModelJudge, Question, Statement, Verdict, judge_all
from clew.evaluate.extraction.pubtator import CHEMICAL, DISEASE, Abstract
from clew.evaluate.extraction.rules import sentence_pairs
from clew.graph import Graph
from clew.graph.schema import RelationSchema
from clew.progress import Progress, silent

__all__ = [
    "ENOUGH",
    "Calibration",
    "Known",
    "balanced_accuracy",
    "calibrate",
    "corrupted_triples",
    "induced_pairs",
]

ENOUGH = 0.70  # balanced accuracy below which a judge's scores are claimed nowhere
EACH = 100
Pair = tuple[str, str]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Known:
    """A statement and whether it holds."""

    statement: Statement
    holds: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge's balanced accuracy on known statements, with the threshold to judge others by."""

    judge: str
    question: Question
    accuracy: float
    threshold: float
    statements: int
    missing: int
    plain_accuracy: float  # with yes where it is likelier than no

    @property
    def trusted(self) -> bool:
        return self.accuracy >= ENOUGH

    @property
    def title(self) -> str:
        """How every score of the judge is titled."""
        return f"balanced accuracy {self.accuracy:.2f}" if self.trusted else f"uncalibrated judge ({self.accuracy:.2f})"


def calibrate(
    judge: Judge, known: Sequence[Known], question: Question, *, progress: Progress = silent
) -> tuple[Judge, Calibration]:
    """The judge with its threshold set, and how well it does; a judge without thresholds is only measured."""
    holds = np.array([each.holds for each in known], bool)
    if min(holds.sum(), (~holds).sum()) < 2:
        raise InputError("a judge is calibrated on statements that hold and statements that do not: give two of each")
    even = judge.with_threshold(EVEN) if isinstance(judge, ModelJudge) else judge
    verdicts = judge_all(even, [each.statement for each in known], question, progress=progress)
    said_yes = np.array([each.answer == "yes" for each in verdicts])
    plain = balanced_accuracy(said_yes, holds)
    missing = sum(each.answer == "missing" for each in verdicts)
    if not isinstance(judge, ModelJudge) or judge.by == "grammar":
        return judge, Calibration(judge.name, question, plain, EVEN, len(known), missing, plain)
    likely = np.array([_likely(each) for each in verdicts])
    halves = np.zeros(len(known), bool)
    for part in (np.flatnonzero(holds), np.flatnonzero(~holds)):  # both halves have both kinds
        halves[part[::2]] = True
    crossed = np.zeros(len(known), bool)
    for half in (halves, ~halves):
        crossed[~half] = likely[~half] >= _best_threshold(likely[half], holds[half])
    threshold = _best_threshold(likely, holds)
    accuracy = balanced_accuracy(crossed, holds)
    set_judge = judge.with_threshold(threshold)
    return set_judge, Calibration(judge.name, question, accuracy, threshold, len(known), missing, plain)


def _likely(verdict: Verdict) -> float:
    """Maybe and missing are no yes, whatever the threshold."""
    return verdict.yes if verdict.yes is not None and verdict.answer != "maybe" else -1.0


def _best_threshold(likely: Floats, holds: Flags) -> float:
    values = np.unique(likely[likely >= 0])
    if not len(values):
        return EVEN
    between = np.concatenate([[values[0]], (values[1:] + values[:-1]) / 2, [np.nextafter(values[-1], 2)]])
    return float(max(between, key=lambda each: (balanced_accuracy(likely >= each, holds), -abs(each - EVEN))))


def balanced_accuracy(said: Flags, holds: Flags) -> float:
    """Mean of the shares of right answers among what holds and among what does not."""
    return float((said[holds].mean() + (~said[~holds]).mean()) / 2)


def induced_pairs(abstracts: Sequence[Abstract], *, each: int = EACH, seed: int = 0) -> list[Known]:
    """Gold pairs and pairs of one sentence that are not gold, with their abstracts, drawn and mixed."""
    gold: list[tuple[Abstract, Pair]] = []
    others: list[tuple[Abstract, Pair]] = []
    for abstract in abstracts:
        shared = sentence_pairs(abstract)
        gold.extend((abstract, pair) for pair in sorted(abstract.induces & shared))
        others.extend((abstract, pair) for pair in sorted(shared - abstract.induces))
    random = np.random.default_rng(seed)
    drawn = [(*part[at], holds) for part, holds in ((gold, True), (others, False)) for at in _draw(random, part, each)]
    known = [Known(_put(abstract, pair), holds) for abstract, pair, holds in drawn]
    return [known[at] for at in random.permutation(len(known)).tolist()]


def _draw(random: np.random.Generator, part: Sequence[object], number: int) -> list[int]:
    if len(part) < number:
        raise InputError(f"{number} statements are to be drawn and there are only {len(part)}")
    drawn: list[int] = random.choice(len(part), number, replace=False).tolist()
    return drawn


def _put(abstract: Abstract, pair: Pair) -> Statement:
    """A pair by the first mentions of its ends."""
    subject, object_ = (
        next(each.text for each in abstract.of_type(kind) if identifier in each.ids)
        for kind, identifier in zip((CHEMICAL, DISEASE), pair, strict=True)
    )
    return Statement(subject, "induces", object_, abstract.text)


def corrupted_triples(graph: Graph, *, each: int = EACH, seed: int = 0) -> list[Known]:
    """Triples of a seed graph, and each again with an object whose type the relation never leads to."""
    random = np.random.default_rng(seed)
    names, triples = graph.entities["name"], graph.forward
    strange = {relation.number: _never_reached(graph, relation) for relation in graph.schema.relations}
    known: list[Known] = []
    for number in random.permutation(graph.triple_count).tolist():
        relation = int(triples.relation[number])
        if not len(strange[relation]):
            continue
        subject = names[int(graph.subject_of(np.array([number]))[0])].as_py()
        for object_, holds in ((triples.end[number], True), (random.choice(strange[relation]), False)):
            statement = Statement(subject, graph.schema.relations[relation].name, names[int(object_)].as_py())
            known.append(Known(statement, holds))
        if len(known) == 2 * each:
            return [known[at] for at in random.permutation(len(known)).tolist()]
    raise InputError(f"{graph.path} has only {len(known) // 2} triples that can be corrupted, of {each} to be drawn")


def _never_reached(graph: Graph, relation: RelationSchema) -> Numbers:
    """Entities of types that a relation never leads to."""
    ends = {each.object for each in relation.signatures}
    reached = [graph.schema.type_number(name) for name in ends]
    return np.flatnonzero(~np.isin(graph.entity_types, reached))
