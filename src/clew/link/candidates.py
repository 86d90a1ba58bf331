"""What linking hands back: candidates with their reasons, the best of them, its rivals; and what decides."""

from dataclasses import dataclass

from clew.errors import InputError

__all__ = ["STAGES", "Candidate", "Linked", "Settings"]

STAGES = ("id", "xref", "exact name", "synonym", "normalised", "abbreviation", "fuzzy", "embedding")


@dataclass(frozen=True, slots=True)
class Settings:
    """Where each stage begins to list and to accept; the defaults were chosen on BC5CDR train (docs/linking.md).

    A candidate below `fuzzy_accept` or `embedding_accept` is listed but never the best. Whatever scores within
    `rival_margin` of the best is its rival. `shortest_fuzzy` is the fewest letters of a text that may be misspelt.
    """

    fuzzy_floor: float = 0.6
    fuzzy_accept: float = 0.86
    shortest_fuzzy: int = 5
    embedding_floor: float = 0.5
    embedding_accept: float = 0.82
    rival_margin: float = 0.05
    most_read: int = 60_000  # rows read to find look-alikes: more finds more and takes longer

    def __post_init__(self) -> None:
        for name in ("fuzzy_floor", "fuzzy_accept", "embedding_floor", "embedding_accept", "rival_margin"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} lies between 0 and 1, not {getattr(self, name)!r}")
        if self.shortest_fuzzy < 1 or self.most_read < 1:
            raise InputError("shortest_fuzzy and most_read are at least 1")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention may mean: which form of it matched, at which stage, how well and why."""

    entity: int
    id: str
    name: str
    type: str
    matched: str  # the id, name or synonym as the graph writes it
    stage: str  # one of STAGES
    score: float  # 1.0: letter for letter
    reason: str


@dataclass(frozen=True, slots=True)
class Linked:
    """What a mention means: `best` if anything is good enough, `rivals` that are as good or nearly so.

    `margin` is how far the best stands above the next candidate; 1.0 where there is none.
    """

    mention: str
    candidates: tuple[Candidate, ...] = ()
    best: Candidate | None = None
    rivals: tuple[Candidate, ...] = ()
    margin: float = 1.0

    @property
    def ambiguous(self) -> bool:
        return bool(self.rivals)
