"""Arrow files of a snapshot: mapped, validated in full, and with the columns that are expected."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from clew.errors import DamagedGraph
from clew.graph.storage.snapshots import replaced_or
from clew.graph.storage.statements import assertion_type

__all__ = ["MappedTables"]


class MappedTables:
    """The tables below the folder of one snapshot."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str, rows: int, expected: Mapping[str, pa.DataType] | None = None) -> pa.Table:
        """A table of exactly that many rows: columns as `expected` and without nulls, any, or those of assertions."""
        path = self.folder / f"{name}.arrow"
        try:
            table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
            table.validate(full=True)
            types = dict(zip(table.column_names, table.schema.types, strict=True))
            absent = sum(column.null_count for column in table.columns)
        except (pa.ArrowException, OSError, ValueError, MemoryError, KeyError) as error:
            damage = f"{path} cannot be read: run `clew doctor`, then build the graph again"
            raise replaced_or(damage, self.folder) from error
        if not expected:
            expected, absent = (types if expected == {} else {each: assertion_type(each) for each in types}), 0
        if table.num_rows != rows or len(types) != table.num_columns or types != expected or absent:
            raise DamagedGraph(f"{path} does not fit the manifest: run `clew doctor`, then build the graph again")
        return table
