"""Triples of some documents of a prepared run, by a trained model: what every stage leaves, on a CPU in minutes.

    python benchmarks/extraction_sample.py --run RUN --seed-graph SEED --model MODEL --out OUT --documents 700
    python benchmarks/extraction_sample.py --run RUN --seed-graph SEED --model MODEL --out OUT --listed IDS \\
        --only induces --only induced_by --least 0

Heads and mentions are those of RUN; only tails among the mentions are weighed. OUT is a run directory in the end, with
queries, predictions, tails and triples of these documents alone, fit for `clew eval extraction … --run OUT`.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from clew.extract.asking import ask_heads, known_signatures
from clew.extract.heads import read_heads
from clew.extract.parts import COUNTS, seal_checksum, write_table
from clew.extract.pipeline import model_name
from clew.extract.predictions import prepare_predictions
from clew.extract.queries import write_queries
from clew.extract.relations import match_relations
from clew.extract.sequences import read_sequences
from clew.extract.sifting import FilterSettings
from clew.extract.signatures import SIGNATURES
from clew.extract.tails import DecoderSettings, prepare_tails
from clew.extract.triples import prepare_triples
from clew.files import write_text
from clew.graph import Graph
from clew.sealed import new_sealed

SHARED = ("corpus", "sequences", "heads", "matches", "injected", "planted")
SEED = 5  # of the draw
MENTIONS_ONLY = DecoderSettings(sequence=0, lexicon=0, beam=0)


def choose_documents(heads: pa.Table, sequences: pa.Table, given: argparse.Namespace) -> pa.Table:
    """The heads of the documents that are listed, or of some drawn from those with a PubMed id."""
    documents = sequences["document"].take(heads["sequence"]).to_numpy(zero_copy_only=False)
    if given.listed:
        chosen = given.listed.read_text("utf-8").split()
    else:
        known = np.unique([each for each in documents if each.startswith("PMID:")])
        chosen = np.random.default_rng(SEED).permutation(known)[: given.documents].tolist()
    return heads.filter(pa.array(np.isin(documents.astype(str), chosen)))


def ask(given: argparse.Namespace, graph: Graph) -> dict[str, int]:
    """Write the queries of the chosen documents to OUT, beside links to what RUN has of them."""
    relations = tuple(json.loads((given.model / "relations.json").read_text("utf-8")))
    signatures = known_signatures(graph, relations)
    heads, sequences = read_heads(given.run), read_sequences(given.run)
    part = choose_documents(heads, sequences, given)
    given.out.mkdir(parents=True)
    for name in SHARED:
        if (given.run / name).is_dir():
            (given.out / name).symlink_to((given.run / name).resolve())
    matched = match_relations(part["text"].to_pylist(), part["type"].to_pylist(), signatures)
    if given.only:
        matched = [
            replace(each, relations=tuple(name for name in each.relations if name in given.only)) for each in matched
        ]
    table, queries, counts = ask_heads(part, matched, sequences, relations, signatures, mentions=heads, mentioned=True)
    with new_sealed(given.out / "asked", {"heads": part.num_rows}, what="heads and relations to ask") as directory:
        write_table(table, directory / "asked.parquet")
        write_text(directory / SIGNATURES, signatures.to_json())
        write_text(directory / COUNTS, json.dumps(counts, indent=1) + "\n")
    write_queries(given.out / "queries", queries, identity={"asked": seal_checksum(given.out / "asked")})
    return counts


def main() -> None:
    """Print what every stage counted, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--run", "--seed-graph", "--model", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--documents", type=int, default=700, help="how many are drawn")
    parser.add_argument("--listed", type=Path, help="a file with the ids of the documents instead")
    parser.add_argument("--only", action="append", metavar="RELATION")
    parser.add_argument("--least", type=float, default=FilterSettings().least, help="confidence of a triple")
    given = parser.parse_args()
    if given.out.exists():
        parser.error(f"{given.out} exists: give another directory")
    graph = Graph(given.seed_graph)
    stages: dict[str, object] = {"asked": ask(given, graph)}
    stages["predictions"] = prepare_predictions(given.out, model=given.model, k=0)
    stages["tails"] = prepare_tails(given.out, graph, settings=MENTIONS_ONLY)
    filters = FilterSettings(beta=0.0, least=given.least)
    stages["triples"] = prepare_triples(given.out, graph, model=model_name(given.model), settings=filters, encoder=None)
    print(json.dumps(stages, indent=1))


if __name__ == "__main__":
    main()
