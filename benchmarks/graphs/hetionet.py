"""The graph of Hetionet that questions are asked of: all its entities, and the triples of the data folder.

The folder's SIF file has at most 5,000 triples of each metaedge type; the tables of bindings and of disease genes
complete two of them. Other names of its entities, such as gene symbols in force today, can be added as synonyms.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from benchmarks.graphs.recipe import recipe_of
from clew.errors import BuildError, InputError
from clew.evaluate.benches.alzkb.names import CURRENT, Alias, Names, shared_aliases
from clew.evaluate.benches.alzkb.wording import COMPLETE
from clew.graph import GraphContents, Staged
from clew.progress import Progress, silent
from clew.traverse import open

__all__ = ["READING", "build", "build_hetionet", "check_complete", "digest"]

READING = (  # what turns Hetionet's files into a graph
    "clew.graph.build",
    "clew.graph.encode",
    "clew.graph.readers.hetionet",
    "clew.graph.readers.tab_separated",
    "clew.graph.staging",
)
OURS = ("benchmarks.graphs.hetionet", "clew.evaluate.benches.alzkb.names", "clew.evaluate.benches.alzkb.wording")


def build(data: Path, out: Path, *, overwrite: bool = False, progress: Progress = silent) -> Path:
    """Build the graph at `out` with the aliases of the data folder, and return its path."""
    return build_hetionet(data, out, aliases=shared_aliases(data), overwrite=overwrite, progress=progress)


def build_hetionet(
    data: Path,
    out: Path,
    *,
    aliases: Iterable[Alias] = (),
    overwrite: bool = False,
    progress: Progress = silent,
) -> Path:
    """Build the graph at `out` from the data folder and return its path; an unambiguous current alias is a synonym."""
    from clew.graph.build import build_graph
    from clew.graph.readers import READERS
    from clew.graph.staging import Problems

    problems = Problems("refuse")
    read = READERS.load("hetionet")
    staged: Staged = read(data / "hetionet", problems=problems, progress=progress)
    staged = _with_synonyms(staged, aliases)
    build_graph(staged, out, problems=problems, overwrite=overwrite, progress=progress)
    check_complete(open(out), data)
    return out


def digest(data: Path) -> str:
    """What the graph is made with: it changes with the files of the data folder and with the code that reads them."""
    return recipe_of((*READING, *OURS), (data / name for name in ("hetionet", "biomed_edges", "alzkb_questions")))


def check_complete(graph: GraphContents, data: Path) -> None:
    """Raise `BuildError` if a metaedge that counts as complete has fewer or more triples than Hetionet lists."""
    expected = _listed_counts(data / "hetionet" / "metaedges.tsv")
    for kind, (subject, relation, object_) in COMPLETE.items():
        joined = graph.schema.relation(relation).signatures
        held = sum(each.triples for each in joined if (each.subject, each.object) == (subject, object_))
        if held != expected.get(kind):
            raise BuildError(
                f"{graph.snapshot} has {held} triples of {subject} {relation} {object_}, Hetionet lists "
                f"{expected.get(kind)}: answers about {kind} would not be complete; restore the files of {data}"
            )


def _listed_counts(path: Path) -> dict[str, int]:
    """How many triples of each kind Hetionet has."""
    if not path.is_file():
        raise InputError(f"{path} is missing: expected the data folder that holds hetionet")
    header, *rows = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    kind, count = header.index("abbreviation"), header.index("edges")
    return {row[kind]: int(row[count]) for row in rows}


def _with_synonyms(staged: Staged, aliases: Iterable[Alias]) -> Staged:
    """The staged graph with every current alias that means one entity and is no other entity's name."""
    given = [alias for alias in aliases if alias.source in CURRENT]
    entities = staged.entities
    if not given or entities is None:
        return staged
    rows = list(zip(*(entities[column].to_pylist() for column in ("type", "name", "id")), strict=True))
    own = [Alias(type_, name, identifier, "Hetionet") for type_, name, identifier in rows]
    named: dict[tuple[str, str], set[str]] = defaultdict(set)
    for alias in own:
        named[alias.type, alias.name.casefold()].add(alias.id)
    names = Names([*given, *own])
    synonyms: dict[str, dict[str, str]] = defaultdict(dict)  # id → folded → as written
    for alias in given:
        folded = alias.name.casefold()
        taken = named.get((alias.type, folded))
        if not taken and names.resolve(alias.name, alias.type) == alias.id:
            synonyms[alias.id].setdefault(folded, alias.name)
    lists = [sorted(synonyms[identifier].values()) if identifier in synonyms else None for _, _, identifier in rows]
    column = pa.array(lists, pa.list_(pa.string()))
    return replace(staged, entities=entities.append_column("synonyms", column))
