"""Where the files of iBKH are: in one directory, or in its folders `entity` and `relation`, as they are published."""

from collections.abc import Iterator
from pathlib import Path

from clew.errors import InputError
from clew.graph.readers.delimited import Delimited
from clew.graph.readers.ibkh.layout import LINKS, VOCABULARIES, is_index, plain

__all__ = ["columns_of", "find_files", "is_ibkh"]

FOLDERS = ("entity", "entities", "relation", "relations")
SUFFIXES = (".csv", ".csv.gz")


def is_ibkh(directory: Path) -> bool:
    """Whether a directory holds one of the vocabularies and one of the files of links."""
    found = {stem for stem, _ in _listed(directory)}
    vocabularies = {vocabulary.stem for vocabulary in VOCABULARIES}
    return bool(found & vocabularies) and any(found & set(links.stems) for links in LINKS)


def find_files(directory: Path) -> dict[str, Path]:
    """Every CSV file by the plain form of its name."""
    if not directory.is_dir():
        raise InputError(f"{directory} is no directory; expected one with the CSV files of iBKH")
    found: dict[str, Path] = {}
    for stem, path in _listed(directory):
        if stem in found:
            raise InputError(f"{found[stem]} and {path} go by the same name: remove the one that is not meant")
        found[stem] = path
    return found


def columns_of(file: Delimited) -> dict[str, str]:
    """The columns of a file by the plain form of their names, without the row numbers that pandas writes."""
    found: dict[str, str] = {}
    for name in file.header():
        if is_index(name):
            continue
        if plain(name) in found:
            raise InputError(f"{file.path} has the columns {found[plain(name)]!r} and {name!r}: rename one of them")
        found[plain(name)] = name
    return found


def _listed(directory: Path) -> Iterator[tuple[str, Path]]:
    folders = [each for each in directory.iterdir() if each.is_dir() and each.name.lower() in FOLDERS]
    for folder in (directory, *sorted(folders)):
        for path in sorted(folder.iterdir()):
            suffix = next((suffix for suffix in SUFFIXES if path.name.lower().endswith(suffix)), None)
            if suffix is not None and path.is_file():
                yield plain(path.name[: -len(suffix)]), path
