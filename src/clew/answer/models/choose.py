"""Near ties between plans, broken by a language model, which sees each in words and answers with a letter.

In: ranked plans and the question. Out: the plans with the chosen one first, and what was decided. A model that fails
changes nothing.
"""

import logging
from collections.abc import Sequence
from string import ascii_uppercase

from clew.answer.lexicon.words import Words
from clew.answer.reading.rank import Ranked, in_words
from clew.errors import ModelError, Timeout
from clew.lm import LanguageModel, Message, Request, load_prompt

__all__ = ["break_tie", "near_ties"]

log = logging.getLogger(__name__)
MOST = 5


def near_ties(ranked: Sequence[Ranked], words: Words, *, margin: float) -> dict[str, Ranked]:
    """The best few plans that read differently in words, with scores within a margin of the best."""
    said: dict[str, Ranked] = {}
    for each in ranked:
        if ranked[0].score - each.score > margin or len(said) == MOST:
            break
        said.setdefault(in_words(each.candidate, words, names=True), each)
    return said


def break_tie(
    ranked: list[Ranked], question: str, words: Words, model: LanguageModel, *, margin: float
) -> tuple[list[Ranked], str | None]:
    """Let a model choose among the plans within a margin of the best; it is not asked if there is only one."""
    options = near_ties(ranked, words, margin=margin)
    if len(options) < 2:
        return ranked, None
    try:
        place = likeliest(model, question, list(options))
    except (ModelError, Timeout) as error:
        log.info("the ranking stands: %s", error)
        return ranked, None
    best = list(options.values())[place]
    rest = [each for each in ranked if each is not best]
    return [best, *rest], f"{model.name} chose among {len(options)} interpretations"


def likeliest(model: LanguageModel, question: str, options: Sequence[str]) -> int:
    """The index of the option whose letter the model finds most probable."""
    letters = list(ascii_uppercase[: len(options)])
    prompt = load_prompt("clew.answer", "choose.txt")
    listed = "\n".join(f"{letter}. {option}?" for letter, option in zip(letters, options, strict=True))
    scores = model.score(Request([Message("user", prompt.format(question=question, options=listed))]), letters)
    return max(range(len(options)), key=lambda place: scores[place].logprob)
