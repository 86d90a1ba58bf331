"""Linking of mentions without an exact match: names with similar spelling, ranked by meaning.

The paper takes the ten nearest names by embedding and keeps those with a character 3-gram Jaccard above 0.5. Embedding
every name of a large seed takes hours on a laptop, so the order is reversed: names with a Jaccard above the bar are
found in the name index, and an encoder, where there is one, only orders these. With vectors of all names (`clew index
--encoder`) the paper's way is taken as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from clew.errors import DamagedDerived, DerivedError, InputError
from clew.link import Linker
from clew.link.normalise import key, plain

if TYPE_CHECKING:
    from clew.embed import Encoder
    from clew.link.vectors import NameVectors

__all__ = ["Link", "LinkingSettings", "jaccard", "link_heads", "link_strings"]

LOOK_ALIKE, MEANT = "3-grams", "3-grams and embedding"


@dataclass(frozen=True, slots=True)
class LinkingSettings:
    """The number of candidates, and the minimum similarity of their spelling."""

    candidates: int = 10
    jaccard: float = 0.5
    most_read: int = 60_000  # rows of the name index read for one mention

    def __post_init__(self) -> None:
        if self.candidates < 1 or not 0 <= self.jaccard < 1:
            raise InputError("linking looks at one candidate at least, and its Jaccard bar lies between 0 and 1")


@dataclass(frozen=True, slots=True)
class Link:
    """What a mention was linked to: entity by number, the name that matched, its Jaccard, and a cosine if any."""

    entity: int
    matched: str
    jaccard: float
    cosine: float | None
    method: str


def jaccard(one: str, other: str) -> float:
    """The share of their character 3-grams that two texts have in common.

    >>> jaccard("seizure", "seizures") > 0.5 > jaccard("seizure", "fever")
    True
    """
    first, second = _trigrams(one), _trigrams(other)
    shared = len(first & second)
    return shared / max(len(first) + len(second) - shared, 1)


def _trigrams(text: str) -> frozenset[str]:
    padded = f" {plain(text)} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))


def link_strings(
    mentions: Sequence[str],
    linker: Linker,
    *,
    encoder: "Encoder | None" = None,
    settings: LinkingSettings | None = None,
) -> list[Link | None]:
    """For each mention its link, or None where no name is similar enough."""
    settings = settings or LinkingSettings()
    vectors = _vectors(linker, encoder)
    distinct = list(dict.fromkeys(mentions))
    meant = None if encoder is None or not distinct else encoder.encode(distinct)
    found: dict[str, Link | None] = {}
    for at, mention in enumerate(distinct):
        names = _similar_names(mention, linker, settings)
        vector = None if meant is None else meant[at]
        if vectors is not None and vector is not None:
            for entity, _ in vectors.nearest(vector[None], count=settings.candidates):
                names.setdefault((linker.name_of(entity), entity))
        found[mention] = _best(mention, list(names), vector, encoder, settings)
    return [found[mention] for mention in mentions]


def link_heads(
    heads: pa.Table,
    linker: Linker,
    *,
    encoder: "Encoder | None" = None,
    settings: LinkingSettings | None = None,
) -> pa.Table:
    """The same heads, those without an entity linked where a name is similar enough."""
    rows = heads.to_pylist()
    open_rows = [row for row in rows if row["entity"] is None]
    links = link_strings([row["text"] for row in open_rows], linker, encoder=encoder, settings=settings)
    types = list(linker.engine.schema.types)
    for row, link in zip(open_rows, links, strict=True):
        if link is not None:
            row["entity"] = linker.id_of(link.entity)
            row["type"] = types[linker.type_numbers[link.entity]]
            row["score"], row["method"] = link.jaccard, link.method
    return pa.Table.from_pylist(rows, heads.schema)


def _vectors(linker: Linker, encoder: "Encoder | None") -> "NameVectors | None":
    """Vectors of the graph's names, where somebody made them with this encoder."""
    if encoder is None:
        return None
    from clew.link import open_vectors

    try:
        return open_vectors(linker.engine, encoder)
    except DamagedDerived:
        raise
    except DerivedError:
        return None


def _similar_names(mention: str, linker: Linker, settings: LinkingSettings) -> dict[tuple[str, int], None]:
    """Names above the Jaccard bar as the index counts it, with their entities; the nearest first."""
    near = linker.index.trigrams.nearest(
        key(mention), limit=settings.candidates, floor=settings.jaccard, most_read=settings.most_read
    )
    forms = (form for row, _ in near for form in linker.index.forms(row))
    return dict.fromkeys((form.text, form.entity) for form in forms)


def _best(
    mention: str,
    names: Sequence[tuple[str, int]],
    vector: "np.ndarray[tuple[int], np.dtype[np.float32]] | None",
    encoder: "Encoder | None",
    settings: LinkingSettings,
) -> Link | None:
    """The name nearest in meaning among those of similar spelling; without an encoder, nearest in spelling."""
    similar = [(name, entity, value) for name, entity in names if (value := jaccard(mention, name)) > settings.jaccard]
    if not similar:
        return None
    if encoder is None or vector is None:
        name, entity, value = max(similar, key=lambda each: (each[2], -each[1]))
        return Link(entity, name, value, None, LOOK_ALIKE)
    cosines = encoder.encode([name for name, _, _ in similar]) @ vector
    at = max(range(len(similar)), key=lambda each: (float(cosines[each]), similar[each][2], -similar[each][1]))
    name, entity, value = similar[at]
    return Link(entity, name, value, float(cosines[at]), MEANT)
