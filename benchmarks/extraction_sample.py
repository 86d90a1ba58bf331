"""Triples of some or all documents of a prepared run, by a trained model: what every stage leaves.

    python -m benchmarks.extraction_sample --run RUN --seed-graph SEED --model MODEL --out OUT --documents 700
    python -m benchmarks.extraction_sample --run RUN --seed-graph SEED --model MODEL --out OUT --listed IDS \\
        --only induces --only induced_by --least 0

700 documents take minutes on a CPU. All of them are weighed on a machine with a GPU, between two commands:

    python -m benchmarks.extraction_sample --run RUN --seed-graph SEED --model MODEL --out OUT --all --ask
    python -m benchmarks.bc5cdr_device weigh --model MODEL --queries OUT/queries --out SAID/weights.npy
    python -m benchmarks.extraction_sample --run RUN --seed-graph SEED --model MODEL --out OUT --said SAID

Heads and mentions are those of RUN; only tails among the mentions are weighed. OUT is a run directory in the end, with
queries, predictions, tails and triples of these documents alone, fit for `clew eval extraction … --run OUT`.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.extraction_pairs import Pairs
from clew.extract.filter.tails import FilterSettings
from clew.extract.filter.triples import prepare_triples, read_triples
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.predictions import prepare_predictions, take_predictions
from clew.extract.predict.queries import known_signatures, make_queries
from clew.extract.predict.query_arrays import write_query_arrays
from clew.extract.predict.relation_matching import MatchedRelations, match_relations
from clew.extract.predict.tails import DecoderSettings, prepare_tails
from clew.extract.run.pipeline import model_name
from clew.extract.seed.signatures import SIGNATURES
from clew.extract.sequences.packing import read_sequences
from clew.extract.stage import COUNTS, seal_checksum, write_table
from clew.files import write_text
from clew.graph import Graph
from clew.sealed import new_sealed

__all__ = ["ask_some", "draw_documents"]

SHARED = ("corpus", "sequences", "heads", "matches", "injected", "held_out")
SEED = 5  # of the draw
MENTIONS_ONLY = DecoderSettings(sequence=0, lexicon=0, beam=0)


def draw_documents(documents: Sequence[str], number: int) -> list[str]:
    """Some of the documents, drawn at random, in order."""
    chosen = np.random.default_rng(SEED).permutation(np.unique(documents))[:number]
    return sorted(chosen.tolist())


def ask_some(
    run: Path, out: Path, graph: Graph, relations: Sequence[str], heads: pa.Table, matched: Sequence[MatchedRelations]
) -> dict[str, int]:
    """Write queries about some heads of a run to `out`, beside links to what the run has of them."""
    signatures = known_signatures(graph, relations)
    out.mkdir(parents=True, exist_ok=True)
    for name in SHARED:
        if (run / name).is_dir() and not (out / name).exists():
            (out / name).symlink_to((run / name).resolve())
    table, queries, counts = make_queries(
        heads, matched, read_sequences(run), relations, signatures, mentions=read_heads(run), mentioned=True
    )
    with new_sealed(out / "asked", {"heads": heads.num_rows}, what="heads and relations to ask") as directory:
        write_table(table, directory / "asked.parquet")
        write_text(directory / SIGNATURES, signatures.to_json())
        write_text(directory / COUNTS, json.dumps(counts, indent=1) + "\n")
    write_query_arrays(out / "queries", queries, identity={"asked": seal_checksum(out / "asked")})
    return counts


def ask(given: argparse.Namespace, graph: Graph) -> dict[str, int]:
    """The queries of the chosen documents: listed, drawn, or all of them."""
    relations = tuple(json.loads((given.model / "relations.json").read_text("utf-8")))
    heads = read_heads(given.run)
    if not given.all:
        documents = read_sequences(given.run)["document"].take(heads["sequence"]).to_numpy(zero_copy_only=False)
        chosen = given.listed.read_text("utf-8").split() if given.listed else draw_documents(documents, given.documents)
        heads = heads.filter(pa.array(np.isin(documents.astype(str), chosen)))
    signatures = known_signatures(graph, relations)
    matched = match_relations(heads["text"].to_pylist(), heads["type"].to_pylist(), signatures)
    if given.only:
        matched = [
            replace(each, relations=tuple(name for name in each.relations if name in given.only)) for each in matched
        ]
    return ask_some(given.run, given.out, graph, relations, heads, matched)


def describe(run: Path, graph: Graph) -> dict[str, dict[str, int]]:
    """Assertions by relation, and by what the model could know of them: only those that are new are its own.

    Beside the new ones, those that were planted are known to the seed and to no model: the two measure a model's own
    finds against what is known to be true.
    """
    triples = read_triples(run)
    subjects, relations, objects, known = (
        triples[name].to_pylist() for name in ("subject", "relation", "object", "known")
    )
    pairs = Pairs(run, graph)
    shown, planted = pairs.shown(subjects, objects), pairs.planted(subjects, objects)
    counts: dict[str, Counter[str]] = {}
    for relation, *about in zip(relations, known, shown.tolist(), planted.tolist(), strict=True):
        counts.setdefault(relation, Counter())[_origin(*about)] += 1
    return {name: dict(counted) for name, counted in sorted(counts.items(), key=lambda each: -each[1].total())}


def _origin(known: bool, shown: bool, planted: bool) -> str:
    if not known:
        return "new, though a leaf relates the two otherwise" if shown else "new"
    if shown:
        return "known: a leaf shows the pair"
    return "known: planted" if planted else "known: withheld from the leaves"


def answer(given: argparse.Namespace, graph: Graph) -> dict[str, object]:
    """From the queries of OUT to its triples; what was counted."""
    stages: dict[str, object] = {}
    if given.said is None:
        stages["predictions"] = prepare_predictions(given.out, model=given.model, k=0)
    else:
        stages["predictions"] = take_predictions(given.out, given.said, model=given.model)
    stages["tails"] = prepare_tails(given.out, graph, settings=MENTIONS_ONLY)
    filters = FilterSettings(least=given.least)
    stages["triples"] = prepare_triples(given.out, graph, model=model_name(given.model), settings=filters, encoder=None)
    if (given.out / "injected").is_dir():
        stages["relations"] = describe(given.out, graph)
    return stages


def main() -> None:
    """Print what every stage counted, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--run", "--seed-graph", "--model", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--documents", type=int, default=700, help="how many are drawn")
    parser.add_argument("--listed", type=Path, help="a file with the ids of the documents instead")
    parser.add_argument("--all", action="store_true", help="all documents instead")
    parser.add_argument("--only", action="append", metavar="RELATION")
    parser.add_argument("--ask", action="store_true", help="write OUT/queries and stop, to weigh them elsewhere")
    parser.add_argument("--said", type=Path, help="a folder with weights.npy, how the queries of OUT were weighed")
    parser.add_argument("--least", type=float, default=FilterSettings().least, help="confidence of a triple")
    given = parser.parse_args()
    if given.out.exists() != (given.said is not None):
        parser.error(f"{given.out} {'exists' if given.said is None else 'has no queries'}: give another directory")
    graph = Graph(given.seed_graph)
    stages: dict[str, object] = {}
    if given.said is None:
        stages["asked"] = ask(given, graph)
    if not given.ask:
        stages |= answer(given, graph)
    print(json.dumps(stages, indent=1))


if __name__ == "__main__":
    main()
