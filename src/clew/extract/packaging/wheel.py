"""A model folder as a wheel that pip can carry: pure Python, one package with the folder's files and nothing to run.

`clew models get NAME` fetches it, from the index or a folder, and unpacks it where models are kept.
"""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

from clew.errors import InputError
from clew.extract.packaging.folder import CARD, LICENCES
from clew.extract.packaging.locate import MODEL, SEED, STATEMENTS
from clew.models.packaged import module_of, package_of
from clew.sealed import check_seal

__all__ = ["write_wheel"]

VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
TIME = (1980, 1, 1, 0, 0, 0)  # the same folder gives the same bytes


def write_wheel(folder: Path, out: Path, *, name: str, version: str) -> Path:
    """Write the wheel of a model folder into `out` and return its path; the seals of the folder are checked first."""
    if not NAME.fullmatch(name):
        raise InputError(f"a model's name has small letters, digits and hyphens, not {name!r}: give one with --name")
    if not VERSION.fullmatch(version):
        raise InputError(f"a version is numbers with points, as 1.0, not {version!r}")
    parts = (MODEL, SEED, *((STATEMENTS,) if (folder / STATEMENTS).is_dir() else ()))
    for part in parts:
        check_seal(folder / part, {}, what=f"the {part} at {folder / part}", remedy="clew extract package", verify=True)
    missing = [each for each in (CARD, LICENCES) if not (folder / each).is_file()]
    if missing:
        raise InputError(f"{folder} has no {' and no '.join(missing)}: a model travels with its card and licences")
    out.mkdir(parents=True, exist_ok=True)
    module = module_of(name)
    info = f"{module}-{version}.dist-info"
    path = out / f"{module}-{version}-py3-none-any.whl"
    unfinished = path.with_suffix(".unfinished")
    record: list[str] = []
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, record, f"{module}/__init__.py", f'"""The model {name} for `clew extract`."""\n'.encode())
        for file in sorted(each for part in parts for each in (folder / part).iterdir() if each.is_file()):
            _add(archive, record, f"{module}/{file.relative_to(folder).as_posix()}", file.read_bytes())
        for each in (CARD, LICENCES):
            _add(archive, record, f"{module}/{each}", (folder / each).read_bytes())
        _add(archive, record, f"{info}/METADATA", _metadata(folder, name, version).encode())
        _add(archive, record, f"{info}/WHEEL", WHEEL.encode())
        _add(archive, None, f"{info}/RECORD", "".join((*record, f"{info}/RECORD,,\n")).encode())
    unfinished.replace(path)
    return path


WHEEL = "Wheel-Version: 1.0\nGenerator: clew\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _metadata(folder: Path, name: str, version: str) -> str:
    return (
        f"Metadata-Version: 2.1\nName: {package_of(name)}\nVersion: {version}\n"
        f"Summary: The model {name} for clew extract\n"
        f"License: see {LICENCES}\nDescription-Content-Type: text/markdown\n\n"
        f"{(folder / CARD).read_text('utf-8')}"
    )


def _add(archive: zipfile.ZipFile, record: list[str] | None, name: str, content: bytes) -> None:
    member = zipfile.ZipInfo(name, TIME)
    member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    archive.writestr(member, content)
    if record is not None:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}\n")
