"""What the words of a relation are: a verb, a participle, a noun, or no English phrase at all.

In: the words of a relation's name, as strangers write them. Out: their `Grammar`. Kinds are verb ("treats", "physically
interacts with"), past ("won", "went to"), modal ("can cause"), participle, also an adjective ("last seen at", "next
to"), noun of ("neighbour of", "treatment for"), noun ("official language"), and name, for words that are none of
these ("casualty taken to", "P31").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from clew.answer.lexicon.families import names_roles
from clew.answer.wording.verbs import PAST, PERFECT, VERB_ENDINGS, VERBS, bare, is_past, is_third_person, participle
from clew.plurals import plural, singular

__all__ = ["MODALS", "PREPOSITIONS", "VERBAL", "Grammar", "grammar_of", "is_code", "says_something"]

BE = {  # as it stands after one thing, after several, and after "to"
    **dict.fromkeys(("is", "are", "be"), ("is", "are", "be")),
    **dict.fromkeys(("was", "were"), ("was", "were", "have been")),
    **dict.fromkeys(("has been", "have been", "had been"), ("has been", "have been", "have been")),
}
MODALS = {  # and what says the same after "to"
    "can": "be able to", "cannot": "be unable to", "could": "possibly", "may": "possibly", "might": "possibly",
    "must": "have to", "should": "be supposed to", "will": "be going to",
}  # fmt: skip
LINKING = frozenset({"becomes", "gets", "keeps", "remains", "stays"})  # which a participle may follow
ADVERBS = frozenset(
    {"also", "always", "best", "ever", "first", "last", "later", "long", "never", "not", "now", "often",
     "once", "only", "soon", "still", "together", "well"}
)  # fmt: skip
NO_ADVERBS = frozenset({"ally", "anomaly", "assembly", "family", "fly", "reply", "supply"})
BEFORE = frozenset({"first", "formerly", "last", "once", "originally", "previously"})  # of what "was"
PREFIXES = frozenset({"co", "non", "pre", "self"})
VERB_PREFIXES = frozenset({"auto", "down", "over", "re", "under", "up"})  # of verbs, other words by themselves
PREPOSITIONS = frozenset(
    {"about", "above", "across", "after", "against", "along", "among", "around", "as", "at", "before", "behind",
     "below", "beside", "between", "by", "during", "for", "from", "in", "into", "near", "of", "on", "onto", "outside",
     "over", "than", "through", "to", "towards", "under", "upon", "via", "with", "within", "without"}
)  # fmt: skip
PLACING = frozenset(  # alone as well
    {"above", "after", "at", "before", "behind", "below", "beside", "by", "from", "in", "near", "on", "under", "within"}
)
PARTICLES = frozenset({"away", "back", "down", "off", "out", "over", "up"})
ARTICLES = frozenset({"a", "an", "the"})
INTRANSITIVE = {  # "played for" is said of the player, unlike "indicated for"
    "act", "appear", "arrive", "belong", "collide", "compete", "contribute", "crash", "debut", "depart", "die",
    "emigrate", "graduate", "happen", "leave", "lead", "live", "move", "occur", "participate", "perform", "play",
    "reign", "reside", "result", "retire", "serve", "star", "study", "succeed", "travel", "vote", "work",
}  # fmt: skip
TOGETHER = frozenset({"authored", "directed", "founded", "hosted", "produced", "published", "starred", "written"})
SET = frozenset({"cast", "cut", "hit", "put", "set"})  # participles, like the verbs: "set in"
OWN_ADJECTIVES = frozenset({"associated", "connected", "linked", "related"})  # that stand without a preposition
NAMING = frozenset({"called", "named", "titled"})  # whose passive has no preposition: "formerly called"
INFINITIVE = frozenset({"able", "expected", "intended", "known", "likely", "needed", "required", "used"})  # to treat
ADJECTIVES = frozenset(
    {"able", "absent", "adjacent", "available", "close", "common", "due", "equal", "equivalent",
     "identical", "likely", "native", "next", "opposite", "prior", "responsible", "same", "secondary",
     "similar", "subject", "unique"}
)  # fmt: skip
OF_ADJECTIVES = frozenset({"afraid", "aware", "capable", "characteristic", "independent", "typical"})
ADJECTIVE_ENDINGS = ("able", "ible", "cal", "ral", "ial", "ful", "ic", "less", "ous", "sive", "tive", "tant", "vant",
                     "nant", "dent", "cient", "rrent", "istent")  # fmt: skip
NOUN_ENDINGS = ("ance", "ence", "ism", "ity", "ment", "ness", "ship", "sion", "tion")
NOUNS_TOO = frozenset(  # verbs before a preposition
    {"answer", "cater", "comment", "experiment", "function", "mention", "monitor", "register", "transition"}
)
OF_VERBS = frozenset({"approve", "be", "consist", "die", "dispose", "do", "go", "have", "hear", "know", "speak"})
VERBAL = ("verb", "past", "participle", "modal")


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the words of a relation are: `words` without the form of "be" and the adverbs before them."""

    kind: str
    words: tuple[str, ...]
    adverbs: tuple[str, ...] = ()
    be: tuple[str, str, str] = BE["is"]

    @property
    def complement(self) -> str:
        """The noun at the end of a verb's words, "class" of "belongs to class"; none of "used to treat"."""
        words, last = self.words, self.words[-1]
        if self.kind not in VERBAL or last in PREPOSITIONS or last in PARTICLES or last.endswith("ly"):
            return ""
        if is_past(last) or words[0] in ("be", "do", "does", "is"):  # "has won", "does not treat"
            return ""
        starts = [at for at, word in enumerate(words) if word in PREPOSITIONS]
        at = starts[-1] + 1 if starts else 2 if self.kind == "modal" or (words[1:2] and words[1] in PARTICLES) else 1
        if at > 1 and words[at - 1] == "to" and (words[at] in VERBS or words[at - 2] in INFINITIVE):
            at += 1
        return " ".join(words[at:])


