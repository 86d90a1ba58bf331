"""Build an index of texts on disk, in blocks that survive an interruption.

Each block of vectors is stored with a checksum in a hidden folder beside the index, named after the checksum of its
texts; an interrupted build resumes from there. The folder is removed when the index is complete.
"""

import hashlib
import io
import logging
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.embed.approximate import load_usearch, usearch_installed, write_graph
from clew.embed.encoder import Encoder
from clew.embed.exact import make_heads
from clew.embed.index import FORMAT, VectorIndex
from clew.errors import DerivedError, GraphError, InputError, ModelError
from clew.files import write_bytes
from clew.progress import Progress, silent
from clew.sealed import check_seal, new_sealed

__all__ = ["build_index"]

KINDS = ("auto", "exact", "approximate")
EXACT_BELOW = 100_000  # rows
BLOCK = 1024  # texts: the most that an interruption loses
TASK = "encoding"
REMEDY = "build_index"  # named in errors as the way to rebuild

log = logging.getLogger(__name__)


def build_index(
    path: Path,
    texts: Sequence[str],
    encoder: Encoder,
    *,
    identity: Mapping[str, Any],
    what: str,
    kind: str = "auto",
    own: bool = False,
    progress: Progress = silent,
) -> VectorIndex:
    """Encode `texts` and write their index to `path`, replacing an older one; an identical one is kept.

    `identity` is the origin of the texts, such as a graph's snapshot; the encoder, the dimension, the number of texts
    and their checksum are added to it. An interrupted build resumes on the next call. `own`: as for `new_sealed`.
    """
    path = Path(path)
    kind = _kind_for(kind, len(texts))
    made = {
        **identity,
        "format": FORMAT,
        "encoder": encoder.identity,
        "dimension": encoder.dimension,
        "count": len(texts),
        "texts": _checksum(texts),
        "kind": kind,
    }
    with suppress(DerivedError):
        check_seal(path, made, what=what, remedy=REMEDY, verify=True)
        return VectorIndex.open(path, made, what=what, remedy=REMEDY)
    blocks = _Blocks(path, encoder)
    with new_sealed(path, made, what=what, own=own) as directory:
        vectors = _new_array(directory / "vectors.npy", (len(texts), encoder.dimension), np.float16)
        for start, rows in blocks.encode(texts, progress):
            vectors[start : start + len(rows)] = rows
        progress("indexing", 0, len(texts))
        heads = make_heads(vectors)
        np.save(directory / "heads.npy", heads.columns)
        np.save(directory / "directions.npy", heads.directions)
        if kind == "approximate":
            write_graph(directory, vectors, progress=progress)
        del vectors
        progress("indexing", len(texts), len(texts))
    blocks.remove()
    return VectorIndex.open(path, made, what=what, remedy=REMEDY)


def _kind_for(kind: str, count: int) -> str:
    """The kind of index to build, checked before any long work."""
    if kind not in KINDS:
        raise InputError(f"unknown kind of index {kind!r}: choose one of {', '.join(KINDS)}")
    large = kind == "approximate" or (kind == "auto" and count >= EXACT_BELOW)
    if kind == "auto" and large and not usearch_installed():
        log.warning("%d vectors will be searched exhaustively, which is slow: pip install 'clew[vectors]'", count)
        return "exact"
    if large:
        load_usearch()  # raises if it is not installed
    return "approximate" if large else "exact"


class _Blocks:
    """Encoded blocks stored beside a future index. Several builders may share them: files are written atomically and
    verified before use, and a missing one is encoded again."""

    def __init__(self, path: Path, encoder: Encoder) -> None:
        self._encoder = encoder
        self._family = path.parent, f".{path.name}.blocks-"
        key = hashlib.sha256(f"{FORMAT} {encoder.identity}".encode()).hexdigest()[:12]
        self._folder = path.parent / f"{self._family[1]}{key}"

    def encode(self, texts: Sequence[str], progress: Progress) -> Iterator[tuple[int, NDArray[np.float16]]]:
        """Every block with its first row, from the folder or newly encoded."""
        total, kept = len(texts), 0
        progress(TASK, 0, total)
        for start in range(0, total, BLOCK):
            part = texts[start : start + BLOCK]
            file = self._folder / f"{_checksum(part)}.block"
            rows = self._read(file, len(part))
            if rows is None:
                rows = self._encoded(part, _shifted(progress, start, total))
                self._write(file, rows)
            else:
                kept += len(part)
            progress(TASK, start + len(part), total)
            yield start, rows
        if kept:
            log.info("resumed: %d of %d vectors were encoded by an earlier run", kept, total)

    def remove(self) -> None:
        """Remove the folder, and those of other encoders for the same index."""
        parent, prefix = self._family
        for folder in parent.glob("*"):
            if folder.name.startswith(prefix):
                shutil.rmtree(folder, ignore_errors=True)

    def _encoded(self, part: Sequence[str], progress: Progress) -> NDArray[np.float16]:
        rows = self._encoder.encode(part, progress=progress)
        wanted = (len(part), self._encoder.dimension)
        if rows.shape != wanted:
            raise ModelError(f"the encoder {self._encoder.name!r} returned vectors of shape {rows.shape}, not {wanted}")
        return rows.astype(np.float16)

    def _read(self, file: Path, count: int) -> NDArray[np.float16] | None:
        try:
            content = file.read_bytes()
        except OSError:
            return None
        stated, body = content[:32], content[32:]
        if hashlib.sha256(body).digest() != stated:
            return None
        try:
            rows = np.load(io.BytesIO(body), allow_pickle=False)
        except ValueError:
            return None
        whole = rows.shape == (count, self._encoder.dimension) and rows.dtype == np.float16
        return rows if whole else None

    def _write(self, file: Path, rows: NDArray[np.float16]) -> None:
        body = io.BytesIO()
        np.save(body, rows)
        content = hashlib.sha256(body.getvalue()).digest() + body.getvalue()
        for last in (False, True):
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                write_bytes(file, content)
                return
            except (OSError, GraphError) as error:  # another builder may have finished and removed the folder
                if last:
                    raise GraphError(f"cannot store encoded vectors in {self._folder}: {error}") from error


def _checksum(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little"))
        digest.update(content)
    return digest.hexdigest()


def _shifted(progress: Progress, before: int, total: int) -> Progress:
    """Progress on a part, reported as progress on the whole."""

    whole = total

    def report(task: str, done: int, total: int | None) -> None:
        progress(TASK, before + done, whole)

    return report


def _new_array(file: Path, shape: tuple[int, int], kind: type[np.generic]) -> NDArray[Any]:
    if shape[0] == 0:
        np.save(file, np.empty(shape, kind))
        return np.empty(shape, kind)
    return np.lib.format.open_memmap(file, mode="w+", dtype=kind, shape=shape)
