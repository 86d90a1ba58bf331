"""The words of a relation as English uses them: after one thing, after several, in the passive, after "not known to".

A relation's words are a verb ("treats", "present with"), a participle ("associated with", "borderedBy"), a noun with
"of" ("neighbour of") or a noun alone ("indication", "parents"); `RelationWords` says which and puts them in form.
"""

import re
from dataclasses import dataclass

from clew.plurals import plural

__all__ = ["RelationWords", "bare", "participle", "third_person"]

THIRD = {"have": "has", "be": "is", "do": "does", "go": "goes"}
BARE = {third: base for base, third in THIRD.items()} | {"dies": "die", "lies": "lie", "ties": "tie", "aches": "ache"}
PARTICIPLES = {  # of verbs that have no -ed
    "beat": "beaten", "begin": "begun", "bear": "borne", "bind": "bound", "break": "broken", "bring": "brought",
    "build": "built", "buy": "bought", "catch": "caught", "choose": "chosen", "cut": "cut", "do": "done",
    "draw": "drawn", "drive": "driven", "eat": "eaten", "feed": "fed", "fight": "fought", "find": "found",
    "forbid": "forbidden",
    "give": "given", "grow": "grown", "have": "had", "hit": "hit", "hold": "held", "keep": "kept", "know": "known",
    "lead": "led", "leave": "left", "lose": "lost", "make": "made", "meet": "met", "put": "put", "read": "read",
    "see": "seen", "sell": "sold", "send": "sent", "set": "set", "show": "shown", "sing": "sung", "speak": "spoken",
    "take": "taken", "teach": "taught", "win": "won", "write": "written",
}  # fmt: skip
PASSED = frozenset(PARTICIPLES.values()) - {"cut", "hit", "put", "read", "set"} | {"born"}
NOUN_ENDINGS = ("ion", "ment", "ity", "ship", "tor", "sor", "ness", "ism", "ency", "ancy")
NOUNS = frozenset(
    {
        "author",
        "capital",
        "child",
        "children",
        "city",
        "continent",
        "country",
        "currency",
        "employer",
        "gender",
        "genre",
    }
    | {"language", "leader", "member", "members", "neighbour", "neighbor", "neighbours", "owner", "parent", "parents"}
    | {"partner", "religion", "sibling", "siblings", "spouse", "symptom", "symptoms", "writer"}
)
PREPOSITIONS = frozenset(
    {"behind", "beside", "near", "in", "from", "under", "above", "below", "within", "outside", "on"}
)


@dataclass(frozen=True, slots=True)
class RelationWords:
    """The words of one relation; `kind` is verb, participle, noun or noun of."""

    text: str

    @property
    def kind(self) -> str:
        first, *rest = self.text.split()
        if rest[-1:] == ["of"] and first not in THIRD and first not in BARE:
            return "noun of"
        if (first.endswith("ed") and first not in ("need", "feed")) or first in PASSED or first in PREPOSITIONS:
            return "participle"
        if not rest and (first in NOUNS or first.endswith(NOUN_ENDINGS)):
            return "noun"
        return "verb"

    def after(self, number: int) -> str:
        """As a predicate: "causes" after one thing, "cause" after several; "is a neighbour of", "are neighbours of"."""
        if self.kind == "noun of":
            head, _, rest = self.text.partition(" of")
            article = "an" if head[0] in "aeiou" else "a"
            return f"is {article} {self.text}" if number == 1 else f"are {plural(head)} of{rest}"
        if self.kind == "noun":
            return f"{'is' if number == 1 else 'are'} listed as {self.text} of"
        if self.kind == "participle":
            return f"{'is' if number == 1 else 'are'} {self.text}"
        return third_person(self.text) if number == 1 else bare(self.text)

    @property
    def infinitive(self) -> str:
        """After "not known to": "cause", "be associated with"."""
        if self.kind == "verb":
            return bare(self.text)
        return f"be {self.after(2).removeprefix('are ')}"

    @property
    def passive(self) -> str | None:
        """ "treated by"; None where English has none that is plain: "presented with by"."""
        return f"{participle(self.text)} by" if self.kind == "verb" and " " not in self.text else None


def third_person(phrase: str) -> str:
    """A verb as it stands after one thing; one that is in that form already stays.

    >>> [third_person(each) for each in ("show", "have", "teach", "carry", "present with", "causes", "express")]
    ['shows', 'has', 'teaches', 'carries', 'presents with', 'causes', 'expresses']
    """
    first, *rest = bare(phrase).split()
    if first in THIRD:
        form = THIRD[first]
    elif re.search(r"[^aeiou]y$", first):
        form = f"{first[:-1]}ies"
    else:
        form = f"{first}es" if first.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{first}s"
    return " ".join((form, *rest))


def bare(phrase: str) -> str:
    """A verb as it stands after several things.

    >>> [bare(each) for each in ("shows", "has modifier", "coaches", "carries", "causes", "passes", "dies of")]
    ['show', 'have modifier', 'coach', 'carry', 'cause', 'pass', 'die of']
    """
    first, *rest = phrase.split()
    if first in BARE:
        form = BARE[first]
    elif first.endswith("ies"):
        form = f"{first[:-3]}y"
    elif first.endswith(("ches", "shes", "sses", "xes", "zzes", "oes")):
        form = first[:-2]
    else:
        form = first if first.endswith(("ss", "us")) else first.removesuffix("s")
    return " ".join((form, *rest))


def participle(verb: str) -> str:
    """The past participle of a verb.

    >>> [participle(each) for each in ("treats", "cause", "binds", "carry", "coaches")]
    ['treated', 'caused', 'bound', 'carried', 'coached']
    """
    plain = bare(verb)
    if plain in PARTICIPLES:
        return PARTICIPLES[plain]
    if re.search(r"[^aeiou]y$", plain):
        return f"{plain[:-1]}ied"
    return f"{plain}d" if plain.endswith("e") else f"{plain}ed"
