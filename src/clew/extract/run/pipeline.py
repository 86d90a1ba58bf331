"""Extraction from end to end: `prepare`, `train`, `predict` and `finish` run the stages of a run directory in order.

A stage that is finished with the same settings and inputs is not repeated, and a stage that was killed goes on where
it stood, so any of these may simply be called again.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from clew.errors import DerivedError, InputError, MissingDependency
from clew.extract.chains.graphs import read_chains
from clew.extract.chains.injection import prepare_injected
from clew.extract.chains.leaves import prepare_chains
from clew.extract.corpus import Input, prepare_corpus, read_documents
from clew.extract.filter.triples import prepare_triples
from clew.extract.mentions.discovery import discover_mentions
from clew.extract.mentions.heads import prepare_heads
from clew.extract.predict.predictions import prepare_predictions
from clew.extract.predict.queries import prepare_queries
from clew.extract.predict.tails import prepare_tails
from clew.extract.ranking.examples import prepare_examples
from clew.extract.run.settings import Choices
from clew.extract.seed.reserved import hidden_triples, prepare_reserved
from clew.extract.seed.selection import prepare_matches
from clew.extract.sequences.packing import prepare_sequences
from clew.extract.stage import finished_counts, read_stage_table, seal_checksum, write_stage
from clew.extract.toy import toy_corpus, toy_seed
from clew.extract.training.stages import train_stages
from clew.graph import Graph
from clew.lm import LanguageModel, open_model
from clew.progress import Progress, silent
from clew.sealed import check_seal

__all__ = [
    "ask",
    "check_torch",
    "finish",
    "model_name",
    "model_size",
    "open_seed",
    "predict",
    "prepare",
    "run_all",
    "train",
]

MENTIONS = "mentions"
SEED = "seed.clew"  # the seed graph of a run that was given none: the toy's
ENCODER = "minilm"
Counts = dict[str, Any]


def prepare(run: Path, choices: Choices, *, progress: Progress = silent) -> dict[str, Counts]:
    """From texts and a seed graph to chains and lessons: all stages before training.

    Without inputs and seed graph, the toy corpus that comes with Clew is taken.
    """
    run, settings = Path(run), choices.settings()
    inputs = [Input(Path(each), license=choices.license) for each in choices.inputs or (str(toy_corpus()),)]
    if choices.inputs and choices.seed_graph is None:
        raise InputError("a corpus needs a seed graph that names what it speaks of: give one (--seed-graph)")
    choices.write(run)
    graph = open_seed(run, choices, progress=progress)
    counts: dict[str, Counts] = {}
    counts["corpus"] = prepare_corpus(inputs, run, settings=settings.corpus, progress=progress).to_json()
    counts["sequences"] = prepare_sequences(run, settings=settings.sequences, progress=progress)
    mentions = _mentions(run, choices, progress) if "heads" in choices.roles else None
    counts["heads"] = prepare_heads(run, graph, settings=settings.heads, mentions=mentions, progress=progress)
    if not counts["heads"].get("heads"):
        raise InputError(
            f"no name of {graph.path} occurs in the {counts['sequences']['sequences']:,} sequences of {run}: give a "
            "seed graph that names what the texts speak of (--seed-graph)"
        )
    counts["reserved"] = prepare_reserved(run, graph, settings=settings.reserve)
    hidden = hidden_triples(run)
    counts["matches"] = prepare_matches(run, graph, settings=settings.selection, without=hidden, progress=progress)
    counts["injected"] = prepare_injected(run, settings=settings.injection)
    counts["chains"] = _finished_chains(run) or prepare_chains(run)
    if not counts["chains"].get("leaves"):
        raise InputError(
            f"no triple of {graph.path} fits the {counts['heads']['heads']:,} heads of {run}, so there is nothing to "
            "learn: give a larger seed graph, or a lower --alpha"
        )
    counts["examples"] = prepare_examples(
        run, graph, relations=read_chains(run / "chains").relations, settings=settings.examples, progress=progress
    )
    return counts


def train(run: Path, choices: Choices, *, device: str | None = None, progress: Progress = silent) -> Counts:
    """Pre-train on the chains of a run and teach it the lessons: run/pretrained and run/model."""
    check_torch()
    run, settings = Path(run), choices.settings()
    choices.write(run)
    with _few_threads(settings.size):
        train_stages(run, settings, licences=_licences(run, choices), device=device, progress=progress)
    return _describe(run)


def ask(
    run: Path,
    choices: Choices,
    *,
    model: Path | None = None,
    helper: LanguageModel | None = None,
    progress: Progress = silent,
) -> Counts:
    """Which relation is asked of which head: run/asked and run/queries, which another machine can predict from."""
    choices.write(run)
    return prepare_queries(
        run,
        open_seed(run, choices, progress=progress),
        model=Path(model or Path(run) / "model"),
        matching=choices.settings().matching,
        helper=helper,
        progress=progress,
    )


def predict(
    run: Path, choices: Choices, *, model: Path | None = None, device: str | None = None, progress: Progress = silent
) -> dict[str, Counts]:
    """Ask a trained model (that of the run, unless another is given) about every head: queries, predictions, tails."""
    check_torch()
    run, settings = Path(run), choices.settings()
    model = Path(model or run / "model")
    counts: dict[str, Counts] = {}
    with _helper(choices) as helper, _few_threads(settings.size):
        chooser = helper if "relations" in choices.roles else None
        counts["asked"] = ask(run, choices, model=model, helper=chooser, progress=progress)
        counts["predictions"] = prepare_predictions(
            run, model=model, k=settings.tokens, device=device, progress=progress
        )
        counts["tails"] = prepare_tails(
            run,
            open_seed(run, choices),
            settings=settings.decoder,
            helper=helper if "tails" in choices.roles else None,
            progress=progress,
        )
    return counts


def finish(run: Path, choices: Choices, *, model: Path | None = None, progress: Progress = silent) -> Counts:
    """Filter the tails of a run and write its triples."""
    from clew.embed import open_encoder

    run, settings = Path(run), choices.settings()
    choices.write(run)
    encoder = open_encoder(choices.encoder or ENCODER) if settings.filters.beta > 0 else None
    return prepare_triples(
        run,
        open_seed(run, choices, progress=progress),
        model=model_name(Path(model or run / "model")),
        settings=settings.filters,
        encoder=encoder,
        progress=progress,
    )


def run_all(
    run: Path, choices: Choices, *, device: str | None = None, progress: Progress = silent
) -> dict[str, Counts]:
    """All stages; returns what each counted."""
    counts = prepare(run, choices, progress=progress)
    counts["model"] = train(run, choices, device=device, progress=progress)
    counts |= predict(run, choices, device=device, progress=progress)
    counts["triples"] = finish(run, choices, progress=progress)
    return counts


def open_seed(run: Path, choices: Choices, *, progress: Progress = silent) -> Graph:
    """The seed graph of a run: the one chosen, else the toy's, which is built inside the run."""
    if choices.seed_graph is not None:
        return Graph(choices.seed_graph)
    path = Path(run) / SEED
    if not path.exists():
        from clew.graph.build import build_graph
        from clew.graph.readers import stage
        from clew.graph.staging import Problems

        problems = Problems()
        build_graph(stage(toy_seed(), problems=problems), path, problems=problems, progress=progress)
    return Graph(path)


