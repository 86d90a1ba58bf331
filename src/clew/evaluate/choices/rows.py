"""The rows of a multiple-choice table: strategies, and the baselines that keep them honest."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from time import perf_counter

import numpy as np

from clew.answer import Question, Resources, Strategy
from clew.answer.strategies.adaptive import STAGES, AdaptiveStrategy
from clew.answer.strategies.letters import NONE, likeliest_option
from clew.answer.strategies.local import LocalStrategy
from clew.answer.strategies.prior import load_prior
from clew.answer.strategies.rag import RagStrategy
from clew.errors import InputError
from clew.evaluate.choices.biomixqa import TRUE_FALSE
from clew.evaluate.choices.generate import ChoiceQuestion
from clew.lm import Metered

__all__ = ["ABLATIONS", "FOR_STATEMENTS", "ROWS", "STATED", "STORED", "WITH_MODEL", "WITH_PRIOR", "Chosen", "choose"]

STATED = "stated"  # a row that suits statements alone
STORED = ("stored-context", "stored-read")  # rows that suit questions with a context alone
MOST_TOKENS = 512  # of a context
MOST_CHARACTERS = 4 * MOST_TOKENS  # of a stored one
SECONDS = 600.0  # for one question


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a row chose, None for none of the options, and what that cost."""

    option: str | None
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


Right = Counter[str | None]
Row = Callable[[ChoiceQuestion, Resources, Right], tuple[str | None, int, int]]


def choose(row: str, question: ChoiceQuestion, resources: Resources, right: Right) -> Chosen:
    """Ask one row one question; `right` is how often each option is right in the whole set."""
    begun = perf_counter()
    option, calls, tokens = {**ROWS, **ABLATIONS}[row](question, resources, right)
    return Chosen(option, calls, tokens, round(perf_counter() - begun, 4))


