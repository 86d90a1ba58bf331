"""Files in the shape of iBKH, as the hybrid question answering paper describes them, at its scale and from a seed.

python -m benchmarks.graphs.ibkh_files DIRECTORY [--entities 65828] [--triples 3004166] [--seed 7]
"""

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv

from benchmarks.report import to_stderr
from clew.errors import ClewError, InputError
from clew.files import new_directory
from clew.progress import Progress, silent

__all__ = ["ENTITIES", "TRIPLES", "Written", "main", "write_files"]

TYPES = {"Disease": 19_236, "Drug": 37_997, "Symptom": 1_361, "SideEffect": 4_251, "Pathway": 2_983}  # Table III
ENTITIES = sum(TYPES.values())
TAIL = 1.8  # how heavy: of n entities, the one drawn most often has a share of n ** (-1 / TAIL)
BLOCK = 1 << 18  # rows written at a time
Key = TypeVar("Key")
Pairs = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True)
class _Column:
    """A 0/1 column and how many triples it states; `below` keeps pairs of one type acyclic."""

    name: str
    triples: int
    below: bool = False


@dataclass(frozen=True, slots=True)
class _File:
    """A file of links; `flagged` says whether it has its 0/1 columns or every row counts."""

    name: str
    ends: tuple[str, str]  # columns
    types: tuple[str, str]
    columns: tuple[_Column, ...]
    sources: tuple[str, ...]  # fields of the column Source, falling in frequency
    flagged: bool = True


