"""From a retrieved context to an answer: chosen by the evidence where there is no model, read by the model otherwise.

The evidence of an answer is always the triples of lines that name its items, never what a model cites.
"""

import json
import math
import re
from dataclasses import dataclass, replace
from time import perf_counter

from clew.answer.answer import DOUBTFUL, Answer, Evidence, Item, Support, Usage
from clew.answer.context.retrieve import Retrieved
from clew.answer.resources import Resources
from clew.answer.running.evidence import cite
from clew.answer.strategies.letters import NONE, check_options, likeliest_option
from clew.answer.strategies.options import weigh_options
from clew.answer.strategies.supports import ends_of, evidence_of, items_of, lines_named, named_in
from clew.answer.strategy import Question, Step
from clew.lm import Message, Metered, Request, load_prompt
from clew.traverse.context import ContextLine

__all__ = ["UNKNOWN", "UNSUPPORTED", "ContextAnswer", "answer_from_context", "far_ends"]

MOST_TOKENS = 80
UNKNOWN = re.compile(r"^\W*(unknown|i (do not|don't|cannot)|not (stated|given|known))", re.IGNORECASE)
UNSUPPORTED = "no fact of the context names it: this is what the model knows or guesses"
GUESSED = DOUBTFUL - 0.01  # the most confidence in what stands in a context: it is near, and perhaps not all
LISTED = 10  # items in the text
ENOUGH = 0.85  # of the best relevance: what comes below is no item


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """A context being answered from: the question, what was retrieved, and the prior knowledge to read it with."""

    question: Question
    retrieved: Retrieved
    resources: Resources
    prior: str = ""
    nested: bool = False  # context and prior knowledge in one JSON object

    @property
    def prompt_context(self) -> str:
        text = self.retrieved.context.text
        if self.nested:
            return json.dumps({"context": json.loads(text), "prior_knowledge": self.prior}, ensure_ascii=False)
        return f"{text}\n\n{self.prior}" if self.prior else text


def answer_from_context(asked: ContextAnswer, *, begun: float) -> Answer:
    """Answer, or abstain with a reason."""
    question, context = asked.question, asked.retrieved.context
    check_options(question.options)
    _report(question, "names", ", ".join(context.entities) or "no entity is named", begun)
    if not context.lines and not (question.options and context.entities and asked.resources.model is None):
        reason = "no entity of this graph is named" if not context.entities else "no fact is relevant enough"
        return _finished(Answer(question.text, text=_sentence(reason), abstained=reason), asked, Usage(), begun)
    _report(question, "evidence", f"{len(context.lines)} lines, {context.tokens} tokens", begun)
    if asked.resources.model is None:
        answer = _by_evidence(asked) if question.options else far_ends(asked)
        return _finished(answer, asked, Usage(), begun)
    _report(question, "text", f"{asked.resources.model.name} reads the context", begun)
    model = Metered(asked.resources.model)
    answer = _chosen_by(model, asked) if question.options else _read_by(model, asked)
    used = model.usage
    return _finished(answer, asked, Usage(used.calls, used.prompt_tokens, used.completion_tokens), begun)


