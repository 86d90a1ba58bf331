"""What came back from the ablations as tables: planted facts, BC5CDR, losses, α × β; Markdown out, and JSON.

Everything is measured on what no variant was trained or taught with: facts that were planted, and BC5CDR's train
abstracts by folds. The dev part is not looked at.
"""

import json
import shutil
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.extraction_ablations_beta import (
    Asked,
    Gold,
    ask_about_bc5cdr,
    ask_about_planted,
    beta_thresholds,
    cross,
    gather_weights,
    similar_to_text,
)
from benchmarks.extraction_ablations_plan import ALPHAS, FULL, TABLE
from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr_choice import cross_validate, weigh_in_all_ways
from clew.evaluate.extraction.bc5cdr_ways import read_asked as read_questions
from clew.evaluate.extraction.pairs import compare_pairs, score_pairs
from clew.evaluate.extraction.planted import (
    DEPTH,
    Fact,
    link_tails,
    linker_of,
    rank_of,
    read_facts,
    score_facts,
    true_tails,
)
from clew.evaluate.extraction.planted_run import ranked_tails
from clew.evaluate.extraction.pubtator import Abstract, read_pubtator
from clew.evaluate.statistics import Interval, bootstrap_mean
from clew.extract.chains import SLOTS, read_chains
from clew.extract.heads import read_heads
from clew.extract.offered import offer_triples
from clew.extract.planted import read_planted
from clew.extract.predictions import take_predictions
from clew.extract.signatures import Signatures
from clew.extract.tails import DecoderSettings, prepare_tails, read_tails
from clew.files import write_text
from clew.graph import Graph
from clew.link import Linker
from clew.sealed import new_sealed

__all__ = ["Elsewhere", "Sources", "report"]

