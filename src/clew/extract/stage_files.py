"""A finished stage of a run on disk: its tables and counts in one sealed directory, not made again while it fits."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from clew.errors import DerivedError
from clew.extract.parts import COUNTS, read_counts, write_table
from clew.files import write_text
from clew.sealed import check_seal, new_sealed

__all__ = ["Identity", "finished_counts", "read_stage_table", "write_stage"]

Identity = Mapping[str, str | int | float | bool]
REMEDY = "clew extract prepare"


def finished_counts(stage: Path, identity: Identity) -> dict[str, Any] | None:
    """What a stage counted, if it was finished with these settings and inputs; else None."""
    try:
        check_seal(stage, identity, what=f"the stage {stage.name}", remedy=REMEDY)
    except DerivedError:
        return None
    return read_counts(stage)


def write_stage(
    stage: Path, identity: Identity, tables: Mapping[str, pa.Table], counts: Mapping[str, Any], *, what: str
) -> None:
    """Write the tables of a stage, what it counted, and the seal."""
    with new_sealed(stage, identity, what=what) as directory:
        for name, table in tables.items():
            write_table(table, directory / f"{name}.parquet")
        write_text(directory / COUNTS, json.dumps(counts, indent=1, ensure_ascii=False) + "\n")


def read_stage_table(stage: Path, *, columns: list[str] | None = None) -> pa.Table:
    """The table of a stage that has one, called as the stage is."""
    check_seal(stage, {}, what=f"the stage {stage}", remedy=REMEDY)
    return pq.read_table(stage / f"{stage.name}.parquet", columns=columns)
