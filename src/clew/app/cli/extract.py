"""`clew extract`: from texts and a seed graph to triples with their sentences, stage by stage or all at once."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.cli.options import AsJson, check_limit
from clew.app.cli.output import one_line, print_json, print_table, printable, say, shown_of
from clew.app.cli.progress import terminal_progress
from clew.errors import InputError, UnknownName
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.embed import Encoder
    from clew.extract.run.settings import Choices
    from clew.lm import LanguageModel

__all__ = ["extract"]

ACTIONS = ("prepare", "train", "predict", "filter", "run", "status")
RUN = "extraction"
Names = list[str] | None
SHOWN = (
    "subject", "subject_name", "relation", "object", "object_name", "known", "turned", "document", "sentence",
    "sentence_start", "sentence_end", "head_text", "head_start", "head_end", "tail_text", "tail_start", "tail_end",
    "confidence", "similarity", "decoder", "model",
)  # fmt: skip


Inputs = Annotated[
    Names,
    typer.Argument(
        metavar="[TEXTS]...", help="Files or folders: PubMed XML, JSONL, CSV, plain text, …", show_default=False
    ),
]
SeedGraph = Annotated[
    str | None,
    typer.Option(metavar="GRAPH", help="The seed: a graph that names what the texts say.", show_default=False),
]
Size = Annotated[str | None, typer.Option(metavar="SIZE", help="tiny (default), small or paper.", show_default=False)]
Tokenizer = Annotated[
    str | None, typer.Option(metavar="FILE", help="A tokenizer.json; else one is trained.", show_default=False)
]
License = Annotated[str | None, typer.Option(metavar="NAME", help="Of texts that state none.", show_default=False)]
Keep = Annotated[
    Names, typer.Option(metavar="FLAG", help="Read negated, speculative or animal sentences too.", show_default=False)
]
Alpha = Annotated[
    float | None, typer.Option(metavar="Q", help="Inject matches above this quantile of scores.", show_default=False)
]
Beta = Annotated[
    float | None,
    typer.Option(metavar="Q", help="Keep triples as near the text as matches above Q are.", show_default=False),
]
Confidence = Annotated[
    float | None, typer.Option(metavar="P", help="Keep triples that are at least so sure.", show_default=False)
]
Across = Annotated[
    bool | None,
    typer.Option("--across/--no-across", help="Keep what two sentences say together.", show_default=False),
]
NewKinds = Annotated[
    bool | None,
    typer.Option("--new-kinds/--no-new-kinds", help="Keep is_a that the seed's hierarchy denies.", show_default=False),
]
EncoderName = Annotated[
    str | None, typer.Option("--encoder", metavar="NAME", help="Compares triples and text; minilm.", show_default=False)
]
Helper = Annotated[
    str | None, typer.Option(metavar="MODEL", help="A language model that forms the tails.", show_default=False)
]
HelperFor = Annotated[
    Names, typer.Option(metavar="WHAT", help="Or for heads, relations, tails; repeatable.", show_default=False)
]
Steps = Annotated[int | None, typer.Option(metavar="N", help="Train so many steps,", show_default=False)]
Epochs = Annotated[float | None, typer.Option(metavar="N", help="or so many times over all texts.", show_default=False)]
Teach = Annotated[
    int | None, typer.Option(metavar="N", help="Epochs of choosing among mentions; 0: none.", show_default=False)
]
Device = Annotated[
    str | None, typer.Option(metavar="NAME", help="cpu or cuda; else the best there is.", show_default=False)
]
ModelPath = Annotated[
    str | None,
    typer.Option("--model", metavar="DIR", help="predict: another run, a model, or small.", show_default=False),
]
Text = Annotated[
    str | None, typer.Option(metavar="FILE", help="predict: one's own text; - reads stdin.", show_default=False)
]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Triples shown at most.")]


def extract(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="prepare, train, predict, filter, run or status.")],
    run: Annotated[str, typer.Argument(metavar="[RUN]", help="The run directory.")] = RUN,
    inputs: Inputs = None,
    seed_graph: SeedGraph = None,
    size: Size = None,
    tokenizer: Tokenizer = None,
    license: License = None,
    keep: Keep = None,
    alpha: Alpha = None,
    beta: Beta = None,
    confidence: Confidence = None,
    across: Across = None,
    new_kinds: NewKinds = None,
    encoder: EncoderName = None,
    helper: Helper = None,
    helper_for: HelperFor = None,
    steps: Steps = None,
    epochs: Epochs = None,
    teach: Teach = None,
    device: Device = None,
    model: ModelPath = None,
    text: Text = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Extract triples from texts with a model trained on them and on a seed graph (GraphMERT).

    prepare reads texts and finds what the seed says of them; train learns that, and then which mention of a text is the
    tail, or that none is; predict asks for the tails of every head; filter keeps what holds and writes it for `clew
    build`; run does all. A finished stage is not repeated, a killed one goes on. What is chosen for a run is remembered
    in it. Without TEXTS and a seed graph, a toy corpus is taken.

    \b
    Examples:
      clew extract run --size tiny
      clew extract prepare diabetes pubmed.xml.gz notes/ --seed-graph hpo.clew --size small
      clew extract run diabetes --epochs 10 --device cuda --json
      clew extract predict --model small --text abstract.txt
      clew build diabetes/triples --out extracted.clew
    """
    if action not in ACTIONS:
        raise UnknownName(f"no action of extract is called {action!r}: known: {', '.join(ACTIONS)}", close=ACTIONS)
    check_limit(limit)
    from clew.extract.run.settings import Choices

    chosen = Choices(
        inputs=tuple(str(Path(each).absolute()) for each in inputs) if inputs else None,
        license=license, keep=tuple(keep) if keep else None, seed_graph=_absolute(seed_graph), size=size,
        tokenizer=_absolute(tokenizer), encoder=encoder, helper=helper, alpha=alpha, beta=beta, confidence=confidence,
        across=across, new_kinds=new_kinds, helper_for=tuple(helper_for) if helper_for else None, steps=steps,
        epochs=epochs, teach=teach,
    )  # fmt: skip
    if text is not None:
        if action != "predict":
            raise InputError(f"--text goes with predict, not with {action}")
        _predict_text(text, model or run, chosen, device=device, limit=limit, as_json=as_json)
        return
    begun = time.perf_counter()
    if action != "status":
        _work(action, Path(run), chosen, model=model, device=device)
    _report(action, Path(run), time.perf_counter() - begun, limit=limit, as_json=as_json)


