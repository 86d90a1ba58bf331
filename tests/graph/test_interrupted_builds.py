"""A full disk, a lost permission, Ctrl-C at file operations of a build: one sentence, and the old graph or the new."""

import errno
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clew
from clew.errors import ClewError
from effort import WHOLE
from file_operations import failing

FAULTS = {
    "disk full": OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "permission lost": PermissionError(errno.EACCES, os.strerror(errno.EACCES)),
    "Ctrl-C": KeyboardInterrupt(),
}
BUILDS = {"in memory": {}, "partitions": {"partitions": 2}, "bounded memory": {"partitions": 2, "memory": "1MB"}}
STEP = 1 if WHOLE else 23


def rows(prefix: str) -> pa.Table:
    ends = [f"{prefix}:{number}" for number in range(9)]
    return pa.table({"subject": ends, "relation": ["has"] * 9, "object": ends[1:] + ends[:1], "source": ["S"] * 9})


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files that are closed when collected
@pytest.mark.parametrize("options", BUILDS)
@pytest.mark.parametrize("fault", FAULTS)
def test_at_every_file_operation(tmp_path: Path, fault: str, options: str) -> None:
    path, place = tmp_path / "home" / "g.clew", tmp_path / "new.parquet"
    pq.write_table(rows("New"), place)
    old = clew.build(rows("Old"), out=path).snapshot.id
    done, moment, said, states = False, 0, set[str](), set[str]()
    while not done:
        try:
            with failing(moment, FAULTS[fault]) as left:
                clew.build(place, out=path, overwrite=True, **BUILDS[options])  # type: ignore[arg-type]
            done = next(left, None) is not None
        except (ClewError, KeyboardInterrupt) as error:
            said.add(str(error).rpartition(": ")[2])
        graph = clew.open(path, verify=True)
        states.add("old" if graph.snapshot.id == old else "new")
        assert graph.counts["triples"] == 9
        if graph.snapshot.id != old and not done:
            clew.build(rows("Old"), out=path, overwrite=True)
        moment += STEP
    assert states == {"old", "new"}
    assert said == {getattr(FAULTS[fault], "strerror", "")}
    assert [each.name for each in path.parent.iterdir()] == ["g.clew"]  # nothing half-written is left
    assert {each.name for each in path.iterdir()} == {"CURRENT", "snapshots"}