SHARED = ("corpus", "sequences", "heads", "planted", "injected", "asked", "queries")
FREE = DecoderSettings(width=64, most=3 * DEPTH, mention=0.0, sequence=0.0, lexicon=1.0, beam=1.0, none=False)
HALVES = {"all": "all", "seen": "head seen", "unseen": "head unseen"}
Ranked = Mapping[Fact, Sequence[str | None]]
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
        arrays: dict[str, Any] = {file.stem: np.load(file) for file in folder.glob("*.npy")}
        if (file := folder / "planted_before_tokens.npz").is_file():
            with np.load(file) as tokens:
                arrays |= {name: tokens[name] for name in tokens.files}
        return cls(said, arrays)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A model that is no variant, for β: its weights of the planted queries, and of all that a run asked, if any."""

    name: str
    planted: Path
    run: Path | None = None
    weights: Path | None = None


def report(
    archives: Sequence[Path],
    sources: Sources,
    out: Path,
    work: Path,
    *,
    encoder: str | None = "minilm",
    others: Sequence[Elsewhere] = (),
) -> str:
    """Tables in Markdown; figures go to `out`, and tails are formed under `work`. Without an encoder, no α × β."""
    results = read_archives(archives, work / "results")
    if FULL not in results:
        raise InputError("the full model is in none of the archives; the others are compared with it")
    rows = _Figures(sources, work).of(results)
    crossed = None if encoder is None else _cross(results, sources, work, encoder, others)
    body = {"rows": rows, "alpha_beta": crossed, "variants": {name: each.said for name, each in results.items()}}
    out.parent.mkdir(parents=True, exist_ok=True)
    write_text(out, json.dumps(body, indent=1, ensure_ascii=False) + "\n")
    return "\n\n".join([_main_table(rows), *([] if crossed is None else [_beta_table(crossed)])])


def read_archives(archives: Sequence[Path], folder: Path) -> dict[str, Result]:
    """The results of all variants that ended well, in the order of the table."""
    shutil.rmtree(folder, ignore_errors=True)
    for archive in archives:
        with tarfile.open(archive) as read:
            read.extractall(folder, filter="data")
    return {name: Result.read(folder / name) for name in TABLE if (folder / name / "variant.json").is_file()}


class _Figures:
    """Measures variants; what they share is read once."""

    def __init__(self, sources: Sources, work: Path) -> None:
        self.sources, self.work = sources, work
        self.graph = Graph(sources.graph)
        self.facts = read_facts(read_planted(sources.run))
        self.true = true_tails(self.graph, offer_triples(self.graph, fewest=1), self.facts)
        self.link = linker_of(Linker(self.graph), Signatures.of_schema(self.graph.schema))
        self.asked = ask_about_planted(sources.planted)
        self.heads = read_heads(sources.run)
        self.entity = self.heads["entity"].to_pylist()
        self.abstracts = read_pubtator(sources.data / "bc5cdr" / "cdr_train.pubtator.gz")
        self.questions = read_questions(sources.arrays / "scoring-train")

    def of(self, results: Mapping[str, Result]) -> list[dict[str, Any]]:
        """A row for each variant, with how far it is from the full model."""
        ranked = {name: self._ranked(name, each) for name, each in results.items()}
        predicted = {name: self._predicted(each) for name, each in results.items()}
        rows = []
        for name, result in results.items():
            row: dict[str, Any] = {"variant": name, "says": result.said["says"], **_training(result.said)}
            for way, tails in ranked[name].items():
                row[way] = _planted(name, self.facts, tails, self.true)
                if (other := ranked[FULL].get(way)) is not None:
                    row[way]["against full"] = asdict(_difference(self.facts, other, tails, self.true))
            answered = len(self.asked.best(result.arrays["planted_after"]))
            row["after"]["answered"] = answered / len(self.asked.head)  # and not with [NONE]
            figures = score_pairs(self.abstracts, predicted[name])
            row["bc5cdr"] = {key: asdict(getattr(figures, key)) for key in ("precision", "recall", "f1")}
            row["bc5cdr"]["epochs"] = result.said["fine-tuning"]["epochs"]
            compared = compare_pairs(self.abstracts, predicted[FULL], predicted[name])
            row["bc5cdr"]["against full"] = asdict(compared)
            rows.append(row)
        return rows

    def _ranked(self, name: str, result: Result) -> dict[str, Ranked]:
        """Tails among the mentions before and after teaching; and, where tokens came back, those formed of them."""
        ranked = {
            when: rank_mentions(self.asked, result.arrays[f"planted_{when}"], self.facts, self.entity)
            for when in ("before", "after")
        }
        if "tokens" in result.arrays:
            free = ranked_tails(read_tails(self._form(name, result)), self.heads)
            ranked["free"] = link_tails(self.facts, free, self.link)
        return ranked

    def _form(self, name: str, result: Result) -> Path:
        """A run with the tails that the decoder forms of a variant's tokens, told nothing of what the text names."""
        run = self.work / "tails" / name
        run.mkdir(parents=True, exist_ok=True)
        for stage in SHARED:
            if not (run / stage).exists():
                (run / stage).symlink_to((self.sources.planted / stage).resolve(), target_is_directory=True)
        with new_sealed(run / "model", {"variant": name}, what="what a variant said") as directory:
            for file, key in (("weights", "planted_before"), ("tokens", "tokens"), ("log_probs", "log_probs")):
                np.save(directory / f"{file}.npy", result.arrays[key])
        take_predictions(run, run / "model", model=run / "model")
        prepare_tails(run, self.graph, settings=FREE)
        return run

    def _predicted(self, result: Result) -> dict[str, set[tuple[str, str]]]:
        weighed = weigh_in_all_ways(self.questions, result.arrays["train"].astype(np.float32))
        return cross_validate(self.questions, weighed, {each.document: each.induces for each in self.abstracts})


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
        key: {
            "P@1": asdict(rows[half].first),
            "recall@20": asdict(rows[half].recall),
            "MRR": asdict(rows[half].reciprocal),
        }
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
    kept = ("leaves", "steps", "epochs", "parameters", "tokens_per_second", "seconds", "triples added", "leaves added")
    return {"loss": {key: last[key] for key in ("root", "leaf")}, **{key: said[key] for key in kept if key in said}}


