"""Answers scored by AlzKB's gold: F1 of lists by id and by name, the option that was chosen, true or false.

An abstention is None and scores nothing.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from clew.evaluate.benches.alzkb.questions import AlzkbQuestion, Named

__all__ = ["OpenScore", "choose_option", "score_choice", "score_open", "score_true_false"]


@dataclass(frozen=True, slots=True)
class OpenScore:
    """F1 of a list. `unlimited` also counts as wrong what the gold could not know (see `AlzkbQuestion.within`)."""

    by_id: float
    by_name: float
    unlimited: float  # by id


def score_open(question: AlzkbQuestion, items: Iterable[tuple[str, str]] | None) -> OpenScore:
    """Score a list of ids with names; a name of the gold that has no id is missed by every list."""
    if items is None:
        return OpenScore(0.0, 0.0, 0.0)
    given = dict(items)
    kept = {id: name for id, name in given.items() if question.within is None or id in question.within}
    size = len(question.gold_ids) + len(question.unresolved)
    gold_names = {name.casefold() for name in question.gold}
    names = {name.casefold() for name in kept.values()}
    return OpenScore(
        by_id=_f1(len(kept.keys() & question.gold_ids), len(kept), size),
        by_name=_f1(len(names & gold_names), len(names), len(gold_names)),
        unlimited=_f1(len(given.keys() & question.gold_ids), len(given), size),
    )


def _f1(hits: int, given: int, gold: int) -> float:
    return 2 * hits / (given + gold) if given + gold else 1.0


def choose_option(options: Sequence[Named], answered: Collection[str], *, negated: bool = False) -> Named | None:
    """The one option among the answers to the question without its options, or (`negated`) the one that is not.

    An option that the graph does not have is among no answers. None unless exactly one option fits.
    """
    fitting = [option for option in options if (option.id is not None and option.id in answered) != negated]
    return fitting[0] if len(fitting) == 1 else None


def score_choice(question: AlzkbQuestion, chosen: Named | None) -> bool:
    """Whether the right option was chosen."""
    return chosen is not None and (chosen.name,) == question.gold


def score_true_false(question: AlzkbQuestion, said: bool | None) -> bool:
    """Whether the statement was judged right."""
    return said is not None and said == question.truth
