"""Open or build a graph as an engine."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.errors import InputError
from clew.graph import Graph, Relation, Source, Staged
from clew.graph.partitions.graph import PartitionedGraph
from clew.progress import Progress, silent
from clew.registry import Entry, Registry
from clew.sizes import read_size
from clew.traverse.backend import Backend
from clew.traverse.engine import GraphEngine
from clew.traverse.local.engine import Engine

if TYPE_CHECKING:
    from clew.graph.readers.codebook import Codes

__all__ = ["ENGINES", "build", "open", "update"]

LOCAL: type[GraphEngine] = Engine  # mypy checks here that the local engine implements the contract
ENGINES = Registry(
    "engine",
    {
        "local": Entry("clew.traverse.local.engine:Engine", "in this process"),
        "ray": Entry("clew.traverse.cluster.ray_actors:open_on_ray", "partitions on actors of Ray", extra="ray"),
    },
)


def open(
    path: str | Path,
    *,
    snapshot: str | None = None,
    backend: str | Backend = "auto",
    cache: int | str | None = None,
    engine: str = "local",
    actors: int | None = None,
    verify: bool = False,
) -> Engine:
    """Open a graph directory in milliseconds, whatever its size. `verify` compares every block with its checksum.

    `snapshot` is the name of one (or how it begins), if it is not to be the current one. With `cache` (bytes, or a size
    such as "2GB") the rows of entities stay on disk and are loaded partition by partition, of which at most that much
    is kept: for graphs built with `partitions` that exceed the memory. With `engine` "ray" (on this machine) or
    "ray:HOST:PORT" (a cluster) the partitions are held by `actors`, each in its own process.
    """
    name, _, address = engine.partition(":")
    if name == "ray":
        if backend != "auto":
            raise InputError(f"the engine 'ray' has its own backend: leave backend={backend!r} out")
        cluster = address if ":" in engine else None
        opened: Engine = ENGINES.load(name)(path, cluster, actors=actors, cache=cache, snapshot=snapshot, verify=verify)
        return opened
    ENGINES.entry(engine)
    if actors is not None:
        raise InputError("actors= is for engine='ray'")
    if cache is None:
        return Engine(Graph(path, snapshot=snapshot, verify=verify), backend=backend)
    from clew.traverse.partitioned.engine import PartitionedEngine

    graph = PartitionedGraph(path, cache=read_size(cache, "cache"), snapshot=snapshot, verify=verify)
    return PartitionedEngine(graph, backend=backend)


def build(
    source: Any,
    *,
    out: str | Path,
    format: str | Callable[..., Staged] | None = None,
    entities: Any = None,
    columns: Mapping[str, str] | None = None,
    drop_columns: Sequence[str] = (),
    entity_columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    list_separator: str | None = None,
    prefixes: Mapping[str, str] | None = None,
    vocabularies: Sequence[str] | None = None,
    keep_relations: Sequence[str] | None = None,
    merge: Sequence[str | Path] = (),
    merge_predicates: Sequence[str] = ("skos:exactMatch",),
    prefer: Sequence[str] = (),
    relations: Sequence[Relation] = (),
    sources: Sequence[Source] = (),
    codebook: "Codes | None" = None,
    on_error: str = "refuse",
    overwrite: bool = False,
    keep: int = 0,
    wide: bool = False,
    partitions: int = 1,
    partitioning: str = "balanced",
    memory: int | str | None = None,
    progress: Progress = silent,
) -> Engine:
    """Build a graph directory at `out` from a table, a file, a graph, a `Staged` or a list of these, and open it.

    `format` is the name of a reader or a reader of your own. `columns` maps our names to the table's, such as
    {"subject": "head"}; further columns of statements become qualifiers, except `drop_columns`. `delimiter` separates
    the fields of text where it is not the one that the first lines show.
    `codebook` ({code: name}, or a file) names types, relations, columns and values that are given as codes.
    `prefixes` (prefix → IRI) shorten the IRIs of RDF; `vocabularies` and `keep_relations` choose from the UMLS.
    `merge` makes one of entities that SSSOM files of mappings (or "xrefs": their cross-references) call the same; the
    id whose prefix comes first in `prefer` stays. `relations` declares flags (symmetric, negated, …). `on_error` says
    whether bad rows stop the build ("refuse") or are counted and left out ("skip"). With `overwrite` an existing graph
    gets a new snapshot; its older ones are removed once no reader holds them, except for the `keep` newest.
    `partitions` divides a graph larger than memory into parts, each with the rows of some entities, chosen by
    `partitioning`: "balanced" (equal sizes, hubs spread evenly) or "local" (neighbours together). With `memory`
    (bytes, or a size such as "4GB") tables of any size are built in about that much; an interrupted build resumes.
    """
    from clew.graph.build import build_graph  # imports Parquet, which is not needed to open a graph
    from clew.graph.readers import stage
    from clew.graph.staging import Problems

    problems = Problems(on_error)
    if memory is not None:
        from clew.graph.streaming.build import Tables, check_streamable, stream_graph

        check_streamable(
            source, format, merge=merge, prefixes=prefixes, vocabularies=vocabularies,
            keep_relations=keep_relations, codebook=None if codebook is None else [codebook],
        )  # fmt: skip
        tables = Tables(
            source, entities, columns, entity_columns, delimiter, list_separator, relations, sources, drop_columns
        )
        stream_graph(
            tables, Path(out), memory=read_size(memory, "memory"), problems=problems, overwrite=overwrite, keep=keep,
            wide=wide, partitions=partitions, partitioning=partitioning, progress=progress,
        )  # fmt: skip
        return open(out)
    staged = stage(
        source, format=format, entities=entities, columns=columns, drop_columns=drop_columns,
        entity_columns=entity_columns, delimiter=delimiter, list_separator=list_separator, prefixes=prefixes,
        vocabularies=vocabularies, keep_relations=keep_relations, relations=relations, sources=sources,
        codebook=codebook, problems=problems, progress=progress,
    )  # fmt: skip
    if merge:
        from clew.graph.resolution.resolve import resolve

        staged = resolve(
            staged, merge, predicates=merge_predicates, prefer=prefer, problems=problems, progress=progress
        )
    build_graph(
        staged, Path(out), problems=problems, overwrite=overwrite, keep=keep, wide=wide,
        partitions=partitions, partitioning=partitioning, progress=progress,
    )  # fmt: skip
    return open(out)


def update(
    graph: str | Path,
    source: Any = None,
    *,
    retract: Any = None,
    retract_documents: Sequence[str] = (),
    retract_entities: Sequence[str] = (),
    format: str | Callable[..., Staged] | None = None,
    entities: Any = None,
    columns: Mapping[str, str] | None = None,
    drop_columns: Sequence[str] = (),
    entity_columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    list_separator: str | None = None,
    relations: Sequence[Relation] = (),
    sources: Sequence[Source] = (),
    codebook: "Codes | None" = None,
    keep_descriptions: bool = False,
    on_error: str = "refuse",
    progress: Progress = silent,
) -> Engine:
    """Change a graph directory as a new snapshot, and open it; what it says already changes nothing.

    Statements are withdrawn first: those that rows of `retract` describe (all of a triple if a row names nothing else),
    those of `retract_documents`, and entities by id with all their triples. Then the rows of `source` are added, read
    as `build` reads them; a description of an entity replaces the earlier one, unless `keep_descriptions`. A triple
    without statements goes.
    """
    from clew.graph.readers import stage
    from clew.graph.staging import Problems
    from clew.graph.updates.update import Changes, update_graph

    problems = Problems(on_error)
    add = None if source is None else stage(
        source, format=format, entities=entities, columns=columns, drop_columns=drop_columns,
        entity_columns=entity_columns, delimiter=delimiter, list_separator=list_separator, relations=relations,
        sources=sources, codebook=codebook, problems=problems, progress=progress,
    )  # fmt: skip
    withdraw = (
        None
        if retract is None
        else stage(
            retract, columns=columns, drop_columns=drop_columns, codebook=codebook, problems=problems, progress=progress
        )
    )
    changes = Changes(add, withdraw, retract_documents, retract_entities, keep_descriptions)
    update_graph(Path(graph), changes, problems=problems, progress=progress)
    return open(graph)
