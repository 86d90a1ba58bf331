"""Prompts within a budget: sections by importance, and a list of those left out.

Nothing is truncated silently. Without a budget everything must fit into the model's context window; with one, whole
sections are left out, the least important first, and listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.errors import ContextOverflow, InputError
from clew.lm.messages import LanguageModel, Message, Request, Role

__all__ = ["Fitted", "Section", "fit"]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a prompt. Without a `priority` it is required; else low numbers are left out first, the later first."""

    name: str
    content: str
    role: Role = "user"
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """Messages that fit, their number of tokens, and the names of the sections left out, in order."""

    messages: tuple[Message, ...]
    tokens: int
    dropped: tuple[str, ...] = ()


def fit(model: LanguageModel, sections: Sequence[Section], *, answer: int, budget: int | None = None) -> Fitted:
    """Messages of as many sections as fit, in the given order.

    `answer` is the room reserved for the answer (max_tokens). Without `budget` all sections must fit into the model's
    window beside it; with it, those with a priority may be left out until the prompt has at most that many tokens.
    Raises `ContextOverflow` if the required sections do not fit.
    """
    window = None if model.context is None else model.context - answer
    room = min((each for each in (window, budget) if each is not None), default=None)
    if room is not None and room < 1:
        raise InputError(
            f"an answer of {answer:,} tokens leaves no room for a prompt: {model.name} has {model.context:,}"
        )
    droppable = (
        [at for at, section in enumerate(sections) if section.priority is not None] if budget is not None else []
    )
    droppable.sort(key=lambda at: (sections[at].priority, -at))
    # The number to leave out: the prompt only shrinks with each, so bisection finds the smallest.
    fewest, most = 0, len(droppable)
    fitted = _put_together(model, sections, droppable[:0])
    if room is None or fitted.tokens <= room:
        return fitted
    smallest = _put_together(model, sections, droppable) if droppable else fitted
    if smallest.tokens > room:
        raise ContextOverflow(_overflow(smallest, room, model, answer, budget))
    while most - fewest > 1:
        middle = (fewest + most) // 2
        tried = _put_together(model, sections, droppable[:middle])
        if tried.tokens <= room:
            most, smallest = middle, tried
        else:
            fewest = middle
    return smallest


def _put_together(model: LanguageModel, sections: Sequence[Section], left_out: Sequence[int]) -> Fitted:
    """One message for consecutive sections of the same role."""
    gone = set(left_out)
    messages: list[Message] = []
    for at, section in enumerate(sections):
        if at in gone:
            continue
        if messages and messages[-1].role == section.role:
            messages[-1] = Message(section.role, f"{messages[-1].content}\n\n{section.content}")
        else:
            messages.append(Message(section.role, section.content))
    if not messages:
        raise ContextOverflow("no part of the prompt fits into the budget: every section is optional")
    dropped = tuple(sections[at].name for at in sorted(gone))
    return Fitted(tuple(messages), model.count(Request(messages)), dropped)


def _overflow(smallest: Fitted, room: int, model: LanguageModel, answer: int, budget: int | None) -> str:
    what = "the required part of the prompt" if smallest.dropped else "the prompt"
    limit = (
        f"the budget is {budget:,}" if budget is not None and budget == room else f"{model.name} has {model.context:,}"
    )
    return f"{what} has {smallest.tokens:,} tokens, room is for {room:,} ({limit}, {answer:,} are kept for the answer)"
