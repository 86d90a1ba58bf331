"""`clew extract`: from texts and a seed graph to triples with their sentences, stage by stage or all at once."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from clew.app.cli.terminal.conversation import read_input
from clew.app.cli.terminal.groups import new_group
from clew.app.cli.terminal.options import AsJson, check_limit
from clew.app.cli.terminal.output import one_line, print_json, print_table, printable, say, shown_of
from clew.app.cli.terminal.progress import terminal_progress
from clew.app.records import run_record, text_record
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.embed import Encoder
    from clew.extract.run.options import RunOptions
    from clew.lm import LanguageModel

__all__ = ["application"]

RUN = "extraction"
RunPath = Annotated[Path, typer.Argument(metavar="[RUN]", help="The run directory.")]
Device = Annotated[
    str | None, typer.Option(metavar="NAME", help="cpu or cuda (default: cuda if there is one).", show_default=False)
]
ModelPath = Annotated[
    str | None,
    typer.Option("--model", metavar="MODEL", help="Another run, a model directory, or small.", show_default=False),
]
Text = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Extract from this text instead of a run; - reads stdin.", show_default=False),
]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Maximum number of triples shown.")]


class _TextsByDefault(TyperGroup):
    """Commands of `clew extract`; a path in place of a command means `texts`: `clew extract abstracts/ --out facts`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments begin with, or `texts` where they begin with a path."""
        if args and args[0] not in self.commands and (args[0] == "-" or Path(args[0]).exists()):
            args = ["texts", *args]
        return super().resolve_command(ctx, args)


def application() -> typer.Typer:
    """The commands below `clew extract`."""
    from clew.app.cli.extraction.package import package
    from clew.app.cli.extraction.review import review
    from clew.app.cli.extraction.run_options import take_run_options
    from clew.app.cli.extraction.texts import texts

    app = new_group(
        "extract",
        "Extract triples from texts.\n\n"
        "`clew extract TEXTS --model small --out DIR [--into GRAPH]` reads the facts that documents state, with a "
        "shipped model. The other commands train a model on texts and a seed graph (GraphMERT) and use it; runs "
        "resume, finished stages are skipped, and a run remembers its options.",
        kind=_TextsByDefault,
    )
    app.command("texts")(texts)
    app.command("review")(review)
    phases = ("prepare", "train", "predict", "filter")
    app.command("run")(take_run_options(run_all, phases=phases))
    for command, name in ((prepare, "prepare"), (train, "train"), (predict, "predict"), (filter_, "filter")):
        app.command(name)(take_run_options(command, phases=(name,)))
    app.command("status")(status)
    app.command("package")(package)
    return app


def run_all(
    *,
    options: "RunOptions",
    run: RunPath = Path(RUN),
    device: Device = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Run all stages: prepare, train, predict, filter. Without TEXTS, a toy corpus is used.

    \b
    Examples:
      clew extract run --size tiny
      clew extract run diabetes pubmed.xml.gz notes/ --seed-graph hpo.clew --size small
      clew extract run diabetes --epochs 10 --device cuda --json
    """
    from clew.extract.run import pipeline

    check_limit(limit)
    with _timed() as seconds, terminal_progress() as progress:
        pipeline.run_all(run, _remembered(run, options, new=True), device=device, progress=progress)
    _report("run", run, seconds, limit=limit, as_json=as_json)


def prepare(*, options: "RunOptions", run: RunPath = Path(RUN), as_json: AsJson = False) -> None:
    """Read texts, find mentions of seed entities, and select the seed triples to train on.

    With --hold-out, a share of the seed's entity pairs is kept out of training; `clew eval extraction held-out` then
    measures how many of these facts the trained model finds.

    \b
    Examples:
      clew extract prepare diabetes pubmed.xml.gz notes/ --seed-graph hpo.clew --size small
      clew extract prepare trial abstracts.jsonl --seed-graph hpo.clew --size small --hold-out 0.1
    """
    from clew.extract.run import pipeline

    with _timed() as seconds, terminal_progress() as progress:
        pipeline.prepare(run, _remembered(run, options, new=True), progress=progress)
    _report("prepare", run, seconds, limit=0, as_json=as_json)


def train(*, options: "RunOptions", run: RunPath = Path(RUN), device: Device = None, as_json: AsJson = False) -> None:
    """Pre-train the model on a prepared run, then fine-tune it to rank candidate tails.

    Several GPUs: `torchrun --nproc-per-node 4 -m clew.app.cli.main extract train RUN`.

    \b
    Examples:
      clew extract train diabetes --epochs 25 --device cuda
      clew extract train diabetes --rank-epochs 0
    """
    from clew.extract.run import pipeline

    with _timed() as seconds, terminal_progress() as progress:
        pipeline.train(run, _remembered(run, options), device=device, progress=progress)
    _report("train", run, seconds, limit=0, as_json=as_json)


