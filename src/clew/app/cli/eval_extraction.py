"""`clew eval extraction`: how right extracted triples are, on gold, on planted facts, by a judge; and a baseline."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.cli.options import AsJson
from clew.app.cli.output import print_json, print_table, printable, say
from clew.app.cli.progress import terminal_progress
from clew.errors import InputError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.evaluate.extraction.bc5cdr import Ancestors, Scored
    from clew.evaluate.extraction.factuality import Factuality
    from clew.evaluate.extraction.planted import PlantedScore
    from clew.evaluate.extraction.pubtator import Abstract

__all__ = ["application"]

Data = Annotated[str, typer.Option(metavar="DIR", help="The folder of data sets; it holds bc5cdr.")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="The directory of an extraction run.", show_default=False)]
Seed = Annotated[str, typer.Option(metavar="GRAPH", help="The seed graph of the run.", show_default=False)]
LanguageModelName = Annotated[str, typer.Option("--model", metavar="MODEL", help="A name, a .gguf file or a URL.")]
TrainedModel = Annotated[
    str | None,
    typer.Option("--model", metavar="DIR", help="A trained model; else only rules are shown.", show_default=False),
]
Arrays = Annotated[
    str | None, typer.Option("--arrays", metavar="DIR", help="Where the questions are, or are put.", show_default=False)
]
ScoredElsewhere = Annotated[
    str | None,
    typer.Option("--scores", metavar="DIR", help="train.npy and dev.npy, scored elsewhere.", show_default=False),
]
Configuration = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="What the log of dev calls it.", show_default=False)
]
DevLog = Annotated[
    str | None, typer.Option("--log", metavar="FILE", help="Keep the scoring of dev here.", show_default=False)
]
OwnTriples = Annotated[
    str | None,
    typer.Option("--run", metavar="RUN", help="Also score a run's own triples, end to end.", show_default=False),
]
FoundMentions = Annotated[
    str | None,
    typer.Option("--mentions", metavar="RUN", help="Take a run's own mentions, not the gold ones.", show_default=False),
]
OwnSeed = Annotated[
    str | None, typer.Option("--graph", metavar="GRAPH", help="The seed graph of that run.", show_default=False)
]
Mesh = Annotated[
    str | None,
    typer.Option(
        "--mesh", metavar="GRAPH", help="A MeSH graph: for hypernyms, and ids the seed lacks.", show_default=False
    ),
]
NamedModels = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="NAME=DIR", help="A model, or a run with its tails.", show_default=False),
]
NamedScores = Annotated[
    list[str] | None,
    typer.Option("--scores", metavar="NAME=DIR", help="What that model said elsewhere.", show_default=False),
]
TailsFolder = Annotated[
    str | None,
    typer.Option("--out", "-o", metavar="DIR", help="Where tails are kept.", show_default="RUN/asked-planted"),
]
Limit = Annotated[int, typer.Option(metavar="N", help="At most so many, drawn at random.")]


def application() -> typer.Typer:
    """The commands below `clew eval extraction`."""
    app = typer.Typer(
        name="extraction",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        help="How right extracted triples are: against gold, against planted facts, and by a calibrated judge.",
    )
    for command in (bc5cdr, planted, judge, baseline):
        app.command(command.__name__)(command)
    return app


def bc5cdr(
    data: Data = "data",
    model: TrainedModel = None,
    arrays: Arrays = None,
    scores: ScoredElsewhere = None,
    name: Configuration = None,
    log: DevLog = None,
    mentions: FoundMentions = None,
    run: OwnTriples = None,
    graph: OwnSeed = None,
    mesh: Mesh = None,
    as_json: AsJson = False,
) -> None:
    """Chemicals that induce diseases, with gold mentions: rules and a model against the relations of BC5CDR dev.

    How scores become pairs is chosen on train alone. Without --scores the model scores the questions here, as it is,
    with no CID label seen; a fine-tuned one is scored where it was trained, from the files under --arrays. End to end,
    with no gold mention: --mentions asks about those that a run found, --run scores its triples.

    \b
    Examples:
      clew eval extraction bc5cdr --data data
      clew eval extraction bc5cdr --data data --model run/model
      clew eval extraction bc5cdr --data data --arrays arrays --scores scores --name "paper, +train" --log dev.jsonl
      clew eval extraction bc5cdr --data data --mentions run --graph seed.clew --model run/model
    """
    from clew.evaluate.extraction.bc5cdr import log_dev, rule_rows
    from clew.evaluate.extraction.mesh_tree import read_ancestors
    from clew.evaluate.extraction.pubtator import DISEASE, read_pubtator

    if log is not None and name is None:
        raise InputError("--log keeps what was scored under a name: give --name")
    folder = Path(data) / "bc5cdr"
    train, dev = (read_pubtator(folder / f"cdr_{part}.pubtator.gz") for part in ("train", "dev"))
    diseases = {each for abstract in (*train, *dev) for each in abstract.ids(DISEASE)}
    ancestors = None if mesh is None else read_ancestors(mesh, diseases)
    if mentions is not None:
        train, dev = (_with_mentions(part, Path(mentions), graph, mesh) for part in (train, dev))
    rows = rule_rows(dev, "dev", ancestors=ancestors)
    scored = []
    if model is not None or scores is not None:
        scored.append(_model_rows(train, dev, model, arrays, scores, ancestors, learnt=mentions is None))
    if run is not None:
        scored.append(_end_to_end_rows(Path(run), graph, mesh, train, dev, ancestors))
    found = [row for some, _ in scored for row in some]
    if log is not None and name is not None and found:
        log_dev(Path(log), name, [given for _, given in scored], found)
    rows += found
    if as_json:
        print_json({"configuration": name, "rows": [row.to_json() for row in rows]})
    else:
        _show_pairs(rows)


def _with_mentions(abstracts: "Sequence[Abstract]", run: Path, graph: str | None, mesh: str | None) -> "list[Abstract]":
    from clew.evaluate.extraction.bc5cdr_found import find_mentions
    from clew.graph import Graph

    if graph is None:
        raise InputError("--mentions names entities of its seed: say with --graph where that is")
    return find_mentions(abstracts, run, Graph(graph), mesh=None if mesh is None else Graph(mesh))


def _end_to_end_rows(
    run: Path,
    graph: str | None,
    mesh: str | None,
    train: "Sequence[Abstract]",
    dev: "Sequence[Abstract]",
    ancestors: "Ancestors | None",
) -> "tuple[list[Scored], Any]":
    """Rows of a run's own triples, and how sure it is of them."""
    import numpy as np

    from clew.evaluate.extraction.end_to_end import mesh_ids, read_extracted, score_end_to_end
    from clew.graph import Graph

    if graph is None:
        raise InputError("--run names entities of its seed: say with --graph where that is")
    extracted = read_extracted(run)
    ends = (end for each in extracted for end in (each.subject, each.object))
    ids = mesh_ids(Graph(graph), ends, mesh=None if mesh is None else Graph(mesh))
    sure = np.array([each.score for each in extracted], np.float32)
    return score_end_to_end("end to end", extracted, ids, train, dev, ancestors=ancestors), sure


