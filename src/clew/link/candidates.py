"""The result of linking (candidates with reasons, the best one, its alternatives) and the thresholds behind it."""

from dataclasses import dataclass

from clew.errors import InputError

__all__ = ["STAGES", "Candidate", "Linked", "Settings"]

STAGES = ("id", "xref", "exact name", "synonym", "normalised", "abbreviation", "fuzzy", "embedding")


@dataclass(frozen=True, slots=True)
class Settings:
    """Score thresholds of each stage; the defaults were chosen on BC5CDR train (docs/linking.md).

    A candidate below `fuzzy_accept` or `embedding_accept` is listed but never the best. Candidates that score within
    `alternative_margin` of the best are its alternatives. Mentions shorter than `shortest_fuzzy` letters are not
    matched by spelling.
    """

    fuzzy_floor: float = 0.6
    fuzzy_accept: float = 0.86
    shortest_fuzzy: int = 5
    embedding_floor: float = 0.5
    embedding_accept: float = 0.82
    alternative_margin: float = 0.05
    most_read: int = 60_000  # index rows read by a fuzzy search: more raises recall and latency

    def __post_init__(self) -> None:
        for name in ("fuzzy_floor", "fuzzy_accept", "embedding_floor", "embedding_accept", "alternative_margin"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} must be between 0 and 1, not {getattr(self, name)!r}")
        if self.shortest_fuzzy < 1 or self.most_read < 1:
            raise InputError("shortest_fuzzy and most_read must be at least 1")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention may refer to: the form that matched, the stage, the score and the reason."""

    entity: int
    id: str
    name: str
    type: str
    matched: str  # the id, name or synonym as written in the graph
    stage: str  # one of STAGES
    score: float  # 1.0: an exact match
    reason: str


@dataclass(frozen=True, slots=True)
class Linked:
    """The entities a mention was linked to: `best`, if one is good enough, and `alternatives` that score about as high.

    `margin` is the score difference between the best and the next candidate; 1.0 if there is no other.
    """

    mention: str
    candidates: tuple[Candidate, ...] = ()
    best: Candidate | None = None
    alternatives: tuple[Candidate, ...] = ()
    margin: float = 1.0

    @property
    def ambiguous(self) -> bool:
        return bool(self.alternatives)