def model_name(model: Path) -> str:
    """What a model is called in assertions: its size and the beginning of its seal's checksum."""
    return f"graphmert-{model_size(model)}-{seal_checksum(model)[:8]}"


def model_size(model: Path) -> str:
    """The size of a model by its name, or its layers and width where it has none."""
    from clew.extract.model.config import SIZES, read_config

    try:
        config = read_config((model / "config.json").read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{model} holds no trained model ({error.strerror or error}): train one first") from error
    shape = {"layers": config.layers, "width": config.width, "heads": config.heads, "inner": config.inner}
    return next((name for name, each in SIZES.items() if each == shape), f"{config.layers}x{config.width}")


def check_torch() -> None:
    """Raise `MissingDependency`, which names the extra, where torch or safetensors is not installed."""
    missing = [name for name in ("torch", "safetensors") if find_spec(name) is None]
    if missing:
        raise MissingDependency(f"training and prediction need {' and '.join(missing)}: pip install 'clew[extract]'")


def _finished_chains(run: Path) -> Counts | None:
    """What the chains of a run counted, if they were made from its injected triples; else None."""
    wanted = {name: seal_checksum(run / name) for name in ("injected", "sequences")}
    try:
        identity = check_seal(run / "chains", wanted, what=f"the chains of {run}", remedy="clew extract prepare")
    except DerivedError:
        return None
    return {name.removeprefix("count: "): count for name, count in identity.items() if name.startswith("count: ")}


def _mentions(run: Path, choices: Choices, progress: Progress) -> pa.Table:
    """What a helper model says the sequences speak of, asked once and kept in run/mentions."""
    stage = run / MENTIONS
    with _helper(choices) as helper:
        assert helper is not None  # a role asks for one
        identity = {"sequences": seal_checksum(run / "sequences"), "helper": helper.identity}
        if finished_counts(stage, identity) is None:
            table, counts = discover_mentions(run, helper, progress=progress)
            write_stage(stage, identity, {MENTIONS: table}, counts, what="mentions listed by a helper model")
    return read_stage_table(stage)


@contextmanager
def _few_threads(size: str) -> Iterator[None]:
    """One thread for a tiny model: its tensors are too small to share, and threads that wait for each other slow it."""
    if size != "tiny":
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _helper(choices: Choices) -> Iterator[LanguageModel | None]:
    if choices.helper is None:
        yield None
        return
    with open_model(choices.helper) as model:
        yield model


def _licences(run: Path, choices: Choices) -> tuple[str, ...]:
    documents = read_documents(run)["license"].drop_null().unique().to_pylist()
    seed = [f"{each.name}: {each.license}" for each in open_seed(run, choices).manifest.sources if each.license]
    return tuple(sorted({*documents, *seed}))


def _describe(run: Path) -> Counts:
    training = json.loads((run / "model" / "training.json").read_text("utf-8"))
    history, taught = training.pop("history", []), training.get("taught", {}).get("history", [])
    return {
        "model": model_name(run / "model"),
        **(history[-1] if history else {}),
        **({"taught": taught[-1]} if taught else {}),
        "licences": training.get("licences"),
    }
