"""The words of a relation as English uses them: after one thing, after several, in the passive, after "not known to".

Words that are no English phrase ("casualty taken to", "P31") are not put in form: such a relation is called by its own
name, as if that were a noun.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from clew.answer.lexicon.families import names_roles
from clew.answer.wording.relation_grammar import MODALS, PREPOSITIONS, VERBAL, grammar_of, is_code, says_something
from clew.answer.wording.verbs import PAST, PERFECT, VERBS, bare, is_past, participle, third_person
from clew.plurals import plural, singular

__all__ = ["RelationWords", "after", "complement_of", "plural_role", "roles_of", "to_do", "what_is_had"]

TODAY = frozenset({"currently", "now", "presently", "still"})
MASS = frozenset({"part"})  # "is part of", "are part of"
CAPITALS = 3  # letters of a name that is a code: "TST"


@dataclass(frozen=True, slots=True)
class RelationWords:
    """The words of one relation; `kind` is verb, past, modal, participle, noun of, noun or name."""

    text: str
    own: str = ""  # the relation's name in the graph
    is_type: bool = False  # the words are the name of a type, and so a noun

    @classmethod
    def between(cls, text: str, subject: str, object: str, own: str = "") -> "RelationWords":
        """A relation's words between two types, whose names they need not repeat: "*drug* targets *gene*"."""
        kept = text.split()
        if kept == object.split():
            return cls(text, own, is_type=True)
        for type in (subject.split(), subject.split()[-1:]):
            rest = kept[len(type) :]
            if type and rest and kept[: len(type)] == type and grammar_of(" ".join(rest)).kind in VERBAL:
                kept = rest
        for type in (object.split(), object.split()[-1:]):
            rest = kept[: -len(type) or None]
            if rest not in ([], ["has"]) and kept[len(rest) :] == type and says_something(" ".join(rest)):
                kept = rest
        return cls(" ".join(kept), own)

    @property
    def kind(self) -> str:
        if self.is_type:
            return "noun"
        code = self.own.isupper() and len(self.own) <= CAPITALS and self.text == self.own.lower()
        word = bare(self.text) in VERBS or self.text in PREPOSITIONS
        return "name" if code and not word else grammar_of(self.text).kind

    @property
    def plain(self) -> str:
        """Without a form of "be": "last seen at", which says what the whole does."""
        said = " ".join((*grammar_of(self.text).adverbs, *grammar_of(self.text).words))
        return re.sub(r"\bsame\b", "the same", said)

    @property
    def complement(self) -> str:
        """What verbs call the thing at the far end: "class" in "belongs to class"."""
        return grammar_of(self.text).complement if self.kind != "noun" else ""

    @property
    def without_complement(self) -> "RelationWords":
        return replace(self, text=self.text.removesuffix(self.complement).rstrip())

    def after(self, number: int) -> str:
        """After a noun: "causes" after one, "cause" after several; "is a neighbour of", "are neighbours of"."""
        if self.kind == "noun":
            return f"{'has' if number == 1 else 'have'} the {self.role}"
        if self.kind == "name":
            return self.role
        grammar = grammar_of(self.text)
        if self.kind in ("participle", "noun of"):
            return f"{grammar.be[number != 1]} {self._after_be(number)}"
        said = " ".join(grammar.words)
        if self.kind == "verb":
            said = third_person(said) if number == 1 else _several(said)
        return " ".join((*grammar.adverbs, said))

    def _after_be(self, number: int) -> str:
        """After "be": "last seen at", "a neighbour of", "neighbours of"."""
        if self.kind == "participle":
            return self.plain
        *noun, preposition = self.plain.split()
        if noun[-1] in MASS:
            return self.plain
        head = singular(" ".join(noun))
        article = "an" if head[0] in "aeiou" else "a"
        return f"{f'{article} {head}' if number == 1 else plural(head)} {preposition}"

    @property
    def role(self) -> str:
        """What a noun calls one thing at the far end, "operator" of "operators"; the name of what is no phrase."""
        if self.kind == "name":
            return self.own or self.text
        said = self.text.removeprefix("of ")
        return singular(said) if names_roles(said.split()[-1]) and " of " not in said else said

    def infinitive(self, number: int = 2) -> str:
        """After "not known to": "cause", "be associated with", "have won", "possibly treat"."""
        grammar = grammar_of(self.text)
        if self.kind in ("participle", "noun of"):
            return f"{grammar.be[2]} {self._after_be(number)}"
        if self.kind == "past":
            done, *rest = grammar.words
            return " ".join(("have", *grammar.adverbs, PERFECT.get(done, done), *rest))
        if self.kind == "modal":
            return " ".join((MODALS[grammar.words[0]], *grammar.words[1:]))
        if self.kind == "verb":
            return " ".join((*grammar.adverbs, bare(" ".join(grammar.words)))).replace("do not ", "not ")
        return self.after(2)

    @property
    def passive(self) -> str | None:
        """ "treated by"; None where English has none that is plain: "presented with by"."""
        grammar = grammar_of(self.text)
        if len(grammar.words) > 1 or self.kind not in ("verb", "past") or grammar.words[0] in PERFECT:
            return None
        done = grammar.words[0] if self.kind == "past" else participle(grammar.words[0])
        return " ".join((*grammar.adverbs, done, "by"))

    @property
    def by_people(self) -> str | None:
        """What those do by whom something is done, in the past: "wrote" of "written by"; None for other relations."""
        grammar = grammar_of(self.text)
        if self.kind != "participle" or grammar.words[1:] != ("by",) or not TODAY.isdisjoint(grammar.adverbs):
            return None
        return " ".join((*grammar.adverbs, PAST.get(grammar.words[0], grammar.words[0])))


