"""What is wrong with a graph directory, told as sentences: damaged blocks, unsafe arrays, damaged derived data."""

from operator import attrgetter
from pathlib import Path

from clew.checksums import damaged_blocks
from clew.errors import ClewError, GraphError
from clew.graph.model import Graph
from clew.graph.storage.derived import derived_folders
from clew.graph.storage.manifest import find_damage
from clew.graph.storage.snapshots import DERIVED, SNAPSHOTS, current_snapshot, snapshots_of
from clew.progress import Progress, silent
from clew.sealed import open_seal

__all__ = ["find_all_damage", "find_derived_damage", "find_unsafe_parts"]

PARTS = (
    "entities",
    "entity_types",
    "names.table",
    "forward",
    "backward",
    "adjacency",
    "assertions",
    "degree",
)


def find_all_damage(path: Path, *, progress: Progress = silent) -> list[str]:
    """Every damaged block of every snapshot; where there is none, every array that is not safe to walk.

    Files of the current snapshot are named as in its manifest, those of others by their path in the directory.
    """
    current = current_snapshot(path)
    whole: set[object] = set()  # files that several snapshots share are read once
    damage = find_damage(path / SNAPSHOTS / current, whole=whole, progress=progress)
    for name in snapshots_of(path):
        if name != current:
            damage += _older(path, name, whole, progress)
    return damage or find_unsafe_parts(path)


def _older(path: Path, name: str, whole: set[object], progress: Progress) -> list[str]:
    try:
        found = find_damage(path / SNAPSHOTS / name, whole=whole, progress=progress)
    except GraphError as error:
        return [str(error)]
    return [f"{SNAPSHOTS}/{name}/{sentence}" for sentence in found]


def find_derived_damage(path: Path) -> list[str]:
    """Every file derived from the current snapshot, beside the graph or in the cache, that is not as it was sealed."""
    snapshot, damage = current_snapshot(path), []
    remedy = f"clew doctor {path} --rebuild-derived"
    for folder in derived_folders(path.absolute(), snapshot):
        where = f"{DERIVED}/{snapshot}" if folder.is_relative_to(path.absolute()) else str(folder)
        for each in sorted(folder.iterdir()):
            if each.name.startswith(".") or each.is_symlink() or not each.is_dir():
                continue  # what an interrupted build left is not used, nor is a link
            damage += _damage_in(each, snapshot, f"{where}/{each.name}", remedy)
    return damage


def _damage_in(folder: Path, snapshot: str, name: str, remedy: str) -> list[str]:
    try:
        seal = open_seal(folder, {"snapshot": snapshot}, what=name, remedy=remedy)
    except GraphError as error:
        return [str(error)]
    found = [damaged_blocks(folder, file, record) for file, record in seal.files.items()]
    return [f"{name}/{sentence}" for each in found for sentence in each]


def find_unsafe_parts(path: Path) -> list[str]:
    """Use every part of a graph once, which proves its arrays; each that fails is a sentence."""
    try:
        graph = Graph(path)
    except ClewError as error:
        return [str(error)]
    sentences = []
    for part in PARTS:
        try:
            attrgetter(part)(graph)
        except ClewError as error:
            sentences.append(str(error))
    if graph.entity_count and not sentences:
        try:
            graph.details([0, graph.entity_count - 1])
        except ClewError as error:
            sentences.append(str(error))
    return list(dict.fromkeys(sentences))
