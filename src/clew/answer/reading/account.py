"""Every word of a question answers for itself: it is bound to a part of the chosen plan, or reported.

A word that nothing binds counts by what it does in the sentence. What is asked for, a verb, what leads to a name, a
quantifier, a comparison or a negation cannot be left out: such a plan answers another question. A restriction that is
left out makes the answer doubtful; anything else is printed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clew.answer.grammar.asked import EVERY_ONE
from clew.answer.grammar.clauses import find_clauses
from clew.answer.grammar.light_verbs import LightVerbs
from clew.answer.grammar.parse import Tree
from clew.answer.grammar.roles import (
    COMPARISON,
    NAME,
    NEEDED,
    OTHER,
    RESTRICTION,
    STRUCTURE,
    WH,
)
from clew.answer.lexicon.light import is_light
from clew.answer.lexicon.numbers import OFTEN, find_numbers
from clew.answer.lexicon.polarity import is_of_that_kind, polarity_at, polarity_of_name
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import ABSENT, Plan, Step
from clew.answer.reading.amounts import EVERY, find_only_asked, is_passed_over, passed_over
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.intent import JOINING
from clew.answer.reading.question import ParsedQuestion
from clew.answer.reading.unbound import UnboundWords
from clew.answer.values.asking import AGGREGATES

__all__ = ["BY_LINKER", "RESTRICTION", "STRUCTURE", "Account", "Binding", "Unbound", "account_for"]

BY_LINKER = "linked"  # what a word is bound to of which only the schema linker knows that it means a part of the plan

BARE = frozenset({"do", "does", "did", "to"})  # words behind which a verb has its plain form
PAST_OR_NOT = frozenset({"found", "saw", "felt", "lay", "fell", "bound", "ground", "wound"})  # of find; or to found
LINKS = frozenset({"relation", "relationship", "connection", "link", "association"})
HELPING = frozenset({"do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "will", "can", "could"})
RANKED = frozenset({"first", "last"})  # by themselves no words for "first climbed by": who came first
BESIDE = 3  # words between such a word and another one of its relation, at most: "the first who climbed it"
PATH_WORDS = frozenset({"shortest", "short", "chain", "chains", "step", "steps", "hop", "hops", "indirectly", "far"})


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
        self.plan, self.tokens = candidate.plan, question.tokens
        self.left_out = UnboundWords(question, candidate, words, tree)
        self.lowered, self.roles, self._is = self.left_out.lowered, self.left_out.roles, self.left_out.is_class
        self.perhaps: set[int] = set()  # verbs that may stand for the only relation between their nouns' types
        self.only = find_only_asked(question.trees)

    def account(self) -> Account:
        bound: dict[int, str] = {}
        bound.update(self._by_phrases())
        bound.update(self._by_types())
        bound.update(self._by_operation())
        bound.update(self._by_columns())
        bound.update(self._by_light_verbs(bound))
        small = [
            at for at, part in bound.items() if part.startswith("relation") and self.left_out.small.is_neglected(at)
        ]
        for at in (*small, *self._misplaced(), *passed_over(self.plan, self.lowered, self.words)):
            bound.pop(at, None)
        bindings = [Binding(anchor.start, anchor.end, "name") for anchor in self.question.anchors]
        bindings += [Binding(start, end, "value") for start, end in self.question.values.spans]
        unbound = []
        for at, token in enumerate(self.tokens):
            if at in bound:
                bindings.append(Binding(token.start, token.end, bound[at]))
            elif (role := self.left_out.role(at)) is not None:
                if role == RESTRICTION and not self.question.anchors:
                    role = STRUCTURE  # nothing but such words says what it is about
                if role == STRUCTURE and at in self.perhaps:
                    role = RESTRICTION
                text = self._longer_name(at) if role not in (None, OTHER) and not self._is("restriction", at) else None
                role = NAME if text else role
                unbound.append(Unbound(token.start, token.end, text or token.text, role))
        return Account(tuple(sorted(bindings, key=lambda each: each.start)), tuple(unbound))

    def _by_phrases(self) -> Iterator[tuple[int, str]]:
        """Words that mention a relation of the plan."""
        relations = dict.fromkeys(self.candidate.relationships)
        stems, typed = [token.stem for token in self.tokens], {at for at, _ in self._by_types()}
        for name in relations:
            for at in self.words.places(name, stems):
                particle = self._particle(at)
                if not particle or self.words.binds(name, self.tokens[at].text, particle):
                    yield at, f"relation {name}"
            said = [at for at in range(len(self.tokens)) if self._belongs(at, name)]
            deeds = [at for at in said if self.lowered[at] not in RANKED and at not in typed]
            for at in said:
                ranked = self.lowered[at] in RANKED and len(self.words.stems_of(name)) > 1
                if not ranked or any(abs(at - deed) <= BESIDE for deed in deeds):
                    yield at, f"relation {name}"
        for at in range(len(self.tokens)):
            if self._is("light", at) and relations and not (self._is_noun(at) or self._is_another_verb(at)):
                yield at, "relation"
        known = [self.words.schema.relationship(name) for name in relations]
        for at, polarity in polarity_at(stems):
            compared = self.roles is not None and self.roles.role(self.tokens[at]) == COMPARISON  # "the safest"
            for each in known:  # "help" is met by any relation of help
                if polarity_of_name(each) == polarity and is_of_that_kind(stems[at], each) and not compared:
                    yield at, f"relation {each.name}"

    def _belongs(self, at: int, relation: str) -> bool:
        """Whether a word belongs to what a relation is called."""
        idle = self._is("frame", at) or self.tokens[at] in self.question.of_names
        return not idle and self.words.binds(relation, self.tokens[at].text, self._particle(at))

    def _particle(self, at: int) -> str:
        """The particle behind a verb that means something else with it: "take *over*"."""
        behind = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        place = None if behind is None or self.tree is None else self.tree.at(behind.start)
        if behind is None or self.tree is None or place is None or self.tree.words[place].role != "prt":
            return ""
        return behind.text.lower()

    def _is_another_verb(self, at: int) -> bool:
        """Whether a verb that says little is the plain form of one that does not: "did A *found*"."""
        place = self.tree.at(self.tokens[at].start) if self.tree is not None else None
        if self.tree is not None and place is not None and self.lowered[at] in PAST_OR_NOT:
            helping = {self.tree.words[child].text.lower() for child in self.tree.children(place, "aux")}
            return not BARE.isdisjoint(helping)
        return False

    def _is_noun(self, at: int) -> bool:
        """Whether what looks like a verb is asked for: "which shows did A direct"."""
        asked = at > 0 and self.lowered[at - 1] in ("which", "what") and self.lowered[at].removesuffix("s") not in LINKS
        return asked and not HELPING.isdisjoint(self.lowered[at + 1 : at + 2])

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
                if self._is_of_all(word.first):
                    continue
                said = word.first > 0 and self.words.is_said_of_a_type(self.tokens[word.first - 1].text)
                for at in range(word.first - said, word.last):
                    yield at, f"type {' or '.join(word.labels)}"

    def _is_of_all(self, at: int) -> bool:
        """Whether a word is not only somebody but all of them: "does everybody take aspirin"."""
        quantifies = self.tokens[at].start in self.left_out.quantifying
        return self.lowered[at] in EVERY_ONE and (quantifies or is_passed_over(self.plan, self.tokens, at, self.words))

    def _by_operation(self) -> Iterator[tuple[int, str]]:
        """Words that the count, the order, the bound, the negation or the hierarchy of the plan stands for."""
        plan = self.plan
        absent = _denies(plan, self.words)
        measured = [value for measure in plan.measures for _, value in measure.bounds]
        counts = [part.count.number for part in plan.parts if part.count is not None and part.count.operator]
        ranked, bounded = bool(plan.sort), bool(counts or measured)
        numbers = {
            plan.limit,
            self.question.number,
            *counts,
            *(each for each in measured if not isinstance(each, Plan)),
        }
        functions = {measure.function for measure in plan.measures}
        totals = self.left_out.places_of("totals") if "sum" in functions else set()
        every = any(isinstance(each, Plan) for each in measured)
        spans = list(find_numbers(self.question.text, numbers))
        hierarchical = any(step.relations and set(step.relations) <= _hierarchy(self.words) for step in _steps(plan))
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
            elif at in totals or AGGREGATES.get(word) in functions:
                yield at, "aggregate"
            elif self._is("comparison", at) and (ranked or (bounded and word not in RANKED)):
                yield at, "order" if ranked and not bounded else "bound"
            elif OFTEN.get(word, "") in numbers or any(s <= self.tokens[at].start < e for s, e in spans):
                yield at, "number"
            elif self.tokens[at].start in self.candidate.quantified:
                yield at, "quantifier"
            elif (word in EVERY and (at + 1 in asked or every)) or at in only:
                yield at, "asked"
            elif word in ("each", "both") and several:
                yield at, "names"
            elif plan.kind == "path":
                if JOINING.fullmatch(word) or word in PATH_WORDS or self._is("light", at):
                    yield at, "path"
            elif hierarchical and self.words.explains(self.tokens[at].stem):
                yield at, "hierarchy"

    def _by_columns(self) -> Iterator[tuple[int, str]]:
        """Words that a condition on a column of statements stands for."""
        held = {condition.key for part in self.plan.parts for condition in part.conditions}
        for start, end, key in self.question.column_values:
            if key in held:
                inside = (at for at, token in enumerate(self.tokens) if start <= token.start < end)
                yield from ((at, f"column {key.removeprefix('q_')}") for at in inside)

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
            if not agreed or self._is("frame", at):
                continue
            if at in typed:
                if self.candidate.asked not in typed[at]:
                    yield at
            elif not self._is("filler", at) and not self._has_part(slot, token.text):
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
