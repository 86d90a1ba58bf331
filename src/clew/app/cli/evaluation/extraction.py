"""`clew eval extraction`: score extracted triples on gold, on held-out facts and with a judge; and a baseline."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.cli.terminal.groups import new_group
from clew.app.cli.terminal.options import AsJson
from clew.app.cli.terminal.output import print_json, print_table, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.errors import InputError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.evaluate.extraction.bc5cdr.scoring import Scored
    from clew.evaluate.extraction.held_out.facts import HeldOutScore
    from clew.evaluate.extraction.judge.factuality import Factuality

__all__ = ["application"]

Data = Annotated[str, typer.Option(metavar="DIR", help="The folder of data sets; it holds bc5cdr.")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="The directory of an extraction run.", show_default=False)]
Seed = Annotated[str, typer.Option(metavar="GRAPH", help="The seed graph of the run.", show_default=False)]
LanguageModelName = Annotated[str, typer.Option("--model", metavar="MODEL", help="A name, a .gguf file or a URL.")]
TrainedModel = Annotated[
    str | None,
    typer.Option("--model", metavar="DIR", help="A trained model; without it, only rules.", show_default=False),
]
Finetune = Annotated[bool, typer.Option("--finetune", help="Fine-tune the model on the gold of train first.")]
Seeds = Annotated[int, typer.Option(metavar="N", min=1, help="Fine-tune with N random seeds; scores are averaged.")]
Configuration = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="The name of this configuration.", show_default=False)
]
DevLog = Annotated[
    str | None,
    typer.Option("--log", metavar="FILE", help="Record the scores on dev, once per name.", show_default=False),
]
OwnTriples = Annotated[
    str | None,
    typer.Option("--run", metavar="RUN", help="Also score the triples of a run, end to end.", show_default=False),
]
FoundMentions = Annotated[
    str | None,
    typer.Option("--mentions", metavar="RUN", help="Use the mentions a run found, not the gold.", show_default=False),
]
OwnSeed = Annotated[
    str | None, typer.Option("--graph", metavar="GRAPH", help="The seed graph of that run.", show_default=False)
]
Mesh = Annotated[
    str | None,
    typer.Option("--mesh", metavar="GRAPH", help="A MeSH graph: hypernyms and missing ids.", show_default=False),
]
NamedModels = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="NAME=DIR", help="A model, or a run with its tails.", show_default=False),
]
TailsFolder = Annotated[
    str | None,
    typer.Option(
        "--out", "-o", metavar="DIR", help="Where to write the predicted tails.", show_default="RUN/asked-held-out"
    ),
]
Limit = Annotated[int, typer.Option(metavar="N", help="At most N, drawn at random.")]


def application() -> typer.Typer:
    """The commands below `clew eval extraction`."""
    app = new_group(
        "extraction", "Evaluate extracted triples: on gold, on held-out facts, and with a calibrated judge."
    )
    for command in (bc5cdr, held_out, judge, baseline):
        app.command(command.__name__.replace("_", "-"))(command)
    return app


def bc5cdr(
    data: Data = "data",
    model: TrainedModel = None,
    finetune: Finetune = False,
    seeds: Seeds = 1,
    name: Configuration = None,
    log: DevLog = None,
    mentions: FoundMentions = None,
    run: OwnTriples = None,
    graph: OwnSeed = None,
    mesh: Mesh = None,
    as_json: AsJson = False,
) -> None:
    """Chemical-induced diseases on BC5CDR dev: rules and a model, with gold mentions or end to end.

    The aggregation of scores and the threshold are chosen on train alone. Without --finetune the model is scored
    zero-shot: it has seen no CID labels. With it, each fold of train is scored by a model trained on the other folds,
    and dev by one trained on all of train. For end-to-end scores without gold mentions, --mentions uses those found by
    a run, and --run scores its triples.

    \b
    Examples:
      clew eval extraction bc5cdr --data data
      clew eval extraction bc5cdr --data data --model run/model
      clew eval extraction bc5cdr --data data --model run/model --finetune --seeds 3
      clew eval extraction bc5cdr --data data --mentions run --graph seed.clew --model run/model
    """
    from clew.evaluate.extraction.bc5cdr.evaluation import Setting, evaluate_bc5cdr

    setting = Setting(
        model=None if model is None else Path(model),
        seeds=seeds if finetune else 0,
        mentions=None if mentions is None else Path(mentions),
        run=None if run is None else Path(run),
        graph=None if graph is None else Path(graph),
        mesh=None if mesh is None else Path(mesh),
    )
    if log is not None and name is None:
        raise InputError("--log records scores under a name: give --name")
    if finetune and model is None:
        raise InputError("--finetune needs a trained model: give --model")
    if graph is None and (mentions is not None or run is not None):
        given = "--run" if mentions is None else "--mentions"
        raise InputError(f"{given} needs the seed graph of that run: give --graph")
    with terminal_progress() as progress:
        rows = evaluate_bc5cdr(
            Path(data) / "bc5cdr", setting, log=None if log is None else Path(log), name=name, progress=progress
        )
    if as_json:
        print_json({"configuration": name, "rows": [row.to_json() for row in rows]})
    else:
        _show_pairs(rows)


def _show_pairs(rows: "Sequence[Scored]") -> None:
    titles = ["method", "part", "precision", "recall", "F1", "F1, 95 %", "pairs", "without hypernyms"]
    wide = len(titles) if any(row.filtered for row in rows) else len(titles) - 1
    table: list[list[str | int]] = []
    for row in rows:
        interval = f"{row.figures.f1.low:.3f}-{row.figures.f1.high:.3f}"
        table.append([row.name, row.part, *_three(row.figures), interval, row.figures.predicted, _filtered(row)])
    print_table(titles[:wide], [line[:wide] for line in table])
    for row in rows:
        if row.note:
            say(f"{row.name}, {row.part}: {printable(row.note)}")


def _three(figures: Any) -> list[str]:
    return [f"{each.mean:.3f}" for each in (figures.precision, figures.recall, figures.f1)]


def _filtered(row: "Scored") -> str:
    return " / ".join(_three(row.filtered)) if row.filtered else ""


def held_out(
    run: Run, graph: Seed, model: NamedModels = None, out: TailsFolder = None, as_json: AsJson = False
) -> None:
    """Measure how many of the facts held out of the seed graph are recovered (P@1, recall@20, MRR).

    Head and tail of a held-out fact are mentioned in one sequence. A generated tail counts as the entity it is linked
    to; other true tails are ignored in the ranking. Baselines: the most frequent tails of the relation, and the nearest
    mention of a suitable type.

    \b
    Examples:
      clew eval extraction held-out run --graph seed.clew --model full=run/model
      clew eval extraction held-out run --graph seed.clew --model full=run/model --model small=other/model --json
    """
    from clew.app.cli.terminal.options import pairs
    from clew.evaluate.extraction.held_out.evaluation import held_out_rows
    from clew.evaluate.extraction.held_out.queries import predict_held_out
    from clew.traverse import open

    folder, opened = Path(out) if out is not None else Path(run) / "asked-held-out", open(graph)
    runs: dict[str, Path] = {}
    with terminal_progress() as progress:
        for name, place in pairs(model, "--model").items():
            runs[name] = Path(place)
            if not (runs[name] / "tails").is_dir():
                runs[name] = folder / name.replace("/", "-")
                predict_held_out(Path(run), runs[name], opened, Path(place), progress=progress)
        rows = held_out_rows(Path(run), Path(graph), runs=runs, progress=progress)
    if as_json:
        print_json({"rows": [row.to_json() for row in rows]})
    else:
        _show_held_out(rows)


def _show_held_out(rows: "Sequence[HeldOutScore]") -> None:
    table: list[list[str | int]] = []
    for row in rows:
        figures = map(_interval, (row.first, row.recall, row.reciprocal))
        table.append([row.name, row.half, row.facts, row.asked, *figures])
    print_table(["ranked by", "half", "facts", "with tails", "P@1", "recall@20", "MRR"], table)


def judge(
    run: Run,
    graph: Seed,
    data: Data = "data",
    model: LanguageModelName = "smollm2",
    by: Annotated[str, typer.Option(metavar="METHOD", help="scoring, grammar, or keywords (no model).")] = "scoring",
    limit: Limit = 200,
    as_json: AsJson = False,
) -> None:
    """Score triples with a calibrated LLM judge: FActScore* and ValidityScore.

    The model is first calibrated on pairs of BC5CDR train and on corrupted triples of the seed: the wording of its
    question and the threshold are chosen on one half, and its balanced accuracy on the other half is shown with every
    score; below 0.70 the judge counts as uncalibrated. ValidityScore also has a row by signatures and types alone.
    --by keywords judges by words between the two names, without a model.

    \b
    Examples:
      clew eval extraction judge run --graph seed.clew --data data
      clew eval extraction judge run --graph seed.clew --model judge.gguf --limit 500 --json
    """
    from contextlib import nullcontext

    from clew.evaluate.extraction.judge.evaluation import judged_rows
    from clew.lm import open_model

    corpus = Path(data) / "bc5cdr"
    with nullcontext() if by == "keywords" else open_model(model) as opened, terminal_progress() as progress:
        rows, trust = judged_rows(opened, Path(run), Path(graph), corpus, by=by, limit=limit, progress=progress)
    if as_json:
        print_json({"rows": [row.to_json() for row in rows], "calibrations": [each.to_json() for each in trust]})
    else:
        _show_judged(rows)
        for each in trust:
            chosen = f"{each.chosen_on:.2f} on the half it was chosen on"
            say(f"{each.question}: {printable(each.judge)}: {each.title}; {chosen}")


def _show_judged(rows: "Sequence[Factuality]") -> None:
    table: list[list[str | int]] = []
    for row in rows:
        others = (f"{share:.3f}" for share in (row.no, row.maybe))
        table.append([row.name, row.judge, row.trust, row.triples, _interval(row.yes), *others])
    print_table(["score", "judge", "balanced accuracy", "triples", "yes", "no", "maybe"], table)


def baseline(
    run: Run,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where to write the triples.", show_default=False)
    ],
    model: LanguageModelName = "smollm2",
    limit: Limit = 50,
    graph: OwnSeed = None,
    data: Annotated[
        str | None, typer.Option(metavar="DIR", help="Read BC5CDR dev only, and score it.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Extract triples with a language model alone, from the same texts and relations, as a baseline.

    Writes a table of triples (Parquet) with their documents. With --graph, names are linked to the seed and
    ValidityScore by signatures is shown; with --data as well, triples of BC5CDR dev are scored against its gold.

    \b
    Examples:
      clew eval extraction baseline run --out baseline.parquet
      clew eval extraction baseline run --model judge.gguf --graph seed.clew --data data --out baseline.parquet
    """
    from clew.evaluate.extraction.bc5cdr.abstracts import read_abstracts
    from clew.evaluate.extraction.language_model.evaluation import read_baseline, score_read_baseline
    from clew.lm import open_model

    if data is not None and graph is None:
        raise InputError("--data scores by MeSH ids: give --graph, the seed that names are linked to")
    dev = None if data is None else read_abstracts(Path(data) / "bc5cdr" / "cdr_dev.pubtator.gz")
    documents = None if dev is None else [f"PMID:{each.document}" for each in dev]
    with open_model(model) as opened, terminal_progress() as progress:
        report = read_baseline(opened, Path(run), Path(out), limit=limit, documents=documents, progress=progress)
    if graph is not None:
        report |= score_read_baseline(Path(out), Path(graph), report["documents"], dev)
    if as_json:
        print_json(report)
        return
    say(f"{counted(report['triples'], 'triple')} from {counted(report['chunks'], 'chunk')}, in {printable(out)}")
    for reason, number in report["left_out"].items():
        say(f"- left out: {number:,} {printable(reason)}")
    for name, said in report.get("scores", {}).items():
        say(f"- {name}: {said}")


def _interval(figure: Any) -> str:
    return f"{figure.mean:.3f} ({figure.low:.2f}-{figure.high:.2f})"
