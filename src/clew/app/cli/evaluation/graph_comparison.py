"""`clew eval graphs`: graphs compared by what local search finds for the same questions, as a table."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.app.assemble import open_graph
from clew.app.cli.terminal.output import print_json, print_table, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.answer import Resources
    from clew.evaluate.choices.generate import ChoiceQuestion
    from clew.lm import LanguageModel

__all__ = ["compared_questions", "evaluate_graphs", "open_graphs"]

PUBMEDQA = "pubmedqa"


def evaluate_graphs(
    questions: str,
    graphs: Mapping[str, str],
    *,
    data: Path,
    count: int,
    seeds: int,
    model: str | None,
    embedding: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Ask every graph and show what its contexts have, and what a model reads in them."""
    from clew.evaluate.graphs.run import run_graphs

    with ExitStack() as opened, terminal_progress() as progress:
        resources = open_graphs(graphs, opened, encoder="default" if embedding else None, model=model)
        asked, left_out = compared_questions(questions, next(iter(resources.values())), data)
        report = run_graphs(resources, asked, count=count, seeds=seeds, out=out, progress=progress)
    if as_json:
        print_json({"questions": questions, "left_out": left_out, **report})
    else:
        _show(report)
        if left_out:
            say(f"left out: {counted(left_out, 'fact')} of which the first graph lacks an end")


def open_graphs(
    graphs: Mapping[str, str], opened: ExitStack, *, encoder: str | None, model: "LanguageModel | str | None"
) -> "dict[str, Resources]":
    """The graphs with one model and one encoder for all: most names that are compared are in several of them."""
    from clew.answer import Resources
    from clew.answer.kept import encoder_of

    engines = {name: open_graph(path) for name, path in graphs.items()}
    opener = opened.enter_context(Resources(next(iter(engines.values())), encoder=encoder, model=model))
    shared = encoder_of(opener)
    return {
        name: opened.enter_context(Resources(engine, encoder=shared, model=opener.model))
        for name, engine in engines.items()
    }


def compared_questions(questions: str, first: "Resources", data: Path) -> tuple[list["ChoiceQuestion"], int]:
    """PubMedQA's questions, or those of a file of facts with how many of them the first graph cannot word."""
    from clew.errors import InputError
    from clew.evaluate.graphs.questions import ask_facts, name_entities, read_facts, read_pubmedqa

    if questions == PUBMEDQA and not Path(questions).exists():
        return name_entities(read_pubmedqa(data), first.linker), 0
    facts = read_facts(Path(questions))
    made = ask_facts(facts, first.engine)
    if not made:
        raise InputError(f"the first graph has both ends of none of the {len(facts):,} facts")
    return made, len(facts) - len(made)


def _show(report: dict[str, Any]) -> None:
    table = [
        (
            row["graph"],
            f"{row['stated']['mean']:.1%}" if "stated" in row else "",
            *_figures(row, "recall"),
            *_figures(row, "right"),
            f"{row['read']['right']} of {row['read']['of']}" if "read" in row else "",
            _commonest(row["most_chosen"]) if "most_chosen" in row else "",
            round(row["context"]) if "context" in row else "",
            row.get("seconds", ""),
        )
        for row in report["rows"]
    ]
    say(f"{counted(report['asked'], 'question')}, drawn with {counted(report['settings']['seeds'], 'seed')}")
    print_table(
        ["graph", "stated", "recall", "by seed", "right", "by seed", "read", "most chosen", "tokens", "s/question"],
        table,
    )
    if any("right" in row for row in report["rows"]):
        say(f"the commonest right answer is {_commonest(report['majority'])} times")
    for each in report["paired"]:
        say(
            f"{each['measure']}, {each['graph']} against {each['baseline']}: {each['mean']:+.1%} "
            f"({each['low']:+.1%} to {each['high']:+.1%}, p = {each['p']:.3g}, n = {each['n']})"
        )


def _commonest(answer: Mapping[str, Any]) -> str:
    return f"{answer['option'] or 'none of them'}, {answer['times']:,}"


def _figures(row: Mapping[str, Any], measure: str) -> tuple[str, str]:
    """A share with its interval, and the shares of the seeds; empty where the row has none."""
    if measure not in row:
        return "", ""
    share = row[measure]
    by_seed = ", ".join(f"{each:.1%}" for each in row[f"{measure}_by_seed"])
    return f"{share['mean']:.1%} ({share['low']:.0%}-{share['high']:.0%})", by_seed
