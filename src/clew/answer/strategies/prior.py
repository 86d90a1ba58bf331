"""Prior knowledge of a graph: what a reader of its contexts should ignore, and what tends to hold.

A text that the graph's owner writes into prior.txt in the graph's directory, where it stays when the graph is built
again: "Provenance does not matter. Similar diseases tend to have similar genes."
"""

from clew.errors import InputError
from clew.graph.snapshot import Snapshot
from clew.json_files import read_text

__all__ = ["load_prior"]

FILE = "prior.txt"
LONGEST = 4_000  # characters


def load_prior(snapshot: Snapshot) -> str:
    """The prior knowledge of a graph; empty where its owner has written none."""
    if snapshot.folder is None or not (snapshot.folder / FILE).is_file():
        return ""
    text = read_text(snapshot.folder / FILE).strip()
    if len(text) > LONGEST:
        raise InputError(f"{FILE} of {snapshot} has {len(text):,} characters, and at most {LONGEST:,} are read")
    return text
