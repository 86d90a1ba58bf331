"""The adaptive pipeline of KG-RAG: take a question apart, retrieve in four ways, judge what came back, answer by that.

Six stages, each of which can be switched off; all use the retriever of `rag`. Without a model the points of the lines
decide; with one it is asked at several temperatures, its answers are checked and vote.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from clew.answer.adaptive.decomposition import Decomposed, decompose
from clew.answer.adaptive.points import ENOUGH, OptionPoints, count_points
from clew.answer.adaptive.quality import HIGH, LOW, MEDIUM, NO_FACTS, Assessed, assess, best_contexts
from clew.answer.adaptive.retrievals import RELAXED, Found, merge, retrieve_all
from clew.answer.adaptive.votes import TEMPERATURES, Vote, elect, parse_choice
from clew.answer.answer import Answer, Usage
from clew.answer.context.retrieval import Retrieval
from clew.answer.context.retrieve import Retrieved, pack
from clew.answer.resources import Resources
from clew.answer.strategies.answering import UNKNOWN, UNSUPPORTED, ContextAnswer, far_ends
from clew.answer.strategies.letters import NONE, check_options, letter_options
from clew.answer.strategies.prior import load_prior
from clew.answer.strategies.supports import evidence_of, items_of, lines_named, named_in
from clew.answer.strategy import Question, Step
from clew.errors import Timeout, UnknownName
from clew.lm import BadAnswer, Message, Metered, Request, load_prompt
from clew.plurals import counted
from clew.traverse.context import Context, ContextLine

__all__ = ["STAGES", "AdaptiveStrategy"]

STAGES = ("decomposition", "retrievals", "scoring", "reasoning", "ensemble", "vote")
PROMPTS = {HIGH: "weigh_options.txt", MEDIUM: "weigh_options.txt", LOW: "balance_options.txt"}
NO_CONTEXT, PLAIN = "recall_options.txt", "read_options.txt"
TRUST = {HIGH: 0.9, MEDIUM: 0.6, LOW: 0.4, NO_FACTS: 0.2}  # confidence in a unanimous answer; not calibrated
CHOICE_TOKENS, TEXT_TOKENS = 24, 80


@dataclass(frozen=True, slots=True)
class AdaptiveStrategy:
    """`without` names the stages that are switched off."""

    without: tuple[str, ...] = ()
    budget: int = 512
    percentile: float = 75.0
    floor: float = 0.5
    temperatures: tuple[float, ...] = field(default=TEMPERATURES)

    def __post_init__(self) -> None:
        for stage in self.without:
            if stage not in STAGES:
                raise UnknownName(f"no stage is called {stage!r}: known: {', '.join(STAGES)}")

    def answer(self, question: Question, resources: Resources) -> Answer:
        """Answer a question, or abstain with a reason."""
        return _Asking(self, question, resources).answer()


class _Asking:
    """One question on its way through the stages."""

    def __init__(self, strategy: AdaptiveStrategy, question: Question, resources: Resources) -> None:
        self.strategy, self.question, self.resources = strategy, question, resources
        self.seconds, self.begun = question.seconds(resources), perf_counter()
        self.model = None if resources.model is None else Metered(resources.model)
        self.retrieval = Retrieval(
            budget=strategy.budget,
            percentile=strategy.percentile,
            floor=strategy.floor if resources.encoder is not None else 0.0,  # a floor of similarities between vectors
            filters=question.filters,
        )

    def answer(self) -> Answer:
        given, split = self.question, self._has("decomposition")
        asked = decompose(given.text, given.options, self.resources, self.retrieval, split=split)
        check_options(tuple(asked.options))
        listed = f"; options: {', '.join(asked.options)}" if asked.options else ""
        self._report("names", (", ".join(asked.entities) or "no entity is named") + listed)
        found = self._found(asked)
        retrieved = tuple(f"{each.name}: {counted(len(each.facts), 'fact')}" for each in found)
        self._report("plans", "; ".join(retrieved))
        context, quality = self._context(asked, found)
        self._report(
            "evidence", f"context quality {quality}: {counted(len(context.lines), 'line')}, {context.tokens} tokens"
        )
        answer = self._choice(asked, context, quality) if asked.options else self._list(asked, context, quality)
        notes = dict.fromkeys(note for each in found for note in each.notes)
        used = self.model.usage if self.model is not None else None
        usage = Usage() if used is None else Usage(used.calls, used.prompt_tokens, used.completion_tokens)
        spent = perf_counter() - self.begun
        return replace(
            answer,
            named=asked.entities,
            interpretation=(*answer.interpretation, *notes),
            total=len(answer.items),
            trace=(*retrieved, f"context quality {quality}", *answer.trace),
            usage=replace(usage, understanding=context.seconds, text=max(0.0, spent - context.seconds)),
        )

    # stages -----------------------------------------------------------------------------------------------------------

    def _found(self, asked: Decomposed) -> list[Found]:
        several = self._has("decomposition") and self._has("retrievals")
        names = tuple(RELAXED) if several else ("whole",)
        return retrieve_all(asked, self.resources, self.retrieval, names=names, timeout=self._left())

    def _context(self, asked: Decomposed, found: Sequence[Found]) -> tuple[Context, str]:
        """The best contexts as one, and the quality of the best of them."""
        if not self._has("scoring"):
            context = self._packed(asked, found)
            return context, MEDIUM if context.lines else NO_FACTS
        assessed = [assess(each.name, self._packed(asked, [each]), asked, self.resources) for each in found]
        kept: list[Assessed] = best_contexts(assessed)
        self._report("evidence", "; ".join(f"{each.name}: {each.quality} ({each.score})" for each in assessed))
        chosen = [each for each in found if each.name in {one.name for one in kept}]
        return self._packed(asked, chosen), kept[0].quality if kept else NO_FACTS

    def _packed(self, asked: Decomposed, found: Sequence[Found]) -> Context:
        facts = merge(each.facts for each in found)
        pruned = replace(self.retrieval, percentile=0.0, floor=0.0)  # each retrieval has pruned its own
        context = pack(asked.text, asked.linked, facts, self.resources, pruned)
        return replace(context, seconds=perf_counter() - self.begun)

    # options ----------------------------------------------------------------------------------------------------------

    def _choice(self, asked: Decomposed, context: Context, quality: str) -> Answer:
        if self.model is None:
            return self._by_points(asked, context, quality)
        votes = self._votes(asked, context, quality)
        choice, share = elect(votes) if self._has("vote") else (votes[0].choice, 1 / len(votes))
        said = "; ".join(f"T = {vote.temperature:g}: {vote.choice or 'no option'}" for vote in votes)
        answer = Answer(
            self.question.text,
            kind="choice",
            text=choice or NONE,
            confidence=round(TRUST[quality] * share, 4),
            decided=f"{self.model.name}: {said}",
            trace=(said,),
        )
        if choice is None or choice == NONE:
            what = "chose none of the options" if choice else "gave no option"
            return replace(answer, abstained=f"{self.model.name} {what}")
        return self._supported(answer, choice, asked.options[choice], context.lines)

    def _by_points(self, asked: Decomposed, context: Context, quality: str) -> Answer:
        """The option with most points; without the stage of reasoning, the one that most lines name."""
        scored = count_points(asked, context.lines, self.resources)
        if self._has("reasoning"):
            scored = [each for each in scored if max(each.points, default=0) >= ENOUGH]
        else:
            scored = [each for each in self._mentioned(asked, context) if each.lines]
        if not scored:
            reason = "no entity of this graph is named" if not asked.entities else "no fact connects an option"
            return Answer(self.question.text, kind="choice", text=f"{NONE}: {reason}.", abstained=reason)
        best = max(scored, key=lambda each: each.order)
        most = 3 * max(1, len(best.points))
        answer = Answer(
            self.question.text,
            kind="choice",
            text=best.option,
            confidence=round(TRUST[quality] * min(1.0, sum(best.points) / most), 4),
            trace=tuple(f"{each.option}: {sum(each.points)} of {most} points" for each in scored),
        )
        return self._supported(answer, best.option, asked.options[best.option], best.lines)

    def _mentioned(self, asked: Decomposed, context: Context) -> list[OptionPoints]:
        found = []
        for option, ids in asked.options.items():
            lines = tuple(line for line in context.lines if any(id in named_in(line) for id in ids))
            found.append(OptionPoints(option, (len(lines),), lines, max((line.score for line in lines), default=0.0)))
        return found

    def _supported(self, answer: Answer, option: str, ids: Sequence[str], lines: Sequence[ContextLine]) -> Answer:
        """The answer with the lines that name the option; without any it has no item, and says so."""
        own = {id: [line for line in lines if id in named_in(line)] for id in ids}
        id = max(own, key=lambda each: len(own[each]), default=None)
        if id is None or not own[id]:
            return replace(answer, confidence=min(answer.confidence, TRUST[NO_FACTS]), interpretation=(UNSUPPORTED,))
        (item,) = items_of([id], self.resources)
        return replace(answer, items=(replace(item, name=option),), evidence=evidence_of({id: own[id]}, self.resources))

    def _votes(self, asked: Decomposed, context: Context, quality: str) -> list[Vote]:
        lettered, listed = letter_options(tuple(asked.options))
        name = PROMPTS.get(quality, NO_CONTEXT) if self._has("reasoning") else PLAIN
        known = context.text
        if name == PROMPTS[LOW]:
            known = f"{known}\n\n{load_prior(self.resources.engine.snapshot)}".strip()
        prompt = load_prompt("clew.answer", name).format(context=known, question=asked.text, options=listed)
        votes = []
        for temperature in self._temperatures():
            choice = parse_choice(self._written(prompt, temperature, CHOICE_TOKENS), lettered)
            votes.append(Vote(temperature, choice))
            self._report("text", f"T = {temperature:g}: {choice or 'no option'}")
        return votes

    # lists ------------------------------------------------------------------------------------------------------------

    def _list(self, asked: Decomposed, context: Context, quality: str) -> Answer:
        """Entities: at the far ends of the lines, or those of the context that most answers of the model name."""
        if not context.lines:
            reason = "no entity of this graph is named" if not asked.entities else "no fact is relevant enough"
            return Answer(self.question.text, text=f"{reason[0].upper()}{reason[1:]}.", abstained=reason)
        if self.model is None:
            return far_ends(ContextAnswer(self.question, Retrieved(asked.linked, context), self.resources))
        prior = load_prior(self.resources.engine.snapshot) if quality == LOW and self._has("reasoning") else ""
        known = f"{context.text}\n\n{prior}".strip()
        prompt = load_prompt("clew.answer", "read.txt").format(context=known, question=asked.text)
        named: list[dict[str, list[ContextLine]]] = []
        texts = []
        for temperature in self._temperatures():
            texts.append(self._written(prompt, temperature, TEXT_TOKENS))
            named.append({} if UNKNOWN.match(texts[-1]) else lines_named(texts[-1], context))
            self._report("text", f"T = {temperature:g}: names {counted(len(named[-1]), 'entity')} of the context")
        counts = {id: sum(id in each for each in named) for each in named for id in each}
        agreed = [id for id, count in counts.items() if count > 1] if self._has("vote") else []
        chosen = agreed or list(named[0])
        answer = Answer(self.question.text, text=texts[0], decided=f"{self.model.name} read the context")
        if not chosen:
            return replace(answer, abstained=f"{self.model.name} names nothing of the context")
        lines = {id: next(each[id] for each in named if id in each) for id in chosen}
        share = sum(counts[id] for id in chosen) / (len(chosen) * len(named))
        items = items_of(chosen, self.resources)
        text = texts[0] if set(chosen) == set(named[0]) else f"{', '.join(item.name for item in items)}."
        return replace(
            answer,
            text=text,
            items=items,
            evidence=evidence_of(lines, self.resources),
            confidence=round(TRUST[quality] * share, 4),
        )

    # shared -----------------------------------------------------------------------------------------------------------

    def _has(self, stage: str) -> bool:
        return stage not in self.strategy.without

    def _temperatures(self) -> tuple[float, ...]:
        return self.strategy.temperatures if self._has("ensemble") else self.strategy.temperatures[:1]

    def _written(self, prompt: str, temperature: float, tokens: int) -> str:
        assert self.model is not None
        request = Request([Message("user", prompt)], max_tokens=tokens, temperature=temperature)
        try:
            return self.model.complete(request, timeout=self._left()).text.strip()
        except BadAnswer:  # a model that says nothing gives no vote
            return ""

    def _left(self) -> float:
        left = self.seconds - (perf_counter() - self.begun)
        if left <= 0:
            raise Timeout(f"no answer within {self.seconds:g} s: allow more time, or fewer stages")
        return left

    def _report(self, name: str, text: str) -> None:
        self._left()
        if self.question.report is not None:
            self.question.report(Step(name, text, perf_counter() - self.begun))
