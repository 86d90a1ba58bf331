"""Interpretations of a question, the likeliest first: grounded in its words, perhaps chosen by a model, or simpler.

An `Interpretation` is a plan and its origin; an `Interpreter` makes one after another until one finds something.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clew.answer.grammar.fitting import Has
from clew.answer.grammar.propose import propose
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import ABSENT, COUNTED, Plan
from clew.answer.plans.schema.containment import containing, either_way, within_places
from clew.answer.quantities.limits import limited
from clew.answer.reading.account import RESTRICTION, Account, Unbound, account_for
from clew.answer.reading.any_type import of_any_type
from clew.answer.reading.candidates import Candidate, SchemaPaths, candidates
from clew.answer.reading.intent import LEAST, MOST
from clew.answer.reading.opposed import is_met, is_opposed, is_polar
from clew.answer.reading.question import Anchor, ParsedQuestion
from clew.answer.reading.rank import TIE, Ranked, rank
from clew.answer.reading.shape import shaped
from clew.answer.reading.simplify import is_sure, simpler
from clew.answer.statements.said_of import with_statements
from clew.answer.values.apply import bare_candidates, with_values
from clew.store.deadline import Deadline
from clew.store.layout import StoreSchema

if TYPE_CHECKING:
    from clew.answer.reading.judged import Judge
    from clew.embed import Encoder
    from clew.lm import LanguageModel

__all__ = ["CHOICES", "Interpretation", "Interpreter"]

CHOICES = ("never", "ties", "always")
GREATEST = re.compile(  # "the highest rating" is no count of ratings; "the highest number of" is one
    r"\b(?:highest|lowest|longest|shortest|tallest|oldest|youngest|heaviest|latest|earliest)\s+"
    r"(?!(?:\w+\s+){0,2}(?:numbers?|counts?|totals?|amounts?|degrees?|frequency)\b)\w*[^s\W]\b(?!\s+\w+s\b)",
    re.IGNORECASE,
)
NEAR = 0.6  # a plan that leaves no word out comes before those that do, unless it scores less by more than this
MOST_ALIKE = 2  # next best plans that are tried where the best finds nothing


@dataclass(frozen=True, slots=True)
class Interpretation:
    """A plan for a question, its names in the question's order; `ranked` are all plans that fit, likeliest first."""

    question: ParsedQuestion
    candidate: Candidate
    ranked: tuple[Ranked, ...] = ()
    notes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    decided: str | None = None  # what a model had to do with it
    written: bool = False  # as a query, by a model or by the asker
    account: Account = field(default_factory=Account)  # what each word of the question stands for

    @property
    def may_find_nothing(self) -> bool:
        """Whether an empty result is an answer: no word is left out, names are sure, something is denied or counted."""
        bounded = any(part.kind in (ABSENT, COUNTED) for part in self.candidate.plan.parts)
        sure = all(map(is_sure, self.question.anchors))
        return bounded and sure and "grammar" in self.candidate.found_by and not self.account.unbound


