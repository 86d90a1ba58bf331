"""JSON Lines: one object a line with text and, where there, id, title, source and license."""

import json
from collections.abc import Iterator

from clew.extract.corpus.document import Document
from clew.extract.corpus.readers.fields import from_fields
from clew.extract.corpus.source_files import SourceFile, read_lines
from clew.graph.staging import Problems

__all__ = ["read"]


def read(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """A document for each line."""
    with file.open() as stream:
        for number, line in read_lines(stream, file.name, problems):
            if not line.strip():
                continue
            where = f"{file.name}:{number}"
            try:
                found = json.loads(line.decode())
                if not isinstance(found, dict):
                    raise ValueError(f"a JSON {type(found).__name__}, expected an object")
                document = from_fields(found, file, number)
            except UnicodeDecodeError:
                problems.add("not UTF-8", where, "the line is left out")
            except json.JSONDecodeError as error:
                problems.add("broken JSON", where, f"{error.msg} at character {error.pos + 1}")
            except RecursionError:
                problems.add("broken JSON", where, "nested too deep")
            except ValueError as error:
                problems.add("malformed record", where, str(error))
            else:
                yield document
