"""GraphML: nodes with typed attributes, one edge per assertion; lists are the text of a JSON list.

XML has no words for control characters: they become U+FFFD, and how many is said in the log. NAME_relations.json keeps
flags of relations and sources, for reading back.
"""

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from clew.files import new_directory
from clew.graph.contents import GraphContents
from clew.graph.readers.own.declarations import beside, declarations
from clew.graph.staging import QUALIFIER_PREFIX, Relation
from clew.graph.writers.blocks import BLOCK_ROWS, assertion_blocks, entity_blocks
from clew.progress import Progress, silent, track

__all__ = ["write"]

log = logging.getLogger(__name__)
NAME = "graph.graphml"
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
BREAKS = {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'


def write(contents: GraphContents, out: Path, *, overwrite: bool = False, progress: Progress = silent) -> list[Path]:
    """Write graph.graphml into the new directory `out`."""
    contents.verify()
    flags = [Relation(r.name, r.negated, r.symmetric, r.transitive, r.inverse) for r in contents.schema.relations]
    with new_directory(out, overwrite=overwrite, marker=NAME) as directory:
        with open(directory / NAME, "w", encoding="utf-8", newline="\n") as file:
            _Sheet(file).write(contents, progress)
        declared = beside(directory / NAME)
        declared.write_text(declarations(flags, contents.snapshot.sources), "utf-8")
    return [Path(out) / NAME, Path(out) / declared.name]


class _Sheet:
    """An open file and the keys of its attributes."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.replaced = 0

    def write(self, contents: GraphContents, progress: Progress) -> None:
        """The keys of both sorts of attributes come first, so the first blocks are asked for twice."""
        nodes = self._keys("node", next(entity_blocks(contents)).schema, ("id",))
        edges = self._keys(
            "edge", next(assertion_blocks(contents)).schema, ("subject", "object", "subject_name", "object_name")
        )
        self.file.write(HEAD)
        for kind, keys in (("node", nodes), ("edge", edges)):
            for name, (key, _, type_) in keys.items():
                shown = self._attribute(name.removeprefix(QUALIFIER_PREFIX))
                self.file.write(f'<key id="{key}" for="{kind}" attr.name={shown} attr.type="{type_}"/>\n')
        self.file.write('<graph edgedefault="directed">\n')
        for block in _tracked(entity_blocks(contents), "writing nodes", contents.counts["entities"], progress):
            for row in block.to_pylist():
                self._element(f"node id={self._attribute(row['id'])}", "node", row, nodes)
        for block in _tracked(assertion_blocks(contents), "writing edges", contents.counts["assertions"], progress):
            for row in block.to_pylist():
                ends = f"source={self._attribute(row['subject'])} target={self._attribute(row['object'])}"
                self._element(f"edge {ends}", "edge", row, edges)
        self.file.write("</graph>\n</graphml>\n")
        if self.replaced:
            log.warning("%s: %d control characters were written as U+FFFD", NAME, self.replaced)

    def _keys(self, kind: str, schema: pa.Schema, fixed: tuple[str, ...]) -> dict[str, tuple[str, bool, str]]:
        """Column → its key, whether it is text of JSON, and its type."""
        kept = [field for field in schema if field.name not in fixed]
        return {
            field.name: (f"{kind[0]}{number}", pa.types.is_nested(field.type), _type(field.type))
            for number, field in enumerate(kept)
        }

    def _element(self, start: str, tag: str, row: dict[str, Any], keys: dict[str, tuple[str, bool, str]]) -> None:
        data = "".join(
            f'<data key="{key}">{self._text(row[name], nested)}</data>'
            for name, (key, nested, _) in keys.items()
            if row[name] is not None
        )
        self.file.write(f"<{start}>{data}</{tag}>\n")

    def _text(self, value: Any, nested: bool) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        text = json.dumps(value, ensure_ascii=False, default=str) if nested else str(value)
        return escape(self._printable(text), BREAKS)

    def _attribute(self, text: str) -> str:
        return quoteattr(self._printable(text))

    def _printable(self, text: str) -> str:
        made, count = CONTROL.subn("\ufffd", text)
        self.replaced += count
        return made


def _type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "long"
    return "double" if pa.types.is_floating(kind) else "string"


def _tracked(blocks: Iterator[pa.Table], what: str, rows: int, progress: Progress) -> Iterator[pa.Table]:
    return track(blocks, what, progress, total=max(1, -(-rows // BLOCK_ROWS)))
