"""What came back from the ablations: planted facts, BC5CDR, losses, α × β, what a second iteration added; as JSON.

Everything is measured on what no variant was trained or taught with: facts that were planted, and BC5CDR's train
abstracts, end to end or by folds. The dev part is not looked at.
"""

import json
import shutil
import tarfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.extraction_ablations_beta import (
    PLANTED,
    Asked,
    Gold,
    ask_about_bc5cdr,
    ask_about_planted,
    beta_thresholds,
    cross,
    similar_to_text,
)
from benchmarks.extraction_ablations_mentions import Questions, about_bc5cdr
from benchmarks.extraction_ablations_plan import ALPHAS, FULL, PLAN, SECOND, TABLE
from benchmarks.extraction_ablations_tables import write_tables
from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr_choice import cross_validate, weigh_in_all_ways
from clew.evaluate.extraction.bc5cdr_ways import read_asked as read_questions
from clew.evaluate.extraction.pairs import compare_pairs, score_pairs
from clew.evaluate.extraction.planted import Fact, rank_of, read_facts, score_facts, true_tails
from clew.evaluate.extraction.pubtator import read_pubtator
from clew.evaluate.statistics import Interval, bootstrap_mean
from clew.extract.chains.graphs import SLOTS, read_chains
from clew.extract.chains.injection import read_injected
from clew.extract.mentions.heads import read_heads
from clew.extract.seed.candidate_triples import collect_candidate_triples
from clew.extract.seed.held_out import mark_unseen, read_held_out
from clew.files import write_text
from clew.graph import Graph

__all__ = ["Sources", "rank_mentions", "report"]

BC5CDR = "bc5cdr"
HALVES = {"all": "all", "seen": "head seen", "unseen": "head unseen"}
EXAMPLES = 20
Ranked = Mapping[Fact, Sequence[str | None]]
Pairs = Mapping[str, set[tuple[str, str]]]
True_ = Mapping[tuple[str, str], frozenset[str]]
Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Sources:
    """Where everything lies that the results are held against."""

    run: Path
    graph: Path
    planted: Path  # a run that asks about planted facts: asked, queries
    arrays: Path
    chains: Path
    variants: Path
    data: Path


@dataclass(frozen=True, slots=True)
class Result:
    """What one variant brought back."""

    said: dict[str, Any]  # its report
    arrays: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> "Result":
        said = json.loads((folder / "variant.json").read_text("utf-8"))
        return cls(said, {file.stem: np.load(file) for file in folder.glob("*.npy")})


def report(archives: Sequence[Path], sources: Sources, out: Path, work: Path, *, encoder: str = "minilm") -> str:
    """Tables in Markdown; figures go to `out`, and the cosines that β needs are kept under `work`."""
    folder = work / "results"
    results = read_archives(archives, folder)
    if FULL not in results:
        raise InputError("the full model is in none of the archives; the others are compared with it")
    figures = _Figures(sources)
    body: dict[str, Any] = {"rows": figures.of(results), "alpha_beta": figures.cross(results, work, encoder)}
    if (added := folder / SECOND / "added.npz").is_file():
        with np.load(added) as read:
            body["second"] = figures.describe_added(read["rows"]) | _added(results[SECOND].said)
    body["variants"] = {name: _shortened(each.said) for name, each in results.items()}
    out.parent.mkdir(parents=True, exist_ok=True)
    write_text(out, json.dumps(body, indent=1, ensure_ascii=False) + "\n")
    return write_tables(body)


def read_archives(archives: Sequence[Path], folder: Path) -> dict[str, Result]:
    """The results of all variants that were asked after teaching, in the order of the table."""
    shutil.rmtree(folder, ignore_errors=True)
    for archive in archives:
        with tarfile.open(archive) as read:
            read.extractall(folder, filter="data")
    there = [name for name in TABLE if (folder / name / "variant.json").is_file()]
    results = {name: Result.read(folder / name) for name in there}
    return {name: each for name, each in results.items() if "asked again" in each.said["seconds"]}