def predict(
    *,
    options: "RunOptions",
    run: RunPath = Path(RUN),
    model: ModelPath = None,
    text: Text = None,
    device: Device = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Predict the tails of every head of a run, or extract triples from one text.

    \b
    Examples:
      clew extract predict diabetes
      clew extract predict other --model diabetes
      clew extract predict --model small --text abstract.txt
    """
    from clew.extract.packaging.locate import find_weights
    from clew.extract.run import pipeline

    check_limit(limit)
    if text is not None:
        _predict_text(text, model or str(run), options, device=device, limit=limit, as_json=as_json)
        return
    other = None if model is None else find_weights(Path(model))
    with _timed() as seconds, terminal_progress() as progress:
        pipeline.predict(run, _remembered(run, options), model=other, device=device, progress=progress)
    _report("predict", run, seconds, limit=0, as_json=as_json)


def filter_(
    *,
    options: "RunOptions",
    run: RunPath = Path(RUN),
    model: ModelPath = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Filter the predicted tails and write the final triples, as a table and as KGX for `clew build`.

    \b
    Examples:
      clew extract filter diabetes --confidence 0.8
      clew build diabetes/triples --out extracted.clew
    """
    from clew.extract.packaging.locate import find_weights
    from clew.extract.run import pipeline

    check_limit(limit)
    other = None if model is None else find_weights(Path(model))
    with _timed() as seconds, terminal_progress() as progress:
        pipeline.finish(run, _remembered(run, options), model=other, progress=progress)
    _report("filter", run, seconds, limit=limit, as_json=as_json)


def status(run: RunPath = Path(RUN), limit: Limit = 20, as_json: AsJson = False) -> None:
    """Show the stages of a run, their state and counts, and the final triples.

    \b
    Examples:
      clew extract status diabetes
      clew extract status diabetes --json
    """
    check_limit(limit)
    _report("status", run, [0.0], limit=limit, as_json=as_json)


def _remembered(run: Path, options: "RunOptions", *, new: bool = False) -> "RunOptions":
    """The options given now, over those saved with the run; a `new` run may have none."""
    from clew.extract.run.options import RECORD, RunOptions

    if new and not (run / RECORD).exists():
        return options
    return options.over(RunOptions.read(run))


@contextmanager
def _timed() -> Iterator[list[float]]:
    """A list that receives the duration of the block in seconds."""
    seconds: list[float] = []
    begun = time.perf_counter()
    yield seconds
    seconds.append(time.perf_counter() - begun)


# ---- reports


def _report(action: str, run: Path, seconds: list[float], *, limit: int, as_json: bool) -> None:
    from clew.extract.filter.triples import read_triples
    from clew.extract.run.status import run_status

    states = run_status(run)
    finished = states[-1].state == "finished" and action in ("filter", "run", "status")
    rows = _most_confident_first(read_triples(run)) if finished else []
    if as_json:
        print_json(run_record(action, str(run), states, rows, limit=limit, seconds=sum(seconds)))
        return
    print_table(
        ["stage", "command", "state", "contents", "counts"],
        [
            (
                each.stage.name,
                each.stage.command.split()[0],
                each.state,
                each.stage.holds,
                _headline(each.counts, each.stage.headline),
            )
            for each in states
        ],
        shrink=["counts"],
    )
    if rows:
        say()
        _show_triples(rows, limit)
        say()
        say(f"build a graph of them: clew build {printable(str(run / 'triples'))} --out extracted.clew")


def _headline(counts: dict[str, Any], names: Sequence[str]) -> str:
    return ", ".join(f"{counts[name]:,} {name}" for name in names if name in counts)


def _most_confident_first(triples: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = triples.sort_by([("confidence", "descending")]).to_pylist()
    return rows


def _show_triples(rows: list[dict[str, Any]], limit: int) -> None:
    shown = [
        (
            row["tail_text" if row["turned"] else "head_text"],
            row["relation"],
            row["head_text" if row["turned"] else "tail_text"],
            round(row["confidence"], 2),
            "yes" if row["known"] else "no",
            "yes" if row["tail_start"] is not None else "no",
            one_line(row["sentence"]),
        )
        for row in rows[:limit]
    ]
    titles = ["subject", "relation", "object", "confidence", "in seed graph", "tail in sentence", "sentence"]
    print_table(titles, shown, shrink=["sentence", "object", "subject"])
    if len(rows) > limit:
        say(shown_of(limit, len(rows)))


# ---- one text


def _predict_text(
    text: str, model: str, options: "RunOptions", *, device: str | None, limit: int, as_json: bool
) -> None:
    from clew.extract.packaging.locate import find_model
    from clew.extract.run.single_text import extract_from_text

    begun = time.perf_counter()
    with terminal_progress() as progress:
        found, graph = find_model(Path(model), seed_graph=options.seed_graph, progress=progress)
    settings = replace(options, size=options.size or _preset_of(found)).settings()
    with terminal_progress() as progress, _opened(options) as (encoder, helper):
        triples, counts = extract_from_text(
            read_input(text), found, graph, settings=settings, encoder=encoder, helper=helper, device=device,
            progress=progress,
        )  # fmt: skip
    rows = _most_confident_first(triples)
    if as_json:
        print_json(text_record(model, counts, rows, limit=limit, seconds=time.perf_counter() - begun))
        return
    heads, flagged = counts["heads"]["heads"], sum(counts["corpus"]["flagged"].values())
    say(
        f"{counted(counts['corpus']['sentences'], 'sentence')}, {flagged:,} left out as negated, speculative or about "
        f"animals; {counted(heads, 'head')}, {counted(counts['queries']['queries'], 'query')}"
    )
    say()
    if not rows:
        say("no triple reached the confidence threshold: see --confidence")
        return
    _show_triples(rows, limit)


def _preset_of(model: Path) -> str:
    """The settings that go with a model's own size."""
    from clew.extract.run.pipeline import model_size
    from clew.extract.run.settings import PRESETS

    size = model_size(model)
    return size if size in PRESETS else "small"


@contextmanager
def _opened(options: "RunOptions") -> "Iterator[tuple[Encoder | None, LanguageModel | None]]":
    """The encoder and the helper model, where they are needed."""
    encoder = None
    if options.beta:
        from clew.embed import open_encoder

        encoder = open_encoder(options.encoder or "minilm")
    if options.helper is None:
        yield encoder, None
        return
    from clew.lm import open_model

    with open_model(options.helper) as helper:
        yield encoder, helper