def _cross(
    results: Mapping[str, Result], sources: Sources, work: Path, encoder: str, others: Sequence[Elsewhere]
) -> list[dict[str, Any]]:
    """α × β over the models that differ in α, with the cosines kept under `work`."""
    from clew.embed import open_encoder

    graph, chains = Graph(sources.graph), read_chains(sources.chains)
    asked = {
        "planted": ask_about_planted(sources.planted),
        "bc5cdr": ask_about_bc5cdr(sources.run, graph, sources.variants, chains),
    }
    kept = work / "cosines.npz"
    if not kept.is_file():
        opened = open_encoder(encoder)
        similar = {name: similar_to_text(each, sources.run, opened) for name, each in asked.items()}
        least = beta_thresholds(sources.run, opened)
        np.savez(kept, **similar, beta=np.array(list(least)), least=np.array(list(least.values())))
    with np.load(kept) as read:
        similar = {name: read[name] for name in asked}
        thresholds = dict(zip(read["beta"].tolist(), read["least"].tolist(), strict=True))
    weights = {
        name: {what: results[name].arrays[f"{what}_before"] for what in asked}
        for name in (FULL, *ALPHAS, "paper-injection")
        if name in results
    }
    for each in others:
        weights[each.name] = {"planted": np.load(each.planted).astype(np.float32)}
        if each.run is not None and each.weights is not None:
            everything = np.load(each.weights).astype(np.float32)
            weights[each.name]["bc5cdr"] = gather_weights(asked["bc5cdr"], each.run, everything)
    facts = read_facts(read_planted(sources.run))
    true = true_tails(graph, offer_triples(graph, fewest=1), facts)
    abstracts: Sequence[Abstract] = read_pubtator(sources.data / "bc5cdr" / "cdr_train.pubtator.gz")
    return cross(asked, similar, thresholds, weights, Gold(sources.run, graph, true, abstracts))


def _main_table(rows: Sequence[Mapping[str, Any]]) -> str:
    free = any("free" in row for row in rows)
    titles = ["variant", "leaves", "loss: roots / leaves", "P@1: head seen", "head unseen", "both, against full"]
    titles += ["formed freely, P@1", "against full"] if free else []
    titles += ["taught: P@1", "against full", "BC5CDR F1", "against full"]
    epochs = rows[0]["bc5cdr"]["epochs"]
    lines = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    for row in rows:
        cells = [row["says"], f"{row['leaves']:,}", f"{row['loss']['root']:.2f} / {row['loss']['leaf']:.2f}"]
        cells += [_interval(row["before"][half]["P@1"]) for half in ("seen", "unseen")]
        cells.append(_signed(row["before"]["against full"], row))
        if free:
            cells += _both(row.get("free"), row)
        cells += _both(row["after"], row)
        alike = row["bc5cdr"]["epochs"] == epochs  # fine-tuned as the full model was
        cells += [_interval(row["bc5cdr"]["f1"]), _signed(row["bc5cdr"]["against full"], row)] if alike else ["", ""]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _both(figures: Mapping[str, Any] | None, row: Mapping[str, Any]) -> list[str]:
    """P@1 of both halves together, and how far it is from the full model's."""
    if figures is None:
        return ["", ""]
    return [_interval(figures["all"]["P@1"]), _signed(figures["against full"], row)]


def _interval(figure: Mapping[str, float]) -> str:
    return f"{figure['mean']:.3f} ({figure['low']:.2f}-{figure['high']:.2f})"


def _signed(figure: Mapping[str, float], row: Mapping[str, Any]) -> str:
    if row["variant"] == FULL:
        return ""
    return f"{figure['mean']:+.3f} ({figure['low']:+.3f} to {figure['high']:+.3f})".replace("-", "−")


def _beta_table(rows: Sequence[Mapping[str, Any]]) -> str:
    titles = ["model, α", "β (cosine)", "asked about", "kept", "right", "right, as many by share", "recall"]
    lines = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    alphas = {FULL: "small, 0.05", **{name: f"small, {quantile:g}" for name, quantile in ALPHAS.items()}}
    for row in rows:
        beta = "none" if row["beta"] == 0 else f"{row['beta']:g} ({row['cosine']:.2f})"
        cells = [
            alphas.get(row["variant"], row["variant"]),
            beta,
            row["about"],
            f"{row['kept']:,} of {row['queries']:,}",
        ]
        cells += [_listed(row["right"]), _listed(row["right_by_share"])]
        cells.append(_listed(row["recall"]) if "recall" in row else "")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _listed(figure: Sequence[float]) -> str:
    mean, low, high = figure
    return f"{mean:.3f} ({low:.2f}-{high:.2f})"
