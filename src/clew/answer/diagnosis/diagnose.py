"""`clew.diagnose`: findings → ranked diagnoses, each with the statements for and against it. Not medical advice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from clew.answer.answer import Cited
from clew.answer.ask import resources_of
from clew.answer.diagnosis.findings import Finding, Ignored, read_findings
from clew.answer.diagnosis.predictors import Case, ModelPredictor
from clew.answer.diagnosis.profiles import read_profiles
from clew.answer.diagnosis.ranking import Match, Ranker
from clew.answer.diagnosis.relations import ProfileRelations, choose_relations
from clew.answer.diagnosis.two_rounds import RoundSettings, TwoRounds, two_rounds
from clew.answer.resources import Resources
from clew.answer.running.evidence import cite
from clew.errors import InputError
from clew.lm import LanguageModel
from clew.traverse import GraphEngine

__all__ = [
    "NOT_ADVICE",
    "Diagnoses",
    "Diagnosis",
    "FindingMatch",
    "Term",
    "diagnose",
    "diagnose_with",
    "predict_for",
    "ranker_of",
]

NOT_ADVICE = "Not medical advice: a ranking of what this graph states, for research."
MOST_BESIDE = 50  # genes of a diagnosis, on average
Names = str | Iterable[str]


@dataclass(frozen=True, slots=True)
class Term:
    """An entity by id and name."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class FindingMatch:
    """How one finding bears on a diagnosis: what of the diagnosis matches it, their common ancestor, the statement.

    `kind` says what the diagnosis has: the same, something more specific or more general, something related, nothing
    (unexplained), or the statement that it lacks the finding; of a finding that is absent, whether it was expected.
    """

    finding: Finding
    kind: str
    weight: float  # log of a likelihood ratio: above 0 speaks for the diagnosis, below 0 against it
    term: Term | None
    ancestor: Term | None
    frequency: float | None  # share of patients with the term
    statement: Cited | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One diagnosis with its score, the findings that bear on it, and what else leads to it: genes."""

    id: str
    name: str
    score: float
    matches: tuple[FindingMatch, ...]
    beside: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class Diagnoses:
    """The best diagnoses for some findings, of `total` that were ranked."""

    findings: tuple[Finding, ...]
    ignored: tuple[Ignored, ...]
    items: tuple[Diagnosis, ...]
    total: int
    relations: ProfileRelations
    seconds: float  # what had to be read from the graph first is not counted
    note: str = NOT_ADVICE


def diagnose(
    graph: GraphEngine | str | Path,
    findings: Names = (),
    *,
    absent: Names = (),
    note: str = "",
    limit: int = 10,
    relations: ProfileRelations | None = None,
) -> Diagnoses:
    """Rank all diagnoses of a graph by findings (names or ids), or by a note in which they are found.

    Negated findings of the note, and those in `absent`, count against diagnoses that have them. `relations` says which
    relations describe diagnoses (`choose_relations`); by default they are chosen from the schema.
    """
    return diagnose_with(resources_of(graph), findings, absent=absent, note=note, limit=limit, relations=relations)


def diagnose_with(
    resources: Resources,
    findings: Names = (),
    *,
    absent: Names = (),
    note: str = "",
    limit: int = 10,
    relations: ProfileRelations | None = None,
) -> Diagnoses:
    """`diagnose` with resources that are open."""
    if limit < 1:
        raise InputError(f"limit= is a number of diagnoses, 1 or more, not {limit}")
    relations = relations or choose_relations(resources.engine.schema)
    ranker, linker = ranker_of(resources, relations), resources.linker
    begun = perf_counter()
    given, ignored = read_findings(
        linker, relations.finding_type, present=_listed(findings), absent=_listed(absent), note=note
    )
    terms = ranker.profiles.find_terms(np.array([each.entity for each in given], np.int64)).tolist()
    used = [(each, term) for each, term in zip(given, terms, strict=True) if term >= 0]
    ignored += [
        Ignored(each.text, f"no diagnosis has {each.name}, or anything near it")
        for each, term in zip(given, terms, strict=True)
        if term < 0
    ]
    if not any(each.present for each, _ in used):
        raise InputError(_nothing(relations, [each for each, _ in used], ignored))
    present = [term for each, term in used if each.present]
    absent_terms = [term for each, term in used if not each.present]
    scores = ranker.score(present, absent_terms)
    best = np.argsort(-scores, kind="stable")[:limit]
    ordered = [each for each, _ in used if each.present] + [each for each, _ in used if not each.present]
    matches = ranker.matches(best.tolist(), present, absent_terms)
    evidence = _Evidence(resources.engine, ranker, best.tolist(), matches)
    items = tuple(
        evidence.diagnosis(at, float(scores[at]), ordered, own) for at, own in zip(best.tolist(), matches, strict=True)
    )
    return Diagnoses(tuple(ordered), tuple(ignored), items, len(scores), relations, perf_counter() - begun)


def predict_for(
    resources: Resources,
    found: Diagnoses,
    settings: RoundSettings | None = None,
    *,
    model: LanguageModel | None = None,
    timeout: float | None = None,
) -> TwoRounds:
    """Two rounds for findings that were diagnosed: a model, or that of the resources, predicts and selects."""
    model = model or resources.model
    if model is None:
        raise InputError("two rounds need a language model: name one")
    present = tuple((each.entity, each.name) for each in found.findings if each.present)
    absent = tuple((each.entity, each.name) for each in found.findings if not each.present)
    predictor = ModelPredictor(model, resources.linker, found.relations.diagnosis_type, timeout=timeout)
    ranker = ranker_of(resources, found.relations)
    return two_rounds(Case("", present, absent), predictor, ranker, resources.engine, settings)


def ranker_of(resources: Resources, relations: ProfileRelations) -> Ranker:
    """The ranker of a graph; its profiles are read once and kept with the graph."""
    return resources.once(f"ranker {relations}", lambda: Ranker(read_profiles(resources.engine, relations)))


class _Evidence:
    """Names and statements behind the matches of some diagnoses, read from the graph in a few strokes."""

    def __init__(
        self, engine: GraphEngine, ranker: Ranker, diagnoses: Sequence[int], matches: Sequence[Sequence[Match]]
    ) -> None:
        self._profiles = profiles = ranker.profiles
        entities = profiles.diagnoses[list(diagnoses)].tolist()
        terms = sorted({each for own in matches for match in own for each in (match.term, match.ancestor) if each >= 0})
        named = engine.describe([*entities, *profiles.terms[terms].tolist()]).to_pylist()
        listed = [Term(row["id"], row["name"]) for row in named]
        self._diagnoses = dict(zip(diagnoses, listed, strict=False))
        self._terms = dict(zip(terms, listed[len(entities) :], strict=True))
        numbers = {
            number
            for at, own in zip(diagnoses, matches, strict=True)
            for match in own
            if (number := self._number(at, match)) is not None
        }
        beside: Sequence[int] = ()
        if profiles.relations.beside:
            beside = engine.triples(
                entities, direction="in", relations=list(profiles.relations.beside)
            ).numbers.tolist()
        self._cited = {each.triple: each for each in cite(numbers, engine)}
        self._beside: dict[str, list[Cited]] = {}
        for each in cite(beside[: MOST_BESIDE * len(entities)], engine):
            self._beside.setdefault(each.object, []).append(each)

    def diagnosis(self, at: int, score: float, findings: Sequence[Finding], matches: Sequence[Match]) -> Diagnosis:
        own = self._diagnoses[at]
        shown = tuple(self._match(at, *pair) for pair in zip(findings, matches, strict=True))
        return Diagnosis(own.id, own.name, round(score, 4), shown, tuple(self._beside.get(own.id, ())))

    def _match(self, at: int, finding: Finding, match: Match) -> FindingMatch:
        row, number = match.row, self._number(at, match)
        return FindingMatch(
            finding,
            match.kind,
            round(match.weight, 4),
            self._terms.get(match.term),
            self._terms.get(match.ancestor),
            float(self._profiles.frequency[row]) if row >= 0 and self._profiles.stated[row] else None,
            None if number is None else self._cited[number],
        )

    def _number(self, at: int, match: Match) -> int | None:
        """The triple that states a match, or that the diagnosis lacks the term."""
        profiles = self._profiles
        if match.row >= 0:
            return int(profiles.triple[match.row])
        if match.kind != "lacked":
            return None
        place = int(profiles.lacked.starts[at]) + int(np.flatnonzero(profiles.lacked[at] == match.term)[0])
        return int(profiles.lacked_triple[place])


def _listed(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _nothing(relations: ProfileRelations, given: Sequence[Finding], ignored: Sequence[Ignored]) -> str:
    what = relations.finding_type
    if given:
        return f"every {what} that was found is absent: give at least one that is present"
    if ignored:
        listed = "; ".join(f"{each.text!r}: {each.reason}" for each in ignored[:3])
        return f"no {what} was recognised ({listed}): give names or ids of this graph, as `clew find` lists them"
    return f"no {what} was recognised: give names or ids of this graph, or a note that mentions some"
