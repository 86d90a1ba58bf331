"""Extraction from end to end: `prepare`, `train`, `predict` and `finish` run the stages of a run directory in order.

Runs resume: a stage that is finished with the same settings and inputs is skipped, a killed one goes on from its last
finished part, so any of these may simply be called again.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from clew.errors import InputError, MissingDependency
from clew.extract.chains.graphs import read_chains
from clew.extract.chains.injection import prepare_injected
from clew.extract.chains.leaves import STAGE as CHAINS
from clew.extract.chains.leaves import prepare_chains
from clew.extract.corpus import Input, prepare_corpus, read_documents
from clew.extract.filter.triples import prepare_triples
from clew.extract.mentions.discovery import STAGE as MENTIONS
from clew.extract.mentions.discovery import discover_mentions
from clew.extract.mentions.heads import prepare_heads
from clew.extract.predict.predictions import prepare_predictions
from clew.extract.predict.queries import prepare_queries
from clew.extract.predict.tails import prepare_tails
from clew.extract.ranking.examples import prepare_examples
from clew.extract.run.options import RunOptions
from clew.extract.run.settings import RunSettings
from clew.extract.seed.held_out import STAGE as HELD_OUT
from clew.extract.seed.held_out import prepare_held_out
from clew.extract.seed.reserved import hidden_triples, prepare_reserved
from clew.extract.seed.selection import prepare_matches
from clew.extract.sequences.packing import prepare_sequences
from clew.extract.stage import seal_checksum
from clew.extract.toy import toy_corpus, toy_seed
from clew.extract.training.stages import MODEL, train_stages
from clew.json_files import read_text
from clew.lm import LanguageModel, open_model
from clew.progress import Progress, silent
from clew.traverse import GraphEngine
from clew.traverse import open as open_graph

__all__ = [
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

SEED = "seed.clew"  # the seed graph of a run that was given none: the toy's
ENCODER = "minilm"
Counts = dict[str, Any]


def prepare(run: Path, options: RunOptions, *, progress: Progress = silent) -> dict[str, Counts]:
    """From texts and a seed graph to chains and training examples: all stages before training.

    Without inputs and seed graph, the toy corpus that comes with Clew is taken.
    """
    run, settings = Path(run), options.settings()
    inputs = [Input(Path(each), license=options.license) for each in options.inputs or (str(toy_corpus()),)]
    if options.inputs and options.seed_graph is None:
        raise InputError("a corpus needs a seed graph with the names of its entities: give one (--seed-graph)")
    options.write(run)
    graph = open_seed(run, options, progress=progress)
    counts: dict[str, Counts] = {}
    counts["corpus"] = prepare_corpus(inputs, run, settings=settings.corpus, progress=progress).to_json()
    counts["sequences"] = prepare_sequences(run, settings=settings.sequences, progress=progress)
    mentions = _mentions(run, options, progress) if "heads" in options.roles else None
    counts["heads"] = prepare_heads(run, graph, settings=settings.heads, mentions=mentions, progress=progress)
    if not counts["heads"].get("heads"):
        raise InputError(
            f"no name of {graph.snapshot} occurs in the {counts['sequences']['sequences']:,} sequences of {run}: give "
            "a seed graph that names the entities of the texts (--seed-graph)"
        )
    counts |= _prepare_training(run, graph, settings, hold_out=options.hold_out is not None, progress=progress)
    return counts


def _prepare_training(
    run: Path, graph: GraphEngine, settings: RunSettings, *, hold_out: bool, progress: Progress
) -> dict[str, Counts]:
    """Which seed triples are held out or reserved, and from the others chains and examples."""
    counts: dict[str, Counts] = {}
    if hold_out:
        counts["held_out"] = prepare_held_out(run, graph, settings=settings.held_out)
    elif HELD_OUT.is_in(run):
        raise InputError(f"{run} holds facts out of training, and now none are to be: prepare another run directory")
    counts["reserved"] = prepare_reserved(run, graph, settings=settings.reserve)
    hidden = hidden_triples(run)
    counts["matches"] = prepare_matches(run, graph, settings=settings.selection, without=hidden, progress=progress)
    counts["injected"] = prepare_injected(run, settings=settings.injection)
    counts["chains"] = prepare_chains(run)
    if not counts["chains"].get("leaves"):
        raise InputError(
            f"no triple of {graph.snapshot} fits a head of {run}, so there is nothing to learn: give a larger seed "
            "graph, or a lower --alpha"
        )
    relations = read_chains(CHAINS.check(run)).relations
    counts["examples"] = prepare_examples(
        run, graph, relations=relations, settings=settings.examples, progress=progress
    )
    return counts


def train(run: Path, options: RunOptions, *, device: str | None = None, progress: Progress = silent) -> Counts:
    """Pre-train on the chains of a run and fine-tune on its examples: run/pretrained and run/model."""
    check_torch()
    run, settings = Path(run), options.settings()
    options.write(run)
    training = replace(settings.training, device=device, licences=_licences(run, options))
    with _few_threads(settings.model.size):
        train_stages(run, model=settings.model, training=training, ranking=settings.ranking, progress=progress)
    return _describe(run)


def predict(
    run: Path, options: RunOptions, *, model: Path | None = None, device: str | None = None, progress: Progress = silent
) -> dict[str, Counts]:
    """Query a trained model (by default the run's) about every head: queries, predictions, tails."""
    check_torch()
    run, settings = Path(run), options.settings()
    options.write(run)
    model = Path(model or MODEL.directory(run))
    graph = open_seed(run, options, progress=progress)
    counts: dict[str, Counts] = {}
    with _helper(options) as helper, _few_threads(settings.model.size):
        counts["queries"] = prepare_queries(
            run,
            graph,
            model=model,
            matching=settings.matching,
            helper=helper if "relations" in options.roles else None,
            progress=progress,
        )
        counts["predictions"] = prepare_predictions(
            run, model=model, k=settings.tokens, device=device, progress=progress
        )
        counts["tails"] = prepare_tails(
            run,
            graph,
            settings=settings.decoder,
            helper=helper if "tails" in options.roles else None,
            progress=progress,
        )
    return counts


def finish(run: Path, options: RunOptions, *, model: Path | None = None, progress: Progress = silent) -> Counts:
    """Filter the tails of a run and write its triples."""
    from clew.embed import open_encoder

    run, settings = Path(run), options.settings()
    options.write(run)
    encoder = open_encoder(options.encoder or ENCODER) if settings.filters.beta > 0 else None
    return prepare_triples(
        run,
        open_seed(run, options, progress=progress),
        model=model_name(Path(model or MODEL.directory(run))),
        settings=settings.filters,
        encoder=encoder,
        progress=progress,
    )


def run_all(
    run: Path, options: RunOptions, *, device: str | None = None, progress: Progress = silent
) -> dict[str, Counts]:
    """All stages; returns what each counted."""
    counts = prepare(run, options, progress=progress)
    counts["model"] = train(run, options, device=device, progress=progress)
    counts |= predict(run, options, device=device, progress=progress)
    counts["triples"] = finish(run, options, progress=progress)
    return counts


def open_seed(run: Path, options: RunOptions, *, progress: Progress = silent) -> GraphEngine:
    """The seed graph of a run: the one chosen, else the toy's, which is built inside the run."""
    if options.seed_graph is not None:
        return open_graph(options.seed_graph)
    path = Path(run) / SEED
    if not path.exists():
        from clew.graph.build import build_graph
        from clew.graph.readers import stage
        from clew.graph.staging import Problems

        problems = Problems()
        build_graph(stage(toy_seed(), problems=problems), path, problems=problems, progress=progress)
    return open_graph(path)


def model_name(model: Path) -> str:
    """The name of a model in assertions: its size and the beginning of its seal's checksum."""
    return f"graphmert-{model_size(model)}-{seal_checksum(model)[:8]}"


def model_size(model: Path) -> str:
    """The size of a model by its name, or its layers and width where it has none."""
    from clew.extract.model.config import SIZES, read_config

    try:
        config = read_config(read_text(model / "config.json"))
    except (OSError, ValueError) as error:
        raise InputError(f"{model} holds no trained model ({error}): train one first") from error
    shape = {"layers": config.layers, "width": config.width, "heads": config.heads, "inner": config.inner}
    return next((name for name, each in SIZES.items() if each == shape), f"{config.layers}x{config.width}")


def check_torch() -> None:
    """Raise `MissingDependency`, which names the extra, where torch or safetensors is not installed."""
    missing = [name for name in ("torch", "safetensors") if find_spec(name) is None]
    if missing:
        raise MissingDependency(f"training and prediction need {' and '.join(missing)}: pip install 'clew[extract]'")


def _mentions(run: Path, options: RunOptions, progress: Progress) -> pa.Table:
    """The mentions that a helper model lists, asked once and kept in run/mentions."""
    with _helper(options) as helper:
        assert helper is not None  # a role asks for one
        work = MENTIONS.start(run, {"helper": helper.identity})
        if work.finished is None:
            table, counts = discover_mentions(run, helper, progress=progress)
            work.write({MENTIONS.name: table}, counts)
    return MENTIONS.read_table(run)


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
def _helper(options: RunOptions) -> Iterator[LanguageModel | None]:
    if options.helper is None:
        yield None
        return
    with open_model(options.helper) as model:
        yield model


def _licences(run: Path, options: RunOptions) -> tuple[str, ...]:
    documents = read_documents(run)["license"].drop_null().unique().to_pylist()
    seed = [f"{each.name}: {each.license}" for each in open_seed(run, options).snapshot.sources if each.license]
    return tuple(sorted({*documents, *seed}))


def _describe(run: Path) -> Counts:
    model = MODEL.directory(run)
    training = json.loads((model / "training.json").read_text("utf-8"))
    history, ranking = training.pop("history", []), training.get("ranking", {}).get("history", [])
    return {
        "model": model_name(model),
        **(history[-1] if history else {}),
        **({"ranking": ranking[-1]} if ranking else {}),
        "licences": training.get("licences"),
    }
