"""How a model is fine-tuned to rank candidate tails."""

from dataclasses import dataclass

from clew.errors import InputError

__all__ = ["LOSSES", "RankingSettings"]

LOSSES = ("name", "share", "spread", "odds", "document")
MOST_EPOCHS = 1000


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """How to fine-tune. `loss` says what is learnt of the tails of a query, besides naming one that is gold.

    "name": nothing else; "share": that gold tails together have the largest share among all; "spread": that each of
    them has an equal share; "odds": that each is likelier than [NONE], and every other less; "document": besides
    "share", that each gold pair has an equal share of its document, summed over the mentions of its ends.
    """

    loss: str = "share"
    by_token: bool = True  # scores are log-probabilities per token, so that long names are not penalised
    naming: float = 0.2  # weight of naming a gold tail, where the loss is another
    epochs: int = 4
    rate: float = 3e-4
    warm_up: int = 100
    weight_decay: float = 0.01
    tokens: int = 16_384  # in a batch
    root_share: float = 0.15  # of roots that are masked and predicted besides
    root_weight: float = 0.5
    dropout: float | None = None  # None: the model's own
    together: bool = False  # queries of one sequence share one copy of it: then company tells which have a tail
    seed: int = 0

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise InputError(f"there is no loss {self.loss!r}: choose one of {', '.join(LOSSES)}")
        if not 0 <= self.epochs <= MOST_EPOCHS:
            raise InputError(f"epochs of teaching is {self.epochs}, expected 0 to {MOST_EPOCHS:,}")
        if self.tokens < 1:
            raise InputError(f"tokens is {self.tokens}, expected 1 or more in a batch")
