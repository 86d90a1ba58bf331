"""What a word that no part of a plan stands for does in its question: asked for, a verb, a restriction, or nothing.

Roles come from the tree of the question; without a parser from the place of the word.
"""

import re
from functools import cached_property

from clew.answer.grammar.asked import inside_relative
from clew.answer.grammar.modality import find_modals
from clew.answer.grammar.parse import Tree
from clew.answer.grammar.roles import (
    ASKED,
    COMPARISON,
    NEGATION,
    PAST,
    QUANTIFIER,
    RESTRICTION,
    STRUCTURE,
    WH,
    Roles,
)
from clew.answer.lexicon.forms import Token, word_table
from clew.answer.lexicon.numbers import read_number
from clew.answer.lexicon.words import Words
from clew.answer.quantities.small_words import SmallWords
from clew.answer.reading.amounts import find_quantifying, is_passed_over
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.contrasts import CONTRASTING
from clew.answer.reading.question import ParsedQuestion
from clew.answer.statements.column_words import is_end
from clew.answer.statements.past_words import is_past, says_past

__all__ = ["UnboundWords"]

STILL = "still"
LIKENING = CONTRASTING | {"same"}  # of two things that nothing else may say anything of
COUNTING = frozenset({"count", "counts", "rank", "ranks", "qualify", "qualifies"})
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
AT_LEAST_ONE = re.compile(r"\bat least (?:one|once|1|some)\b|\bone or more\b|\bmore than (?:zero|0)\b", re.IGNORECASE)
YES_OR_NO = re.compile(r"\byes or no\b|\btrue or false\b", re.IGNORECASE)
EARLY = 6  # words at the beginning of a question, where "give" and "show" ask
RELATING = frozenset({"in", "of", "for", "with", "by", "from", "to", "on", "at", "through"})
PLACED = ("_AT", "_IN", "_FROM", "_NEAR")  # ends of relations that lead to places
HELPING = ("do", "does", "did")
WH_BEFORE = ("and", "or", "tell", "know", "from", "me", "but", "show")


