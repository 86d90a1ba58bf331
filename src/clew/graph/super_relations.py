"""Super-relations: the relations of a graph in groups, by their names, by the types they connect, or at random.

Every relation is in one group. Those of a graph are in super_relations.json in its directory, a plain file to edit:
{"made_by": "names", "groups": {"film.actor": ["/film/actor/film"]}}; without one they are made from names or types.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from clew.errors import InputError
from clew.files import write_text
from clew.graph.schema import RelationSchema, Schema
from clew.graph.snapshot import Snapshot
from clew.json_files import read_json

__all__ = [
    "SuperRelations",
    "group_by_names",
    "group_by_types",
    "group_randomly",
    "group_singly",
    "load_groups",
    "save_groups",
]

FILE = "super_relations.json"
PARTS = re.compile(r"[./:]+|__")  # between the parts of a dotted name
DEPTH = 2  # parts that make a group of names with three or more: music.album.artist is in music.album


@dataclass(frozen=True, slots=True)
class SuperRelations:
    """Groups of relations by label, and how they were made: names, types, clusters, random, single or a file."""

    made_by: str
    groups: Mapping[str, tuple[str, ...]]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.groups)

    def numbers(self, schema: Schema) -> list[int]:
        """The group of each relation, in the order of the schema; a relation that no group names is one by itself."""
        known = {name: at for at, members in enumerate(self.groups.values()) for name in members}
        alone = len(self.groups)
        numbers = []
        for relation in schema.relations:
            number = known.get(relation.name)
            if number is None:
                number, alone = alone, alone + 1
            numbers.append(number)
        return numbers

    def label(self, number: int, relation: str) -> str:
        """The label of a group, given one of its relations."""
        return self.labels[number] if number < len(self.groups) else relation


def group_by_names(schema: Schema) -> SuperRelations:
    """By the first two parts of dotted names, or by the first word of snake-case names that share it.

    music.album.artist is in music.album, biolink:treats in biolink, has_sign and has_cause in has.
    """
    names = [relation.name for relation in _walked(schema)]
    first = Counter(_snake(name) for name in names if len(_parts(name)) == 1)
    keys = []
    for name in names:
        parts = _parts(name)
        if len(parts) > 1:
            keys.append(".".join(parts[: min(DEPTH, len(parts) - 1)]))
        else:
            keys.append(_snake(name) if first[_snake(name)] > 1 else name)
    return SuperRelations("names", _grouped(keys, names))


def group_by_types(schema: Schema) -> SuperRelations:
    """By the pair of types that a relation connects most often."""
    walked = _walked(schema)
    keys = []
    for relation in walked:
        ends = relation.signatures[:1]
        keys.append(f"{ends[0].subject} → {ends[0].object}" if ends else relation.name)
    return SuperRelations("types", _grouped(keys, [relation.name for relation in walked]))


def group_singly(schema: Schema) -> SuperRelations:
    """Every relation by itself: the search without super-relations."""
    return SuperRelations("single", {relation.name: (relation.name,) for relation in _walked(schema)})


def group_randomly(like: SuperRelations, *, seed: int = 0) -> SuperRelations:
    """Groups of the same sizes with members drawn at random: what remains of a grouping without its meaning."""
    members = [name for group in like.groups.values() for name in group]
    Random(seed).shuffle(members)
    drawn = iter(members)
    groups = {f"group {at + 1}": tuple(next(drawn) for _ in group) for at, group in enumerate(like.groups.values())}
    return SuperRelations("random", groups)


def load_groups(snapshot: Snapshot, schema: Schema) -> SuperRelations:
    """The super-relations kept with a graph; those of its names, or of its types where no names group, if none are."""
    path = None if snapshot.folder is None else snapshot.folder / FILE
    if path is None or not path.is_file():
        named = group_by_names(schema)
        return named if _groups_any(named) else group_by_types(schema)
    try:
        stored = read_json(path)
        made_by, groups = stored["made_by"], stored["groups"]
        right = isinstance(made_by, str) and all(_is_names(members) for members in groups.values())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError):
        right = False
    if not right:
        raise InputError(
            f'{path} holds no super-relations: expected {{"made_by": TEXT, "groups": {{LABEL: [RELATION]}}}}'
        )
    try:
        return _checked(made_by, groups, schema)
    except InputError as error:
        raise InputError(
            f"{path}: {error}; edit it, or write it again with `clew index GRAPH --relations names`"
        ) from None


def save_groups(snapshot: Snapshot, groups: SuperRelations) -> Path:
    """Keep super-relations with a graph; returns the file."""
    if snapshot.folder is None:
        raise InputError(f"{snapshot} is not on this machine, so no super-relations can be kept with it")
    path = snapshot.folder / FILE
    content = {"made_by": groups.made_by, "groups": {label: list(members) for label, members in groups.groups.items()}}
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return path


def _checked(made_by: str, groups: Mapping[str, Sequence[str]], schema: Schema) -> SuperRelations:
    """Groups that a person wrote: every relation must be the graph's, and in one group only."""
    known = {relation.name for relation in schema.relations}
    seen: dict[str, str] = {}
    for label, members in groups.items():
        for name in members:
            if name not in known:
                raise InputError(f"the super-relation {label!r} has {name!r}, which is no relation of this graph")
            if name in seen:
                raise InputError(f"the relation {name!r} is in the super-relations {seen[name]!r} and {label!r}")
            seen[name] = label
    return SuperRelations(made_by, {label: tuple(members) for label, members in groups.items() if members})


def _walked(schema: Schema) -> list[RelationSchema]:
    return [relation for relation in schema.relations if not relation.negated]


def _parts(name: str) -> list[str]:
    return [part for part in PARTS.split(name) if part.strip("_")] or [name]


def _snake(name: str) -> str:
    return name.strip("_").split("_")[0] or name


def _grouped(keys: Iterable[str], names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    for key, name in zip(keys, names, strict=True):
        groups.setdefault(key, []).append(name)
    return {key: tuple(sorted(groups[key])) for key in sorted(groups)}


def _groups_any(groups: SuperRelations) -> bool:
    return any(len(members) > 1 for members in groups.groups.values())


def _is_names(members: object) -> bool:
    return isinstance(members, list) and all(isinstance(each, str) for each in members)
