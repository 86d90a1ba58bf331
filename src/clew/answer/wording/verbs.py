"""The words of a relation as English uses them: after one thing, after several, in the passive, after "not known to".

A relation's words are a verb ("treats", "present with"), a verb in the past ("won", "played for"), a participle
("associated with", "borderedBy"), a noun with "of" ("neighbour of") or a noun ("indication", "official language");
`RelationWords` says which and puts them in form.
"""

import re
from dataclasses import dataclass

from clew.answer.lexicon.families import names_roles
from clew.plurals import plural, singular

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
    "run": "run", "see": "seen", "sell": "sold", "send": "sent", "set": "set", "show": "shown", "sing": "sung",
    "speak": "spoken", "take": "taken", "teach": "taught", "win": "won", "write": "written",
}  # fmt: skip
PAST = {  # where it is not the participle
    "beaten": "beat", "begun": "began", "borne": "bore", "broken": "broke", "chosen": "chose", "done": "did",
    "drawn": "drew", "driven": "drove", "eaten": "ate", "forbidden": "forbade", "given": "gave", "grown": "grew",
    "known": "knew", "seen": "saw", "shown": "showed", "sung": "sang", "spoken": "spoke", "taken": "took",
    "written": "wrote",
}  # fmt: skip
SAME = frozenset({"beat", "cut", "hit", "put", "read", "run", "set"})  # the participle may be the verb itself
PASSED = frozenset(PARTICIPLES.values()) - SAME | {"born"}
PASSIVE = frozenset({"by", "with", "in", "to", "for", "as", "at", "on", "from", "of", "under", "into"})
PARTICLES = frozenset({"away", "back", "down", "off", "out", "over", "up"})
INTRANSITIVE = {  # "played for" is said of the player, unlike "indicated for"
    "act", "appear", "arrive", "belong", "compete", "contribute", "debut", "depart", "die", "emigrate", "graduate",
    "happen", "leave", "lead", "live", "move", "occur", "participate", "perform", "play", "reign", "reside", "result",
    "retire", "serve", "star", "study", "succeed", "travel", "vote", "work",
}  # fmt: skip
OWN_ADJECTIVES = frozenset({"associated", "connected", "linked", "related"})  # that stand without a preposition
ADJECTIVES = frozenset(
    {
        "adjacent",
        "available",
        "close",
        "equal",
        "equivalent",
        "identical",
        "native",
        "opposite",
        "responsible",
        "similar",
    }
)
VERB_ENDINGS = ("ate", "ize", "ise", "ify")
VERBS = {  # in their plain form; any other plain word that names a relation is a noun
    "affect", "appear", "approve", "attack", "belong", "block", "boost", "border", "carry", "cause", "coach",
    "combine", "contain", "control", "create", "cross", "cure", "dampen", "decrease", "defeat", "depend", "direct",
    "display", "ease", "employ", "encode", "establish", "exhibit", "experience", "express", "feature", "flow",
    "found", "include", "increase", "induce", "inhibit", "interact", "join", "lack", "like", "lower", "maintain",
    "manage", "manifest", "manufacture", "marry", "need", "offer", "own", "paint", "perform", "play", "present",
    "produce", "protect", "provide", "raise", "relieve", "repress", "require", "resemble", "serve", "silence",
    "star", "start", "strike", "supply", "support", "suppress", "target", "train", "transport", "treat", "trigger",
    "underlie", "use",
    *PARTICIPLES, *THIRD,
}  # fmt: skip
PREPOSITIONS = frozenset(
    {"behind", "beside", "near", "in", "from", "under", "above", "below", "within", "outside", "on"}
)


