"""What one step of a plan says of the thing at its near end: "located in {}", "that {} treats", "without the owner {}".

In: the words of the step's relations, and what is known of the things at both ends. Out: templates for the name or
phrase at the far end, one for a single thing and one for several.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.answer.wording.relation_words import RelationWords, after, complement_of, plural_role, roles_of, to_do
from clew.plurals import plural

__all__ = ["End", "StepPhrase"]

BOTH_WAYS = ("associated with", "linked to", "related to")  # these read the same from either end
PEOPLE = frozenset({"person", "people", "man", "woman", "human", "patient", "actor", "director", "player", "employee"})
Templates = tuple[str, str]


@dataclass(frozen=True, slots=True)
class End:
    """What stands at one end of a step; `number` is what verbs take it for: "every drug" and a name are one."""

    types: Sequence[str]  # their nouns
    number: int = 2
    named: bool = False
    counted: bool = False  # its noun has a number, "most", "only" or a pronoun
    pronoun: str = ""  # of what was mentioned before: "them", "the doctor"

    @property
    def who(self) -> str:
        """ "Who" after people, "that" after anything else."""
        return "who" if len(self.types) == 1 and self.types[0] in PEOPLE else "that"

    def as_role(self, role: str) -> str:
        """A role in the singular or plural, as the noun is."""
        return role if self.pronoun or self.number == 1 else plural_role(role)


@dataclass(frozen=True, slots=True)
class StepPhrase:
    """One step, seen from its end `here`: from its subject if `forward`, else from its object."""

    words: Sequence[RelationWords]
    had: Sequence[str]  # what the relations say that their subject has
    here: End
    there: End
    forward: bool
    absent: bool = False

    @property
    def templates(self) -> Templates:
        """What the step says, for one thing at its far end and for several."""
        roles, complement = roles_of(self.words), complement_of(self.words)
        if all(self.had):
            return self._had()
        if roles:
            return self._roles(roles)
        if complement:
            return self._complemented(complement)
        if self._reads_forward:
            return (self._does(self.words),) * 2
        done = [each.by_people for each in self.words]
        if self.here.who == "who" and all(done) and not self.absent:
            return (f"who {' or '.join(filter(None, done))} {{}}",) * 2
        passive = [each.passive for each in self.words]
        if not self.there.named and all(passive) and not self.absent:
            return (f"{' or '.join(filter(None, passive))} {{}}",) * 2
        one, several = self._not_known_done() if self.absent else self._done(self.words)
        return f"{self.here.who} {one}", f"{self.here.who} {several}"

    @property
    def stated(self) -> str:
        """What the step says of one named subject: "treats {}", "has as operator {}", "belongs to {} as class"."""
        roles, complement = roles_of(self.words), complement_of(self.words)
        if all(self.had):
            return "has {}"
        if self.there.named:
            return f"{after(self.words, 1)} {{}}"
        if roles:
            return "has {}" if roles == [*self.there.types] else f"has as {' or '.join(roles)} {{}}"
        verb = after([each.without_complement for each in self.words] if complement else self.words, 1)
        return f"{verb} {{}} as {complement}" if complement else f"{verb} {{}}"

    @property
    def _reads_forward(self) -> bool:
        return self.forward or " or ".join(each.plain for each in self.words) in BOTH_WAYS

    def _does(self, words: Sequence[RelationWords]) -> str:
        """What the thing here does or is: "that treat {}", "located in {}"."""
        if self.absent:
            return f"not known to {to_do(words, self.here.number)} {{}}"
        if all(each.kind == "participle" for each in words):
            return f"{' or '.join(dict.fromkeys(each.plain for each in words))} {{}}"
        return f"{self.here.who} {after(words, self.here.number)} {{}}"

    def _done(self, words: Sequence[RelationWords]) -> Templates:
        """What the thing at the far end does: "{} treats", "they treat"."""
        if self.there.pronoun:
            they = self.there.pronoun == "them"
            return (f"{'they' if they else self.there.pronoun} {after(words, 2 if they else 1)}",) * 2
        return f"{{}} {after(words, self.there.number)}", f"{{}} {after(words, 2)}"

    def _not_known_done(self) -> Templates:
        number = self.there.number
        one, several = (f"not known to {to_do(self.words, each)}" for each in (number, 2))
        return f"{{}} {'is' if number == 1 else 'are'} {one}", f"{{}} are {several}"

    def _complemented(self, complement: str) -> Templates:
        """What verbs with a noun say: "that belong to class {}", "listed as class that {} belongs to"."""
        verbs = [each.without_complement for each in self.words]
        if not self.forward:
            one, several = self._done(verbs)
            listed_as = f"{'not ' * self.absent}listed as {complement} that"
            return f"{listed_as} {one}", f"{listed_as} {several}"
        whole, verb = self._does(self.words), self._does(verbs)
        if self.there.named:
            return whole, f"{verb} as {plural(complement)}"
        if self.there.counted:
            return (f"{verb} as {self.there.as_role(complement)}",) * 2
        return (verb.replace("{}", f"{_one(complement)} among {{}}"),) * 2

    def _roles(self, roles: Sequence[str]) -> Templates:
        """What relations named by nouns say: "with the operator {}", "listed as operator of {}"."""
        role = " or ".join(roles)
        own = [*(self.there if self.forward else self.here).types] == [role]
        if not self.forward and own:
            return ("of no {}" if self.absent and not self.there.named else f"{'not ' * self.absent}of {{}}",) * 2
        if not self.forward:
            return (f"{'not ' * self.absent}listed as {role} of {{}}",) * 2
        with_ = "without" if self.absent else "with"
        if self.there.named:
            return f"{with_} the {role} {{}}", f"{with_} {{}} as {' or '.join(map(plural_role, roles))}"
        if own:
            return (f"{with_} {{}}",) * 2
        if self.there.counted or self.absent:
            return (f"{with_} {{}} as {self.there.as_role(role)}",) * 2
        return (f"whose {role} is among {{}}",) * 2

    def _had(self) -> Templates:
        """ "with {}", or where what is had is called otherwise than its type, "with the member {}"."""
        noun = self.had[0] if len(set(self.had)) == 1 else ""
        own = noun in ("", *(self.there if self.forward else self.here).types)
        if not self.forward:
            return (f"{'not ' * self.absent}{'' if own else f'listed as {noun} '}of {{}}",) * 2
        with_ = "without" if self.absent else "with"
        if self.there.named and noun and (not own or " " in noun):
            return f"{with_} the {noun} {{}}", f"{with_} {{}} as {plural_role(noun)}"
        if own:
            return (f"{with_} {{}}",) * 2
        if self.there.counted:
            return (f"{with_} {{}} as {self.there.as_role(noun)}",) * 2
        return (f"{with_} {_one(noun)} among {{}}",) * 2


def _one(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