class Interpreter:
    """Makes interpretations of questions about one graph.

    `choose` says when a model picks among plans (never, ties, always).
    """

    def __init__(
        self,
        schema: StoreSchema,
        words: Words,
        schema_paths: SchemaPaths,
        *,
        polarity: Mapping[str, str],
        longer_names: Callable[[tuple[Anchor, ...]], tuple[Anchor, ...]],
        has: Has | None = None,
        literals: frozenset[str] = frozenset(),
        mutual: frozenset[str] = frozenset(),
        encoder: "Encoder | None" = None,
        judge: "Callable[[], Judge | None] | None" = None,
        choose: str = "never",
    ) -> None:
        self.schema = schema
        self.nested = containing(schema)
        self.words = words
        self.schema_paths = schema_paths
        self.polarity = polarity  # of each relationship: help, harm or neither
        self.longer_names = longer_names
        self.has = has  # whether a name has triples of a relationship
        self.mutual = mutual  # relationships that hold both ways, though they are stated one way
        self.literals = literals  # labels of numbers and days
        self.encoder = encoder
        self.judge = judge  # opened only for words that nothing else binds
        self.choose = choose

    def interpretations(
        self, question: ParsedQuestion, model: "LanguageModel | None" = None, *, deadline: Deadline | None = None
    ) -> Iterator[Interpretation]:
        """Ways to take a question; whoever asks for another one found nothing with the last."""
        ranked, opposed = self._split(question, deadline)
        fits = bool(ranked)
        yield from self._grounded(question, ranked, model)
        if opposed and all(each.account.missing for each in ranked):
            yield from self._grounded(question, self._met_by_longer_names(question, deadline), model)
            return  # a simpler question would only leave out what is opposed
        for less, note in simpler(question, fits=fits):
            ranked_less, _ = self._split(less, deadline)
            fits = fits or bool(ranked_less)
            for interpretation in self._grounded(less, ranked_less, model):
                account = _without_names(interpretation.account, question, less)
                account = _without_order(account, question, interpretation.candidate.plan)
                yield replace(interpretation, notes=(note, *interpretation.notes), account=account)

    def opposed(self, question: ParsedQuestion, deadline: Deadline | None = None) -> list[Ranked]:
        """The plans that were refused since they meet a word of help with harm or the reverse, the likeliest first.

        The relations beside names are left aside: they would let no plan of the other polarity through.
        """
        if not is_polar(question):
            return []
        free = replace(question, anchors=tuple(replace(each, beside=()) for each in question.anchors))
        opposed = [] if self._about_names(free) is not None else self._proposed(free, deadline)[1]
        return rank(question, opposed, self.words, deadline=deadline)

    def _split(self, question: ParsedQuestion, deadline: Deadline | None) -> tuple[list[Ranked], list[Candidate]]:
        """The plans for a question, ranked, and those that are opposed to it."""
        alone = self._about_names(question)
        if alone is not None:
            return rank(
                question, self._limited(alone, question), self.words, encoder=self.encoder, deadline=deadline
            ), []
        fitting, opposed = self._proposed(question, deadline)
        fitting = self._limited(fitting, question)
        ranked = rank(question, fitting, self.words, encoder=self.encoder, judge=self.judge, deadline=deadline)
        return of_any_type(question, ranked), opposed

    def _limited(self, found: list[Candidate], question: ParsedQuestion) -> list[Candidate]:
        """Candidates with the limit that a question states, and with what it says of statements."""
        told = (with_statements(each.plan, question, self.schema) for each in found)
        return [replace(each, plan=limited(plan, question)) for each, plan in zip(found, told, strict=True)]

    def _proposed(self, question: ParsedQuestion, deadline: Deadline | None) -> tuple[list[Candidate], list[Candidate]]:
        """The plans that grammar and schema propose, and those of them that are opposed to the question."""
        found = list(propose(question, self.words, self.schema, has=self.has))
        if question.anchors or question.operation != "list":  # a list of everything is not what anybody asks for
            found += candidates(question, self.schema, self.schema_paths, deadline=deadline)
        if question.values:
            found += bare_candidates(question, self.schema, self.schema_paths)
        fitting: list[Candidate] = []
        opposed: list[Candidate] = []
        for one in found:
            if deadline is not None:
                deadline.check()
            wide = replace(one, plan=within_places(either_way(one.plan, self.mutual), self.schema, self.nested))
            shape = shaped(question, wide, self.schema)
            for each in () if shape is None or self._counts_amiss(question, shape) else with_values(question, shape):
                (opposed if is_opposed(question, each, self.polarity) else fitting).append(each)
        return fitting, opposed

    def _about_names(self, question: ParsedQuestion) -> list[Candidate] | None:
        """Plans about values of names or of a whole type, where the question says nothing else; None where it does."""
        if not question.values:
            return None
        tree = next(iter(question.trees), None)
        found = [
            each
            for each in bare_candidates(question, self.schema, self.schema_paths)
            if not account_for(question, each, self.words, tree).unbound
        ]
        if not found:
            return None
        made = [each for bare in found for each in with_values(question, bare)]
        return made or (None if question.values.aggregate else [])

    def _counts_amiss(self, question: ParsedQuestion, candidate: Candidate) -> bool:
        """Whether a plan counts numbers or days, or what is called the highest of one thing, and not of many."""
        measure = candidate.plan.measure
        if measure is None or measure.function != "count" or measure.key is not None:
            return False
        types = candidate.plan.slot(measure.of).types
        ranked = bool(candidate.plan.asked) and GREATEST.search(question.text) is not None
        return ranked or (bool(types) and self.literals.issuperset(types))

    def _met_by_longer_names(self, question: ParsedQuestion, deadline: Deadline | None) -> list[Ranked]:
        """Plans about entities whose names begin with a name of the question, which meet its words of help or harm."""
        ranked, _ = self._split(replace(question, anchors=self.longer_names(question.anchors)), deadline)
        return [each for each in ranked if is_met(question, each.candidate, self.polarity)]

    def _grounded(
        self, question: ParsedQuestion, ranked: list[Ranked], model: "LanguageModel | None"
    ) -> Iterator[Interpretation]:
        """The best of the plans that words and schema allow, then those that are hardly less likely."""
        decided = None
        if model is not None and self.choose != "never":
            from clew.answer.models.choose import break_tie

            margin = TIE if self.choose == "ties" else float("inf")
            ranked, decided = break_tie(ranked, question.text, self.words, model, margin=margin)
        ranked = _complete_first(ranked)
        for number, each in enumerate(ranked[: MOST_ALIKE + 1]):
            if number and ranked[0].score - each.score > TIE:
                return
            notes = ("an equally likely interpretation finds nothing",) if number else ()
            yield Interpretation(
                question,
                each.candidate,
                tuple(ranked),
                notes,
                decided=None if number else decided,
                account=each.account,
            )


def _complete_first(ranked: list[Ranked]) -> list[Ranked]:
    """Plans that grammar proposes and that leave out no word they cannot do without, unless far less likely; others."""
    if not ranked or not ranked[0].account.missing:
        return ranked
    complete = [
        each
        for each in ranked
        if not (each.account.missing or each.account.restrictions)
        and "grammar" in each.candidate.found_by
        and ranked[0].score - each.score <= NEAR
    ]
    return [*complete, *(each for each in ranked if each not in complete)]


def _without_order(account: Account, question: ParsedQuestion, plan: Plan) -> Account:
    """An account with the superlative of a question whose plan does not rank so."""
    if question.operation != "top" or any(each.descending == question.descending for each in plan.sort):
        return account
    order = LEAST if not question.descending else MOST
    said = tuple(
        Unbound(token.start, token.end, token.text, RESTRICTION)
        for token in question.tokens
        if order.fullmatch(token.text)
    )
    return replace(account, unbound=(*account.unbound, *(each for each in said if each not in account.unbound)))


def _without_names(account: Account, question: ParsedQuestion, less: ParsedQuestion) -> Account:
    """An account with the names that a simpler question leaves out."""
    gone = [anchor for anchor in question.anchors if anchor not in less.anchors]
    names = tuple(Unbound(anchor.start, anchor.end, anchor.text, RESTRICTION) for anchor in gone)
    return replace(account, unbound=(*account.unbound, *names))
