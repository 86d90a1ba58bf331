"""What became of the tries of one attack."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Tally"]

MOST_TOLD = 20  # failures whose text is kept


@dataclass(slots=True)
class Tally:
    """Outcomes by name, and failures with what caused them."""

    name: str
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)  # what failed, and on what
    kinds: Counter[str] = field(default_factory=Counter)
    largest: int = 0  # bytes of memory of a process
    slowest: float = 0.0  # seconds past the limit

    @property
    def tries(self) -> int:
        return sum(self.outcomes.values())

    def add(self, kind: str, outcome: str, fault: str | None = None, on: str = "") -> None:
        """Count one try."""
        self.kinds[kind] += 1
        self.outcomes[outcome if fault is None else "failed"] += 1
        if fault is not None:
            self.failures.append((fault, f"{kind}: {on}"))

    def to_record(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "attack": self.name,
            "tries": self.tries,
            "failures": len(self.failures),
            "outcomes": dict(sorted(self.outcomes.items())),
            "kinds": dict(sorted(self.kinds.items())),
            "largest_mib": self.largest >> 20,
            "most_past_limit": round(self.slowest, 3),
            "told": [{"fault": why[:400], "on": on[:800]} for why, on in self.failures[:MOST_TOLD]],
        }