class UnboundWords:
    """The words of one question that a plan may leave out, and what each does in the sentence."""

    def __init__(self, question: ParsedQuestion, candidate: Candidate, words: Words, tree: Tree | None) -> None:
        self.question, self.candidate, self.words, self.tree = question, candidate, words, tree
        self.plan, self.tokens = candidate.plan, question.tokens
        self.lowered = [token.text.lower().replace("’", "'") for token in self.tokens]
        self.roles = Roles(tree) if tree is not None else None
        self.quantifying = find_quantifying(question.trees)
        self.modals = find_modals(candidate, words, tree)
        self.small = SmallWords(question, candidate, self.tokens)

    def role(self, at: int) -> str | None:
        """What an unbound word does in the sentence; None for one that needs no part of a plan."""
        word, token = self.lowered[at], self.tokens[at]
        if token.start in self.quantifying or is_passed_over(self.plan, self.tokens, at, self.words):
            return QUANTIFIER
        if token.start in self.modals:
            return self.modals[token.start]
        if word in ("where", "when", "why", "how", "who"):
            return self._unmet_question_word(at)
        if self._answers_yes(token):
            return None
        if self.small.is_set_apart(at) or self.small.is_one(at):
            return QUANTIFIER
        for name, role in (("negation", NEGATION), ("quantifier", QUANTIFIER), ("comparison", COMPARISON)):
            if self.is_class(name, at):
                return None if name == "comparison" and self._says_nothing(token) else role
        if self._is_liking(at):
            return STRUCTURE
        if self.small.is_held(at):
            return None
        if self.small.is_neglected(at):
            return RESTRICTION if self.question.anchors or word not in LIKENING else QUANTIFIER
        if is_past(word) or word == STILL:
            over = any(map(self._is_over, self.candidate.relationships))
            return RESTRICTION if over and word == STILL else None if over or word == STILL else PAST
        if self._is_of_a_time(token):
            return RESTRICTION
        if self.is_class("frame", at) or self._is_listing(at) or at in self._prepositions:
            return None
        if self.is_class("restriction", at) or YEAR.fullmatch(word):
            return RESTRICTION
        if read_number(word) is not None:
            return None if self._says_nothing(token) else QUANTIFIER
        if self._is_asked_of_people(at):
            return ASKED
        if self.is_class("filler", at) or (self.is_class("reporting", at) and self._is_participle(token)):
            return None
        if word in COUNTING and self.lowered[at + 1 : at + 2] == ["as"]:  # what counts as rare is rare
            return None
        return self.roles.role(token) if self.roles is not None else self._role_by_place(at)

    def _is_of_a_time(self, token: Token) -> bool:
        """ "At present", "formerly": the plan has statements that end, and does not say whether they have."""
        ends = {key for start, end, key in self.question.column_values if start <= token.start < end and is_end(key)}
        schema = self.words.schema
        known = (each.name for name in self.candidate.relationships for each in schema.relationship(name).properties)
        return not ends.isdisjoint(known)

    def _is_over(self, relation: str) -> bool:
        """Whether a relation says of what it states that it has ended: *former_club*, *borrowed*."""
        return says_past(self.words.schema.relationship(relation).called)

    def _is_asked_of_people(self, at: int) -> bool:
        """ "Which patients", "what body part": people, or a part of what this graph does not know, are asked for."""
        before, behind = self.lowered[max(0, at - 2) : at], self.lowered[at + 1 : at + 2]
        asked = before[-1:] in (["which"], ["what"]) or before == ["how", "many"]
        asked = asked and not (at > 2 and before[0] in RELATING)  # "diseases in which patients die"
        narrower = bool(behind) and self.is_class("filler", at + 1) and not self.is_class("people", at + 1)
        return (
            asked
            and len(self.words.schema.labels) > 1
            and (
                self.is_class("people", at)
                or self.is_class("no placeholders", at)
                or (narrower and not self.is_class("filler", at))
            )
        )

    def _is_listing(self, at: int) -> bool:
        """ "List", "I want", "help me find": a verb at the beginning that asks, and says nothing of anyone."""
        asks = self.is_class("listing", at) and at < EARLY
        return asks and (at == 0 or self.is_class("before listing", at - 1))

    def _is_liking(self, at: int) -> bool:
        """ "Which readers like X": the only verb there is, unlike that of "diseases like X" and "I'd like"."""
        if self.lowered[at] not in ("like", "likes", "liked") or self.tree is None:
            return False
        verbs = [
            word
            for place, word in enumerate(self.tree.words)
            if word.kind in ("VERB", "AUX") and word.lemma != "like" and not inside_relative(self.tree, place)
        ]
        return self.lowered[0] in (*WH, *HELPING) and all(word.role == "aux" for word in verbs)

    @cached_property
    def _prepositions(self) -> set[int]:
        """Where prepositions of several words stand: "on board", "in front of"."""
        return self.places_of("prepositions")

    def places_of(self, phrases: str) -> set[int]:
        """Where the words of some phrases of asking.json stand."""
        found = (
            (at, phrase.split()) for phrase in word_table("asking.json")[phrases] for at in range(len(self.lowered))
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
        before = self.lowered[at - 1] if at else ""
        if word in ("where", "who") and before and before not in WH_BEFORE and not self._asks(at):
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

    def _asks(self, at: int) -> bool:
        """Whether "who" or "where" is no relative pronoun, since no noun or name stands before it: "besides, who"."""
        nouns = any(word.first < at and not word.implied for word in self.words.find_types(list(self.tokens[:at])))
        named = any(anchor.start < self.tokens[at].start for anchor in self.question.anchors)
        return not nouns and not named and set(WH).isdisjoint(self.lowered[:at])

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
        """ "Described in" and "subtypes counted too" say nothing; "who described" and "do I have to report" ask."""
        at = self.tree.at(token.start) if self.tree is not None else None
        if self.tree is None or at is None or self.question.direction == "down":
            return True
        helped = self.tree.child(at, "aux")
        infinitive = helped is not None and self.tree.words[helped].text.lower() == "to"
        return self.tree.child(at, "nsubj") is None and not infinitive

    def _says_nothing(self, token: Token) -> bool:
        """Whether a number or a comparison only says that there is one: "at least one"."""
        return any(found.start() <= token.start < found.end() for found in AT_LEAST_ONE.finditer(self.question.text))

    def is_class(self, name: str, at: int) -> bool:
        """Whether a word is in a class of asking.json."""
        return self.words.is_class(name, self.tokens[at].text)
