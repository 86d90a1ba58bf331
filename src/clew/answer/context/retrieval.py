"""The settings of a retrieval: how much may be returned, in which style, and what is pruned before."""

from collections.abc import Callable
from dataclasses import dataclass, field

from clew.answer.context.tokens import estimate_tokens
from clew.answer.plans.assertions.filters import Filters
from clew.errors import InputError, UnknownName

__all__ = ["LINKING", "STYLES", "Retrieval"]

STYLES = ("sentences", "json", "table")
LINKING = ("both", "names", "vectors")
LARGEST = 1_000_000  # tokens


@dataclass(frozen=True, slots=True)
class Retrieval:
    """`percentile` and `floor` prune lines by relevance before the budget does: KG-RAG's defaults are 75 and 0.5.

    `linking` finds the entities of a question by their names (spelling included), by vectors of its phrases, or by
    names first and by vectors if there are none. `hops` is 1 or 2; None takes the second hop if the first reaches
    nothing of the type that is asked for. `most` is the largest number of lines.
    """

    budget: int = 1500
    style: str = "sentences"
    percentile: float = 0.0
    floor: float = 0.0
    linking: str = "both"
    hops: int | None = None
    most: int | None = None
    filters: Filters = field(default_factory=Filters)
    count: Callable[[str], int] = estimate_tokens

    def __post_init__(self) -> None:
        if isinstance(self.budget, bool) or not isinstance(self.budget, int) or not 1 <= self.budget <= LARGEST:
            raise InputError(f"a budget is a number of tokens from 1 to {LARGEST:,}, not {self.budget!r}")
        for name, known in (("style", STYLES), ("linking", LINKING)):
            if getattr(self, name) not in known:
                raise UnknownName(f"no {name} is called {getattr(self, name)!r}: known: {', '.join(known)}")
        if not 0 <= self.percentile <= 100:
            raise InputError(f"a percentile is a number from 0 to 100, not {self.percentile!r}")
        if not 0 <= self.floor <= 1:
            raise InputError(f"a floor is a relevance from 0 to 1, not {self.floor!r}")
        if self.hops not in (None, 1, 2):
            raise InputError(f"a context reaches 1 or 2 hops, not {self.hops!r}")
        if self.most is not None and self.most < 1:
            raise InputError(f"the largest number of lines is 1 or more, not {self.most!r}")