def _absolute(path: str | None) -> str | None:
    """So that a run can be gone on with from another directory."""
    return None if path is None else str(Path(path).absolute())


def _work(action: str, run: Path, chosen: "Choices", *, model: str | None, device: str | None) -> None:
    from clew.extract.packaging.locate import find_weights
    from clew.extract.run import pipeline
    from clew.extract.run.settings import RECORD, Choices

    new = action in ("prepare", "run") and not (run / RECORD).exists()
    choices = chosen if new else chosen.over(Choices.read(run))
    other = None if model is None else find_weights(Path(model))
    with terminal_progress() as progress:
        if action == "prepare":
            pipeline.prepare(run, choices, progress=progress)
        elif action == "train":
            pipeline.train(run, choices, device=device, progress=progress)
        elif action == "predict":
            pipeline.predict(run, choices, model=other, device=device, progress=progress)
        elif action == "filter":
            pipeline.finish(run, choices, model=other, progress=progress)
        else:
            pipeline.run_all(run, choices, device=device, progress=progress)


# ---- what is shown


def _report(action: str, run: Path, seconds: float, *, limit: int, as_json: bool) -> None:
    from clew.extract.filter.triples import read_triples
    from clew.extract.run.settings import look

    standings = look(run)
    finished = standings[-1].state == "finished" and action in ("filter", "run", "status")
    rows = _best(read_triples(run)) if finished else []
    if as_json:
        stages = [
            {"stage": each.stage.name, "state": each.state, "holds": each.stage.holds, "counts": each.counts}
            for each in standings
        ]
        print_json(
            {
                "action": action,
                "run": str(run),
                "seconds": round(seconds, 3),
                "stages": stages,
                "total": len(rows),
                "triples": [_record(row) for row in rows[:limit]],
            }
        )
        return
    print_table(
        ["stage", "made by", "state", "what it holds", "counted"],
        [
            (
                each.stage.name,
                each.stage.command,
                each.state,
                each.stage.holds,
                _headline(each.counts, each.stage.counted),
            )
            for each in standings
        ],
        shrink=["counted"],
    )
    if rows:
        say()
        _show_triples(rows, limit)
        say()
        say(f"build them: clew build {printable(str(run / 'triples'))} --out extracted.clew")


