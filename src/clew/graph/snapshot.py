"""Which graph this is, as a small record: identity, counts, sources, and the folder for what is derived from it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.graph.staging import Source
from clew.graph.storage.derived import place_to_read, place_to_write
from clew.graph.storage.manifest import Manifest, Widths
from clew.graph.storage.segments import SegmentArrays

__all__ = ["Snapshot"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One immutable state of a graph. Two snapshots with the same `id` hold exactly the same content."""

    id: str
    name: str  # for messages: the path the graph was opened from, or the address of the engine that serves it
    format: int
    counts: Mapping[str, int]  # entities, triples, assertions, pairs, names, relations, types
    widths: Widths
    sources: tuple[Source, ...] = ()
    problems: Mapping[str, int] = field(default_factory=dict)  # rows left out when the graph was built, by kind
    created_by: str = ""
    parent: str | None = None
    bytes: int = 0
    partitions: int = 1  # segments, which can be loaded one at a time
    partitioning: str | None = None  # the strategy that chose them, if there are several
    largest_load: int = 0  # bytes of the largest partition in one direction: a cache of this size serves every walk
    folder: Path | None = None  # the graph's directory; None where the graph is not on this machine

    @classmethod
    def of(cls, manifest: Manifest, folder: Path) -> "Snapshot":
        """The snapshot that a manifest describes."""
        return cls(
            id=manifest.snapshot,
            name=str(folder),
            format=manifest.format_version,
            counts=dict(manifest.counts),
            widths=manifest.widths,
            sources=manifest.sources,
            problems=dict(manifest.problems),
            created_by=manifest.created_by,
            parent=manifest.parent,
            bytes=sum(record.size for record in manifest.files.values()),
            partitions=len(manifest.segments),
            partitioning=manifest.partitioning,
            largest_load=SegmentArrays(manifest, folder).largest(),
            folder=folder.absolute(),
        )

    def __hash__(self) -> int:
        return hash(self.id)

    def __str__(self) -> str:
        return self.name

    @property
    def licences(self) -> tuple[str, ...]:
        """The distinct licences of the sources, in their order."""
        return tuple(dict.fromkeys(source.license for source in self.sources if source.license))

    def derived(self, kind: str, *, new: bool = False) -> Path:
        """Where something derived from this snapshot is kept, such as an index of its names; `new`: to write it.

        Beside the graph, or in the user's cache if the graph's directory cannot be written to.
        """
        if self.folder is None:
            raise InputError(f"{self.name} is not on this machine, so its {kind} cannot be kept beside it: give a path")
        return (place_to_write if new else place_to_read)(self.folder, self.id, kind)

    def to_record(self) -> dict[str, Any]:
        """As JSON takes it, without the folder, which means nothing elsewhere."""
        return {name: value for name, value in asdict(self).items() if name != "folder"}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Snapshot":
        """The reverse of `to_record`."""
        sources = tuple(Source(**source) for source in record["sources"])
        return cls(**{**record, "widths": Widths(**record["widths"]), "sources": sources})