class _Figures:
    """Measures variants; what they share is read once."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.graph = Graph(sources.graph)
        self.chains = read_chains(sources.chains)
        self.facts = read_facts(mark_unseen(read_held_out(sources.run), read_injected(sources.run)))
        self.true = true_tails(self.graph, collect_candidate_triples(self.graph, fewest=1), self.facts)
        self.asked = {
            PLANTED: ask_about_planted(sources.planted),
            BC5CDR: ask_about_bc5cdr(sources.run, self.graph, sources.variants, self.chains),
        }
        self.entity = read_heads(sources.run)["entity"].to_pylist()
        self.abstracts = read_pubtator(sources.data / "bc5cdr" / "cdr_train.pubtator.gz")
        self.gold = Gold(sources.run, self.graph, self.true, self.abstracts)
        self.questions = read_questions(sources.arrays / "scoring-train")

    def of(self, results: Mapping[str, Result]) -> list[dict[str, Any]]:
        """A row for each variant, with how far it is from the one it is compared with."""
        ranked = {name: self._ranked(each) for name, each in results.items()}
        found = {name: self._end_to_end(each) for name, each in results.items()}
        tuned = {name: self._tuned(each) for name, each in results.items() if "train" in each.arrays}
        rows = []
        for name, result in results.items():
            other = PLAN[name].against
            row: dict[str, Any] = {"variant": name, "says": result.said["says"], **_training(result.said)}
            for when, tails in ranked[name].items():
                row[when] = _planted(name, self.facts, tails, self.true)
                if other != name and other in ranked:
                    row[when]["against"] = asdict(_difference(self.facts, ranked[other][when], tails, self.true))
            row["after"] |= self._answered(result)
            for key, predicted in (("end to end", found), ("fine-tuned", tuned)):
                if name in predicted:
                    row[key] = self._pairs(predicted[name], predicted.get(other) if other != name else None)
            rows.append(row)
        return rows

    def _ranked(self, result: Result) -> dict[str, Ranked]:
        """Tails among the mentions before and after teaching."""
        return {
            when: rank_mentions(self.asked[PLANTED], result.arrays[f"planted_{when}"], self.facts, self.entity)
            for when in ("before", "after")
        }

    def _answered(self, result: Result) -> dict[str, float]:
        """How many planted queries are answered with [NONE] by the taught model, and how many others rightly."""
        asked = self.asked[PLANTED]
        best = asked.best(result.arrays["planted_after"])
        right = self.gold.are_right(asked, best)
        return {
            "none": 1 - len(best) / len(asked.head),
            "right where answered": float(np.mean(right)) if right else 0.0,
        }

    def _end_to_end(self, result: Result) -> Pairs:
        """What the taught model states about BC5CDR's train abstracts, no label seen."""
        asked = self.asked[BC5CDR]
        return self.gold.pairs(asked, asked.best(result.arrays["bc5cdr_after"]))

    def _tuned(self, result: Result) -> Pairs:
        weighed = weigh_in_all_ways(self.questions, result.arrays["train"].astype(np.float32))
        return cross_validate(self.questions, weighed, {each.document: each.induces for each in self.abstracts})

    def _pairs(self, predicted: Pairs, other: Pairs | None) -> dict[str, Any]:
        figures = score_pairs(self.abstracts, predicted)
        said = {key: asdict(getattr(figures, key)) for key in ("precision", "recall", "f1")}
        if other is not None:
            said["against"] = asdict(compare_pairs(self.abstracts, other, predicted))
        return said

    def cross(self, results: Mapping[str, Result], work: Path, encoder: str) -> list[dict[str, Any]]:
        """α × β over the taught models that differ in α, with the cosines kept under `work`."""
        from clew.embed import open_encoder

        kept = work / "cosines.npz"
        if not kept.is_file():
            opened = open_encoder(encoder)
            found = {name: similar_to_text(each, self.sources.run, opened) for name, each in self.asked.items()}
            least = beta_thresholds(self.sources.run, opened)
            np.savez(kept, **found, beta=np.array(list(least)), least=np.array(list(least.values())))
        with np.load(kept) as read:
            similar = {name: read[name] for name in self.asked}
            thresholds = dict(zip(read["beta"].tolist(), read["least"].tolist(), strict=True))
        weights = {
            name: {what: results[name].arrays[f"{what}_after"] for what in self.asked}
            for name in (FULL, *ALPHAS)
            if name in results
        }
        return cross(self.asked, similar, thresholds, weights, self.gold)

    def describe_added(self, rows: NDArray[np.int32]) -> dict[str, Any]:
        """The triples that a second iteration added to the seed: by relation, some in words, and on BC5CDR's train."""
        questions = Questions.load(self.sources.variants / "questions.npz")
        entity, relations = questions.mentions.entity, self.chains.relations
        head = entity[np.repeat(questions.head, questions.count)[rows]]
        relation = np.repeat(questions.relation, questions.count)[rows]
        triples = np.unique(np.column_stack((head, relation, entity[questions.tail[rows]])), axis=0)
        drawn = np.random.default_rng(0).permutation(len(triples))[:EXAMPLES]
        names = self.graph.entities["name"]
        added = np.zeros(len(questions.tail), bool)
        added[rows] = True
        sequences = np.load(self.sources.variants / "bc5cdr_sequences.npy")
        about = about_bc5cdr(replace(questions, free=added), sequences, relations)
        figures = score_pairs(self.abstracts, self.gold.pairs(self.asked[BC5CDR], np.flatnonzero(about.free)))
        return {
            "triples": len(triples),
            "relations": dict(Counter(relations[at] for at in triples[:, 1].tolist()).most_common()),
            "examples": [
                f"{names[start].as_py()} | {relations[at]} | {names[end].as_py()}"
                for start, at, end in triples[drawn].tolist()
            ],
            "in BC5CDR train": {"pairs": figures.predicted, "gold among them": figures.hits},
        }


