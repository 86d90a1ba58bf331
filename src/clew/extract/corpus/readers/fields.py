"""A document from named fields: what JSON Lines and tables have in common.

`text` is needed; `id`, `title`, `source` and `license` may be absent.
"""

import re
from collections.abc import Mapping
from typing import Any

from clew.extract.corpus.document import Document
from clew.extract.corpus.source_files import SourceFile

__all__ = ["UNKNOWN_LICENSE", "from_fields", "paragraphs"]

UNKNOWN_LICENSE = "unknown"
BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def from_fields(fields: Mapping[str, Any], file: SourceFile, number: int) -> Document:
    """The document of one row; raises `ValueError` that says what is wrong with it."""
    text, title = fields.get("text"), fields.get("title")
    if not isinstance(text, str):
        raise ValueError(f"text is {_kind(text)}, expected a string")
    if not isinstance(title, str | None):
        raise ValueError(f"title is {_kind(title)}, expected a string")
    identifier = fields.get("id")
    if not isinstance(identifier, str | int | None) or isinstance(identifier, bool):
        raise ValueError(f"id is {_kind(identifier)}, expected a string or a whole number")
    where = f"{file.name}:{number}"
    return Document(
        id=("" if identifier is None else str(identifier).strip()) or where,
        title=title or "",
        passages=paragraphs(text),
        source=_said(fields, "source") or file.given.source or file.name,
        license=_said(fields, "license") or file.given.license or UNKNOWN_LICENSE,
        where=where,
    )


def paragraphs(text: str) -> tuple[str, ...]:
    """Blocks of text between blank lines.

    >>> paragraphs("One.\\n\\nTwo\\nlines.\\n")
    ('One.', 'Two\\nlines.')
    """
    return tuple(block for part in BLANK_LINE.split(text.replace("\r\n", "\n")) if (block := part.strip()))


def _said(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value.strip() or None if isinstance(value, str) else None


def _kind(value: object) -> str:
    return "missing" if value is None else f"a {type(value).__name__}"