# The paper counts triples by relation (Table III), not by file: how associated_with and resembles fall to their files
# is our choice. Its "about 180,000" of alleviates cannot be: the other relations leave 773 of its 3,004,166 triples,
# for alleviates and for role in disease pathogenesis, which the table does not list.
FILES = (
    _File(
        "Di_Sy_res.csv",
        ("Disease", "Symptom"),
        ("Disease", "Symptom"),
        (_Column("Present", 3_357),),
        ("Hetionet", "iDISK", "Hetionet;iDISK"),
    ),
    _File(
        "di_di_res.csv",
        ("Disease_1", "Disease_2"),
        ("Disease", "Disease"),
        (_Column("is_a", 10_529, below=True), _Column("Resemble", 543)),
        ("DO", "Hetionet", "DO;Hetionet"),
    ),
    _File(
        "D_Di_res.csv",
        ("Drug", "Disease"),
        ("Drug", "Disease"),
        (
            _Column("Treats", 5_491),
            _Column("Palliates", 388),
            _Column("Associate", 96_362),
            _Column("alleviates", 600),
            _Column("treatment/therapy", 44_852),
            _Column("inhibits cell growth", 1_508),
            _Column("biomarkers", 412),
            _Column("prevents/suppresses", 859),
            _Column("role in disease pathogenesis", 173),
        ),
        ("CTD", "Hetionet", "Hetionet; CTD", "KEGG", "PharmGKB|CTD", "CTD;DrugBank;KEGG"),
    ),
    _File(
        "D_SE_res.csv",
        ("Drug", "SideEffect"),
        ("Drug", "SideEffect"),
        (_Column("Cause", 145_321),),
        ("SIDER", "SIDER;Hetionet"),
        flagged=False,
    ),
    _File(
        "D_D_res.csv",
        ("Drug_1", "Drug_2"),
        ("Drug", "Drug"),
        (_Column("Interaction", 2_682_142), _Column("Resemble", 6_457)),
        ("DrugBank", "DrugBank;KEGG", "Hetionet"),
    ),
    _File(
        "D_Pwy_res.csv",
        ("Drug", "Pathway"),
        ("Drug", "Pathway"),
        (_Column("Association", 3_231),),
        ("KEGG", "Reactome"),
        flagged=False,
    ),
    _File(
        "Di_Pwy_res.csv",
        ("Disease", "Pathway"),
        ("Disease", "Pathway"),
        (_Column("Association", 1_941),),
        ("KEGG", "Reactome", "KEGG|Reactome"),
        flagged=False,
    ),
)
TRIPLES = sum(column.triples for file in FILES for column in file.columns)


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: entities by type, rows and triples by file."""

    entities: dict[str, int]
    rows: dict[str, int]
    triples: dict[str, int]


def write_files(
    directory: Path,
    *,
    entities: int = ENTITIES,
    triples: int = TRIPLES,
    seed: int = 7,
    progress: Progress = silent,
) -> Written:
    """Write the twelve files into a new directory, which appears when all of them are whole."""
    if entities < 100 or triples < 100:
        raise InputError(f"{entities} entities and {triples} triples: expected at least 100 of each")
    counts = _shares(TYPES, entities)
    wanted = _shares({(file.name, c.name): c.triples for file in FILES for c in file.columns}, triples)
    random = np.random.default_rng(seed)
    rows: dict[str, int] = {}
    with new_directory(directory) as folder:
        identifiers = {}
        for vocabulary in VOCABULARIES:
            progress(f"writing {vocabulary.name}", len(identifiers), len(VOCABULARIES) + len(FILES))
            identifiers[vocabulary.type] = _write_vocabulary(folder, vocabulary, counts[vocabulary.type])
        for file in FILES:
            progress(f"writing {file.name}", len(identifiers) + len(rows), len(VOCABULARIES) + len(FILES))
            sizes = [wanted[file.name, column.name] for column in file.columns]
            rows[file.name] = _write_links(folder, file, sizes, identifiers, random)
    stated = {file.name: sum(wanted[file.name, column.name] for column in file.columns) for file in FILES}
    return Written(counts, rows, stated)


def _shares(parts: dict[Key, int], total: int) -> dict[Key, int]:
    """The parts in proportion, at least one of each; the largest takes what rounding leaves."""
    whole = sum(parts.values())
    found = {name: max(1, part * total // whole) for name, part in parts.items()}
    largest = max(found, key=lambda name: found[name])
    found[largest] += total - sum(found.values())
    return found


# ---- links


def _write_links(
    folder: Path, file: _File, sizes: Sequence[int], identifiers: dict[str, pa.Array], random: np.random.Generator
) -> int:
    """Draw the pairs of every column, lay them out as rows, and write those in blocks; returns how many there are."""
    subjects, objects = (identifiers[type] for type in file.types)
    width = len(objects)
    hubs = [_hubs_first(len(identifiers), random) for identifiers in (subjects, objects)]
    if file.types[0] == file.types[1]:
        hubs[1] = hubs[0]
    keys = []
    for column, size in zip(file.columns, sizes, strict=True):
        start, end = _draw(column, file, size, (len(subjects), width), random)
        keys.append(hubs[0][start] * width + hubs[1][end])
    rows = random.permutation(np.unique(np.concatenate(keys)))
    order = np.argsort(rows)
    flags = []
    for stated in keys:
        flag = np.zeros(len(rows), np.int8)
        flag[order[np.searchsorted(rows, stated, sorter=order)]] = 1
        flags.append(flag)
    chance = 0.5 ** np.arange(len(file.sources))
    sources = random.choice(len(file.sources), len(rows), p=chance / chance.sum())
    header = [*file.ends, *(column.name for column in file.columns if file.flagged), "Source"]
    blocks = (slice(at, at + BLOCK) for at in range(0, len(rows), BLOCK))
    _write_blocks(
        folder / file.name,
        header,
        (
            [
                subjects.take(pa.array(rows[block] // width)),
                objects.take(pa.array(rows[block] % width)),
                *(pa.array(flag[block]) for flag in flags if file.flagged),
                pa.array(file.sources).take(pa.array(sources[block])),
            ]
            for block in blocks
        ),
    )
    return len(rows)


def _hubs_first(count: int, random: np.random.Generator) -> np.ndarray:
    """The entities from the most linked to the least: those of KNOWN_DISEASES first, so that they can be asked for."""
    known = len(KNOWN_DISEASES)
    return np.concatenate((np.arange(min(known, count)), known + random.permutation(max(0, count - known))))


def _write_blocks(path: Path, header: Sequence[str], blocks: Iterable[list[pa.Array]]) -> None:
    options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")  # nothing here needs quotes
    with open(path, "wb") as stream:
        stream.write((",".join(header) + "\n").encode())
        for columns in blocks:
            pyarrow.csv.write_csv(pa.table(columns, names=list(header)), stream, options)


def _draw(column: _Column, file: _File, size: int, counts: tuple[int, int], random: np.random.Generator) -> Pairs:
    """Distinct pairs of heavy-tailed degrees; within one type no pair is drawn both ways, and none with itself."""
    one_type = file.types[0] == file.types[1]
    most = counts[0] * (counts[0] - 1) // 2 if one_type else counts[0] * counts[1]
    if size > most // 2:
        raise InputError(f"{file.name}: {size} triples between {counts[0]} and {counts[1]} entities are too dense")
    found = np.empty(0, np.int64)
    while len(found) < size:
        ends = [(count * random.random(size + size // 2 + 8) ** TAIL).astype(np.int64) for count in counts]
        if one_type:
            ends = [np.maximum(*ends), np.minimum(*ends)]
        keys = ends[0] * counts[1] + ends[1]
        found = np.unique(np.concatenate((found, keys[ends[0] != ends[1]] if one_type else keys)))
    chosen = random.choice(found, size, replace=False)
    start, end = chosen // counts[1], chosen % counts[1]
    if one_type and not column.below:
        turned = random.random(size) < 0.5
        start, end = np.where(turned, end, start), np.where(turned, start, end)
    return start, end


# ---- vocabularies

QUALITIES = ("acute", "chronic", "familial", "primary", "recurrent", "congenital", "severe", "late-onset", "juvenile")
PLACES = ("renal", "cardiac", "hepatic", "cerebral", "pulmonary", "gastric", "dermal", "ocular", "skeletal", "vascular")
THINGS = ("stenosis", "neoplasm", "dysplasia", "fibrosis", "atrophy", "effusion", "ischaemia", "anomaly", "pain")
KNOWN_DISEASES = ("Alzheimer's disease", "asthma", "Alzheimer's disease, familial", "diabetes mellitus", "hypertension")
STARTS = ("ab", "cel", "dox", "fen", "ibu", "lor", "met", "nov", "ome", "pra", "ros", "sim", "tel", "val", "zol")
MIDDLES = ("a", "eli", "ico", "oti", "ure", "ypi", "axo", "enti", "ola", "ira", "umo")
ENDINGS = ("mab", "pril", "statin", "zole", "cillin", "tinib", "olol", "sartan", "vir", "oxetine", "azepam")


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """A vocabulary: its columns after primary and name, and what the row of entity i says."""

    name: str
    type: str
    columns: tuple[str, ...]
    row: Callable[[int], tuple[str, ...]]  # primary, name, the other columns


def _clinical(number: int) -> str:
    parts = (QUALITIES[number % 9], PLACES[number // 9 % 10], THINGS[number // 90 % 9])
    return f"{' '.join(parts)}, type {number // 810 + 1}"  # a comma, so every name needs quotes


def _drug_name(number: int) -> str:
    stem = STARTS[number % 15] + MIDDLES[number // 15 % 11] + ENDINGS[number // 165 % 11]
    if number // 1815 == 0:
        return stem.capitalize()
    return f"{number // 1815 + 1}-(4-{stem})-N,N-dimethyl β-amine"


def _disease(number: int) -> tuple[str, ...]:
    name = KNOWN_DISEASES[number] if number < len(KNOWN_DISEASES) else _clinical(number)
    if number % 97 == 50:
        name = f'"{name}" syndrome'
    kegg = f"H{number:05d}" if number % 3 == 0 else ""
    return f"DOID:{number + 1:07d}", name, f"DOID:{number + 1:07d}", kegg, f"C{number + 1_000_000:07d}"


def _drug(number: int) -> tuple[str, ...]:
    bank = f"DB{number:05d}"
    others = (f"D{number:05d}" if number % 4 == 0 else "", f"PA{number + 448_000}", f"C{number + 3_000_000:07d}")
    mesh, compound = f"D{number + 100_000:06d}", f"{number + 1_000}.0" if number % 2 else ""
    return f"DrugBank:{bank}", _drug_name(number), bank, *others, mesh, "", compound


def _symptom(number: int) -> tuple[str, ...]:
    mesh = f"D{number + 200_000:06d}"
    return f"MESH:{mesh}", f"symptom of {_clinical(number)}", mesh, f"C{number + 5_000_000:07d}", ""


def _side_effect(number: int) -> tuple[str, ...]:
    return f"UMLS:C{number + 6_000_000:07d}", f"drug-induced {_clinical(number)}"


def _pathway(number: int) -> tuple[str, ...]:
    reactome, stem = f"R-HSA-{number + 70_000}", _drug_name(number % 1815)
    go = f"GO:{number + 1_000:07d}" if number % 5 == 0 else ""
    kegg = f"hsa{number:05d}" if number % 7 == 0 else ""
    return f"Reactome:{reactome}", f"signalling by {stem}, branch {number}", reactome, go, kegg


VOCABULARIES = (
    _Vocabulary("disease_vocab.csv", "Disease", ("do_id", "kegg_id", "umls_cui"), _disease),
    _Vocabulary(
        "drug_vocab.csv",
        "Drug",
        ("drugbank_id", "kegg_id", "pharmgkb_id", "umls_cui", "mesh_id", "iDISK_id", "CID"),
        _drug,
    ),
    _Vocabulary("symptom_vocab.csv", "Symptom", ("mesh_id", "umls_cui", "iDISK_id"), _symptom),
    _Vocabulary("side_effect_vocab.csv", "SideEffect", (), _side_effect),
    _Vocabulary("pathway_vocab.csv", "Pathway", ("reactome_id", "go_id", "kegg_id"), _pathway),
)


def _write_vocabulary(folder: Path, vocabulary: _Vocabulary, count: int) -> pa.Array:
    """Write a vocabulary; returns its primary identifiers."""
    primary: list[str] = []

    def rows() -> Iterator[tuple[str, ...]]:
        for number in range(count):
            row = vocabulary.row(number)
            primary.append(row[0])
            yield row

    with open(folder / vocabulary.name, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("primary", "name", *vocabulary.columns))
        writer.writerows(rows())
    return pa.array(primary, pa.string())


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write files in the shape of iBKH, at the scale of the paper.")
    parser.add_argument("directory", type=Path, metavar="DIRECTORY", help="a new directory")
    parser.add_argument("--entities", type=int, default=ENTITIES, help="how many (default: %(default)s)")
    parser.add_argument("--triples", type=int, default=TRIPLES, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="the same gives the same files (default: %(default)s)")
    options = parser.parse_args()
    try:
        written = write_files(
            options.directory,
            entities=options.entities,
            triples=options.triples,
            seed=options.seed,
            progress=to_stderr,
        )
    except ClewError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{sum(written.entities.values())} entities, {sum(written.triples.values())} triples in {options.directory}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
