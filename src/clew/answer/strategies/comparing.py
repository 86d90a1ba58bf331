"""Several strategies on one question: the first answer, if no two contradict each other, or the conflict alone."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from clew.answer.answer import Answer, Usage
from clew.answer.resources import Resources
from clew.answer.strategy import Question, Strategy
from clew.errors import ClewError, Timeout
from clew.plurals import counted

__all__ = ["ComparedStrategies", "agree"]

SHARED = 0.5  # of the shorter list of items
SHOWN = 3  # items of each strategy


@dataclass(frozen=True, slots=True)
class ComparedStrategies:
    """Strategies by name, the most trusted first."""

    strategies: Mapping[str, Strategy]

    def answer(self, question: Question, resources: Resources) -> Answer:
        """The first answer, if all that can be compared agree; its trace says what each strategy answered."""
        answers: dict[str, Answer] = {}
        for name, strategy in self.strategies.items():
            try:
                answers[name] = strategy.answer(question, resources)
            except Timeout:
                raise
            except ClewError as error:
                answers[name] = Answer(question.text, text=str(error), abstained=str(error))
        said = tuple(f"{name}: {_summary(answer)}" for name, answer in answers.items())
        usage = sum((answer.usage for answer in answers.values()), Usage())
        late = next((answer.late for answer in answers.values() if answer.late), "")
        given = {name: answer for name, answer in answers.items() if answer.abstained is None}
        if not given:
            reason = "no strategy has an answer"
            first = replace(next(iter(answers.values())), late=late, usage=usage)
            return replace(first, abstained=reason, text=f"{reason}. {'; '.join(said)}", trace=said)
        first = replace(next(iter(given.values())), late=late)
        conflicts = [(one, other) for one, other in combinations(given, 2) if agree(given[one], given[other]) is False]
        if conflicts:
            reason = f"{' and '.join(name for name in given if any(name in pair for pair in conflicts))} disagree"
            return Answer(
                question.text,
                text=f"{reason}. {'; '.join(said)}",
                named=first.named,
                trace=said,
                usage=usage,
                abstained=reason,
                late=late,
            )
        return replace(first, trace=(*first.trace, *said), interpretation=(*first.interpretation, *said), usage=usage)


def agree(one: Answer, other: Answer) -> bool | None:
    """Whether two answers say the same; None where they cannot be compared, such as a number with a list."""
    if one.value is not None or other.value is not None:
        return None if one.value is None or other.value is None else one.value == other.value
    if one.kind == other.kind == "choice":
        return one.text == other.text
    first, second = ({item.id for item in answer.items} for answer in (one, other))
    shorter = min(len(first), len(second))
    return len(first & second) >= SHARED * shorter if shorter else None


def _summary(answer: Answer) -> str:
    """What a strategy answered, in a few words."""
    if answer.abstained is not None:
        return f"no answer ({answer.abstained})"
    if not answer.items:
        return answer.text
    names = ", ".join(item.name for item in answer.items[:SHOWN])
    return f"{counted(len(answer.items), 'item')}: {names}{', …' if len(answer.items) > SHOWN else ''}"