def _finished(answer: Answer, asked: ContextAnswer, usage: Usage, begun: float) -> Answer:
    context = asked.retrieved.context
    return replace(
        answer,
        named=context.entities,
        total=len(answer.items),
        interpretation=(*answer.interpretation, *context.notes),
        trace=(f"{len(context.lines)} of {context.found} facts in {context.tokens} tokens",),
        usage=replace(usage, understanding=context.seconds, text=max(0.0, perf_counter() - begun - context.seconds)),
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _report(question: Question, name: str, text: str, begun: float) -> None:
    if question.report is not None:
        question.report(Step(name, text, perf_counter() - begun))


# without a model ------------------------------------------------------------------------------------------------------


def _by_evidence(asked: ContextAnswer) -> Answer:
    """The option with the most relevant triples."""
    question, resources = asked.question, asked.resources
    weighed = weigh_options(question.options, asked.retrieved.linked, resources, question.filters)
    best = max(weighed, key=lambda each: each.score)
    if not best.score or best.id is None:
        reason = "no option is connected with what the question names"
        return Answer(question.text, kind="choice", text=f"{NONE}: {reason}.", abstained=reason)
    (item,) = items_of([best.id], resources)
    others = sum(each.score for each in weighed)
    return Answer(
        question.text,
        kind="choice",
        text=best.option,
        items=(replace(item, name=best.option),),
        evidence=Evidence(cite(best.triples, resources.engine), (Support(best.id, {}, best.triples),)),
        confidence=round(best.score / others, 4),
    )


def far_ends(asked: ContextAnswer) -> Answer:
    """The entities at the far ends of the most relevant lines: of the asked-for type where there is one."""
    context, linked = asked.retrieved.context, asked.retrieved.linked
    best = max(line.score for line in context.lines)
    supports: dict[str, list[ContextLine]] = {}
    for line in context.lines:
        if line.score >= ENOUGH * best:
            for id in ends_of(line, context.entities):
                supports.setdefault(id, []).append(line)
    items = [item for item in items_of(supports, asked.resources) if not linked.asked or item.type in linked.asked]
    if not items:
        reason = "no relevant fact leads to what is asked for"
        return Answer(asked.question.text, text=_sentence(reason), abstained=reason)
    names = [item.name for item in items[:LISTED]]
    more = f" and {len(items) - LISTED} more" if len(items) > LISTED else ""
    lines = {item.id: supports[item.id] for item in items}
    return Answer(
        asked.question.text,
        text=f"{', '.join(names)}{more}.",
        items=tuple(items),
        truncated=bool(context.left_out),
        evidence=evidence_of(lines, asked.resources),
        confidence=round(min(best, GUESSED), 4),
    )


# with a model ---------------------------------------------------------------------------------------------------------


def _chosen_by(model: Metered, asked: ContextAnswer) -> Answer:
    """The option whose letter the model finds likeliest; one letter is for none of them."""
    question = asked.question
    chosen, scores = likeliest_option(model, asked.prompt_context, question.text, question.options)
    sure = 1 / sum(math.exp(score - max(scores)) for score in scores)
    answer = Answer(question.text, kind="choice", text=chosen, confidence=round(sure, 4), decided=model.name)
    if chosen == NONE:
        return replace(answer, abstained=f"{model.name} chose none of the options")
    linked = asked.resources.linker.link(chosen, last_stage="fuzzy")
    id = linked.best.id if linked.best else chosen
    lines = [line for line in asked.retrieved.context.lines if id in named_in(line)]
    if not lines:
        return replace(answer, confidence=min(answer.confidence, GUESSED), interpretation=(UNSUPPORTED,))
    item = Item(id, chosen, linked.best.type if linked.best else "")
    return replace(answer, items=(item,), evidence=evidence_of({id: lines}, asked.resources))


def _read_by(model: Metered, asked: ContextAnswer) -> Answer:
    """What the model writes, with the entities of the context that it names as items."""
    context = asked.retrieved.context
    prompt = load_prompt("clew.answer", "read.txt").format(context=asked.prompt_context, question=asked.question.text)
    written = model.complete(
        Request([Message("user", prompt)], max_tokens=MOST_TOKENS), timeout=asked.question.seconds(asked.resources)
    ).text.strip()
    supports = lines_named(written, context)
    answer = Answer(asked.question.text, text=written, decided=f"{model.name} read the context")
    if UNKNOWN.match(written) or not supports:
        reason = f"{model.name} names nothing of the context"
        shown = {id: [line] for line in context.lines for id in ends_of(line, context.entities)}
        return replace(answer, abstained=reason, evidence=evidence_of(shown, asked.resources))
    items = items_of(supports, asked.resources)
    return replace(answer, items=items, evidence=evidence_of(supports, asked.resources), confidence=0.5)
