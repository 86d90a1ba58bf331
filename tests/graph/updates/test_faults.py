"""An update that fails or is interrupted at any file operation: one sentence, and a graph as before or as after it."""

import errno
import os
from pathlib import Path

import pytest

import clew
from clew.errors import GraphError
from effort import WHOLE
from file_operations import failing
from living import Change, Model, Stated, build, state_of, update

FAULTS = {
    "disk full": OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "permission lost": PermissionError(errno.EACCES, os.strerror(errno.EACCES)),
    "Ctrl-C": KeyboardInterrupt(),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_at_every_file_operation(tmp_path: Path, fault: str) -> None:
    path, model = tmp_path / "g.clew", Model()
    model.add([Stated("A:1", "has", "B:1", document="D:1")], {"A:1": ("one", "Gene"), "B:1": ("bee", "Disease")})
    build(model, path)
    done, moment, found, said = False, 0, set[bool](), set[str]()
    while not done:
        row = Stated(f"N:{moment}", "has", "B:1")
        change = Change(frozenset({row}), {row.subject: (None, None), "B:1": (None, None)})
        after = Model(dict(model.entities), set(model.rows))
        after.apply(change)
        try:
            with failing(moment, FAULTS[fault]) as left:
                update(path, change)
            done = next(left, None) is not None
        except (GraphError, KeyboardInterrupt) as error:
            said.add(str(error).rpartition(": ")[2])
        held = state_of(clew.open(path, verify=True))
        assert held in ((model.entities, model.rows), (after.entities, after.rows))
        found.add(held == (after.entities, after.rows))
        model = after if held == (after.entities, after.rows) else model
        moment += 1 if WHOLE else 11
    assert found == {False, True}
    assert said == {getattr(FAULTS[fault], "strerror", "")}
    assert not [each for each in path.iterdir() if each.name.startswith(".")]  # nothing half-written is left
