"""What a question wants done: listed, counted, ranked, judged or joined; what it denies; which way up a hierarchy.

Rules look at the question with each name as one mark (§), so that none of them trips over a word of a name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.numbers import COMPARISON, NUMBER, NUMBERS, OFTEN, OPERATORS, read_number
from clew.answer.lexicon.type_words import TypeWord
from clew.answer.names.meanings import Anchor

__all__ = [
    "Bound",
    "Negation",
    "Operation",
    "asked_word",
    "find_bound",
    "find_operation",
    "hierarchy_direction",
    "is_cue",
    "judges_number",
    "mask",
    "negate",
    "with_role",
]

WH = frozenset({"which", "what", "who", "where"})
LISTING = frozenset(
    {"list", "name", "give", "show", "tell", "find", "enumerate", "identify", "display", "return", "get", "provide"}
)
BEING = frozenset({"is", "are", "was", "were", "be"})
YES_NO = BEING | {"does", "do", "did", "can", "could", "has", "have", "may", "might", "will", "would"}
PASSING = frozenset({"of", "in", "with", "that", "by", "to", "for"})
COUNTING = re.compile(
    r"\bhow (?:many|often)\b|(?:^|\b(?:the|total|a|what|give|by|and)\s+)number of\b|\bcount\b(?!\s+as\b)|\btotal of\b",
    re.IGNORECASE,
)
MOST = re.compile(
    r"\b(most(?!\s+of\s+(?:the|these|those|its|their|all)\b)|top|largest|greatest|highest|biggest|rank|maximum|commonest)\b",
    re.IGNORECASE,
)
LEAST = re.compile(r"\b(fewest|least|smallest|lowest|rarest|minimum)\b", re.IGNORECASE)
AT_LEAST = re.compile(r"\bat\s+(?:least|most)\b", re.IGNORECASE)
QUANTIFIED = re.compile(r"alone|only|solely|exclusively|neither|none|every|each|all|both|any", re.IGNORECASE)
FREQUENT = re.compile(r"(very )?(frequent|common|rare|occasional)(ly)?", re.IGNORECASE)
JOINING = re.compile(
    r"\b(connect(?:s|ed|ions?|ing)?|relat(?:e[sd]?|ions?|ionships?)|paths?|routes?|link(?:s|ed)?|ties?|tied|joins?)\b",
    re.IGNORECASE,
)
BETWEEN = re.compile(r"\bbetween\s+(?:\w+\s+){0,2}§|§\s*(?:,|and|with|to)\s*(?:\w+\s+){0,2}§", re.IGNORECASE)
WITHOUT = re.compile(
    r"\b(?:but|and|yet|though)\s+(?:is|are|do|does|did|has|have)?\s*not?\b|\bwithout\b|\bwith no\b|\bno\s+(?=§)|"
    r"\b(?:do|does|is|are|did|was|were|has|have|can)\s+not\b|\bnot?\s+(?:having|have)\b|\bcannot\b|"
    r"\b(?:doesn|don|didn|isn|aren|wasn|weren|hasn|haven|hadn|can|couldn)['’]t\b|\bnot\s+(?:seen|found|linked|associated|with|in|to|present|by)\b|"
    r"\bunless\b|\bexcept\b|\bexcluding\b|\bunlike\b|\bneither\b|\bleaving out\b|\bapart from\b|\baside from\b|"
    r"\babsent\b|\bmissing\b|\bfree of\b|"
    r"\black(?:s|ing|ed)?\b|\bexcluded\b|\bnever\b|\brather than\b",
    re.IGNORECASE,
)
TURNED = re.compile(
    r"\b(lacks?|(?:does not|do not|doesn['’]t|don['’]t|is not|are not)(?:\s+(?:have|show|share|cause|treat|bind))?)"
    r"\s*[?.!]?\s*$",
    re.IGNORECASE,
)
PUT_ASIDE = re.compile(
    r"\b(?:do|does|did|is|are|can|has|have)\s+§(?:\s*(?:,|and|or)\s*§)*\s+(?:not|never)\b|"
    r"\b(?:do|does|did|is|are|can|has|have)n['’]t\s+§(?:\s*(?:,|and|or)\s*§)*|"
    r"\b(?:that|which|whom)\s+§(?:\s*(?:,|and|or)\s*§)*\s+(?:do|does|did|has|have|had)(?:\s+(?:not|never)|n['’]t)\b",
    re.IGNORECASE,
)
SAID_ABSENT = re.compile(
    r"§(?:\s*(?:,|and|or)\s*§)*\s+(?:(?:is|are|was|were|has been|have been)\s+)?(?:\w+ly\s+)?"
    r"(?:absent|missing|excluded|lacking|ruled out|not\s+(?:present|seen|found|observed))\b(?!\s+(?:in|from|by)\b)",
    re.IGNORECASE,
)
JUDGED = re.compile(
    r"§(?:\s*(?:,|and|or|both)?\s*§)*\s+(?:is|are|was|were|do|does|can|has|have)\s+not\b", re.IGNORECASE
)
CLAUSE_END = re.compile(r"[:;]|[.?!]\s")
EXPLICIT = re.compile(r"\b(?:explicitly|expressly|specifically|annotated|recorded|documented|stated|noted)\b", re.I)
ABOVE = r"\bparents?\b|\bbroader\b|\bmore general\b|\bsuperclass(?:es)?\b|\bancestors?\b|\bsuper-?types?\b"
KINDS = r"(?:kinds?|types?|forms?|sorts?|varieties|sub-?(?:types?|class(?:es)?|kinds?|forms?))"
PARENT = re.compile(ABOVE, re.IGNORECASE)
UPWARD = re.compile(
    rf"{ABOVE}|\bfalls? under\b|\bclassif\w+ (?:as|under|into)\b|"
    rf"§\s+(?:an?\s+)?{KINDS}\s+of\s*(?:what|which|(?:an?\s+)?§)|"
    rf"\bwhat\s+(?:is|are)\s+§\s+an?\s+{KINDS}",
    re.IGNORECASE,
)
DOWNWARD = re.compile(
    r"\bsub-?(?:types?|class(?:es)?|kinds?|forms?|categor(?:y|ies)|terms?)\b|\bchild(?:ren)?\b(?=\s+(?:terms?|of\s+§))|"
    rf"\bnarrower\b|\bmore specific\b|\bdescendants?\b|\b{KINDS}\s+of\s+(?:an?\s+|the\s+)?§|§\s+{KINDS}\b",
    re.IGNORECASE,
)
AMONG = re.compile(
    r"(?:which|what)(?: all)? (?:(?:belongs?|counts?|is|are|ranks?|figures?|falls?|comes?)(?: counted| listed| found)?"
    r" (?:to|among|amongst|under|in|into|as part of|part of)|makes? up|constitutes?|forms?)(?: the| its| a)?"
)
DEFAULT_TOP = 10
BOUNDED = 10  # rank of a type whose number is compared: it is not what is asked for
DEGREES = frozenset({"common", "frequent", "often", "single", "commonly", "frequently", "shared", "widespread"})
NEAR = 12  # letters from a bound to the type it is about: "more than twenty different diseases"
BOUND = re.compile(
    rf"\b(?P<how>{COMPARISON})\s+(?P<number>{NUMBER})\b|\b(?P<least>{NUMBER})\s+or\s+(?P<more>more|fewer|less)\b",
    re.IGNORECASE,
)


TIMES = re.compile(
    rf"\b(?:(?P<how>{COMPARISON})\s+)?(?:(?P<word>once|twice|thrice)|(?P<number>{NUMBER})\s+(?:different\s+)?times)"
    r"(?:\s+or\s+(?P<more>more|fewer|less))?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Operation:
    """list, count, top, exists or path; how many of a top, and whether the most come first."""

    name: str
    number: int | None = None
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Bound:
    """How many there must be of a type: "more than twenty diseases"; without labels, how often something is so."""

    operator: str
    number: int
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """The names with those marked that are subtracted; whether all is denied; whether a source must say so itself."""

    anchors: tuple[Anchor, ...]
    denied: bool = False
    explicit: bool = False


def is_cue(text: str) -> bool:
    """Whether a name is only a word that says what to do: "excluded" and "frequent" are entities of some graphs."""
    cues = (WITHOUT, MOST, LEAST, COUNTING, FREQUENT, QUANTIFIED)
    return any(cue.fullmatch(text.strip()) for cue in cues)


def mask(text: str, anchors: Sequence[Anchor]) -> str:
    """The text with each name as one mark."""
    for anchor in sorted(anchors, key=lambda each: -each.start):
        text = f"{text[: anchor.start]}§{text[anchor.end :]}"
    return text


def find_operation(
    rest: str, tokens: Sequence[Token], anchors: Sequence[Anchor], found: Sequence[TypeWord]
) -> Operation:
    """What is wanted, from the masked text, the words outside names and the types they mention."""
    lowered = [token.text.lower() for token in tokens]
    asks = any(word in WH or word in LISTING for word in lowered) or lowered[:1] == ["the"]
    without_bounds = AT_LEAST.sub(" ", rest)
    ranks = MOST.search(without_bounds) or LEAST.search(without_bounds)
    named = [word for word in found if not word.implied]
    if ranks and found and (asks or _number(lowered) is not None):
        number = _number(lowered) or (1 if _is_singular(tokens, named) else DEFAULT_TOP)
        return Operation("top", number, LEAST.search(without_bounds) is None)
    if COUNTING.search(rest):
        return Operation("count")
    joins = JOINING.search(rest) is not None
    if len(anchors) == 2 and not named and joins and BETWEEN.search(rest) and not _asks_yes_or_no(lowered):
        return Operation("path")
    if len(anchors) >= 2 and not named and not asks and not joins:
        return Operation("exists")
    if len(anchors) == 2 and not named and joins and not _asks_yes_or_no(lowered):
        return Operation("path")
    if len(anchors) >= 2 and _asks_yes_or_no(lowered) and not set(lowered) & {"which", "what", "who"}:
        return Operation("exists")
    return Operation("exists") if _is_statement(rest, found, tokens, anchors) else Operation("list")


def judges_number(rest: str, tokens: Sequence[Token], anchors: Sequence[Anchor]) -> bool:
    """Whether yes or no is asked of how many there are: "Does A border more than four countries?"."""
    lowered = [token.text.lower() for token in tokens]
    asks = set(lowered) & {"which", "what", "who"}
    return len(anchors) == 1 and not asks and _asks_yes_or_no(lowered) and BOUND.search(rest) is not None


def find_bound(tokens: Sequence[Token], found: Sequence[TypeWord]) -> Bound | None:
    """A number that something must reach or not exceed; that there is at all one of it is none."""
    for word in found:
        before = " ".join(token.text for token in tokens[max(0, word.first - 5) : word.first])
        bounds = list(BOUND.finditer(before))
        if not bounds or len(before) - bounds[-1].end() > NEAR:
            continue
        said = bounds[-1]
        number = read_number(said["number"] or said["least"])
        operator = (
            OPERATORS[" ".join(said["how"].lower().split())]
            if said["how"]
            else ">="
            if said["more"].lower() == "more"
            else "<="
        )
        if isinstance(number, int) and (operator, number) not in ((">=", 1), (">", 0)):
            return Bound(operator, number, word.labels)
    return _often(" ".join(token.text for token in tokens))


def _often(text: str) -> Bound | None:
    """How often something must be so: "at least twice", "five times or more"."""
    said = TIMES.search(text)
    if said is None:
        return None
    number = OFTEN[said["word"].lower()] if said["word"] else read_number(said["number"])
    if not isinstance(number, int):
        return None
    operator = "<=" if said["more"] and said["more"].lower() != "more" else ">="
    if said["how"]:
        operator = OPERATORS[" ".join(said["how"].lower().split())]
    return None if (operator, number) == (">=", 1) else Bound(operator, number, ())


def _is_statement(rest: str, found: Sequence[TypeWord], tokens: Sequence[Token], anchors: Sequence[Anchor]) -> bool:
    """Whether the text asserts something, to be judged: "A and B are drugs which commonly bind to C"."""
    if len(anchors) < 2 or not rest.startswith("§") or rest.rstrip().endswith("?"):
        return False
    after = [at for at, token in enumerate(tokens) if token.start >= anchors[0].end]
    verb = next((at for at in after if tokens[at].text.lower() not in ("and", "or", "both")), None)
    named = {at for word in found if not word.implied for at in range(word.first, word.last)}
    return verb is not None and verb not in named and re.match(r"§(\s*(,|and|or|both)?\s*§)*\s+\w", rest) is not None


def _asks_yes_or_no(lowered: Sequence[str]) -> bool:
    words = [word for word in lowered if word not in ("please", "so", "and", "but")]
    if words[:1] and words[0] in YES_NO and words[1:2] != ["you"]:
        return True
    return any(
        (one, other) in (("is", "there"), ("are", "there"), ("true", "that")) for one, other in pairwise(lowered)
    )


def _number(lowered: Sequence[str]) -> int | None:
    for word in lowered:
        if word in NUMBERS and word != "one":
            return NUMBERS[word]
        if word.isdigit() and 0 < int(word) <= 1000:
            return int(word)
    return None


def _is_singular(tokens: Sequence[Token], named: Sequence[TypeWord]) -> bool:
    """Which gene … the most, the most common symptom: one is meant."""
    asking, noun = ([token.text.lower() for token in tokens[:2]] + ["", ""])[:2]
    if asking in ("which", "what") and noun.isalpha() and noun not in YES_NO | PASSING | DEGREES:
        return not noun.endswith("s")  # "which composer has the most works"
    for word in named:
        before = [token.text.lower() for token in tokens[max(0, word.first - 4) : word.first]]
        if before[-1:] == ["one"]:
            return True
        while before and (before[-1] in DEGREES or MOST.fullmatch(before[-1]) or LEAST.fullmatch(before[-1])):
            before.pop()
        if before[-1:] and before[-1] in ("which", "what", "the", "single"):
            return not tokens[word.last - 1].text.lower().endswith("s")
    return False


def asked_word(
    tokens: Sequence[Token], found: Sequence[TypeWord], operation: str, *, followed: bool = False
) -> TypeWord | None:
    """The type word that the question word belongs to; `followed` by "if so, which?", the one that there may be."""
    if operation in ("exists", "path"):
        return None
    lowered = [token.text.lower() for token in tokens]
    named = [word for word in found if not word.implied]
    ranked: list[tuple[int, int, TypeWord]] = []
    manner = bool({"how", "when", "way", "ways", "manner", "age"} & set(lowered))
    for word in found:
        if word.implied and named and (not manner or any(other.first == word.last for other in named)):
            continue  # "inherited diseases" and "diseases presenting with" ask for diseases
        before = lowered[: word.first]
        focus = 1 if followed and _may_be(before) else _focus(before, word, ranking=operation == "top")
        ranked.append((focus, word.first, word))
    best = min(ranked, default=None, key=lambda each: each[:2])
    if best is not None and best[0] == BOUNDED:
        return None  # "which actors appear in at least two films"
    if best is None:
        return None
    return best[2] if best[0] < 9 or not named else named[0]


BEHIND_NOUNS = frozenset({"is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "who", "that"})


def with_role(text: str, asked: TypeWord | None, roles: Sequence[TypeWord], tokens: Sequence[Token]) -> TypeWord | None:
    """What is asked for: "committee chairs" are not committees but those who chair them."""
    for role in roles:
        if asked is not None and not asked.implied and role.first == asked.last and asked.last > asked.first:
            others = tuple(label for label in role.labels if label not in asked.labels)
            beside = tokens[role.first].start - tokens[asked.last - 1].end == 1
            before, behind = tokens[asked.last - 1].text.lower(), text[tokens[role.last - 1].end :].split()
            noun = bool(behind) and behind[0].lower() in BEHIND_NOUNS  # else a verb: "which gene causes"
            if beside and others and noun and not before.endswith("s"):
                return TypeWord(role.first, role.last, others)
    return asked


def _may_be(before: list[str]) -> bool:
    """Whether what follows may or may not exist: "is there a", "any", "are there"."""
    return before[-1:] in (["any"], ["some"], ["there"]) or before[-2:] in (["there", "a"], ["there", "an"])


def _is_counted(before: list[str]) -> bool:
    """Whether a number that must be reached stands before a type, and a question word with another noun before that."""
    said = list(BOUND.finditer(" ".join(before)))
    if not said or len(" ".join(before)) - said[-1].end() > 1:
        return False
    earlier = " ".join(before)[: said[-1].start()].split()
    asking = [at for at, each in enumerate(earlier) if each in WH]
    return bool(asking) and len(earlier) - asking[-1] > 2 and earlier[asking[-1] + 1] not in YES_NO


def _focus(before: list[str], word: TypeWord, *, ranking: bool) -> int:
    """How surely the words before a type word make it what is asked: 0 for "which genes", 9 for nothing of the kind."""
    near = before[-6:]
    if word.implied:
        return 4
    if AMONG.fullmatch(" ".join(before)):
        return 1  # "what belongs to the symptoms of"
    if _is_counted(before):
        return BOUNDED
    if near[-1:] in (["a"], ["an"]):
        return 9  # "for which X is a treatment"
    counted = near[-2:] in (["how", "many"], ["number", "of"]) or near[-1:] in (["count"], ["most"], ["fewest"])
    if counted:
        return 9 if ranking else 2
    if near and near[-1] in WH:
        return 0
    asking = [at for at, each in enumerate(near) if each in WH]
    if asking and not set(near[asking[-1] + 1 :]) & (YES_NO | PASSING):
        return 1  # which five, what other
    if asking and asking[-1] + 1 < len(near) and near[asking[-1] + 1] in BEING:
        between = near[asking[-1] + 2 :]
        if not set(between) & PASSING:
            return 2  # what are the known
    if near and ("count" in near or set(near) & LISTING) and not set(near) & (PASSING - {"for"}):
        return 3
    return 9


def negate(rest: str, anchors: Sequence[Anchor]) -> Negation:
    """Which names are subtracted: those after "but not" or "without", or those before "is absent" or a last "lacks"."""
    explicit = EXPLICIT.search(rest) is not None
    marks = [found.start() for found in re.finditer("§", rest)]
    of_these = SAID_ABSENT.search(rest) or PUT_ASIDE.search(rest)
    cue = WITHOUT.search(rest)
    if cue is None and of_these is None:
        return Negation(tuple(anchors))
    if len(anchors) < 2:
        return Negation(tuple(anchors), denied=True, explicit=explicit)
    if of_these is not None and of_these.start() > marks[0]:
        after = [number for number, at in enumerate(marks) if of_these.start() <= at < of_these.end()]
    else:
        start = cue.start() if cue is not None else len(rest)
        end = CLAUSE_END.search(rest, start)
        after = [number for number, at in enumerate(marks) if start <= at < (end.start() if end else len(rest))]
        if TURNED.search(rest) and not after:
            after = [len(anchors) - 1]
    if not after or len(after) == len(anchors) or JUDGED.match(rest):
        return Negation(tuple(anchors), denied=bool(after), explicit=explicit)
    chosen = set(after)
    marked = tuple(replace(each, negated=number in chosen) for number, each in enumerate(anchors))
    return Negation(marked, explicit=explicit)


def hierarchy_direction(rest: str, operation: str) -> str | None:
    """Which way a question looks along a hierarchy, if at all: "up" to what is more general, or "down" to kinds.

    Of two names that are judged, "up" says that the first is a kind of the second.
    """
    if operation == "exists" and PARENT.search(rest):
        return "down"
    if UPWARD.search(rest):
        return "up"
    return "down" if DOWNWARD.search(rest) else None
