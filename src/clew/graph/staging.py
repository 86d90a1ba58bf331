"""What a reader hands to `build`: tables of strings, where each row came from, and what was wrong with the rest.

A reader never decides what becomes of a bad row: it reports it to `Problems`, which refuses or skips as it was told.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from clew.errors import BuildError, InputError

__all__ = ["ASSERTION_TYPES", "QUALIFIER_PREFIX", "Origin", "Problems", "Relation", "Source", "Staged"]

# The columns an assertion may have, beside `qualifier:NAME` columns (strings). Words and values follow KGX.
ASSERTION_TYPES: dict[str, pa.DataType] = {
    "source": pa.string(),
    "source_version": pa.string(),
    "license": pa.string(),
    "retrieved_at": pa.string(),  # ISO 8601
    "document": pa.string(),
    "evidence": pa.list_(pa.string()),  # PMIDs, URLs
    "valid_from": pa.date32(),
    "valid_to": pa.date32(),
    "knowledge_level": pa.string(),
    "agent_type": pa.string(),
    "confidence": pa.float64(),
    "negated": pa.bool_(),
}
QUALIFIER_PREFIX = "qualifier:"
EXAMPLES_KEPT = 20  # of each kind of problem


@dataclass(frozen=True, slots=True)
class Relation:
    """What is declared about a relation; anything undeclared is a plain one-way relation."""

    name: str
    negated: bool = False  # it states that something does not hold
    symmetric: bool = False  # a-r-b is b-r-a: one triple, listed in both rows
    transitive: bool = False
    inverse: str | None = None  # the name of the relation that says the same backwards


@dataclass(frozen=True, slots=True)
class Source:
    """Where statements came from; `curated` declares that rows without a knowledge level count as curated."""

    name: str
    version: str | None = None
    license: str | None = None
    url: str | None = None
    attribution: str | None = None
    curated: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Says where row i of a table came from: `origin(7)` is "edges.tsv:9".

    Built from the files that were read one after another; each has its first row number and a function
    from the row inside that file to its line (or row) number.
    """

    files: tuple[str, ...] = ("table",)
    starts: tuple[int, ...] = (0,)
    lines: tuple[Callable[[int], int], ...] = (lambda row: row + 1,)

    def __call__(self, row: int) -> str:
        at = bisect_right(self.starts, row) - 1
        return f"{self.files[at]}:{self.lines[at](row - self.starts[at])}"


@dataclass(slots=True)
class Problems:
    """Counts what is wrong with source rows, keeps examples, and refuses or skips.

    >>> problems = Problems(on_error="skip")
    >>> problems.add("malformed row", "edges.tsv:3", "2 fields, expected 3")
    >>> problems.counts["malformed row"], problems.examples[0]
    (1, 'edges.tsv:3: malformed row: 2 fields, expected 3')
    """

    on_error: str = "refuse"  # or "skip"
    counts: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    differences: Counter[str] = field(
        default_factory=Counter
    )  # between sources, resolved; and what a format leaves out
    difference_examples: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.on_error not in ("refuse", "skip"):
            raise InputError(f"on_error= is 'refuse' or 'skip', not {self.on_error!r}")

    def add(self, kind: str, where: str, what: str, *, count: int = 1) -> None:
        """Note one bad row (or `count` alike); `kind` is one of a few short names, `what` says what was found."""
        if self.counts[kind] < EXAMPLES_KEPT:
            self.examples.append(f"{where}: {kind}: {what}")
        self.counts[kind] += count

    def note(self, kind: str, where: str, what: str, *, count: int = 1) -> None:
        """Count what was resolved or left out by rule (or `count` alike): it is reported and never stops a build."""
        if self.differences[kind] < EXAMPLES_KEPT:
            self.difference_examples.append(f"{where}: {kind}: {what}")
        self.differences[kind] += count

    def settle(self) -> None:
        """Raise if bad rows were found and they are to be refused."""
        if self.counts and self.on_error == "refuse":
            counted = ", ".join(f"{kind}: {count}" for kind, count in sorted(self.counts.items()))
            shown = "; ".join(self.examples[:3])
            raise BuildError(f"{shown} ({counted} in all; on_error='skip' leaves such rows out)")


@dataclass(frozen=True, slots=True)
class Staged:
    """Everything a graph is built from.

    `triples` has columns subject, relation, object and any of ASSERTION_TYPES and `qualifier:NAME`; one row per
    assertion. `entities` has id and optionally name, type, synonyms and xrefs (lists of strings) and any further
    property columns; without it, entities are taken from the triples, and `subject_name`, `subject_type`,
    `object_name`, `object_type` columns of `triples` may describe them. String columns may be dictionary-encoded.
    """

    triples: pa.Table
    entities: pa.Table | None = None
    relations: Sequence[Relation] = ()
    sources: Sequence[Source] = ()
    triple_origin: Origin = field(default_factory=Origin)
    entity_origin: Origin = field(default_factory=Origin)
    merged: pa.Table | None = None  # the record of entity resolution, with the columns of SSSOM
