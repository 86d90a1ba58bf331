"""How far a judge can be trusted: statements whose truth is known, and its balanced accuracy on them.

Texts: 100 gold chemical-disease pairs of BC5CDR train, and 100 pairs that share a sentence but are not gold, each with
the sentences that name both. Validity: 100 triples of the seed graph, and the same with an object drawn from another
type than the relation leads to. Which of several judges it is, and its threshold, are chosen on one half of the
statements; what counts is the accuracy of the chosen one on the other half. How stable that is, is
seen where the halves are exchanged.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import CHEMICAL, DISEASE, Abstract
from clew.evaluate.extraction.bc5cdr.rules import sentence_pairs
from clew.evaluate.extraction.judge.model_judge import EVEN, Judge, Settable, Verdict, judge_all
from clew.evaluate.extraction.judge.wordings import Question, Statement
from clew.evaluate.statistics import Interval, bootstrap_classes
from clew.extract.corpus.sentences import split_passage
from clew.graph import GraphContents, read_entities
from clew.graph.schema import RelationSchema
from clew.progress import Progress, silent

__all__ = [
    "ENOUGH",
    "Calibration",
    "Known",
    "Tried",
    "balanced_accuracy",
    "calibrate",
    "corrupted_triples",
    "induced_pairs",
]

ENOUGH = 0.70  # balanced accuracy below which a judge's scores are claimed nowhere
EACH = 100
PASSAGE = 2  # sentences that name both ends, at most
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
class Tried:
    """One candidate judge: its balanced accuracy on the half that its threshold was set on."""

    judge: str
    threshold: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The judge that was chosen, its balanced accuracy on what nothing was chosen on, and what else was tried."""

    judge: str
    question: Question
    accuracy: Interval
    chosen_on: float  # its balanced accuracy on the half that it was chosen on
    threshold: float
    statements: int
    missing: int
    tried: tuple[Tried, ...] = ()
    exchanged: float | None = None  # the chosen one's accuracy on the first half, with a threshold set on the other

    @property
    def trusted(self) -> bool:
        return self.accuracy.mean >= ENOUGH

    @property
    def title(self) -> str:
        """How every score of the judge is titled."""
        said = f"{self.accuracy.mean:.2f}, 95 % {self.accuracy.low:.2f}-{self.accuracy.high:.2f}"
        return f"balanced accuracy {said}" if self.trusted else f"uncalibrated judge ({said})"

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"title": self.title}


def calibrate(
    judges: Sequence[Judge], known: Sequence[Known], question: Question, *, progress: Progress = silent
) -> tuple[Judge, Calibration]:
    """The best of some judges with its threshold set, and how well it does; one without thresholds is only measured."""
    if not judges:
        raise InputError("there is no judge to calibrate")
    holds = np.array([each.holds for each in known], bool)
    if min(holds.sum(), (~holds).sum()) < 2:
        raise InputError("a judge is calibrated on statements that hold and statements that do not: give two of each")
    half = np.zeros(len(known), bool)
    for part in (np.flatnonzero(holds), np.flatnonzero(~holds)):  # both halves have both kinds
        half[part[::2]] = True
    first, second = ([known[at].statement for at in np.flatnonzero(rows).tolist()] for rows in (half, ~half))
    heard = _hear(judges, first, question, progress)
    tried = [_set(judge, verdicts, holds[half]) for judge, verdicts in zip(judges, heard, strict=True)]
    at = max(range(len(tried)), key=lambda each: tried[each][1].accuracy)
    judge, chosen = tried[at]
    verdicts = judge_all(judge, second, question, progress=progress)
    said = np.array([each.answer == "yes" for each in verdicts])
    missing = sum(each.answer == "missing" for each in (*heard[at], *verdicts))
    accuracy, every = _accuracy(said, holds[~half]), tuple(each for _, each in tried)
    exchanged = _exchanged(judge, heard[at], verdicts, holds, half)
    return judge, Calibration(
        judge.name, question, accuracy, chosen.accuracy, chosen.threshold, len(known), missing, every, exchanged
    )