def _random(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
    return Random(question.id + question.question).choice((*question.options, None)), 0, 0


def _popular(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
    """The option with most triples, whatever the question: prior knowledge alone."""
    found = resources.engine.lookup(list(question.ids))
    degrees = np.where(found < 0, 0, resources.engine.degree(found.clip(0), direction="both"))
    return question.options[int(np.argmax(degrees))], 0, 0


def _elsewhere(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
    """The option that is right most often in the other questions of the set: neither a graph nor a model."""
    return max(question.options, key=lambda option: right[option] - (option == question.gold)), 0, 0


def _vectors(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
    """The option whose name is nearest to the question by embedding."""
    encoder = resources.encoder
    if encoder is None:
        raise InputError("the row vectors needs an encoder: run `clew models get minilm`")
    vectors = encoder.encode([question.question, *question.options])
    return question.options[int(np.argmax(vectors[1:] @ vectors[0]))], 0, 0


def _exhaustive(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
    """The option with most paths of up to two hops from any linked name, over all relations; none without a path."""
    engine = resources.engine
    starts = [each.linked.best.entity for each in resources.linker.detect(question.question) if each.linked.best]
    if not starts:
        return None, 0, 0
    near = set(engine.hop(starts, 1, direction="both").ids.tolist())
    paths = []
    for option in engine.lookup(list(question.ids)).tolist():
        beside = engine.hop([option], 1, direction="both").ids.tolist() if option >= 0 else ()
        paths.append(1000 * (option in near) + len(near.intersection(beside)))
    best = int(np.argmax(paths))
    return (question.options[best] if paths[best] else None), 0, 0


def _stated(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
    """Whether a triple connects the first entity that a statement names with another, or "not".

    None of both if it names fewer than two, or if the graph has no relation between their types.
    """
    if question.options != TRUE_FALSE:
        raise InputError("the row stated judges statements, and these are questions: leave it out")
    engine = resources.engine
    named = [each.linked.best for each in resources.linker.detect(question.question) if each.linked.best]
    joined = {frozenset((s.subject, s.object)) for each in engine.schema.relations for s in each.signatures}
    others = [each for each in named[1:] if frozenset((named[0].type, each.type)) in joined]
    if not others:
        return None, 0, 0
    near = engine.hop([named[0].entity], 1, direction="both").ids
    found = bool(np.isin([each.entity for each in others], near).any())
    return TRUE_FALSE[found == ("not" in question.question.split())], 0, 0


def _stored_context(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
    """The option that a context stored with the question names most often; none if it names none."""
    named = [len(re.findall(rf"(?<![\w-]){re.escape(each)}(?![\w-])", question.context)) for each in question.options]
    best = int(np.argmax(named))
    return (question.options[best] if named[best] else None), 0, 0


def _strategy(strategy: Strategy, *, model: bool) -> Row:
    def choose(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
        if model != (resources.model is not None):
            raise InputError("a row with a model needs one, and a row without needs none")
        answer = strategy.answer(Question(question.question, options=question.options, timeout=SECONDS), resources)
        tokens = answer.usage.prompt_tokens + answer.usage.completion_tokens
        return (answer.text if answer.abstained is None else None), answer.usage.calls, tokens

    return choose


def _told(context: str, question: ChoiceQuestion, resources: Resources) -> tuple[str | None, int, int]:
    """What the model chooses after a text."""
    if resources.model is None:
        raise InputError("a row with a model needs one: name it")
    model = Metered(resources.model)
    option, _ = likeliest_option(model, context, question.question, question.options)
    used = model.usage
    return (None if option == NONE else option), used.calls, used.prompt_tokens


def _no_context(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
    """The model alone."""
    return _told("No facts are given.", question, resources)


def _stored_read(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
    """The model with the context that is stored with the question, as far as it has room."""
    return _told(question.context[:MOST_CHARACTERS], question, resources)


def _prior_only(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
    """The model with the graph's prior knowledge, and no fact."""
    return _told(_prior(resources), question, resources)


def _prior(resources: Resources) -> str:
    prior = load_prior(resources.engine.snapshot)
    if not prior:
        raise InputError("rows with prior knowledge need a text in prior.txt in the graph's directory: leave them out")
    return prior


def _with_prior(row: Row) -> Row:
    """A row that would read the same as another if the graph had no prior knowledge."""

    def choose(question: ChoiceQuestion, resources: Resources, right: Right) -> tuple[str | None, int, int]:
        _prior(resources)
        return row(question, resources, right)

    return choose


EVIDENCE_STAGES = STAGES[:4]  # what is sampled and put to the vote is a model's
ROWS: Mapping[str, Row] = {
    "random": _random,
    "prior": _popular,
    "elsewhere": _elsewhere,
    "vectors": _vectors,
    "exhaustive": _exhaustive,
    STATED: _stated,
    STORED[0]: _stored_context,
    "evidence": _strategy(RagStrategy(budget=MOST_TOKENS), model=False),
    "adaptive-evidence": _strategy(AdaptiveStrategy(budget=MOST_TOKENS), model=False),
    "no-context": _no_context,
    "prior-only": _prior_only,
    STORED[1]: _stored_read,
    "vector-rag": _strategy(RagStrategy(linking="vectors", budget=MOST_TOKENS, percentile=0.0, floor=0.0), model=True),
    "rag": _strategy(RagStrategy(budget=MOST_TOKENS), model=True),
    "rag-json": _strategy(RagStrategy(mode=1, budget=MOST_TOKENS), model=True),
    "rag-prior": _with_prior(_strategy(RagStrategy(mode=2, budget=MOST_TOKENS), model=True)),
    "rag-json-prior": _with_prior(_strategy(RagStrategy(mode=3, budget=MOST_TOKENS), model=True)),
    "adaptive": _strategy(AdaptiveStrategy(budget=MOST_TOKENS), model=True),
    "local": _strategy(LocalStrategy(budget=MOST_TOKENS), model=True),
}
WITH_PRIOR = ("prior-only", "rag-prior", "rag-json-prior")  # rows
FOR_STATEMENTS = ("random", "elsewhere", STATED, "no-context", "rag")  # rows
ABLATIONS: Mapping[str, Row] = {
    f"{row} without {stage}": _strategy(AdaptiveStrategy(without=(stage,), budget=MOST_TOKENS), model=model)
    for row, stages, model in (("adaptive-evidence", EVIDENCE_STAGES, False), ("adaptive", STAGES, True))
    for stage in stages
}
WITH_MODEL = frozenset(
    {
        *("no-context", "vector-rag", "rag", "rag-json", "adaptive", "local", STORED[1], *WITH_PRIOR),
        *(f"adaptive without {stage}" for stage in STAGES),
    }
)