@cache
def grammar_of(text: str) -> Grammar:
    """The grammar of a relation's words, which are in lower case with spaces between them."""
    words = _joined(text.split())
    be: tuple[str, str, str] | None = None
    for length in (2, 1):
        known = BE.get(" ".join(words[:length]))
        if be is None and known and words[length:] and words[length:] != ["a"]:
            be, words = known, words[length:]
    if be is not None and words[0] in ARTICLES and len(words) > 1:
        words = words[1:]
    adverbs = 0
    while adverbs < len(words) - 1 and _is_adverb(words[adverbs], words[adverbs + 1 :], said=be is not None):
        adverbs += 1
    first, *rest = words[adverbs:]
    kind = _kind_after_be(first, rest) if be is not None else _kind(first, rest, modified=adverbs > 0)
    past = first == "born" or not BEFORE.isdisjoint(words[:adverbs])
    return Grammar(kind, (first, *rest), tuple(words[:adverbs]), be or BE["was" if past else "is"])


def _joined(words: Sequence[str]) -> list[str]:
    """Words with their prefixes: "co-authored with", "up-regulates"."""
    first, *rest = words
    if (
        rest
        and rest[0] not in PREPOSITIONS
        and (first in PREFIXES or (first in VERB_PREFIXES and (is_past(rest[0]) or is_third_person(rest[0]))))
    ):
        return [f"{first}-{rest[0]}", *rest[1:]]
    return list(words)


def _is_adverb(word: str, rest: Sequence[str], *, said: bool) -> bool:
    """Whether a word only modifies the verb that follows: "last seen at", not "last name"."""
    regular = word.endswith("ly") and word not in NO_ADVERBS
    if not regular and word not in ADVERBS:
        return False
    verb, *more = rest
    if is_past(verb) or (said and regular) or (more and _is_adverb(verb, more, said=said)):
        return True
    if regular or word == "also":
        return is_third_person(verb) or verb in VERBS or verb in ADJECTIVES
    return is_third_person(verb) and rest[-1] in PREPOSITIONS


def _kind_after_be(first: str, rest: Sequence[str]) -> str:
    """What stands after a form of "be"."""
    if is_past(first) or first in PREPOSITIONS:
        return "participle"
    if not rest or rest[-1] not in PREPOSITIONS:
        return "name"  # "is parent" does not say whose
    return "noun of" if _is_noun_with_preposition(first, rest) else "participle"


def _is_adjective(first: str, rest: Sequence[str]) -> bool:
    """Adjectives before a preposition; before "of" only the well known, since "critic of" has a noun."""
    if not rest or rest[-1] not in PREPOSITIONS:
        return False
    if rest[0] == "than" or first in (OF_ADJECTIVES if rest[0] == "of" else ADJECTIVES):
        return True
    ends_so = first.endswith(ADJECTIVE_ENDINGS) and first not in VERBS and not names_roles(plural(first))
    return ends_so and rest[0] in PREPOSITIONS - {"of"}