def _model_rows(
    train: "Sequence[Abstract]",
    dev: "Sequence[Abstract]",
    model: str | None,
    arrays: str | None,
    scores: str | None,
    ancestors: "Ancestors | None",
    *,
    learnt: bool,
) -> "tuple[list[Scored], Any]":
    """Rows of a model, scored here or elsewhere, and its scores of dev."""
    from tempfile import TemporaryDirectory

    import numpy as np

    from clew.evaluate.extraction.bc5cdr import score_bc5cdr

    with TemporaryDirectory() as temporary, terminal_progress() as progress:
        asked = Path(arrays) if arrays is not None else Path(temporary) / "arrays"
        if not (asked / "counts.json").is_file():
            if model is None:
                raise InputError(f"{asked} holds no questions: give --model, for whose tokenizer they are made")
            _make_arrays(train, dev, asked, Path(model), learnt=learnt)
        if scores is not None:
            given = [np.load(Path(scores) / f"{part}.npy", allow_pickle=False) for part in ("train", "dev")]
        else:
            from clew.evaluate.extraction.bc5cdr_model import score_questions
            from clew.extract.predict.predictor import Predictor

            predictor = Predictor.open(Path(str(model)))
            given = [
                score_questions(predictor, asked / f"scoring-{part}", progress=progress) for part in ("train", "dev")
            ]
        return score_bc5cdr(asked, train, dev, *given, ancestors=ancestors), given[1]


