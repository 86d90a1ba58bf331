"""BC5CDR end to end: no gold mention is given; heads were found, tails generated and linked by the pipeline itself.

Scored (document, subject, object) of one relation go in, as entities of the seed graph; their MeSH ids are scored by
gold. The threshold is chosen on train documents, as in the other setting.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.extraction.bc5cdr.scoring import Ancestors, Scored, score_row
from clew.evaluate.extraction.bc5cdr.selection import best_threshold
from clew.extract.filter.triples import read_triples
from clew.graph import GraphContents
from clew.link import Linker
from clew.traverse import GraphEngine

__all__ = ["Extracted", "mesh_ids", "read_extracted", "score_end_to_end"]

MESH = "MESH:"
DOCUMENT = "PMID:"
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Extracted:
    """One extracted triple of the relation: entities by id, and its confidence."""

    document: str
    subject: str
    object: str
    score: float


def read_extracted(run: Path, *, relation: str = "induces") -> list[Extracted]:
    """The final triples of a run that have the relation."""
    triples = read_triples(run)
    columns = (triples[name].to_pylist() for name in ("relation", "document", "subject", "object", "confidence"))
    return [Extracted(*rest) for name, *rest in zip(*columns, strict=True) if name == relation]


def mesh_ids(
    graph: GraphContents, entities: Iterable[str], *, mesh: GraphEngine | None = None
) -> dict[str, tuple[str, ...]]:
    """The MeSH records that entities are, by their own ids and cross-references; what has none is left out.

    With a graph of MeSH, an entity without one is the record that has the entity's name, if there is such a record.
    """
    asked = list(dict.fromkeys(entities))
    found_at = graph.lookup(asked)
    wanted = [each for each, number in zip(asked, found_at.tolist(), strict=True) if number >= 0]
    numbers = found_at[found_at >= 0]
    details = graph.details(numbers)
    known = details["xrefs"].to_pylist() if "xrefs" in details.column_names else [None] * len(wanted)
    names = graph.describe(numbers)["name"].to_pylist()
    linker = None if mesh is None else Linker(mesh)
    found = {}
    for entity, name, xrefs in zip(wanted, names, known, strict=True):
        ids = [each.removeprefix(MESH) for each in (entity, *(xrefs or ())) if each.startswith(MESH)]
        if not ids and linker is not None and (best := linker.link(name, last_stage="normalised").best) is not None:
            ids = [best.id.removeprefix(MESH)]
        if ids:
            found[entity] = tuple(dict.fromkeys(ids))
    return found


def score_end_to_end(
    name: str,
    extracted: Sequence[Extracted],
    mesh: Mapping[str, tuple[str, ...]],
    train: Sequence[Abstract],
    dev: Sequence[Abstract],
    *,
    ancestors: Ancestors | None = None,
) -> list[Scored]:
    """Figures on train (where the threshold was chosen) and dev; what has no MeSH id predicts nothing."""
    scores = _scores(extracted, mesh)
    gold = {each.document: each.induces for each in train}
    asked = [(key, score) for key, score in scores.items() if key[0] in gold]
    holds = np.array([key[1] in gold[key[0]] for key, _ in asked], bool)
    threshold, _ = best_threshold(np.array([score for _, score in asked]), holds, sum(map(len, gold.values())))
    rows = []
    for part, abstracts in (("train, threshold chosen on it", train), ("dev", dev)):
        predicted: dict[str, set[Pair]] = {each.document: set() for each in abstracts}
        for (document, pair), score in scores.items():
            if document in predicted and score >= threshold:
                predicted[document].add(pair)
        said = f"confidence at least {threshold:.3f}, chosen on train"
        rows.append(score_row(name, part, abstracts, predicted, ancestors, note=said))
    return rows


def _scores(extracted: Iterable[Extracted], mesh: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, Pair], float]:
    """The best score of each pair of a document."""
    best: dict[tuple[str, Pair], float] = {}
    for each in extracted:
        for subject in mesh.get(each.subject, ()):
            for object_ in mesh.get(each.object, ()):
                key = (each.document.removeprefix(DOCUMENT), (subject, object_))
                best[key] = max(each.score, best.get(key, -np.inf))
    return best
