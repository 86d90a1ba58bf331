"""Long lists page by page: a cursor names the snapshot it belongs to and the place where the next page begins."""

import re

from clew.app.server.edge.failures import SnapshotReplaced
from clew.app.server.graphs import OpenGraph
from clew.errors import InputError

__all__ = ["check_snapshot", "next_cursor", "read_cursor"]

CURSOR = re.compile(r"([0-9a-f]{8})-(\d{1,15})")


def read_cursor(cursor: str | None, opened: OpenGraph) -> int:
    """Where the page of a cursor begins; 0 without one."""
    if cursor is None:
        return 0
    found = CURSOR.fullmatch(cursor)
    if found is None:
        raise InputError(f"{cursor[:40]!r} is not a cursor: send `next` of the page before")
    check_snapshot(opened, found[1], what="the cursor")
    return int(found[2])


def next_cursor(opened: OpenGraph, end: int, total: int) -> str | None:
    """The cursor of the page after one that ends at `end`; None after the last."""
    return f"{opened.snapshot[:8]}-{end}" if end < total else None


def check_snapshot(opened: OpenGraph, snapshot: str, *, what: str) -> None:
    """Refuse what belongs to another snapshot than the one that is served."""
    if not snapshot or not opened.snapshot.startswith(snapshot):
        raise SnapshotReplaced(
            f"{what} belongs to snapshot {snapshot[:16]!r}, and {opened.name} is now {opened.snapshot}: ask again"
        )
