"""Which format a source has: by what it is in Python, by its name, and where a name may mean several by its start."""

import re
from pathlib import Path
from typing import Any

from clew.bolt.address import SCHEMES
from clew.errors import InputError
from clew.graph.readers.source_files import BY_SUFFIX, open_bytes, plain_suffix, reading

__all__ = ["kgx_part", "recognise"]

PRIMEKG = b"relation,display_relation,x_index,x_id,x_type"
NEO4J = re.compile(rb"(^|[,;|\t])[^,;|\t]*:(START_)?ID(\([^)]*\))?(\{[^}]*\})?\s*([,;|\t]|$)")  # id:ID(Person)
HEAD = 1 << 16


def recognise(source: Any) -> str:
    """The format of a source; a file or an object in memory that is nothing else is a table."""
    if not isinstance(source, str | Path):
        if hasattr(source, "scan_triples"):
            return "clew"
        return "networkx" if hasattr(source, "is_multigraph") and hasattr(source, "adj") else "table"
    if str(source).startswith(SCHEMES):
        return "neo4j-server"
    path = Path(source)
    if path.is_dir():
        return _directory(path)
    if str(source) == "hpo" and not path.exists():
        return "hpo"
    if not path.exists() and list(path.parent.glob(f"{path.name}_nodes.*")):
        return "kgx"
    return _file(path)


def kgx_part(item: Any) -> str | None:
    """Whether a file holds KGX nodes or edges, by its name."""
    name = Path(item).name if isinstance(item, str | Path) else ""
    return next((part for part in ("nodes", "edges") if f"{part}." in name), None)


def _file(path: Path) -> str:
    suffix = plain_suffix(path)
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    if not path.is_file():
        return "table"
    if suffix == ".json" and b'"graphs"' in _head(path):
        return "obo-json"
    if suffix in (".csv", ".tsv", ".txt"):
        return _text_table(path)
    return "table"


def _text_table(path: Path) -> str:
    first = _head(path).split(b"\n", 1)[0].replace(b'"', b"").removeprefix(b"\xef\xbb\xbf")
    if first.startswith(PRIMEKG):
        return "primekg"
    return "neo4j" if NEO4J.search(first) else "table"


def _head(path: Path) -> bytes:
    with reading(path, "text"), open_bytes(path) as stream:
        return stream.read(HEAD)


def _directory(path: Path) -> str:
    from clew.graph.readers.ibkh import is_ibkh
    from clew.graph.readers.own.graph_directory import is_graph
    from clew.graph.readers.own.parquet_export import is_export

    files = [each for each in path.iterdir() if each.is_file()]
    names = [each.name for each in files]
    matches = {
        "clew": is_graph(path),
        "parquet": is_export(path),
        "hpo": "hp.obo" in names,
        "hetionet": any(name.startswith("hetionet") and "nodes" in name for name in names),
        "umls": any(name.upper().startswith("MRREL.RRF") for name in names),
        "neo4j": any(plain_suffix(each) in (".csv", ".tsv") and _text_table(each) == "neo4j" for each in files),
        "kgx": any("nodes." in name for name in names) and any("edges." in name for name in names),
        "ibkh": is_ibkh(path),
    }
    for name, fits in matches.items():
        if fits:
            return name
    raise InputError(
        f"{path} is a directory of no known format: expected a graph, a Parquet export, KGX (*_nodes.tsv and "
        "*_edges.tsv), neo4j-admin CSV, UMLS (MRREL.RRF), Hetionet, HPO or iBKH files; for tables, RDF and OBO "
        "name the files, or say what it is with format="
    )
