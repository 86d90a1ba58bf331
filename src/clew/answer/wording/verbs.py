"""Forms of English verbs: after one thing, after several, in the past and in the passive."""

import re

from clew.answer.lexicon.families import names_roles

__all__ = [
    "PARTICIPLES",
    "PAST",
    "PERFECT",
    "VERBS",
    "VERB_ENDINGS",
    "bare",
    "is_past",
    "is_third_person",
    "participle",
    "third_person",
]

THIRD = {"have": "has", "be": "is", "do": "does", "go": "goes"}
BARE = {third: base for base, third in THIRD.items()} | {"dies": "die", "lies": "lie", "ties": "tie", "aches": "ache"}
PARTICIPLES = {  # of verbs that have no -ed
    "bear": "borne", "beat": "beaten", "begin": "begun", "bind": "bound", "break": "broken", "bring": "brought",
    "build": "built", "buy": "bought", "catch": "caught", "choose": "chosen", "cut": "cut", "do": "done",
    "draw": "drawn", "drive": "driven", "eat": "eaten", "feed": "fed", "fight": "fought", "find": "found",
    "forbid": "forbidden", "give": "given", "grow": "grown", "have": "had", "hear": "heard", "hide": "hidden",
    "hit": "hit", "hold": "held", "keep": "kept", "know": "known", "lay": "laid", "lead": "led", "leave": "left",
    "lend": "lent", "lose": "lost", "make": "made", "meet": "met", "oversee": "overseen", "pay": "paid", "put": "put",
    "read": "read", "run": "run", "see": "seen", "sell": "sold", "send": "sent", "set": "set", "shoot": "shot",
    "show": "shown", "sing": "sung", "speak": "spoken", "spend": "spent", "steal": "stolen", "strike": "struck",
    "take": "taken", "teach": "taught", "tell": "told", "throw": "thrown", "undertake": "undertaken", "wear": "worn",
    "win": "won", "withdraw": "withdrawn", "write": "written",
}  # fmt: skip
PAST = {  # where it is not the participle
    "beaten": "beat", "begun": "began", "borne": "bore", "broken": "broke", "chosen": "chose", "done": "did",
    "drawn": "drew", "driven": "drove", "eaten": "ate", "forbidden": "forbade", "given": "gave", "grown": "grew",
    "hidden": "hid", "known": "knew", "overseen": "oversaw", "seen": "saw", "shown": "showed", "spoken": "spoke",
    "stolen": "stole", "sung": "sang", "taken": "took", "thrown": "threw", "undertaken": "undertook",
    "withdrawn": "withdrew", "worn": "wore", "written": "wrote",
}  # fmt: skip
SAME = frozenset({"beat", "cut", "hit", "put", "read", "run", "set"})  # the participle may be the verb itself
PASSED = frozenset(PARTICIPLES.values()) - SAME | {"born"}
PERFECT = {past: passed for passed, past in PAST.items() if past not in SAME} | {  # "went": "gone", never a passive
    "arose": "arisen", "became": "become", "came": "come", "fell": "fallen", "fled": "fled", "flew": "flown",
    "ran": "run", "rode": "ridden", "rose": "risen", "sank": "sunk", "sat": "sat", "stood": "stood", "swam": "swum",
    "underwent": "undergone", "went": "gone",
}  # fmt: skip
VERB_ENDINGS = ("ate", "ize", "ise", "ify")
VERBS = {  # in their plain form; any other plain word that names a relation is a noun
    "affect", "appear", "approve", "attack", "belong", "block", "boost", "border", "carry", "cause", "coach",
    "combine", "contain", "control", "create", "cross", "cure", "dampen", "decrease", "defeat", "depend", "direct",
    "display", "ease", "employ", "encode", "establish", "exhibit", "experience", "express", "feature", "flow",
    "found", "include", "increase", "induce", "inhibit", "interact", "join", "lack", "like", "lower", "maintain",
    "manage", "manifest", "manufacture", "marry", "need", "offer", "own", "paint", "perform", "play", "present",
    "produce", "protect", "provide", "raise", "relieve", "repress", "require", "resemble", "serve", "silence",
    "star", "start", "supply", "support", "suppress", "target", "train", "transport", "treat", "trigger",
    "underlie", "use",
    *PARTICIPLES, *THIRD,
}  # fmt: skip


def is_past(word: str) -> bool:
    """Whether a word is a past participle, or a past that looks like one: "taken", "played"."""
    return (word.endswith("ed") and word not in ("need", "feed", "breed", "seed", "speed")) or word in PASSED


def is_third_person(word: str) -> bool:
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
