"""What extraction's settings of confidence rest on: chosen on a fold of lessons that the model was not taught.

    python -m benchmarks.extraction_confidence ask --run RUN --seed-graph SEED --model MODEL --out ASKED
    python -m benchmarks.bc5cdr_device teach --model MODEL --lessons RUN/examples --taught FOLD --fold 0 --out OUT
    python -m benchmarks.bc5cdr_device weigh --model FOLD --queries ASKED/statements/queries \\
        --out SAID/statements/weights.npy
    python -m benchmarks.bc5cdr_device weigh --model FOLD --queries ASKED/tails/queries --out SAID/tails/weights.npy
    python -m benchmarks.extraction_device predict --model FOLD --queries ASKED/tails/queries --k 20 --out SAID/tails
    python -m benchmarks.extraction_confidence choose --run RUN --seed-graph SEED --model FOLD --asked ASKED \\
        --said SAID --json RESULTS.json

`ask` writes two runs: all queries of documents drawn at random and of those with a true statement about the fold, and
those queries alone that have a true tail. `choose` prints, as Markdown, how the two directions of a pair are joined
(the way with the highest average precision), the least confidence (by precision, recall and F1 at each; at two of them
relation by relation), and the weights of places of tails (the highest at which the first tail is right as often as
among mentions alone).
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.extraction_confidence_places import PlaceTrial, try_places
from benchmarks.extraction_confidence_statements import (
    GRID,
    WAYS,
    Curve,
    Tally,
    Weights,
    flatten_asked,
    measure,
    tally_relations,
    weigh_statements,
)
from benchmarks.extraction_pairs import Pairs
from benchmarks.extraction_sample import ask_some, draw_documents
from clew.extract.filter.entities import known_triples
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.predictions import take_predictions
from clew.extract.predict.queries import known_signatures, make_queries, read_queries
from clew.extract.predict.relation_matching import MatchedRelations, match_relations
from clew.extract.seed.hierarchy import TAXONOMIC
from clew.extract.sequences.packing import read_sequences
from clew.files import write_text
from clew.graph import Graph

STATEMENTS, TAILS, ABOUT = "statements", "tails", "about.json"
COLUMNS = ("subject", "relation", "object")
BY_RELATION = (0.5, 0.8)  # the default, and where a graph is to be relied on


def ask(given: argparse.Namespace) -> None:
    """Write the queries of both runs, and what a statement in them stands for."""
    graph = Graph(given.seed_graph)
    relations = tuple(json.loads((given.model / "relations.json").read_text("utf-8")))
    signatures = known_signatures(graph, relations)
    heads, sequences = read_heads(given.run), read_sequences(given.run)
    matched = match_relations(heads["text"].to_pylist(), heads["type"].to_pylist(), signatures)
    asked, _, _ = make_queries(heads, matched, sequences, relations, signatures, mentioned=True)
    rows = flatten_asked(asked, heads, signatures, sequences["document"])
    pairs, ends = Pairs(given.run, graph), (rows["subject"].to_pylist(), rows["object"].to_pylist())
    held_out = pairs.held_out(*ends, given.fold) & ~pairs.planted(*ends)
    known = held_out & np.array(known_triples(graph, *(rows[name].to_pylist() for name in COLUMNS)))
    true = rows.filter(pa.array(known & ~pairs.shown(*ends)))
    documents = sequences["document"].take(heads["sequence"])
    drawn = draw_documents(documents.to_pylist(), given.documents)
    here = np.isin(documents.to_pylist(), [*drawn, *true["document"].to_pylist()])
    every = heads.filter(pa.array(here))
    counts = ask_some(
        given.run, given.out / STATEMENTS, graph, relations, every, [matched[at] for at in np.flatnonzero(here)]
    )
    wanted: dict[int, set[str]] = {}
    for head, relation in zip(true["head"].to_pylist(), true["asked"].to_pylist(), strict=True):
        wanted.setdefault(head, set()).add(relation)
    some = heads.take(pa.array(sorted(wanted)))
    few = [MatchedRelations(tuple(sorted(wanted[head])), "held out") for head in some["head"].to_pylist()]
    about = {
        "fold": given.fold,
        "documents": len(np.unique(documents.to_pylist())),
        "drawn": drawn,
        "known statements": _count_measured(rows.filter(pa.array(known))),
        "of them in no leaf": _count_measured(true),
        "queries": counts["queries"],
        "queries with a true tail": ask_some(given.run, given.out / TAILS, graph, relations, some, few)["queries"],
    }
    write_text(given.out / ABOUT, json.dumps(about, indent=1) + "\n")
    print(json.dumps({name: value for name, value in about.items() if name != "drawn"}, indent=1))


def _count_measured(rows: pa.Table) -> int:
    """Statements, each once in its document, without those of kinds, which are not measured."""
    of_kinds = np.isin(rows["relation"].to_pylist(), list(TAXONOMIC))
    return rows.filter(pa.array(~of_kinds)).group_by(["document", *COLUMNS]).aggregate([]).num_rows


def choose(given: argparse.Namespace) -> None:
    """Measure, choose by the rules and print."""
    graph = Graph(given.seed_graph)
    about = json.loads((given.asked / ABOUT).read_text("utf-8"))
    pairs, host = Pairs(given.run, graph), given.asked / STATEMENTS
    said = np.load(given.said / STATEMENTS / "weights.npy", allow_pickle=False)
    rows = weigh_statements(host, said, graph, pairs, fold=about["fold"])
    standing = about["known statements"] / about["of them in no leaf"]
    weights = Weights(true=standing * len(about["drawn"]) / about["documents"])
    own, back = (rows[name].to_numpy() for name in ("own", "back"))
    symmetric, drawn = read_queries(host)[1].symmetric, about["drawn"]
    curves = {name: measure(rows, way(own, back), weights, drawn, symmetric=symmetric) for name, way in WAYS.items()}
    best = max(curves, key=lambda name: curves[name].average_precision)
    silent = measure(rows, WAYS[best](own, back), weights, drawn, symmetric=symmetric, none=False)
    least = float(GRID[np.argmax(curves[best].f1)])
    tallies = tally_relations(rows, WAYS[best](own, back), weights, drawn, symmetric=symmetric, at=BY_RELATION)
    places: list[PlaceTrial] = []
    if (given.said / TAILS).is_dir():
        take_predictions(given.asked / TAILS, given.said / TAILS, model=given.model)
        places = try_places(given.asked / TAILS, graph)
    print(show(curves, best, silent, least))
    print(show_relations(tallies))
    print(show_places(places))
    if given.json:
        found = {
            **{name: value for name, value in about.items() if name != "drawn"},
            "documents drawn": len(drawn),
            "a true statement stands for": weights.true,
            "ways": {name: _as_json(curve) for name, curve in curves.items()},
            "without the rule of none": _as_json(silent),
            "best": {"way": best, "F1 at": least},
            "relations": [asdict(each) for each in tallies],
            "places": [asdict(each) for each in places],
        }
        write_text(given.json, json.dumps(found, indent=1) + "\n")


def show(curves: dict[str, Curve], best: str, silent: Curve, least: float) -> str:
    """The tables of the ways to join, and of the confidences of the best of them."""
    lines = [
        "| joined by | average precision | precision / recall at 0.1 | 0.2 | 0.3 | 0.5 |",
        "|---|---|---|---|---|---|",
    ]
    for name, curve in {**curves, f"{best}, [NONE] silences nothing": silent}.items():
        at = [int(np.flatnonzero(each == GRID)[0]) for each in (0.1, 0.2, 0.3, 0.5)]
        figures = " | ".join(f"{curve.precision[each]:.2f} / {curve.recall[each]:.2f}" for each in at)
        lines.append(f"| {name} | {curve.average_precision:.3f} | {figures} |")
    curve = curves[best]
    lines += [
        "",
        f"{best}:",
        "",
        "| least confidence | precision (95 %) | recall | F1 | true, wrong |",
        "|---|---|---|---|---|",
    ]
    for at, each in enumerate(GRID.tolist()):
        interval = f"{curve.precision[at]:.3f} ({curve.low[at]:.2f}-{curve.high[at]:.2f})"
        mark = "**" if each == least else ""
        said = f"{curve.true[at]}, {curve.wrong[at]}"
        lines.append(f"| {mark}{each:.2f}{mark} | {interval} | {curve.recall[at]:.3f} | {curve.f1[at]:.3f} | {said} |")
    return "\n".join(lines)


def show_relations(tallies: list[Tally]) -> str:
    """A row for each relation: precision and recall at each confidence, with what was counted."""
    titles = [f"precision / recall at {least:g} | true, wrong" for least in BY_RELATION]
    lines = ["", f"| relation | true | {' | '.join(titles)} |", "|---|---|" + "---|---|" * len(titles)]
    for relation in dict.fromkeys(each.relation for each in tallies):
        own = [each for each in tallies if each.relation == relation]
        said = [f"{_figures(each)} | {each.true}, {each.wrong}" for each in own]
        lines.append(f"| {relation} | {own[0].there} | {' | '.join(said)} |")
    return "\n".join(lines)


def _figures(tally: Tally) -> str:
    precision = f"{tally.precision:.2f}" if tally.true + tally.wrong else "-"
    return f"{precision} / {tally.true / tally.there:.2f}" if tally.there else f"{precision} / -"


def show_places(places: list[PlaceTrial]) -> str:
    """How often the first tail is right, by the weight of each place."""
    lines = ["", "| tails from | weight | first tail right | mean reciprocal rank |", "|---|---|---|---|"]
    lines += [f"| {each.place} | {each.weight:g} | {each.first:.3f} | {each.reciprocal:.3f} |" for each in places]
    return "\n".join(lines)


def _as_json(curve: Curve) -> dict[str, object]:
    return {
        "average precision": round(curve.average_precision, 4),
        "at": GRID.tolist(),
        **{name: np.round(getattr(curve, name), 4).tolist() for name in ("precision", "low", "high", "recall", "f1")},
        "true": curve.true.tolist(),
        "wrong": curve.wrong.tolist(),
    }


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    one, two = parts.add_parser("ask"), parts.add_parser("choose")
    for each in (one, two):
        for name in ("--run", "--seed-graph", "--model"):
            each.add_argument(name, type=Path, required=True)
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--fold", type=int, default=0)
    one.add_argument("--documents", type=int, default=3400, help="how many are drawn")
    one.set_defaults(do=ask)
    two.add_argument("--asked", type=Path, required=True)
    two.add_argument("--said", type=Path, required=True)
    two.add_argument("--json", type=Path)
    two.set_defaults(do=choose)
    given = parser.parse_args()
    given.do(given)


if __name__ == "__main__":
    main()
