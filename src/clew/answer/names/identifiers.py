"""Ids in a question, with or without their prefix: "OMIM:154700", "DB00740"."""

import re
from collections.abc import Iterator
from weakref import WeakKeyDictionary

import pyarrow.compute as pc

from clew.answer.names.meanings import Anchor, meanings_of
from clew.graph import read_entities
from clew.link import Linker

__all__ = ["ids_in"]

ID = re.compile(r"(?<![\w:])(?:[A-Za-z][\w.]*:)?[A-Za-z]{0,8}\d[\w.]*\w(?![\w:])")
MOST_PREFIXES = 40
_prefixes: "WeakKeyDictionary[Linker, tuple[str, ...]]" = WeakKeyDictionary()


def ids_in(text: str, linker: Linker) -> Iterator[Anchor]:
    """The ids that a text says."""
    for found in ID.finditer(text):
        written = found.group()
        tried = [written] if ":" in written else [f"{prefix}:{written}" for prefix in _prefixes_of(linker)]
        if ":" not in written and written.isdigit():
            continue  # a number
        for each in tried:
            linked = linker.link(each, last_stage="xref")
            if linked.best is not None:
                yield Anchor(found.start(), found.end(), written, meanings_of(linked.candidates, linked.best))
                break


def _prefixes_of(linker: Linker) -> tuple[str, ...]:
    """What stands before the colon in the ids of a graph, the commonest first."""
    if linker not in _prefixes:
        ids = read_entities(linker.engine, ("id",))["id"]
        curies = ids.filter(pc.match_substring(ids, ":"))
        first = pc.list_element(pc.split_pattern(curies, ":", max_splits=1), 0) if len(curies) else curies
        counts = sorted(pc.value_counts(first.combine_chunks()).to_pylist(), key=lambda row: -row["counts"])
        _prefixes[linker] = tuple(row["values"] for row in counts[:MOST_PREFIXES])
    return _prefixes[linker]
