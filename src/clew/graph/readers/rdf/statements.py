"""Files of RDF to statements, one at a time, with pyoxigraph; a bad line of N-Triples or N-Quads costs only itself."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pyoxigraph
from pyoxigraph import RdfFormat

from clew.errors import InputError
from clew.graph.readers.rdf.xml_entities import GuardedXml
from clew.graph.readers.source_files import check_file, open_bytes, plain_suffix, read_line, reading
from clew.graph.staging import Problems

__all__ = ["RdfFile"]

BY_SUFFIX = {
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".jsonld": RdfFormat.JSON_LD,
    ".rdf": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
}
BY_LINE = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
BLOCK = 1 << 20
HEAD = 4096
Statement = tuple[int, Any, Any, Any, Any]  # place, subject, predicate, object, graph


@dataclass(slots=True)
class RdfFile:
    """A file and, once it was read, the prefixes that it declares. `by_line` says that places are lines."""

    path: Path
    problems: Problems
    prefixes: Mapping[str, str] = field(default_factory=dict)
    format: Any = field(init=False)

    def __post_init__(self) -> None:
        check_file(self.path)
        self.format = self._format()

    @property
    def by_line(self) -> bool:
        return self.format in BY_LINE

    def __iter__(self) -> Iterator[Statement]:
        with reading(self.path, "RDF"), open_bytes(self.path) as stream:
            yield from self._lines(stream) if self.by_line else self._whole(stream)

    def _format(self) -> Any:
        """The format by the suffix; an .owl or .rdf file may be Turtle, or a form of OWL that is no RDF at all."""
        suffix = plain_suffix(self.path)
        if suffix not in BY_SUFFIX:
            raise InputError(f"{self.path} is no RDF by its name: expected {', '.join(BY_SUFFIX)}, perhaps with .gz")
        if suffix not in (".owl", ".rdf"):
            return BY_SUFFIX[suffix]
        with reading(self.path, "RDF"), open_bytes(self.path) as stream:
            head = stream.read(HEAD).decode("utf-8-sig", "replace").lstrip()
        if head.startswith(("Prefix(", "Ontology(", "<Ontology", "Prefix:", "Ontology:")) or "<Ontology " in head:
            raise InputError(
                f"{self.path} is OWL in functional, Manchester or OWL/XML syntax, which is no RDF: convert it to "
                "RDF/XML or OBO (robot convert --output x.obo)"
            )
        return (
            RdfFormat.TURTLE
            if head.startswith(("@", "PREFIX", "BASE", "#", "<http", "<urn", "_:"))
            else RdfFormat.RDF_XML
        )

    def _whole(self, stream: BinaryIO) -> Iterator[Statement]:
        try:
            guarded: Any = GuardedXml(stream, self.path) if self.format is RdfFormat.RDF_XML else stream
            statements = pyoxigraph.parse(guarded, format=self.format, base_iri=self.path.absolute().as_uri())
            for place, (subject, predicate, object_, graph) in enumerate(statements, 1):
                yield place, subject, predicate, object_, graph
            self.prefixes = statements.prefixes
        except SyntaxError as error:
            at = f":{error.lineno}" if error.lineno else ""
            raise InputError(f"{self.path}{at} cannot be read as RDF: {error.msg}") from error

    def _lines(self, stream: BinaryIO) -> Iterator[Statement]:
        number = 1
        while block := stream.read(BLOCK) + read_line(stream, self.path):
            lines = enumerate(block.split(b"\n"), number)
            numbered = [(at, line) for at, line in lines if line.strip() and line.lstrip()[:1] != b"#"]
            number += block.count(b"\n")
            try:
                parsed = list(self._parse(b"\n".join(line for _, line in numbered)))
            except SyntaxError:
                parsed = []
            if len(parsed) == len(numbered):
                for (place, _), (subject, predicate, object_, graph) in zip(numbered, parsed, strict=True):
                    yield place, subject, predicate, object_, graph
            else:
                yield from self._one_by_one(numbered)

    def _parse(self, text: bytes) -> Any:
        return pyoxigraph.parse(text, format=self.format)

    def _one_by_one(self, numbered: list[tuple[int, bytes]]) -> Iterator[Statement]:
        for place, line in numbered:
            try:
                for subject, predicate, object_, graph in list(self._parse(line)):
                    yield place, subject, predicate, object_, graph
            except SyntaxError as error:
                what = error.msg.partition(": ")[2] or error.msg
                self.problems.add("malformed row", f"{self.path}:{place}", what)
