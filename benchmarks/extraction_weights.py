"""The folder in which a trained model goes to users: its weights in 8 bits, and the seed graph that heads are found by.

A model directory and the seed graph it was trained with go in; OUT/model and OUT/seed come out, each sealed. Whatever
else lies in OUT (its card, its licences) stays. A graph with a row that may not be passed on is refused.

python -m benchmarks.extraction_weights --model run/model --seed-graph seed.clew --out weights/small
"""

import argparse
import json
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import torch

from benchmarks.graphs.seed.statements import is_permissive
from clew.errors import ClewError, InputError
from clew.extract.model.storage import read_model, write_model
from clew.extract.packaging.seed_tables import write_seed
from clew.extract.stage import seal_checksum
from clew.graph import Graph
from clew.graph.writers.blocks import assertion_blocks

__all__ = ["make_folder"]

KINDS = {"int8": torch.int8, "bfloat16": torch.bfloat16, "float32": torch.float32}
TEXTS = "PubMed abstracts (NLM terms), BC5CDR (public domain), PubMedQA (MIT): no text is passed on"


def make_folder(model: Path, seed_graph: Path, out: Path, *, kind: torch.dtype = torch.int8) -> dict[str, Any]:
    """Write OUT/model and OUT/seed; returns what they hold and how many bytes they take."""
    graph, saved = Graph(seed_graph), read_model(model)
    licences = _licences(graph, saved.relations)
    if refused := sorted(name for name, license_text in licences if not is_permissive(license_text)):
        raise InputError(f"{seed_graph} has statements of {', '.join(refused)}, which may not be passed on")
    training: Mapping[str, Any] = {**saved.training, "licences": [*map(": ".join, licences), TEXTS]}
    out.mkdir(parents=True, exist_ok=True)
    identity = {"model": out.name, "made_from": seal_checksum(model)}
    write_model(out / "model", replace(saved, training=training), identity=identity, kind=kind)
    counts = write_seed(graph, out / "seed", relations=saved.relations)
    size = {folder: sum(file.stat().st_size for file in (out / folder).iterdir()) for folder in ("model", "seed")}
    return {**counts, **{f"bytes of {folder}": size[folder] for folder in size}}


def _licences(graph: Graph, relations: Collection[str]) -> list[tuple[str, str]]:
    """Who states the relations of a model, and under which licence: a row's own, else that of its source."""
    kept = [each.name for each in graph.schema.relations if each.name in relations or each.inverse in relations]
    stated = pa.concat_tables(assertion_blocks(graph), promote_options="default")
    stated = stated.filter(pc.is_in(stated["relation"], pa.array(kept)))
    named = {each.name: each.license for each in graph.manifest.sources}
    columns = [name for name in ("source", "license") if name in stated.column_names]
    found = set()
    for row in stated.group_by(columns).aggregate([]).to_pylist():
        source = row.get("source") or "nobody"
        found.add((source, row.get("license") or named.get(source) or "unknown"))
    return sorted(found)


def main() -> int:
    """Make the folder that the command line says."""
    parser = argparse.ArgumentParser(description="Make the folder in which a trained model goes to users.")
    parser.add_argument("--model", type=Path, required=True, help="a trained model's directory")
    parser.add_argument("--seed-graph", type=Path, required=True, help="the graph that it was trained with")
    parser.add_argument("--out", type=Path, required=True, help="such as weights/small")
    parser.add_argument("--kind", choices=KINDS, default="int8", help="how numbers are kept")
    options = parser.parse_args()
    try:
        made = make_folder(options.model, options.seed_graph, options.out, kind=KINDS[options.kind])
    except ClewError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(json.dumps(made, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
