"""Held-out facts of finished runs: every model's tails and the baselines, scored on the same facts."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.evaluate.extraction.held_out.baselines import rank_by_distance, rank_by_relation
from clew.evaluate.extraction.held_out.facts import (
    Asked,
    HeldOutScore,
    Tail,
    link_tails,
    linker_of,
    read_facts,
    score_facts,
    true_tails,
)
from clew.extract.chains.injection import read_injected
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.confidence import per_token
from clew.extract.predict.predictions import read_predictions
from clew.extract.predict.queries import read_queries
from clew.extract.predict.tails import read_tails
from clew.extract.seed.candidate_triples import collect_candidate_triples
from clew.extract.seed.held_out import mark_unseen, read_held_out
from clew.extract.seed.signatures import Signatures
from clew.link import Linker
from clew.progress import Progress, silent
from clew.traverse import open

__all__ = ["held_out_rows", "ranked_tails", "weighed_mentions"]

COMMONEST, NEAREST = "P(tail | relation)", "the nearest mention of a fitting type"
ALL_MENTIONS = "all mentions of a fitting type, the nearest first"


def held_out_rows(
    run: Path, graph: Path, *, runs: Mapping[str, Path] | None = None, progress: Progress = silent
) -> list[HeldOutScore]:
    """Figures of the facts that a run held out: of models, and of the baselines.

    `runs` are those that asked about the facts, by the name of their model. Of each there are three rows: all its
    tails; the same, but none where the model holds [NONE] to be likelier than every mention; and mentions only.
    """
    table = read_held_out(run)
    for other in (runs or {}).values():
        if not read_held_out(other).equals(table):
            raise InputError(f"{other} held out other facts than {run}: compare runs that were made from one plan")
    injected = read_injected(run)
    facts = read_facts(mark_unseen(table, injected))
    seed = open(graph)
    true = true_tails(seed, collect_candidate_triples(seed, fewest=1), facts)
    signatures = Signatures.of_schema(seed.schema)
    link = linker_of(Linker(seed), signatures)
    rows: list[HeldOutScore] = []
    for name, other in (runs or {}).items():
        progress(f"linking tails of {name}", 0, None)
        ranked = link_tails(facts, ranked_tails(read_tails(other), read_heads(other)), link)
        rows += score_facts(f"{name}, any tail", facts, ranked, true)
        mentions, unanswered = weighed_mentions(read_predictions(other), read_queries(other)[0], read_heads(other))
        answered = {fact: () if (fact.head, fact.relation) in unanswered else ranked[fact] for fact in facts}
        rows += score_facts(f"{name}, any tail or none", facts, answered, true)
        rows += score_facts(f"{name}, tails among the mentions", facts, link_tails(facts, mentions, link), true)
    rows += score_facts(COMMONEST, facts, rank_by_relation(facts, injected), true)
    nearest = rank_by_distance(facts, read_heads(run), signatures)
    rows += score_facts(NEAREST, facts, nearest, true, depth=1)
    return rows + score_facts(ALL_MENTIONS, facts, nearest, true)


def ranked_tails(tails: pa.Table, heads: pa.Table) -> dict[Asked, list[Tail]]:
    """Tails of each head and relation, the surest first: each in words, and what it names if it is a mention."""
    ordered = tails.sort_by([("head", "ascending"), ("relation", "ascending"), ("rank", "ascending")])
    found: dict[Asked, list[Tail]] = {}
    entities = heads["entity"].take(ordered["mention"]).to_pylist()
    columns = (ordered[name].to_pylist() for name in ("head", "relation", "tail"))
    for head, relation, tail, entity in zip(*columns, entities, strict=True):
        found.setdefault((head, relation), []).append((tail, entity))
    return found


def weighed_mentions(
    predictions: pa.Table, asked: pa.Table, heads: pa.Table
) -> tuple[dict[Asked, list[Tail]], set[Asked]]:
    """Mentions of each head and relation, the weightiest first, and those for which [NONE] outweighs them all."""
    lengths = pc.subtract(heads["last"], heads["first"]).to_pylist()
    texts, entities = heads["text"].to_pylist(), heads["entity"].to_pylist()
    columns = (predictions[name].to_pylist() for name in ("head", "relation", "scores"))
    ranked: dict[Asked, list[Tail]] = {}
    unanswered = set()
    for head, relation, (none, *weights), mentions in zip(*columns, asked["mentions"].to_pylist(), strict=True):
        weighed = [(per_token(weight, lengths[at]), at) for weight, at in zip(weights, mentions, strict=True)]
        order = sorted(weighed, key=lambda each: (-each[0], each[1]))
        ranked[head, relation] = [(texts[at], entities[at]) for _, at in order]
        if order and order[0][0] <= per_token(none, 1):
            unanswered.add((head, relation))
    return ranked, unanswered
