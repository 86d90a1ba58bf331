"""An evaluation on BC5CDR: rules, a model with gold or found mentions, and the triples of a run, as rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import DISEASE, Abstract, read_abstracts
from clew.evaluate.extraction.bc5cdr.end_to_end import mesh_ids, read_extracted, score_end_to_end
from clew.evaluate.extraction.bc5cdr.examples import make_examples
from clew.evaluate.extraction.bc5cdr.found_mentions import find_mentions
from clew.evaluate.extraction.bc5cdr.mesh_hierarchy import read_ancestors
from clew.evaluate.extraction.bc5cdr.model_scores import finetune_and_score, finetuning_settings, score_candidates
from clew.evaluate.extraction.bc5cdr.scoring import Ancestors, Scored, log_dev, rule_rows, score_bc5cdr
from clew.progress import Progress, silent
from clew.traverse import GraphEngine, open

__all__ = ["Setting", "evaluate_bc5cdr"]

Parts = tuple[Sequence[Abstract], Sequence[Abstract]]  # train and dev
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Setting:
    """What is evaluated beside the rules; `graph` is the seed of the run in `mentions` or `run`."""

    model: Path | None = None
    seeds: int = 0  # that the model is fine-tuned with; 0: as it is
    mentions: Path | None = None  # a run whose mentions take the place of the gold ones
    run: Path | None = None  # a run whose triples are scored
    graph: Path | None = None
    mesh: Path | None = None


def evaluate_bc5cdr(
    folder: Path,
    setting: Setting,
    *,
    log: Path | None = None,
    name: str | None = None,
    progress: Progress = silent,
) -> list[Scored]:
    """The rows of a setting; with `log` and `name` those of dev are recorded, once for each name."""
    gold = _read(folder, "train"), _read(folder, "dev")
    diseases = {each for part in gold for abstract in part for each in abstract.ids(DISEASE)}
    ancestors = None if setting.mesh is None else read_ancestors(setting.mesh, diseases)
    graph, mesh = (None if path is None else open(path) for path in (setting.graph, setting.mesh))
    scored = gold
    if setting.mentions is not None:
        seed = _given(graph)
        scored = (
            find_mentions(gold[0], setting.mentions, seed, mesh=mesh),
            find_mentions(gold[1], setting.mentions, seed, mesh=mesh),
        )
    rows = rule_rows(scored[1], "dev", ancestors=ancestors)
    found: list[tuple[list[Scored], Scores]] = []
    if setting.model is not None:
        found.append(_model_rows(setting.model, gold, scored, ancestors, seeds=setting.seeds, progress=progress))
    if setting.run is not None:
        found.append(_run_rows(setting.run, _given(graph), mesh, scored, ancestors))
    new = [row for some, _ in found for row in some]
    if log is not None and name is not None and new:
        log_dev(log, name, [scores for _, scores in found], new)
    return rows + new


def _read(folder: Path, part: str) -> list[Abstract]:
    return read_abstracts(folder / f"cdr_{part}.pubtator.gz")


def _given(graph: GraphEngine | None) -> GraphEngine:
    if graph is None:
        raise InputError("mentions and triples of a run are entities of its seed: give its graph")
    return graph


def _model_rows(
    model: Path, gold: Parts, scored: Parts, ancestors: Ancestors | None, *, seeds: int, progress: Progress
) -> tuple[list[Scored], Scores]:
    """Rows of a model, and its scores of dev; it learns from gold mentions, whichever mentions are scored."""
    from clew.extract.predict.predictions import open_predictor

    try:
        relations = json.loads((model / "relations.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{model} is not the directory of a trained model ({error})") from error
    tokenizer = model / "tokenizer.json"
    with TemporaryDirectory() as temporary:
        examples = asked = Path(temporary) / "gold"
        make_examples(*gold, examples, tokenizer=tokenizer, relations=relations, progress=progress)
        if scored is not gold:
            asked = Path(temporary) / "found"
            make_examples(*scored, asked, tokenizer=tokenizer, relations=relations, gold=False, progress=progress)
        if seeds:
            settings = finetuning_settings()
            train, dev = finetune_and_score(model, examples, asked, settings, seeds=range(seeds), progress=progress)
        else:
            predictor = open_predictor(model)
            train, dev = (
                score_candidates(predictor, asked / f"scoring-{part}", progress=progress) for part in ("train", "dev")
            )
        return score_bc5cdr(asked, *scored, train, dev, ancestors=ancestors), dev


def _run_rows(
    run: Path, graph: GraphEngine, mesh: GraphEngine | None, scored: Parts, ancestors: Ancestors | None
) -> tuple[list[Scored], Scores]:
    """Rows of a run's own triples, and their confidence."""
    extracted = read_extracted(run)
    ids = mesh_ids(graph, (end for each in extracted for end in (each.subject, each.object)), mesh=mesh)
    confidence = np.array([each.score for each in extracted], np.float32)
    return score_end_to_end("end to end", extracted, ids, *scored, ancestors=ancestors), confidence
