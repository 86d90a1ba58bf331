"""Derived directories, such as a name index of a graph: written atomically, with a seal, and proved when opened.

The seal (`seal.json`, written last) records what the directory was derived from and how, and the size and checksums of
every file. Opening compares the seal with the expected identity, and a file with its checksums before it is used; a
mismatch is an error that names the remedy.
"""

import errno
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from clew.cache import FileIdentity, file_identity, is_proved, remember_proof
from clew.checksums import (
    FileRecord,
    checksum_of,
    damaged_blocks,
    describe_block,
    json_text,
    read_object,
    read_records,
    record_files,
    size_fault,
)
from clew.errors import DamagedDerived, DerivedError
from clew.files import BLOCK_BYTES, PATIENCE, alone, map_regular, new_directory, open_regular, write_text

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SEAL", "Identity", "Seal", "building", "check_seal", "new_sealed", "open_seal"]

SEAL = "seal.json"
PROVED_EACH_TIME = 64 << 20  # bytes: a larger file is proved once, and again when it has changed
MOST_SAID = 200  # characters
OPENINGS = 5  # of a file that is replaced meanwhile
Identity = Mapping[str, str | int | float | bool]


@contextmanager
def building(path: Path) -> Iterator[None]:
    """Wait while another program builds the directory at `path`: what it built can then be opened.

    Builders hold the lock of a hidden file beside the directory; where that cannot be written nothing is waited for.
    """
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
    otherwise = f"another program has been building {path} for {PATIENCE} seconds: wait for it, then try again"
    with alone(path.with_name(f".{path.name}.lock"), otherwise, create=True):
        yield


@contextmanager
def new_sealed(path: Path, identity: Identity, *, what: str, own: bool = False) -> Iterator[Path]:
    """Fill a directory; if the block succeeds it is sealed and replaces any sealed directory at `path`.

    A place that is Clew's `own` holds nothing else: there a directory without a seal is replaced as well.
    """
    with new_directory(path, overwrite=True, marker=None if own else SEAL) as directory:
        yield directory
        files = {name: asdict(record) for name, record in record_files(directory).items()}
        write_text(directory / SEAL, json_text({"what": what, "identity": dict(identity), "files": files}))


@dataclass(frozen=True, slots=True)
class Seal:
    """An opened sealed directory; `open` hands out its files once they are proved."""

    path: Path
    identity: Identity
    files: Mapping[str, FileRecord]
    what: str  # in errors
    remedy: str
    checksum: str  # of the seal
    _proved: dict[str, FileIdentity] = field(default_factory=dict)

    def open(self, name: str) -> BinaryIO:
        """A file whose every block is as it was sealed: compared now, or earlier and not changed since.

        Files of up to 64 MiB are compared in each process. The result for a larger one is kept in the user's cache,
        and holds while its device, number, size and times of modification and change stay the same.
        """
        record = self.files.get(name)
        if record is None:
            raise self._fault(f"{self.path / name} is not part of it")
        try:
            file = open_regular(self.path / name)
        except OSError as error:
            raise self._fault(f"{self.path / name} cannot be read: {error.strerror or error}") from error
        try:
            self._prove(file, name, record)
        except BaseException:
            file.close()
            raise
        return file

    def map(self, name: str) -> "pa.Buffer":
        """What `open` would read, mapped; it stays what it is while the buffer or an array over it lives."""
        left = OPENINGS
        while True:
            left -= 1
            with self.open(name) as file:
                try:
                    return map_regular(file)
                except OSError as error:
                    if error.errno == errno.ESTALE and left:
                        continue  # another builder has just replaced it: if by an equal one, that is proved and mapped
                    said = f"{self.path / name} cannot be mapped: {error.strerror or error}"
                    raise self._fault(said) from error

    def prove(self) -> None:
        """Prove all files, as `open` does."""
        for name in self.files:
            self.open(name).close()

    def _prove(self, file: BinaryIO, name: str, record: FileRecord) -> None:
        found = file_identity(file)
        if self._proved.get(name) == found:
            return
        path, large = self.path / name, record.size > PROVED_EACH_TIME
        content = checksum_of(asdict(record)) if large else ""
        if found.size != record.size:
            raise self._fault(f"{path} has {found.size} bytes, not {record.size}")
        if not (large and is_proved(path, found, content)):
            for number, expected in enumerate(record.sha256):
                if hashlib.sha256(file.read(BLOCK_BYTES)).hexdigest() != expected:
                    raise self._fault(f"{path} is damaged: {describe_block(number, record)} differs")
            file.seek(0)
            if large and file_identity(file) == found:
                remember_proof(path, found, content)
        self._proved[name] = found

    def _fault(self, said: str) -> DerivedError:
        """The error for a file that is not as it was sealed, unless there is another seal by now, or none."""
        try:
            same = read_object(self.path / SEAL)[0].get("checksum") == self.checksum
        except (OSError, ValueError) as error:
            same = not isinstance(error, FileNotFoundError)
        if not same:
            return DerivedError(f"{self.what} was replaced or removed; open the graph again")
        return DamagedDerived(f"{said}: run `{self.remedy}`")


def open_seal(path: Path, identity: Identity, *, what: str, remedy: str) -> Seal:
    """The seal of `path`; raises `DerivedError` unless it contains everything in `identity`.

    `what` describes it in errors ("the name index of hpo.clew"), `remedy` is the command that rebuilds it. The sizes of
    all files are compared.
    """
    path = Path(path)
    try:
        body, _ = read_object(path / SEAL)
        stated = body.pop("checksum")
        whole = stated == checksum_of(body)
        found, files = dict(body["identity"]), read_records(body["files"])
    except (FileNotFoundError, NotADirectoryError):
        if path.is_dir():
            raise DamagedDerived(f"{path} has no {SEAL}: run `{remedy}`") from None
        raise DerivedError(f"{what} does not exist yet: run `{remedy}`") from None
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise DamagedDerived(f"{path / SEAL} cannot be read ({_short(str(error))}): run `{remedy}`") from error
    if not whole:
        raise DamagedDerived(f"{path / SEAL} is damaged (its checksum differs): run `{remedy}`")
    for key, wanted in identity.items():
        if (is_ := found.get(key)) != wanted:
            raise DerivedError(f"{what} was made for {key} {_short(repr(is_))}, not {wanted!r}: run `{remedy}`")
    for name, record in files.items():
        if fault := size_fault(path / name, record.size):
            raise DamagedDerived(f"{path / name} {fault}: run `{remedy}`")
    return Seal(path, found, files, what, remedy, stated)


def check_seal(path: Path, identity: Identity, *, what: str, remedy: str, verify: bool = False) -> Identity:
    """The identity in the seal of `path`, checked as by `open_seal`; with `verify` all contents are compared too."""
    seal = open_seal(path, identity, what=what, remedy=remedy)
    for name, record in seal.files.items() if verify else ():
        if damage := damaged_blocks(seal.path, name, record):
            raise DamagedDerived(f"{seal.path / damage[0]}: run `{remedy}`")
    return seal.identity


def _short(text: str) -> str:
    """Text of a stranger for an error: not too long, and on one line."""
    text = text.encode("unicode_escape").decode()
    return text if len(text) <= MOST_SAID else text[:MOST_SAID] + "…"