def _make_arrays(
    train: "Sequence[Abstract]", dev: "Sequence[Abstract]", out: Path, model: Path, *, learnt: bool
) -> None:
    import json

    from clew.evaluate.extraction.bc5cdr_arrays import make_bc5cdr_arrays

    try:
        relations = json.loads((model / "relations.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{model} is not the directory of a trained model ({error})") from error
    make_bc5cdr_arrays(train, dev, out, tokenizer=model / "tokenizer.json", relations=relations, learnt=learnt)


def _show_pairs(rows: "Sequence[Scored]") -> None:
    titles = ["row", "part", "precision", "recall", "F1", "F1, 95 %", "pairs", "without hypernyms"]
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


def planted(
    run: Run,
    graph: Seed,
    model: NamedModels = None,
    scores: NamedScores = None,
    out: TailsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Facts that were taken out of the seed before training: are they found again?

    Both ends stand in one sequence. A generated tail counts as the entity it is linked to; other true tails are passed
    over. Beside the models: the commonest tails of the relation, and the nearest mention of a type that fits.

    \b
    Examples:
      clew eval extraction planted run --graph seed.clew --model full=run/model
      clew eval extraction planted run --graph seed.clew --model full=run/model --scores full=results --json
    """
    from clew.app.cli.options import pairs
    from clew.evaluate.extraction.planted_queries import predict_planted
    from clew.evaluate.extraction.planted_run import planted_rows
    from clew.graph import Graph

    models, elsewhere = pairs(model, "--model"), pairs(scores, "--scores")
    if strange := sorted(set(elsewhere) - set(models)):
        raise InputError(f"--scores are of {strange[0]!r}, which is no --model")
    folder, opened = Path(out) if out is not None else Path(run) / "asked-planted", Graph(graph)
    runs: dict[str, Path] = {}
    with terminal_progress() as progress:
        for name, place in models.items():
            runs[name] = Path(place)
            if not (runs[name] / "tails").is_dir():
                runs[name] = folder / name.replace("/", "-")
                said = Path(elsewhere[name]) if name in elsewhere else None
                predict_planted(Path(run), runs[name], opened, Path(place), elsewhere=said, progress=progress)
        rows = planted_rows(Path(run), Path(graph), runs=runs, progress=progress)
    if as_json:
        print_json({"rows": [row.to_json() for row in rows]})
    else:
        _show_planted(rows)


def _show_planted(rows: "Sequence[PlantedScore]") -> None:
    table: list[list[str | int]] = []
    for row in rows:
        figures = map(_interval, (row.first, row.recall, row.reciprocal))
        table.append([row.name, row.half, row.facts, row.asked, *figures])
    print_table(["row", "half", "facts", "with tails", "P@1", "recall@20", "MRR"], table)


def judge(
    run: Run,
    graph: Seed,
    data: Data = "data",
    model: LanguageModelName = "smollm2",
    by: Annotated[str, typer.Option(metavar="WAY", help="scoring, grammar, or cues (no model).")] = "scoring",
    limit: Limit = 200,
    as_json: AsJson = False,
) -> None:
    """Let a judge judge extracted triples, after judging it: FActScore* and ValidityScore.

    A language model is first calibrated on pairs of BC5CDR train and on corrupted triples of the seed: the wording of
    its question and the threshold are chosen on one half, and its balanced accuracy on the other half stands beside
    every score; below 0.70 the score is that of an uncalibrated judge. ValidityScore also has a row by signatures and
    types alone. With --by cues, words between the two names judge, and no model.

    \b
    Examples:
      clew eval extraction judge run --graph seed.clew --data data
      clew eval extraction judge run --graph seed.clew --model judge.gguf --limit 500 --json
    """
    from contextlib import nullcontext

    from clew.evaluate.extraction.judge_run import judged_rows
    from clew.lm import open_model

    corpus = Path(data) / "bc5cdr"
    with nullcontext() if by == "cues" else open_model(model) as opened, terminal_progress() as progress:
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
    print_table(["score", "judge", "its balanced accuracy", "triples", "yes", "no", "maybe"], table)


def baseline(
    run: Run,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="Where the triples go.", show_default=False)],
    model: LanguageModelName = "smollm2",
    limit: Limit = 50,
    graph: OwnSeed = None,
    data: Annotated[
        str | None, typer.Option(metavar="DIR", help="Read BC5CDR dev only, and score it.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What a language model reads out of the same texts, with the same relations and nothing else.

    Writes a table of triples (Parquet) with the documents they were read from. With --graph, names are linked to the
    seed and ValidityScore by signatures is shown; with --data as well, triples of BC5CDR dev are held against its gold.

    \b
    Examples:
      clew eval extraction baseline run --out baseline.parquet
      clew eval extraction baseline run --model judge.gguf --graph seed.clew --data data --out baseline.parquet
    """
    from clew.evaluate.extraction.baseline_run import read_baseline, score_read_baseline
    from clew.evaluate.extraction.pubtator import read_pubtator
    from clew.lm import open_model

    if data is not None and graph is None:
        raise InputError("--data holds gold by MeSH ids: say with --graph what names are linked to")
    dev = None if data is None else read_pubtator(Path(data) / "bc5cdr" / "cdr_dev.pubtator.gz")
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
