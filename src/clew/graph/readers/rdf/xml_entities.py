"""RDF/XML without bombs: the parser expands the entities of a document, and a kilobyte of them can mean a gigabyte."""

import re
from pathlib import Path
from typing import BinaryIO

from clew.errors import InputError

__all__ = ["GuardedXml"]

DOCTYPE = b"<!DOCTYPE"
LARGEST = 1 << 16  # bytes of a document type
LONGEST = 1024  # bytes of an entity: namespaces are shorter
ENTITY = re.compile(rb"<!ENTITY\s+[^\"'>]*(\"[^\"]*\"?|'[^']*'?)?")
BUFFER = 1 << 16


class GuardedXml:
    """A stream that refuses entities which are long or hold other entities; abbreviations of namespaces pass."""

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self._stream, self._path = stream, path
        self._tail = b""
        self._doctype: bytes | None = None
        self._closed = False

    def read(self, size: int = -1) -> bytes:
        """The next bytes, once they are known to be harmless."""
        chunk = self._stream.read(BUFFER if size < 0 else min(size, BUFFER))
        if self._doctype is None:
            joined = self._tail + chunk
            at = joined.find(DOCTYPE)
            self._tail = joined[-len(DOCTYPE) :]
            if at >= 0:
                self._doctype = joined[at:]
                self._check()
        elif not self._closed:
            self._doctype += chunk
            self._check()
        return chunk

    def _check(self) -> None:
        assert self._doctype is not None
        text, bracket, rest = self._doctype.partition(b"]")
        self._closed = (bool(bracket) and b">" in rest) or (b"[" not in text and b">" in text)
        values = [found[1] or b"" for found in ENTITY.finditer(self._doctype if not self._closed else text)]
        if len(self._doctype) > LARGEST + BUFFER or any(len(value) > LONGEST or b"&" in value for value in values):
            raise InputError(
                f"{self._path} declares XML entities that are long or hold other entities, so it is not read: "
                "expand them yourself if it is meant to be so"
            )