@dataclass(frozen=True, slots=True)
class RelationWords:
    """The words of one relation; `kind` is verb, past, participle, noun or noun of."""

    text: str
    is_type: bool = False  # the words are the name of a type, and so a noun

    @classmethod
    def towards(cls, text: str, object: str) -> "RelationWords":
        """A relation's words before the name of an entity of a type, which they need not repeat: "won *award*"."""
        words, type = text.split(), object.split()
        kept = words[: -len(type)] if words[-len(type) :] == type else words
        verbal = bool(kept) and (kept[-1] in PASSIVE or _is_past(kept[0]) or _is_third_person(kept[0]))
        return cls(" ".join(kept) if verbal and kept != ["has"] else text, is_type=words == type)

    @property
    def kind(self) -> str:
        if self.is_type:
            return "noun"
        first, *rest = self.text.split()
        done_by = rest[:1] == ["by"] and not _is_third_person(first)  # "run by", "set by"
        if _is_past(first) or done_by or first in PREPOSITIONS or first in ADJECTIVES:
            return "past" if self._is_active(first, rest) else "participle"
        if rest[-1:] == ["of"] and first not in THIRD and first not in BARE and first not in ("consist", "consists"):
            return "noun of"
        if _is_third_person(first) or first in VERBS or (rest and rest[-1] in PASSIVE):
            return "verb"
        return "verb" if not rest and first.endswith(VERB_ENDINGS) else "noun"

    def _is_active(self, first: str, rest: list[str]) -> bool:
        """ "Won", "attended" and "died in", unlike "indicated for" and "born in"."""
        if not _is_past(first) or first in OWN_ADJECTIVES or first == "born":
            return False
        done = any(participle(verb) == first for verb in INTRANSITIVE)
        after = rest[1:] if len(rest) > 1 and rest[0] in PARTICLES else rest  # "hired out to"
        return rest[:1] != ["by"] and (done or not after or after[0] not in PASSIVE)

    def after(self, number: int) -> str:
        """After a noun: "causes" after one, "cause" after several; "is a neighbour of", "are neighbours of"."""
        if self.kind == "noun of":
            head, _, rest = self.text.partition(" of")
            article = "an" if head[0] in "aeiou" else "a"
            return f"is {article} {self.text}" if number == 1 else f"are {plural(head)} of{rest}"
        if self.kind == "noun":
            return f"{'has' if number == 1 else 'have'} the {self.role}"
        if self.kind == "participle":
            one, several = ("was", "were") if self.text.startswith("born") else ("is", "are")
            return f"{one if number == 1 else several} {self.text}"
        if self.kind == "past":
            return self.text
        several = re.sub(r"^be\b", "are", bare(self.text))
        return third_person(self.text) if number == 1 else several

    @property
    def role(self) -> str:
        """What a noun calls one thing at the far end: "operator" of "operators"."""
        return singular(self.text) if names_roles(self.text.split()[-1]) else self.text

    @property
    def infinitive(self) -> str:
        """After "not known to": "cause", "be associated with", "have won"."""
        if self.kind == "verb":
            return bare(self.text)
        if self.kind == "past":
            return f"have {self.text}"
        return "have been born" + self.text[4:] if self.text.startswith("born") else after_to(self.after(2))

    @property
    def passive(self) -> str | None:
        """ "treated by"; None where English has none that is plain: "presented with by"."""
        if " " in self.text or self.kind not in ("verb", "past"):
            return None
        return f"{self.text if self.kind == 'past' else participle(self.text)} by"

    @property
    def by_people(self) -> str | None:
        """What those do by whom something is done, in the past: "wrote" of "written by"; None for other relations."""
        done, by, *rest = [*self.text.split(), ""]
        return PAST.get(done, done) if by == "by" and not any(rest) and self.kind == "participle" else None


def after_to(phrase: str) -> str:
    """A plural verb phrase as an infinitive, without its "to".

    >>> after_to("are neighbours of"), after_to("have the capital")
    ('be neighbours of', 'have the capital')
    """
    return f"be {phrase.removeprefix('are ')}" if phrase.startswith("are ") else phrase


def _is_past(word: str) -> bool:
    return (word.endswith("ed") and word not in ("need", "feed", "breed", "seed", "speed")) or word in PASSED


def _is_third_person(word: str) -> bool:
    """Whether a word ends as verbs do after one thing, and does not name several things."""
    if word in BARE:
        return True
    noun = word.endswith(("ss", "us", "is")) or word == "headquarters" or names_roles(word)
    return word.endswith("s") and not noun


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
