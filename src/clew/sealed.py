"""Derived directories, such as a name index of a graph: written atomically, with a seal.

The seal (`seal.json`, written last) records what the directory was derived from and how, and the size and checksums of
every file. Opening compares the seal with the expected identity; a mismatch is an error that names the remedy.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clew.errors import DerivedError
from clew.files import block_checksums, new_directory, write_text

__all__ = ["SEAL", "Identity", "check_seal", "new_sealed"]

SEAL = "seal.json"
Identity = Mapping[str, str | int | float | bool]


@contextmanager
def new_sealed(path: Path, identity: Identity, *, what: str) -> Iterator[Path]:
    """Fill a directory; if the block succeeds it is sealed and replaces any sealed directory at `path`."""
    with new_directory(path, overwrite=True, marker=SEAL) as directory:
        yield directory
        files = {
            file.relative_to(directory).as_posix(): {"size": file.stat().st_size, "sha256": block_checksums(file)}
            for file in sorted(directory.rglob("*"))
            if file.is_file()
        }
        body = {"what": what, "identity": dict(identity), "files": files}
        write_text(directory / SEAL, json.dumps({**body, "checksum": _checksum(body)}, indent=1) + "\n")


def check_seal(path: Path, identity: Identity, *, what: str, remedy: str, verify: bool = False) -> Mapping[str, Any]:
    """The identity in the seal of `path`; raises `DerivedError` unless it contains everything in `identity`.

    `what` describes it in errors ("the name index of hpo.clew"), `remedy` is the command that rebuilds it. Sizes are
    always compared, contents with `verify`.
    """
    path = Path(path)
    try:
        body = json.loads((path / SEAL).read_text("utf-8"))
        stated = body.pop("checksum")
        whole = stated == _checksum(body)
    except (FileNotFoundError, NotADirectoryError):
        raise DerivedError(f"{what} does not exist yet: run `{remedy}`") from None
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise DerivedError(f"{path / SEAL} cannot be read ({error}): run `{remedy}`") from error
    if not whole:
        raise DerivedError(f"{path / SEAL} is damaged (its checksum differs): run `{remedy}`")
    for key, wanted in identity.items():
        if (found := body["identity"].get(key)) != wanted:
            raise DerivedError(f"{what} was made for {key} {found!r}, not {wanted!r}: run `{remedy}`")
    for name, record in body["files"].items():
        file = path / name
        if not file.is_file() or file.stat().st_size != record["size"]:
            raise DerivedError(f"{file} is missing or truncated: run `{remedy}`")
        if verify and block_checksums(file) != record["sha256"]:
            raise DerivedError(f"{file} is damaged (a checksum differs): run `{remedy}`")
    return body["identity"]  # type: ignore[no-any-return]


def _checksum(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