def after(words: Iterable[RelationWords], number: int) -> str:
    """Several relations after a noun, any of which may hold: "treats or palliates"."""
    return " or ".join(dict.fromkeys(each.after(number) for each in words))


def to_do(words: Iterable[RelationWords], number: int) -> str:
    """Several relations after "not known to"."""
    return " or ".join(dict.fromkeys(each.infinitive(number) for each in words))


def roles_of(words: Sequence[RelationWords]) -> list[str]:
    """What nouns call the thing at the far end, or where some have no phrase, the names of all; none of verbs."""
    if any(each.kind == "name" for each in words):
        names = dict.fromkeys(each.own or each.text for each in words)
        return [name.replace("{", "{{").replace("}", "}}") for name in names]  # they stand in templates
    return list(dict.fromkeys(each.role for each in words)) if all(each.kind == "noun" for each in words) else []


def plural_role(role: str) -> str:
    """What nouns call several things at the far end; a relation's name stays as it is.

    >>> plural_role("operator"), plural_role("date of birth"), plural_role("casualty_taken_to"), plural_role("P31")
    ('operators', 'dates of birth', 'casualty_taken_to', 'P31')
    """
    head, of, rest = role.partition(" of ")
    is_name = is_code([role]) or not head.replace(" ", "").isalpha() or not head.islower()
    return role if is_name else f"{plural(head)}{of}{rest}"


def complement_of(words: Iterable[RelationWords]) -> str:
    """The noun at the end of all relations; none where they differ."""
    found = {each.complement for each in words}
    return found.pop() if len(found) == 1 else ""


def what_is_had(relation: str) -> str:
    """What a relation says that something has.

    >>> what_is_had("HAS_SIDE_EFFECT"), what_is_had("HAS_BEEN_TESTED_WITH"), what_is_had("HAS_EFFECT_ON")
    ('side effect', '', '')
    """
    first, *what = relation.lower().split("_")
    perfect = bool(what) and (what[0] == "been" or (is_past(what[0]) and len(what) == 1))
    return "" if first != "has" or perfect or not what or what[-1] in PREPOSITIONS else " ".join(what)


def _several(verb: str) -> str:
    """A verb after several things: "be" has a form of its own there."""
    said = bare(verb)
    return f"are{said[2:]}" if said.split()[0] == "be" else said
