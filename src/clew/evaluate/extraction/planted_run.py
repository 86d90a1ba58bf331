"""Planted facts of finished runs: every model's tails and the baselines, scored on the same facts."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.extraction.comentions import rank_mentions
from clew.evaluate.extraction.planted import (
    PlantedScore,
    link_tails,
    linker_of,
    read_facts,
    score_facts,
    true_tails,
)
from clew.evaluate.extraction.planted_baselines import rank_by_distance, rank_by_relation
from clew.extract.heads import read_heads
from clew.extract.injection import read_injected
from clew.extract.offered import offer_triples
from clew.extract.planted import read_planted
from clew.extract.signatures import Signatures
from clew.extract.tails import read_tails
from clew.graph import Graph
from clew.link import Linker
from clew.progress import Progress, silent

__all__ = ["planted_rows", "ranked_texts"]

COMMONEST, NEAREST = "P(tail | relation)", "the nearest mention of a fitting type"
ALL_MENTIONS = "all mentions of a fitting type, the nearest first"


def planted_rows(
    run: Path,
    graph: Path,
    *,
    runs: Mapping[str, Path] | None = None,
    among_mentions: Mapping[str, tuple[Path, NDArray[np.float32]]] | None = None,
    progress: Progress = silent,
) -> list[PlantedScore]:
    """Figures of the facts that a run planted: of models, and of the baselines.

    `runs` are those that generated tails, by the name of their model; `among_mentions` folders of questions whose tails
    are mentions of the sequence (`comentions`), with a model's scores of them.
    """
    table = read_planted(run)
    for other in (runs or {}).values():
        if not read_planted(other).equals(table):
            raise InputError(f"{other} planted other facts than {run}: compare runs that were made from one plan")
    facts = read_facts(table)
    seed = Graph(graph)
    offered = offer_triples(seed, fewest=1)
    true = true_tails(seed, offered, facts)
    signatures = Signatures.of_schema(seed.schema)
    link = linker_of(Linker(seed), signatures)
    rows: list[PlantedScore] = []
    for name, other in (runs or {}).items():
        progress(f"linking tails of {name}", 0, None)
        rows += score_facts(f"{name}, any tail", facts, link_tails(facts, ranked_texts(read_tails(other)), link), true)
    for name, (folder, scores) in (among_mentions or {}).items():
        ranked = rank_mentions(folder, scores, facts)
        rows += score_facts(f"{name}, tails among the mentions", facts, ranked, true)
    rows += score_facts(COMMONEST, facts, rank_by_relation(facts, read_injected(run)), true)
    nearest = rank_by_distance(facts, read_heads(run), signatures)
    rows += score_facts(NEAREST, facts, nearest, true, depth=1)
    return rows + score_facts(ALL_MENTIONS, facts, nearest, true)


def ranked_texts(tails: pa.Table) -> dict[tuple[int, str], Sequence[str]]:
    """Tails of each head and relation, the likeliest first."""
    ordered = tails.sort_by([("head", "ascending"), ("relation", "ascending"), ("rank", "ascending")])
    texts: dict[tuple[int, str], list[str]] = {}
    columns = (ordered[name].to_pylist() for name in ("head", "relation", "tail"))
    for head, relation, tail in zip(*columns, strict=True):
        texts.setdefault((head, relation), []).append(tail)
    return dict(texts)