def _exchanged(judge: Judge, heard: Sequence[Verdict], verdicts: Sequence[Verdict], holds: Flags, half: Flags) -> float:
    """The accuracy on the first half, if the threshold is set on the second."""
    said = np.array([each.answer == "yes" for each in heard])
    if isinstance(judge, Settable):
        threshold = _set(judge, verdicts, holds[~half])[1].threshold
        said = np.array([_likely(each) for each in heard]) >= threshold
    return balanced_accuracy(said, holds[half])


def _hear(
    judges: Sequence[Judge], statements: Sequence[Statement], question: Question, progress: Progress
) -> list[list[Verdict]]:
    """Every judge's verdicts; one statement after another, for wordings that begin with the same text share it."""
    even = [judge.with_threshold(EVEN) if isinstance(judge, Settable) else judge for judge in judges]
    verdicts: list[list[Verdict]] = [[] for _ in judges]
    for done, statement in enumerate(statements):
        progress(f"calibrating ({question})", done, len(statements))
        for judge, heard in zip(even, verdicts, strict=True):
            heard.append(judge.judge(statement, question))
    progress(f"calibrating ({question})", len(statements), len(statements))
    return verdicts


def _set(judge: Judge, verdicts: Sequence[Verdict], holds: Flags) -> tuple[Judge, Tried]:
    """A judge with the threshold that suits what it said best."""
    said, threshold = np.array([each.answer == "yes" for each in verdicts]), EVEN
    if isinstance(judge, Settable):
        likely = np.array([_likely(each) for each in verdicts])
        threshold = _best_threshold(likely, holds)
        said, judge = likely >= threshold, judge.with_threshold(threshold)
    return judge, Tried(judge.name, threshold, balanced_accuracy(said, holds))


def _accuracy(said: Flags, holds: Flags) -> Interval:
    """Balanced accuracy with its 95 % interval, resampling each class."""
    return bootstrap_classes((said[holds], ~said[~holds]))


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
    """A pair by the names of the first sentence that holds both, with the sentences that do."""
    sentences = list(split_passage(abstract.text))
    starts = [start for start, _ in sentences]
    places: list[dict[int, str]] = []
    for kind, identifier in zip((CHEMICAL, DISEASE), pair, strict=True):
        named: dict[int, str] = {}
        for each in abstract.of_type(kind):
            if identifier in each.ids:
                named.setdefault(bisect_right(starts, each.start) - 1, each.text)
        places.append(named)
    both = sorted(set(places[0]) & set(places[1]))
    ends = [*starts[1:], len(abstract.text)]
    passage = " ".join(abstract.text[starts[at] : ends[at]].strip() for at in both[:PASSAGE])
    return Statement(places[0][both[0]], "induces", places[1][both[0]], passage)


def corrupted_triples(graph: GraphContents, *, each: int = EACH, seed: int = 0) -> list[Known]:
    """Triples of a seed graph, and each again with an object whose type the relation never leads to."""
    random = np.random.default_rng(seed)
    names, triples = read_entities(graph, ("name",))["name"], graph.triple_columns()
    strange = {relation.number: _never_reached(graph, relation) for relation in graph.schema.relations}
    known: list[Known] = []
    for number in random.permutation(graph.counts["triples"]).tolist():
        relation = int(triples.relation[number])
        if not len(strange[relation]):
            continue
        subject = names[int(triples.subject[number])].as_py()
        for object_, holds in ((triples.object[number], True), (random.choice(strange[relation]), False)):
            statement = Statement(subject, graph.schema.relations[relation].name, names[int(object_)].as_py())
            known.append(Known(statement, holds))
        if len(known) == 2 * each:
            return [known[at] for at in random.permutation(len(known)).tolist()]
    raise InputError(f"{graph.snapshot} has {len(known) // 2} triples that can be corrupted, expected at least {each}")


def _never_reached(graph: GraphContents, relation: RelationSchema) -> Numbers:
    """Entities of types that a relation never leads to."""
    ends = {each.object for each in relation.signatures}
    reached = [graph.schema.type_number(name) for name in ends]
    return np.flatnonzero(~np.isin(graph.types_of(), reached))
