"""Who forms tails best from the same predicted tokens: the decoder without a language model, or helper models.

python -m benchmarks.extraction_helpers --planted RUN/asked-planted/small --graph seed.clew --queries 500 \
    --model smollm2 --model PATH.gguf --work DIR --answers DIR --out results/extraction/helpers.json

Queries are planted facts, whose right tails are known, so that no judge is needed. All are asked about the same
predictions of one model; a tail counts if the linker takes it for the right entity. Tails are kept in `--work` and
answers of models in `--answers`, so that a run that is started again goes on where it stopped. What a query costs is
measured on a few of them (`--timed`) without kept answers, in seconds of the processor, for models in this process.
Beside mentions, tails of the decoder count by the weights of their places, tails of a model in full.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.report import environment, write_json
from clew.evaluate.extraction.planted import Fact, link_tails, linker_of, rank_of, read_facts, true_tails
from clew.evaluate.extraction.planted_run import ranked_tails
from clew.evaluate.statistics import bootstrap_means
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.predictions import read_predictions
from clew.extract.predict.queries import read_queries
from clew.extract.predict.tails import DecoderSettings, prepare_tails, read_tails
from clew.extract.seed.candidate_triples import collect_candidate_triples
from clew.extract.seed.held_out import read_held_out
from clew.extract.seed.signatures import SIGNATURES, Signatures
from clew.extract.stage import COUNTS, seal_checksum, write_stage, write_table
from clew.files import write_text
from clew.graph import Graph
from clew.link import Linker
from clew.lm import LanguageModel, Replayed, open_model
from clew.sealed import new_sealed

__all__ = ["Row", "run", "show"]

SHARED = ("corpus", "sequences", "heads", "held_out", "injected")
CONTEXT = 1024
FORMED = 3
ALONE = DecoderSettings(most=FORMED, formed=FORMED, mention=0.0, none=False)
WITH_MENTIONS = DecoderSettings(most=FORMED, formed=FORMED, none=False)
MENTIONS = DecoderSettings(most=FORMED, sequence=0.0, lexicon=0.0, beam=0.0, none=False)
UNAIDED = {
    "no model: the decoder": ALONE,
    "no model: mentions": MENTIONS,
    "no model: mentions and the decoder": WITH_MENTIONS,
}


@dataclass(frozen=True, slots=True)
class Row:
    """One way to form tails: how often its first tail is right, of all facts and of those it formed a tail for."""

    name: str
    facts: int
    with_tails: int
    first: dict[str, float]
    first_of_formed: float
    any_of_three: dict[str, float]
    linked: float
    seconds: float | None
    counts: dict[str, int]


class Bench:
    """The drawn queries of a run that asked about planted facts, and their right tails."""

    def __init__(self, planted: Path, graph: Path, *, queries: int, seed: int, work: Path) -> None:
        self.planted, self.graph, self.work = planted, Graph(graph), work / f"{queries}-{seed}"
        every = read_predictions(planted)
        self.chosen = np.sort(np.random.default_rng(seed).permutation(every.num_rows)[:queries])
        drawn = every.take(pa.array(self.chosen))
        asked = set(zip(drawn["head"].to_pylist(), drawn["relation"].to_pylist(), strict=True))
        self.facts = [each for each in read_facts(read_held_out(planted)) if (each.head, each.relation) in asked]
        self._link = linker_of(Linker(self.graph), Signatures.of_schema(self.graph.schema))
        self._true = true_tails(self.graph, collect_candidate_triples(self.graph, fewest=1), self.facts)

    def form(
        self, name: str, settings: DecoderSettings, model: LanguageModel | None, *, first: int | None = None
    ) -> tuple[Path, dict[str, int], float | None]:
        """Tails of the drawn queries, or the first of them; what was counted, and CPU seconds a query."""
        place = self.work / (name if first is None else f"{name}, first {first}").replace("/", "-").replace(":", "-")
        self._prepare(place, self.chosen[:first])
        times: list[float] = []

        def watch(task: str, done: int, total: int | None) -> None:
            times.append(process_time())
            print(f"{place.name}: {done} of {total}", file=sys.stderr, flush=True)

        counts = prepare_tails(place, self.graph, settings=settings, helper=model, progress=watch)
        return place, counts, (times[-1] - times[0]) / len(self.chosen[:first]) if times else None

    def _prepare(self, place: Path, chosen: np.ndarray) -> None:
        """A run with the chosen queries only."""
        place.mkdir(parents=True, exist_ok=True)
        for name in SHARED:
            if not (place / name).exists():
                (place / name).symlink_to((self.planted / name).resolve(), target_is_directory=True)
        identity = {"predictions": seal_checksum(self.planted / "predictions"), "queries": len(chosen)}
        counts = {"queries": len(chosen)}
        rows = pa.array(chosen)
        if not (place / "asked").exists():
            with new_sealed(place / "asked", identity, what="drawn queries") as directory:
                write_table(read_queries(self.planted)[0].take(rows), directory / "asked.parquet")
                shutil.copy(self.planted / "asked" / SIGNATURES, directory / SIGNATURES)
                write_text(directory / COUNTS, json.dumps(counts) + "\n")
        if not (place / "predictions").exists():
            drawn = read_predictions(self.planted).take(rows)
            write_stage(place / "predictions", identity, {"predictions": drawn}, counts, what="drawn predictions")

    def score(self, name: str, place: Path, counts: dict[str, int], seconds: float | None) -> Row:
        """How right the tails are."""
        ranked = link_tails(self.facts, ranked_tails(read_tails(place), read_heads(place)), self._link)
        return _row(name, self.facts, ranked, self._true, counts, seconds)


def run(bench: Bench, models: Sequence[str], *, answers: Path, timed: int) -> dict[str, Any]:
    """Form tails in every way, on the same drawn queries."""
    rows = [bench.score(name, *bench.form(name, settings, None)) for name, settings in UNAIDED.items()]
    for spec in models:
        with _open(spec) as model:
            seconds = bench.form(model.name, ALONE, model, first=timed)[2] if timed else None
            kept = Replayed(model, answers)
            for name, settings in ((model.name, ALONE), (f"mentions and {model.name}", WITH_MENTIONS)):
                place, counts, _ = bench.form(name, settings, kept)
                rows.append(bench.score(name, place, counts, seconds))
    return {
        **environment(),
        "predictions": seal_checksum(bench.planted / "predictions"),
        "snapshot": bench.graph.manifest.snapshot,
        "queries": len(bench.chosen),
        "timed": timed,
        "rows": [asdict(row) for row in rows],
    }


def _open(spec: str) -> LanguageModel:
    return open_model(spec) if spec.startswith("http") else open_model(spec, context=CONTEXT)


def _row(
    name: str,
    facts: Sequence[Fact],
    ranked: Mapping[Fact, Sequence[str | None]],
    true: Mapping[tuple[str, str], frozenset[str]],
    counts: dict[str, int],
    seconds: float | None,
) -> Row:
    ranks = [rank_of(fact.object, ranked[fact], true[fact.subject, fact.relation]) for fact in facts]
    formed = np.array([bool(ranked[fact]) for fact in facts])
    first = np.array([rank == 1 for rank in ranks])
    whole, three = bootstrap_means(np.column_stack([first, [rank is not None for rank in ranks]]))
    linked = [entity is not None for fact in facts for entity in ranked[fact]]
    return Row(
        name,
        len(facts),
        int(formed.sum()),
        {"mean": whole.mean, "low": whole.low, "high": whole.high},
        float(first[formed].mean()) if formed.any() else 0.0,
        {"mean": three.mean, "low": three.low, "high": three.high},
        float(np.mean(linked)) if linked else 0.0,
        seconds,
        counts,
    )


def show(report: dict[str, Any]) -> str:
    """The table in Markdown."""
    lines = [
        "| tails formed by | facts | with a tail | P@1 | P@1 of those with a tail | right among three | tails that are "
        "names of entities | outside of the tokens | CPU seconds a query |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in report["rows"]:
        outside = row["counts"].get("helper: out of vocabulary", 0)
        cells = (
            row["name"],
            row["facts"],
            row["with_tails"],
            _interval(row["first"]),
            f"{row['first_of_formed']:.3f}",
            _interval(row["any_of_three"]),
            f"{row['linked']:.2f}",
            outside,
            "" if row["seconds"] is None else f"{row['seconds']:.3g}",
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def _interval(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.3f} ({figure['low']:.2f}-{figure['high']:.2f})"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--planted", type=Path, required=True, help="a run that asked about planted facts")
    parser.add_argument("--graph", type=Path, required=True, help="its seed")
    parser.add_argument("--model", action="append", default=[], metavar="MODEL", help="a name, a .gguf file or a URL")
    parser.add_argument("--queries", type=int, default=500, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timed", type=int, default=0, metavar="N", help="time N queries without kept answers")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where tails are kept")
    parser.add_argument("--answers", type=Path, required=True, metavar="DIR", help="where answers of models are kept")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    options = parser.parse_args()
    bench = Bench(options.planted, options.graph, queries=options.queries, seed=options.seed, work=options.work)
    report = run(bench, options.model, answers=options.answers, timed=options.timed)
    write_json(options.out, report)
    print(show(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
