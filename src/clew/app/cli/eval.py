"""`clew eval`: how right the answers are, on benches with gold."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.cli.ask import mention_missing_encoder
from clew.app.cli.demo import cache_directory, cached_hpo
from clew.app.cli.options import AsJson, open_graph
from clew.app.cli.output import print_json, print_table, printable, say
from clew.app.cli.progress import terminal_progress
from clew.errors import InputError, UnknownName

if TYPE_CHECKING:
    from clew.evaluate.runner import Asked

__all__ = ["evaluate"]

KINDS = ("qa",)


def evaluate(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="qa: questions in plain English.", show_default=False)],
    bench: Annotated[str, typer.Argument(metavar="BENCH", help="hpo-60, hpo-held or alzkb.", show_default=False)],
    graph: Annotated[
        str | None,
        typer.Option(
            "--graph", metavar="GRAPH", help="The graph to ask; the demo's HPO by default.", show_default=False
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="DIR", help="alzkb: the folder of AlzKB's questions and Hetionet.", show_default=False
        ),
    ] = None,
    paraphrases: Annotated[bool, typer.Option("--paraphrases", help="Ask the paraphrases instead.")] = False,
    no_embedding: Annotated[bool, typer.Option("--no-embedding", help="Rank readings by words alone.")] = False,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help="Let a language model phrase the texts.", show_default=False),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Also write FILE.json, .md or .html.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask every question of a bench and hold the answers against their gold.

    A result matches if it holds exactly the entities of one accepted reading; a query matches if it says the same as
    its gold query. Abstaining and failing score 0. The evidence of every answer is checked against the graph again.

    \b
    Examples:
      clew eval qa hpo-60
      clew eval qa hpo-60 --paraphrases --out report.html
      clew eval qa hpo-held --no-embedding --json
      clew eval qa alzkb --data data
    """
    if kind not in KINDS:
        raise UnknownName(f"no evaluation is called {kind!r}: known: {', '.join(KINDS)}")
    path = None if out is None else _checked(out)
    if bench == "alzkb":
        _alzkb(data, path, embedding=not no_embedding, as_json=as_json)
        return
    from clew.answer import open_asker
    from clew.evaluate.questions import BENCHES, load_bench
    from clew.evaluate.runner import ask_all, cold_seconds, run_record

    if bench not in BENCHES:
        raise UnknownName(f"no bench is called {bench!r}: known: {', '.join(BENCHES)}, alzkb")
    questions = load_bench(bench)
    engine = cached_hpo()[0] if graph is None else open_graph(graph)
    with terminal_progress() as progress:
        asker = open_asker(engine, model=model, embedding=not no_embedding, progress=progress)
        if not no_embedding:
            mention_missing_encoder(asker)
        try:
            cold = cold_seconds(asker, questions[0].question)
            asked = list(ask_all(questions, asker, paraphrases=paraphrases, progress=progress))
        finally:
            asker.store.close()
    settings = {"paraphrases": paraphrases, "embedding": asker.encoder is not None, "model": model}
    record = {**run_record(bench, asked, asker, settings=settings), "cold_seconds": round(cold, 3)}
    if path is not None:
        _write(record, path)
    if as_json:
        print_json(record)
    else:
        _show(record, asked)
        if path is not None:
            say()
            say(f"written to {printable(str(path))}")


def _alzkb(data: str | None, path: Path | None, *, embedding: bool, as_json: bool) -> None:
    from clew.answer import open_asker
    from clew.evaluate.benches.alzkb import load_alzkb
    from clew.evaluate.benches.alzkb_names import shared_aliases
    from clew.evaluate.benches.alzkb_run import alzkb_record, ask_alzkb
    from clew.evaluate.benches.hetionet_graph import build_hetionet

    if data is None:
        raise InputError("alzkb needs --data: the folder that holds alzkb_questions, hetionet and biomed_edges")
    if path is not None and path.suffix != ".json":
        raise InputError("a report of alzkb ends in .json")
    folder, graph = Path(data), cache_directory() / "hetionet-alzkb.clew"
    with terminal_progress() as progress:
        aliases = shared_aliases(folder)
        if not graph.exists():
            build_hetionet(folder, graph, aliases=aliases, progress=progress)
        engine = open_graph(str(graph))
        questions = load_alzkb(folder, engine.graph, aliases=aliases)
        asker = open_asker(engine, kinds=False, embedding=embedding, progress=progress)
        try:
            record = alzkb_record(questions, ask_alzkb(questions, asker, progress=progress))
        finally:
            asker.store.close()
    if path is not None:
        _write(record, path)
    if as_json:
        print_json(record)
        return
    say(f"{record['covered']:,} of {record['n']:,} questions can be answered from this graph")
    for reason, number in record["not_covered"].items():
        say(f"- not {number:,}: {printable(reason)}")
    say()
    titles = ["form", "n", "by id", "by name", "also what AlzKB does not know"]
    print_table(titles, [(form["form"], form["n"], *map(_interval, _measured(form))) for form in record["forms"]])
    say()
    good = record["covered"] - record["faults"]
    say(f"evidence checked against the graph: {good} of {record['covered']} without fault")
    for row in record["questions"]:
        if row["by_id"] < 1:
            say(f"- {row['id']} ({row['by_id']:.2f}): {printable(row['question'])}")


def _measured(form: dict[str, Any]) -> list[dict[str, float]]:
    return [form["by_id"], form["by_name"], form["unlimited"]]


def _interval(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.3f} ({figure['low']:.2f}-{figure['high']:.2f})"


def _checked(out: str) -> Path:
    path = Path(out)
    if path.suffix not in (".json", ".md", ".html"):
        raise InputError(f"a report ends in .json, .md or .html, not {path.suffix or 'in nothing'!r}")
    return path


def _write(record: dict[str, Any], path: Path) -> None:
    from json import dumps

    from clew.evaluate.report import read_run, write_markdown, write_page
    from clew.files import write_text

    if path.suffix == ".json":
        write_text(path, dumps(record, indent=1, ensure_ascii=False) + "\n")
    else:
        write_text(path, (write_markdown if path.suffix == ".md" else write_page)(read_run(record)))


def _show(record: dict[str, Any], asked: "list[Asked]") -> None:
    rows = []
    for level in (*record["summary"]["levels"], record["summary"]["pooled"]):
        measures, latency = level["measures"], level["latency"]
        right, query = measures["result_match"], measures["query_match"]
        rows.append(
            (
                level["level"],
                level["n"],
                f"{right['mean']:.1%} ({right['low']:.0%}-{right['high']:.0%})",
                f"{query['mean']:.1%}",
                measures["reciprocal_rank"]["mean"],
                f"{level['abstention_rate']:.1%}",
                f"{latency['items']['median'] * 1000:.0f} / {latency['items']['p95'] * 1000:.0f}",
            )
        )
    print_table(["level", "n", "result match", "query match", "MRR", "abstained", "ms median / p95"], rows)
    say()
    for note in record["notes"]:
        say(note)
    say(f"the first question took {record['cold_seconds']:.2f} s, with everything opened for it")
    wrong = [each for each in asked if not each.score.result_match]
    for each in wrong[:20]:
        trouble = each.failure or (each.answer.abstained if each.answer else "") or (each.answer and each.answer.text)
        say(f"- {each.score.id}: {printable(each.question)} → {printable(str(trouble))[:100]}")
