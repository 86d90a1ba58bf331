"""A short digest of what a graph was built with; it is part of the graph's name, so that another recipe is rebuilt.

In: the modules that build it and the files it is built from. Out: ten letters that change when any of them does.
"""

import hashlib
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from clew.errors import InputError

__all__ = ["recipe_of"]

LETTERS = 10


def recipe_of(modules: Iterable[str], folders: Iterable[Path]) -> str:
    """A digest of the source of some modules and of the files of some folders.

    A module is named as it is imported; a folder counts with the name and content of every file directly in it.
    """
    digest = hashlib.sha256()
    for module in sorted(modules):
        package, _, name = module.rpartition(".")
        _add(digest, module, files(package).joinpath(f"{name}.py").read_bytes())
    for folder in sorted(folders):
        if not folder.is_dir():
            raise InputError(f"{folder} is missing: expected the data folder that holds {folder.name}, see --data")
        for path in sorted(folder.iterdir()):
            if path.is_file():
                _add(digest, f"{folder.name}/{path.name}", path.read_bytes())
    return digest.hexdigest()[:LETTERS]


def _add(digest: "hashlib._Hash", name: str, content: bytes) -> None:
    for part in (name.encode(), content):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
