"""Every word of a question answers for itself: it is bound to a part of the chosen plan, or reported.

A word that nothing binds counts by what it does in the sentence. What is asked for, a verb, what leads to a name, a
quantifier, a comparison or a negation cannot be left out: such a plan answers another question. A restriction that is
left out makes the answer doubtful; anything else is printed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from clew.answer.grammar.clauses import find_clauses
from clew.answer.grammar.light_verbs import LightVerbs
from clew.answer.grammar.parse import Tree
from clew.answer.grammar.roles import (
    ASKED,
    COMPARISON,
    NAME,
    NEEDED,
    NEGATION,
    OTHER,
    QUANTIFIER,
    RESTRICTION,
    STRUCTURE,
    WH,
    Roles,
)
from clew.answer.lexicon.forms import Token, word_table
from clew.answer.lexicon.light import is_light
from clew.answer.lexicon.numbers import OFTEN, read_number
from clew.answer.lexicon.polarity import polarity_at, polarity_of_name
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import ABSENT, Plan, Step
from clew.answer.reading.amounts import EVERY, find_only_asked, find_quantifying, is_passed_over, passed_over
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.intent import JOINING
from clew.answer.reading.question import ParsedQuestion

__all__ = ["RESTRICTION", "STRUCTURE", "Account", "Binding", "Unbound", "account_for"]

YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
AT_LEAST_ONE = re.compile(r"\bat least (?:one|once|1)\b|\bone or more\b|\bmore than (?:zero|0)\b", re.IGNORECASE)
YES_OR_NO = re.compile(r"\byes or no\b|\btrue or false\b", re.IGNORECASE)
EARLY = 6  # words at the beginning of a question, where "give" and "show" ask
RELATING = frozenset({"in", "of", "for", "with", "by", "from", "to", "on", "at", "through"})
PATH_WORDS = frozenset({"shortest", "short", "chain", "chains", "step", "steps", "hop", "hops", "indirectly", "far"})
PLACED = ("_AT", "_IN", "_FROM", "_NEAR")  # ends of relations that lead to places
WH_BEFORE = ("and", "or", "tell", "know", "from", "me", "but", "show")


@dataclass(frozen=True, slots=True)
class Binding:
    """A stretch of the question and the part of the plan that it stands for."""

    start: int
    end: int
    part: str


@dataclass(frozen=True, slots=True)
class Unbound:
    """A word that no part of the plan stands for, and what it does in the sentence."""

    start: int
    end: int
    text: str
    role: str

    @property
    def needed(self) -> bool:
        return self.role in NEEDED


@dataclass(frozen=True, slots=True)
class Account:
    """What the words of a question are bound to in one plan, and those that are bound to nothing."""

    bindings: tuple[Binding, ...] = ()
    unbound: tuple[Unbound, ...] = ()

    @property
    def missing(self) -> tuple[Unbound, ...]:
        """Words without which the plan answers another question."""
        return tuple(each for each in self.unbound if each.needed)

    @property
    def restrictions(self) -> tuple[Unbound, ...]:
        return tuple(each for each in self.unbound if each.role == RESTRICTION)


def account_for(question: ParsedQuestion, candidate: Candidate, words: Words, tree: Tree | None = None) -> Account:
    """Bind each word of a question to a part of a plan."""
    return _Accountant(question, candidate, words, tree).account()


class _Accountant:
    def __init__(self, question: ParsedQuestion, candidate: Candidate, words: Words, tree: Tree | None) -> None:
        self.question, self.candidate, self.words, self.tree = question, candidate, words, tree
        self.plan = candidate.plan
        self.tokens = question.tokens
        self.lowered = [token.text.lower().replace("’", "'") for token in self.tokens]
        self.roles = Roles(tree) if tree is not None else None
        self.perhaps: set[int] = set()  # verbs that may stand for the only relation between their nouns' types
        self.quantifying, self.only = find_quantifying(question.trees), find_only_asked(question.trees)

    def account(self) -> Account:
        bound: dict[int, str] = {}
        bound.update(self._by_phrases())
        bound.update(self._by_types())
        bound.update(self._by_operation())
        bound.update(self._by_light_verbs(bound))
        for at in (*self._misplaced(), *passed_over(self.plan, self.lowered, self.words)):
            bound.pop(at, None)
        bindings = [Binding(anchor.start, anchor.end, "name") for anchor in self.question.anchors]
        bindings += [Binding(start, end, "value") for start, end in self.question.values.spans]
        unbound = []
        for at, token in enumerate(self.tokens):
            if at in bound:
                bindings.append(Binding(token.start, token.end, bound[at]))
            elif (role := self._role(at)) is not None:
                if role == RESTRICTION and not self.question.anchors:
                    role = STRUCTURE  # nothing but such words says what it is about
                if role == STRUCTURE and at in self.perhaps:
                    role = RESTRICTION
                text = self._longer_name(at) if role not in (None, OTHER) and not self._is("restriction", at) else None
                role = NAME if text else role
                unbound.append(Unbound(token.start, token.end, text or token.text, role))
        return Account(tuple(sorted(bindings, key=lambda each: each.start)), tuple(unbound))

    # what binds -----------------------------------------------------------------------------------------------------

    def _by_phrases(self) -> Iterator[tuple[int, str]]:
        """Words that mention a relation of the plan."""
        relations = dict.fromkeys(self.candidate.relationships)
        stems = [token.stem for token in self.tokens]
        for name in relations:
            for at in self.words.places(name, stems):
                yield at, f"relation {name}"
            for at, token in enumerate(self.tokens):
                if not self._is("frame", at) and self.words.binds(name, token.text):
                    yield at, f"relation {name}"
        for at in range(len(self.tokens)):
            if self._is("light", at) and relations:
                yield at, "relation"
        polarities = {polarity_of_name(self.words.schema.relationship(name)): name for name in relations}
        for at, polarity in polarity_at(stems):
            compared = self.roles is not None and self.roles.role(self.tokens[at]) == COMPARISON  # "the safest"
            if polarity in polarities and not compared:  # "relieve" is met by any relation of help
                yield at, f"relation {polarities[polarity]}"

    def _by_light_verbs(self, bound: Mapping[int, str]) -> dict[int, str]:
        """Verbs that say little by themselves, by the types of their nouns."""
        waiting = {
            token.start: at
            for at, token in enumerate(self.tokens)
            if at not in bound and not self._is("frame", at) and is_light(token.text)
        }
        if not waiting or not self.candidate.relationships:
            return {}
        helping = {at: bound[at + 2] for at in waiting.values() if self._helps(at) and at + 2 in bound}
        met = [each for each in LightVerbs(self.question, self.candidate, self.words).bound() if each[0] in waiting]
        self.perhaps = {waiting[start] for start, _, _ in met}
        return helping | {waiting[start]: f"relation {name}" for start, name, sure in met if sure}

    def _helps(self, at: int) -> bool:
        """ "Used to treat": the verb behind it says it all."""
        return self.lowered[at + 1 : at + 2] == ["to"] and not self._is("frame", min(at + 2, len(self.lowered) - 1))

    def _by_types(self) -> Iterator[tuple[int, str]]:
        """Words that name types which the plan, or a name, has."""
        types = {meaning.type for meaning in self.candidate.meanings}
        known = {*self.candidate.labels, *(self.words.schema.label_of(type) for type in types)} | types
        for word in self.words.find_types(list(self.tokens)):
            if known.intersection(word.labels):
                said = word.first > 0 and self.words.is_said_of_a_type(self.tokens[word.first - 1].text)
                for at in range(word.first - said, word.last):
                    yield at, f"type {' or '.join(word.labels)}"

    def _by_operation(self) -> Iterator[tuple[int, str]]:
        """Words that the count, the order, the bound, the negation or the hierarchy of the plan stands for."""
        plan = self.plan
        absent = _denies(plan, self.words)
        measured = plan.measure.value if plan.measure else None
        counts = [part.count.number for part in plan.parts if part.count is not None]
        ranked, bounded = (
            bool(plan.sort),
            bool(counts) or (plan.measure is not None and plan.measure.operator is not None),
        )
        numbers = {plan.limit, measured, self.question.number, *counts}
        hierarchical = any(step.repeated or set(step.relations) <= _hierarchy(self.words) for step in _steps(plan))
        several = len(self.question.anchors) > 1
        asked = {
            word.first
            for word in self.words.find_types(list(self.tokens))
            if self.candidate.asked in word.labels and self.plan.kind == "rows"
        }
        only = {at for at, word in enumerate(self.lowered) if word == "only" and self.tokens[at].start in self.only}
        for at, word in enumerate(self.lowered):
            if self._is("negation", at) and absent:
                yield at, "negation"
            elif self._is("comparison", at) and (ranked or bounded):
                yield at, "order" if ranked and not bounded else "bound"
            elif (number := read_number(word) or OFTEN.get(word)) in numbers and number is not None:
                yield at, "number"
            elif self.tokens[at].start in self.candidate.quantified:
                yield at, "quantifier"
            elif (word in EVERY and (at + 1 in asked or isinstance(measured, Plan))) or at in only:
                yield at, "asked"
            elif word in ("each", "both") and several:
                yield at, "names"
            elif plan.kind == "path":
                if JOINING.fullmatch(word) or word in PATH_WORDS or self._is("light", at):
                    yield at, "path"
            elif hierarchical and self.words.explains(self.tokens[at].stem):
                yield at, "hierarchy"

    def _misplaced(self) -> Iterator[int]:
        """The noun that is asked for, where the plan gives something else: directors are no films."""
        if self.roles is None or self.plan.kind != "rows" or self.candidate.asked is None:
            return
        if not set(self.lowered).intersection(WH):
            return  # of a phrase such as "genes underlying disorders" grammar does not tell it surely
        spoken = self.words.find_types(list(self.tokens))
        typed = {at: word.labels for word in spoken for at in range(word.first, word.last)}
        slot = self.plan.asked[0].of if self.plan.asked else self.plan.measure.of if self.plan.measure else ""
        found = [(tree, find_clauses(tree).asked) for tree in self.question.trees]
        nouns = [tree.words[asked].start for tree, asked in found if asked is not None]
        for at, token in enumerate(self.tokens):
            agreed = 2 * nouns.count(token.start) > len(nouns)
            if not agreed or self._is("frame", at) or self._is("filler", at):
                continue
            if at in typed:
                if self.candidate.asked not in typed[at]:
                    yield at
            elif not self._has_part(slot, token.text):
                yield at

    def _has_part(self, slot: str, noun: str) -> bool:
        """Whether what a slot holds has the part in a relation that a noun names: the director is who directed."""
        steps = [step for step in _steps(self.plan) for name in step.relations if self.words.binds(name, noun)]
        return not steps or any(
            slot in step.ends
            and (
                not self.words.is_own(step.relations[0], noun)
                or (step.subject == slot) == self.words.noun_is_subject(step.relations[0], noun)
                or self.words.schema.relationship(step.relations[0]).symmetric
            )
            for step in steps
        )

    def _longer_name(self, at: int) -> str | None:
        """The name that a word and the name beside it are together, where grammar says so: cystic *fibrosis*."""
        token, trees = self.tokens[at], self.question.trees
        for anchor in self.question.anchors:
            agreeing = sum(_modifies(tree, token.start, anchor.start) for tree in trees)
            if anchor.start - token.end == 1 and 2 * agreeing > len(trees):
                return self.question.text[token.start : anchor.end]
        return None

    # what does not --------------------------------------------------------------------------------------------------

    def _role(self, at: int) -> str | None:
        """What an unbound word does in the sentence; None for one that needs no part of a plan."""
        word, token = self.lowered[at], self.tokens[at]
        if token.start in self.quantifying or is_passed_over(self.plan, self.tokens, at, self.words):
            return QUANTIFIER
        if word in ("where", "when", "why", "how", "who"):
            return self._unmet_question_word(at)
        if self._answers_yes(token):
            return None
        for name, role in (("negation", NEGATION), ("quantifier", QUANTIFIER), ("comparison", COMPARISON)):
            if self._is(name, at):
                return None if name == "comparison" and self._says_nothing(token) else role
        if self._is_liking(at):
            return STRUCTURE
        if self._is("frame", at) or self._is_listing(at) or at in self._small_phrases:
            return None
        if self._is("restriction", at) or YEAR.fullmatch(word):
            return RESTRICTION
        if read_number(word) is not None:
            return None if self._says_nothing(token) else QUANTIFIER
        if self._is_asked_of_people(at):
            return ASKED
        if self._is("filler", at) or (self._is("reporting", at) and self._is_participle(token)):
            return None
        return self.roles.role(token) if self.roles is not None else self._role_by_place(at)

    def _is_asked_of_people(self, at: int) -> bool:
        """ "Which patients", "what body part": people, or a part of what this graph does not know, are asked for."""
        before, behind = self.lowered[max(0, at - 2) : at], self.lowered[at + 1 : at + 2]
        asked = before[-1:] in (["which"], ["what"]) or before == ["how", "many"]
        asked = asked and not (at > 2 and before[0] in RELATING)  # "diseases in which patients die"
        narrower = bool(behind) and self._is("filler", at + 1) and not self._is("people", at + 1)
        return (
            asked
            and len(self.words.schema.labels) > 1
            and (self._is("people", at) or (narrower and not self._is("filler", at)))
        )

    def _is_listing(self, at: int) -> bool:
        """ "List", "I want", "help me find": a verb at the beginning that asks, and says nothing of anyone."""
        asks = self._is("listing", at) and at < EARLY
        return asks and (at == 0 or self._is("before listing", at - 1))

    def _is_liking(self, at: int) -> bool:
        """ "Which readers like X": the only verb there is, unlike that of "diseases like X" and "I'd like"."""
        if self.lowered[at] not in ("like", "likes", "liked") or self.tree is None:
            return False
        verbs = [word for word in self.tree.words if word.kind in ("VERB", "AUX") and word.lemma != "like"]
        return self.lowered[0] in WH and (not verbs or all(word.role == "aux" for word in verbs))

    @cached_property
    def _small_phrases(self) -> set[int]:
        """Where prepositions of several words stand: "on board", "in front of"."""
        found = (
            (at, phrase.split())
            for phrase in word_table("asking.json")["prepositions"]
            for at in range(len(self.lowered))
        )
        return {at + n for at, words in found if self.lowered[at : at + len(words)] == words for n in range(len(words))}

    def _role_by_place(self, at: int) -> str | None:
        """Without a parser: a word right behind a question word is asked for, others restrict."""
        before = self.lowered[at - 1] if at else ""
        many = self.lowered[max(0, at - 2) : at] == ["how", "many"]
        if (
            before in ("which", "what")
            or many
            or (before == "the" and self.lowered[at - 2 : at - 1] in (["is"], ["are"]))
        ):
            return ASKED
        return RESTRICTION

    def _unmet_question_word(self, at: int) -> str | None:
        """ "Where" asks for a place, "when" for a time and "who" for somebody: what the plan gives must be one."""
        word = self.lowered[at]
        following = self.lowered[at + 1] if at + 1 < len(self.lowered) else ""
        if word == "why":
            return ASKED
        if word in ("where", "who") and at > 0 and self.lowered[at - 1] not in WH_BEFORE:
            return None  # "diseases where patients have …"
        if word == "how":
            measured = self.tree is not None and self._is_measured(at)
            return (
                ASKED if following in ("much", "often", "long", "old") or (measured and following != "many") else None
            )
        if self.plan.kind != "rows":
            return ASKED if at == 0 and word != "who" else None  # no path and no yes says when
        if word == "who":
            return None if self.words.may_be_who(self.candidate.asked) else ASKED
        if word == "when" and at > 0 and self.lowered[0] != "when":
            return RESTRICTION
        said = [self.candidate.asked or "", *self.candidate.relationships]
        near = {stem for name in said for stem in self.words.stems_of(name)}
        placed = word == "where" and any(name.endswith(PLACED) for name in self.candidate.relationships)
        return None if placed or near & self.words.classes[word] else ASKED

    def _is_measured(self, at: int) -> bool:
        """ "How tall": the question word belongs to an adjective or an adverb."""
        here = self.tree.at(self.tokens[at].start) if self.tree is not None else None
        if self.tree is None or here is None:
            return False
        head = self.tree.words[self.tree.words[here].head]
        return head.kind in ("ADJ", "ADV") and head.lemma not in ("many", "connected", "related")

    def _answers_yes(self, token: Token) -> bool:
        return any(found.start() <= token.start < found.end() for found in YES_OR_NO.finditer(self.question.text))

    def _is_participle(self, token: Token) -> bool:
        """ "Described in" and "subtypes counted too" say nothing, "who described" asks for somebody."""
        at = self.tree.at(token.start) if self.tree is not None else None
        if self.tree is None or at is None or self.question.direction == "down":
            return True
        return self.tree.child(at, "nsubj") is None

    def _says_nothing(self, token: Token) -> bool:
        """Whether a number or a comparison only says that there is one: "at least one"."""
        return any(found.start() <= token.start < found.end() for found in AT_LEAST_ONE.finditer(self.question.text))

    def _is(self, name: str, at: int) -> bool:
        return self.words.is_class(name, self.tokens[at].text)


def _modifies(tree: Tree, word: int, name: int) -> bool:
    """Whether the word at one place of a question is said of the name at another."""
    one, other = tree.at(word), tree.at(name)
    if one is None or other is None:
        return False
    return tree.words[one].head == other and tree.words[one].role in ("amod", "compound", "nmod")


def _steps(plan: Plan) -> Iterator[Step]:
    return (step for part in plan.parts for step in part.steps)


def _denies(plan: Plan, words: Words) -> bool:
    """Whether anything in a plan says no: a part that must be absent, a negated condition or relation."""
    negated = {each.name for each in words.schema.relationships if each.negated}
    return (
        plan.kind == "lacks"
        or any(part.kind == ABSENT for part in plan.parts)
        or any(condition.negated for part in plan.parts for condition in part.conditions)
        or any(not negated.isdisjoint(step.relations) for part in plan.parts for step in part.steps)
    )


def _hierarchy(words: Words) -> set[str]:
    return {each.name for each in words.schema.relationships if each.relation in ("is_a", "subclass_of")}
