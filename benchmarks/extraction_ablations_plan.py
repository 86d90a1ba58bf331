"""What is left out or changed in turn: the variants of the extraction model that are trained with equal steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

__all__ = ["ALPHAS", "FULL", "LESS_SEED", "PLAN", "SECOND", "TABLE", "Variant"]

LEAF_SHARE = 0.8  # of leaves that are masked; the paper's 0.15 is a variant
FULL, SECOND = "full", "second"
LESS_SEED = {"less-25": 0.25, "less-50": 0.50, "less-75": 0.75}  # share of seed triples that are dropped
ALPHAS = {"alpha-25": 0.25, "alpha-50": 0.50}  # quantile of matched scores; the full model has 0.05


@dataclass(frozen=True, slots=True)
class Variant:
    """One model: the switches of its config, and where its leaves and lessons come from.

    `leaves` and `lessons` say whether it has its own; the others share those of the full model. `after` names the
    variant whose taught model it needs, `against` the one it is compared with, `tuned` says whether it is fine-tuned
    on BC5CDR too, which takes the longest.
    """

    name: str
    says: str
    switches: Mapping[str, bool | float] = field(default_factory=dict)
    leaves: bool = False
    lessons: bool = False
    tuned: bool = False
    after: str | None = None
    against: str = FULL
    seed: int = 0

    @property
    def config(self) -> dict[str, bool | float]:
        """What differs from the default config."""
        return {"leaf_share": LEAF_SHARE, **self.switches}


def _variants() -> tuple[Variant, ...]:
    """In the order in which they are trained: where time runs out, the last are missing."""
    less = [
        Variant(name, f"{share:.0%} less seed", leaves=True, lessons=True)
        for name, share in sorted(LESS_SEED.items(), key=lambda each: (each[1] != 0.5, -each[1]))
    ]
    alphas = [Variant(name, f"α at the {quantile:g} quantile", leaves=True) for name, quantile in ALPHAS.items()]
    full = Variant(FULL, "full model", tuned=True)
    no_hgat = Variant("no-hgat", "no H-GAT", {"hgat": False}, tuned=True)
    return (
        full,
        no_hgat,
        Variant("no-spans", "no span masks", {"span_masks": False, "boundary_loss": False}, tuned=True),
        Variant("no-relation-dropout", "no relation dropout", {"relation_dropout": 0.0}, tuned=True),
        Variant(SECOND, "second iteration, expanded seed", after=FULL),
        *reversed(alphas),
        *less,
        Variant("paper-masking", "15 % of leaves masked", {"leaf_share": 0.15}),
        Variant("paper-injection", "one triple a head, one sequence a triple, α at 0.25", leaves=True),
        replace(full, name="full-again", says="full model, another seed", seed=1),
        replace(no_hgat, name="no-hgat-again", says="no H-GAT, that seed", seed=1, against="full-again"),
    )


PLAN: dict[str, Variant] = {each.name: each for each in _variants()}
TABLE = sorted(PLAN, key=lambda name: (list(PLAN).index(name if name not in LESS_SEED else "less-50"), name))
