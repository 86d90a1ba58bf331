"""Words for asking that the owner of a graph adds: what its types and relations are called in questions.

They are a JSON file in the graph's directory, {"types": {"Telescope": ["scope"]}, "relations": {"located_at": ["stands
at"]}}, which stays when the graph is built again, and come before the words that Clew brings along. Words under
"reversed" are said from the other end: {"reversed": {"parents": ["child"]}}. {"polarity": {"causes": ["neither"]}} says
whether a relation means help, harm or neither, if its name does not.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from clew.answer.lexicon.polarity import POLARITIES
from clew.errors import InputError, UnknownName
from clew.files import write_text
from clew.graph.schema import Schema
from clew.graph.snapshot import Snapshot
from clew.json_files import read_json

__all__ = ["OwnWords", "load_words", "read_words", "save_words"]

OwnWords = Mapping[str, Mapping[str, Sequence[str]]]
FILE = "words.json"
FAMILIES = ("types", "relations", "reversed", "polarity")


def load_words(snapshot: Snapshot) -> OwnWords:
    """The words that were saved for a graph; none for a graph that is not on this machine."""
    if snapshot.folder is None:
        return {}
    path = snapshot.folder / FILE
    return read_words(path) if path.is_file() else {}


def save_words(snapshot: Snapshot, schema: Schema, words: OwnWords) -> Path:
    """Save words for a graph; each type and relation must be one of the graph's."""
    relations = [relation.name for relation in schema.relations]
    known = {"types": list(schema.types)} | dict.fromkeys(FAMILIES[1:], relations)
    for family, names in words.items():
        for name in names:
            if name not in known[family]:
                there = ", ".join(known[family])
                kind = "types" if family == "types" else "relations"
                raise UnknownName(f"words are given for {name!r}, but the {kind} of this graph are {there}")
    if snapshot.folder is None:
        raise InputError(f"{snapshot} is not on this machine, so no words can be kept with it")
    path = snapshot.folder / FILE
    write_text(path, json.dumps(words, indent=1, ensure_ascii=False) + "\n")
    return path


def read_words(path: Path) -> OwnWords:
    """Read a file of words."""
    try:
        words = read_json(path)
        right = all(family in FAMILIES and _lists_of_words(names) for family, names in words.items())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, AttributeError):  # no JSON, or no object
        right = False
    if right:
        _check_polarity(words.get("polarity", {}), path)
        return dict(words)
    raise InputError(
        f'{path} does not hold words for asking: expected {{"types": {{TYPE: [WORD, …]}}, "relations": {{RELATION: '
        "[WORD, …]}}"
    )


def _check_polarity(stated: Mapping[str, Sequence[str]], path: Path) -> None:
    for relation, said in stated.items():
        if len(said) != 1 or said[0] not in POLARITIES:
            raise InputError(f"{path} says {said} of the polarity of {relation!r}: expected one of {list(POLARITIES)}")


def _lists_of_words(names: Mapping[str, Sequence[str]]) -> bool:
    return all(isinstance(words, list) and all(isinstance(each, str) for each in words) for words in names.values())