def _is_noun_with_preposition(first: str, rest: Sequence[str]) -> bool:
    """ "Neighbour of", "primary site of", "treatment for"."""
    if rest == ["of"]:
        return first not in OF_ADJECTIVES and bare(first) not in OF_VERBS
    if not rest or _is_adjective(first, rest) or bare(first) in VERBS or is_third_person(first):
        return False
    if rest[-1] == "of":
        return rest[-2] != "out"
    noun, last = [first, *rest][-2:]
    endings = NOUN_ENDINGS + (("er", "or") if last == "for" else ())  # "marker for", not "refer to"
    named = names_roles(plural(noun)) or (noun.endswith(endings) and noun not in NOUNS_TOO)
    return last in PREPOSITIONS and singular(noun) == noun and named


def _kind(first: str, rest: list[str], *, modified: bool) -> str:
    """What words without a form of "be" are; `modified` if adverbs stand before them."""
    words = [first, *rest]
    if first in MODALS and rest:
        return "modal"
    if first in PERFECT:
        return "past"
    if _is_clause(words) or (not rest and is_code(words)):
        return "name"
    if rest and not PREPOSITIONS.intersection(rest) and (first in OWN_ADJECTIVES or first == "of"):
        return "noun"  # "related disease", "of species"
    done_by = rest[:1] == ["by"] and not is_third_person(first)  # "run by", "set by"
    if done_by or (rest and first in SET and rest[0] in PREPOSITIONS):
        return "participle"
    if is_past(first):
        return "past" if _is_active(first, rest, modified=modified) else "participle"
    if first in PREPOSITIONS and words[-1] not in PREPOSITIONS - {first} and first not in PLACING:
        return "name"  # "for", "to station"
    to_do = first in INFINITIVE and rest[:1] == ["to"]
    if first in PREPOSITIONS or to_do or _is_adjective(first, rest):
        return "participle"
    if _is_noun_with_preposition(first, rest):
        return "noun of"
    doer = len(rest) == 1 and names_roles(plural(rest[0])) and not is_third_person(first)  # "set designer"
    if is_third_person(first) or (first in VERBS and not doer) or modified:
        return "verb"
    if rest and rest[-1] in PREPOSITIONS:
        return "verb" if len(rest) == 1 or rest[0] in PARTICLES or rest[0].endswith("ly") else "name"
    if not rest and first.endswith(VERB_ENDINGS):
        return "verb"
    return "name" if is_code(words) or (rest[:1] == ["of"] and names_roles(plural(first))) else "noun"


def _is_clause(words: Sequence[str]) -> bool:
    """Whether words begin with a noun of which a verb says something: "casualty taken to", "drug targets gene"."""
    first, *rest = words
    if is_past(first) or first in PREPOSITIONS or first in LINKING or bare(first) in ("have", "be", "do"):
        return False
    passive = any(is_past(word) and after in PREPOSITIONS for word, after in pairwise(rest))
    active = first not in VERBS and not is_third_person(first)
    finite = any(is_third_person(word) and bare(word) in VERBS for word in rest[:-1])
    return passive or (active and finite)


def is_code(words: Sequence[str]) -> bool:
    """Whether some of the words are none: "bao 0000512", "ct d"."""
    return any(any(map(str.isdigit, word)) or not set(word) & set("aeiouy") for word in words)


def _is_active(first: str, rest: Sequence[str], *, modified: bool) -> bool:
    """ "Won", "attended" and "died in", unlike "indicated for" and "born in"."""
    if first in OWN_ADJECTIVES or first in PAST or first == "born" or (modified and first in NAMING):
        return False
    if first.startswith("co-") and first.removeprefix("co-") in TOGETHER:
        return True
    done = any(participle(verb) == first for verb in INTRANSITIVE)
    after = rest[1:] if len(rest) > 1 and rest[0] in PARTICLES else rest  # "hired out to"
    return done or not after or after[0] not in PREPOSITIONS


def says_something(text: str) -> bool:
    """Whether words say something before a name: "won", "produced by", "member of"; not "won gold"."""
    grammar = grammar_of(text)
    return grammar.kind in (*VERBAL, "noun of") and not grammar.complement
