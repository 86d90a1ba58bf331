"""What a language model alone reads out of abstracts of BC5CDR dev, linked and held against their gold.

python -m benchmarks.extraction_baseline --run RUN --graph seed.clew --data data --relations MODEL/relations.json \
    --model PATH.gguf --abstracts 100 --answers DIR --triples FILE.parquet --out results/extraction/baseline.json

Abstracts are drawn at random and read whole; the corpus of the run holds them. Answers are kept under `--answers`, so
that a run that is started again asks only what is new.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from benchmarks.report import environment, to_stderr, write_json
from clew.evaluate.extraction.baseline_run import ENDS, link_baseline, read_baseline, score_read_baseline
from clew.evaluate.extraction.end_to_end import DOCUMENT
from clew.evaluate.extraction.pubtator import Abstract, read_pubtator
from clew.extract.seed.signatures import Signatures
from clew.graph import Graph
from clew.lm import LanguageModel, Replayed, open_model

__all__ = ["count_linked", "draw_documents", "run"]

DEV = Path("bc5cdr") / "cdr_dev.pubtator.gz"
CONTEXT = 4096
EVERY = sys.maxsize  # chunks: abstracts are read whole


def draw_documents(abstracts: Sequence[Abstract], count: int, *, seed: int = 0) -> list[str]:
    """The ids of so many abstracts; more of the same seed hold fewer."""
    named = sorted(f"{DOCUMENT}{each.document}" for each in abstracts)
    return [str(name) for name in np.random.default_rng(seed).permutation(named)[:count]]


def run(model: LanguageModel, options: argparse.Namespace) -> dict[str, Any]:
    """Read the drawn abstracts, and score what was read."""
    dev, graph = read_pubtator(options.data / DEV), Graph(options.graph)
    relations = json.loads(options.relations.read_text("utf-8"))
    report = read_baseline(
        model,
        options.run,
        options.triples,
        limit=EVERY,
        documents=draw_documents(dev, options.abstracts, seed=options.seed),
        signatures=Signatures.of_schema(graph.schema, relations=relations),
        progress=to_stderr,
    )
    del report["seconds"]  # kept answers take none
    scored = score_read_baseline(options.triples, options.graph, report["documents"], dev)
    return report | scored | {"by relation": count_linked(options.triples, graph)}


def count_linked(triples: Path, graph: Graph) -> dict[str, dict[str, int]]:
    """For each relation, how many triples were read, and of how many both ends were linked; the commonest first."""
    linked = link_baseline(pq.read_table(triples), graph).to_pylist()
    read = Counter(row["relation"] for row in linked)
    both = Counter(row["relation"] for row in linked if all(row[f"{end}_id"] is not None for end in ENDS))
    return {name: {"triples": count, "both ends linked": both[name]} for name, count in read.most_common()}


def _open(spec: str) -> LanguageModel:
    return open_model(spec) if spec.startswith("http") else open_model(spec, context=CONTEXT)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="a run whose corpus holds BC5CDR dev")
    parser.add_argument("--graph", type=Path, required=True, help="its seed")
    parser.add_argument("--data", type=Path, required=True, help="the folder of data sets; it holds bc5cdr")
    parser.add_argument("--relations", type=Path, required=True, metavar="FILE", help="relations.json of a model")
    parser.add_argument("--model", required=True, help="a name, a .gguf file or a URL")
    parser.add_argument("--abstracts", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answers", type=Path, required=True, metavar="DIR", help="where answers of models are kept")
    parser.add_argument("--triples", type=Path, required=True, metavar="FILE", help="where the triples go")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    options = parser.parse_args()
    with Replayed(_open(options.model), options.answers) as model:
        report = run(model, options)
    write_json(options.out, {**environment(), **report})
    print(json.dumps({name: report[name] for name in ("triples", "left_out", "by relation", "scores")}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
