"""The rows of a multiple-choice table: strategies, and the baselines that keep them honest."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from string import ascii_uppercase
from time import perf_counter

import numpy as np

from clew.answer import Question, Resources
from clew.answer.strategies.answering import NONE
from clew.answer.strategies.local import LocalStrategy
from clew.answer.strategies.rag import RagStrategy
from clew.errors import InputError
from clew.evaluate.choices.generate import ChoiceQuestion
from clew.lm import Message, Metered, Request, load_prompt

__all__ = ["ROWS", "WITH_MODEL", "Chosen", "choose"]

MOST_TOKENS = 512  # of a context


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a row chose, None for none of the options, and what that cost."""

    option: str | None
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


Row = Callable[[ChoiceQuestion, Resources], tuple[str | None, int, int]]


def choose(row: str, question: ChoiceQuestion, resources: Resources) -> Chosen:
    """Ask one row one question."""
    begun = perf_counter()
    option, calls, tokens = ROWS[row](question, resources)
    return Chosen(option, calls, tokens, round(perf_counter() - begun, 4))


def _random(question: ChoiceQuestion, resources: Resources) -> tuple[str | None, int, int]:
    return Random(question.id + question.question).choice((*question.options, None)), 0, 0


def _popular(question: ChoiceQuestion, resources: Resources) -> tuple[str | None, int, int]:
    """The option with most triples, whatever the question: prior knowledge alone."""
    degrees = resources.engine.degree(resources.engine.lookup(list(question.ids)), direction="both")
    return question.options[int(np.argmax(degrees))], 0, 0


def _vectors(question: ChoiceQuestion, resources: Resources) -> tuple[str | None, int, int]:
    """The option whose name is nearest to the question by embedding."""
    encoder = resources.encoder
    if encoder is None:
        raise InputError("the row vectors needs an encoder: run `clew models get minilm`")
    vectors = encoder.encode([question.question, *question.options])
    return question.options[int(np.argmax(vectors[1:] @ vectors[0]))], 0, 0


def _exhaustive(question: ChoiceQuestion, resources: Resources) -> tuple[str | None, int, int]:
    """The option with most paths of up to two hops from any linked name, over all relations; none without a path."""
    engine = resources.engine
    starts = [each.linked.best.entity for each in resources.linker.detect(question.question) if each.linked.best]
    if not starts:
        return None, 0, 0
    near = set(engine.hop(starts, 1, direction="both").ids.tolist())
    paths = []
    for option in engine.lookup(list(question.ids)).tolist():
        beside = engine.hop([option], 1, direction="both").ids.tolist()
        paths.append(1000 * (option in near) + len(near.intersection(beside)))
    best = int(np.argmax(paths))
    return (question.options[best] if paths[best] else None), 0, 0


def _strategy(strategy: RagStrategy | LocalStrategy, *, model: bool) -> Row:
    def choose(question: ChoiceQuestion, resources: Resources) -> tuple[str | None, int, int]:
        if model != (resources.model is not None):
            raise InputError("a row with a model needs one, and a row without needs none")
        answer = strategy.answer(Question(question.question, options=question.options), resources)
        tokens = answer.usage.prompt_tokens + answer.usage.completion_tokens
        return (answer.text if answer.abstained is None else None), answer.usage.calls, tokens

    return choose


def _no_context(question: ChoiceQuestion, resources: Resources) -> tuple[str | None, int, int]:
    """The model alone."""
    if resources.model is None:
        raise InputError("the row no-context needs a model: name one")
    model = Metered(resources.model)
    options = (*question.options, NONE)
    letters = list(ascii_uppercase[: len(options)])
    listed = "\n".join(f"{letter}. {option}" for letter, option in zip(letters, options, strict=True))
    prompt = load_prompt("clew.answer", "read_options.txt").format(
        context="No facts are given.", question=question.question, options=listed
    )
    scores = [each.logprob for each in model.score(Request([Message("user", prompt)]), letters)]
    place = max(range(len(options)), key=lambda at: scores[at])
    used = model.usage
    return (None if options[place] == NONE else options[place]), used.calls, used.prompt_tokens


ROWS: Mapping[str, Row] = {
    "random": _random,
    "prior": _popular,
    "vectors": _vectors,
    "exhaustive": _exhaustive,
    "evidence": _strategy(RagStrategy(budget=MOST_TOKENS), model=False),
    "no-context": _no_context,
    "rag": _strategy(RagStrategy(budget=MOST_TOKENS), model=True),
    "rag-json": _strategy(RagStrategy(mode=1, budget=MOST_TOKENS), model=True),
    "local": _strategy(LocalStrategy(budget=MOST_TOKENS), model=True),
}
WITH_MODEL = frozenset({"no-context", "rag", "rag-json", "local"})