def rank_mentions(asked: Asked, weights: Floats, facts: Sequence[Fact], entity: Sequence[str | None]) -> Ranked:
    """The entities of each fact's mentions, by log-probability a token."""
    assert asked.queries.candidates is not None
    offsets = asked.queries.candidates.offsets
    length = asked.queries.candidates.last.astype(np.int64) - asked.queries.candidates.first
    mentions = np.delete(weights, offsets[:-1] + np.arange(len(asked.head)))  # without [NONE]
    by_token = mentions / np.minimum(length + 1, SLOTS)
    tails: dict[tuple[int, str], list[str | None]] = {}
    for at, (head, relation) in enumerate(zip(asked.head.tolist(), asked.relation, strict=True)):
        begin, end = int(offsets[at]), int(offsets[at + 1])
        order = begin + np.argsort(-by_token[begin:end], kind="stable")
        tails[head, relation] = [entity[row] for row in asked.tail[order].tolist()]
    return {fact: tails.get((fact.head, fact.relation), []) for fact in facts}


def _planted(name: str, facts: Sequence[Fact], ranked: Ranked, true: True_) -> dict[str, Any]:
    rows = {row.half: row for row in score_facts(name, facts, ranked, true)}
    return {
        key: {"P@1": asdict(rows[half].first), "MRR": asdict(rows[half].reciprocal)}
        for key, half in HALVES.items()
        if half in rows
    }


def _difference(facts: Sequence[Fact], one: Ranked, other: Ranked, true: True_) -> Interval:
    """How much higher P@1 of the other is, over the same pairs of entities."""
    by_pair: dict[frozenset[str], list[int]] = {}
    for fact in facts:
        known = true.get((fact.subject, fact.relation), ())
        first, second = (rank_of(fact.object, ranked[fact], known) == 1 for ranked in (one, other))
        by_pair.setdefault(frozenset((fact.subject, fact.object)), []).append(int(second) - int(first))
    return bootstrap_mean([float(np.mean(each)) for each in by_pair.values()])


def _training(said: Mapping[str, Any]) -> dict[str, Any]:
    last = said["history"][-1]
    kept = ("leaves", "steps", "epochs", "parameters", "tokens_per_second", "seconds")
    return {"loss": {key: last[key] for key in ("root", "leaf")}, **{key: said[key] for key in kept}}


def _added(said: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("triples added", "leaves added", "rows with them", "rows by tenths of share")
    return {"least share": said["course"]["least"], **{key: said[key] for key in kept}}


def _shortened(said: Mapping[str, Any]) -> dict[str, Any]:
    """Its report with four points of the curve of losses instead of all."""
    history = said["history"]
    chosen = np.unique(np.linspace(len(history) / 4, len(history), 4).astype(int) - 1)
    return {**said, "history": [{key: history[at][key] for key in ("step", "root", "leaf")} for at in chosen]}