def _headline(counts: dict[str, Any], names: Sequence[str]) -> str:
    return ", ".join(f"{counts[name]:,} {name}" for name in names if name in counts)


def _best(triples: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = triples.sort_by([("confidence", "descending")]).to_pylist()
    return rows


def _show_triples(rows: list[dict[str, Any]], limit: int) -> None:
    shown = [
        (
            row["tail_text" if row["turned"] else "head_text"],
            row["relation"],
            row["head_text" if row["turned"] else "tail_text"],
            round(row["confidence"], 2),
            "known" if row["known"] else "new",
            "yes" if row["tail_start"] is not None else "no",
            one_line(row["sentence"]),
        )
        for row in rows[:limit]
    ]
    titles = ["subject", "relation", "object", "chance", "to the seed", "said", "sentence"]
    print_table(titles, shown, shrink=["sentence", "object", "subject"])
    if len(rows) > limit:
        say(shown_of(limit, len(rows)))


def _record(row: dict[str, Any]) -> dict[str, Any]:
    kept = {name: row[name] for name in SHOWN}
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in kept.items()}


# ---- one's own text


def _predict_text(text: str, model: str, chosen: "Choices", *, device: str | None, limit: int, as_json: bool) -> None:
    from clew.extract.packaging.locate import find_model
    from clew.extract.run.single_text import extract_from_text

    begun = time.perf_counter()
    with terminal_progress() as progress:
        found, graph = find_model(Path(model), seed_graph=chosen.seed_graph, progress=progress)
    settings = replace(chosen, size=chosen.size or _preset_of(found)).settings()
    with terminal_progress() as progress, _opened(chosen) as (encoder, helper):
        triples, counts = extract_from_text(
            _read(text), found, graph, settings=settings, keep=chosen.keep or (), encoder=encoder, helper=helper,
            device=device, progress=progress,
        )  # fmt: skip
    rows = _best(triples)
    if as_json:
        print_json(
            {
                "action": "predict",
                "model": model,
                "seconds": round(time.perf_counter() - begun, 3),
                "counts": counts,
                "total": len(rows),
                "triples": [_record(row) for row in rows[:limit]],
            }
        )
        return
    heads, flagged = counts["heads"]["heads"], sum(counts["corpus"]["flagged"].values())
    say(
        f"{counted(counts['corpus']['sentences'], 'sentence')}, {flagged:,} left out as negated, speculative or about "
        f"animals; {counted(heads, 'head')}, {counted(counts['asked']['queries'], 'query')}"
    )
    say()
    if not rows:
        say("no triple was sure enough: see --confidence")
        return
    _show_triples(rows, limit)


def _preset_of(model: Path) -> str:
    """The settings that go with a model's own size."""
    from clew.extract.run.pipeline import model_size
    from clew.extract.run.settings import PRESETS

    size = model_size(model)
    return size if size in PRESETS else "small"


@contextmanager
def _opened(chosen: "Choices") -> "Iterator[tuple[Encoder | None, LanguageModel | None]]":
    """The encoder and the helper model, where they are needed."""
    encoder = None
    if chosen.beta:
        from clew.embed import open_encoder

        encoder = open_encoder(chosen.encoder or "minilm")
    if chosen.helper is None:
        yield encoder, None
        return
    from clew.lm import open_model

    with open_model(chosen.helper) as helper:
        yield encoder, helper


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"{file} is no UTF-8 text: {error}") from error
