"""A question, understood as far as words go: the entities it names, the types it speaks of, and what it wants done.

Names are found by the linker and set apart first, so that "Parkinson disease" asks for no disease; the rest is read by
small rules about question words, numbers, superlatives and negations.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from clew.answer.words import Token, TypeWord, Words, tokens_of
from clew.link import Candidate, Linker

__all__ = ["Anchor", "Meaning", "Question", "understand"]

WH = frozenset({"which", "what", "who", "where"})
LISTING = frozenset(
    {"list", "name", "give", "show", "tell", "find", "enumerate", "identify", "display", "return", "get"}
)
BEING = frozenset({"is", "are", "was", "were", "be"})
YES_NO = BEING | {"does", "do", "did", "can", "could", "has", "have", "may", "might"}
COUNTING = re.compile(r"\bhow many\b|\bnumber of\b|\bcount\b|\bhow often\b", re.IGNORECASE)
MOST = re.compile(r"\b(most|top|largest|greatest|highest|biggest|rank|maximum|commonest)\b", re.IGNORECASE)
LEAST = re.compile(r"\b(fewest|least|smallest|lowest|rarest|minimum)\b", re.IGNORECASE)
FREQUENT = re.compile(r"(very )?(frequent|common|rare|occasional)(ly)?", re.IGNORECASE)
JOINING = re.compile(
    r"\b(connected|connection|connect|relat(?:ed|ion|ionship)|path|route|link(?:ed)?)\b", re.IGNORECASE
)
WITHOUT = re.compile(
    r"\b(?:but|and|yet)\s+(?:is|are|do|does|did|has|have)?\s*not?\b|\bwithout\b|\bwith no\b|"
    r"\b(?:do|does|is|are|did|was|were)\s+not\b|\bnot?\s+(?:having|have)\b|"
    r"\b(?:doesn't|don't|isn't|aren't)\b|\bnot\s+(?:seen|found|linked|associated|with|in|to)\b|\bexcept\b|\babsent\b|"
    r"\black(?:s|ing|ed)?\b|\bexcluded\b|\bnever\b|\brather than\b",
    re.IGNORECASE,
)
TURNED = re.compile(
    r"\b(lacks?|(?:does not|do not|doesn't|don't|is not|are not)(?:\s+(?:have|show|share|cause))?)\s*[?.!]?\s*$",
    re.IGNORECASE,
)
JUDGED = re.compile(
    r"§(?:\s*(?:,|and|or|both)?\s*§)*\s+(?:is|are|was|were|do|does|can|has|have)\s+not\b", re.IGNORECASE
)
NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "fifteen": 15, "twenty": 20, "fifty": 50, "hundred": 100,
}  # fmt: skip
DEFAULT_TOP = 10
LONGEST_NAME, SHORTEST_NAME = 6, 4  # words of a misspelt name, and letters of one of them
NEAR_BEHIND = 12  # letters from a name to a type word that tells what it is: "preeclampsia in the history"
LINKING = frozenset({"of", "the", "and", "in", "with", "to", "a", "an"})


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a mention may mean: all entities of one type that it names equally well."""

    type: str
    ids: tuple[str, ...]
    name: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """A mention in the question with its meanings, best first."""

    start: int
    end: int
    text: str
    meanings: tuple[Meaning, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What the words of a question say."""

    text: str
    anchors: tuple[Anchor, ...]
    tokens: tuple[Token, ...]  # outside the anchors
    type_words: tuple[TypeWord, ...]
    operation: str  # list, count, top, exists or path
    asked: tuple[str, ...]  # labels that may be asked for; empty where the words do not say
    spoken_of: tuple[str, ...]  # labels of other type words, in order
    kinds: tuple[str, ...] = ()  # labels that say what a named entity is: "seizures as a symptom"
    number: int | None = None
    descending: bool = True
    denied: bool = False  # speaks of what is absent, with nothing to subtract from
    others: bool = False  # asks for others than those it names
    unexplained: tuple[str, ...] = ()  # words that nothing above accounts for
    stems: tuple[str, ...] = field(default=(), repr=False)


def understand(text: str, linker: Linker, words: Words) -> Question:
    """Read a question as far as its words go."""
    anchors = find_anchors(text, linker, words)
    tokens = [token for token in tokens_of(text) if not _inside(token, anchors)]
    spoken = words.find_types(tokens)
    found = [word for word in spoken if not _beside(word, tokens, anchors)]
    rest = _masked(text, anchors)
    operation, number, descending = _operation(rest, tokens, anchors, found)
    if _is_statement(rest, found, tokens, anchors):
        operation = "exists"
    asked = _asked(tokens, found, operation)
    others = [word for word in found if word is not asked and not word.implied]
    kinds = [word for word in others if _says_kind(word, tokens, anchors)]
    others = [word for word in others if word not in kinds]
    anchors, denied = _negate(rest, anchors)
    return Question(
        text=text,
        anchors=tuple(anchors),
        tokens=tuple(tokens),
        type_words=tuple(word for word in found if word not in kinds),
        operation=operation,
        asked=asked.labels if asked is not None else (),
        spoken_of=tuple(dict.fromkeys(label for word in others for label in word.labels)),
        kinds=tuple(dict.fromkeys(label for word in kinds for label in word.labels)),
        number=number,
        descending=descending,
        denied=denied,
        others=any(token.text.lower() in ("other", "others", "else") for token in tokens),
        unexplained=_unexplained(tokens, spoken, words),
        stems=tuple(token.stem for token in tokens),
    )


def _unexplained(tokens: Sequence[Token], found: Sequence[TypeWord], words: Words) -> tuple[str, ...]:
    typed = {at for word in found for at in range(word.first, word.last)}
    return tuple(
        token.text
        for at, token in enumerate(tokens)
        if at not in typed and not words.explains(token.stem) and len(token.text) >= SHORTEST_NAME
    )


# names --------------------------------------------------------------------------------------------------------------


def find_anchors(text: str, linker: Linker, words: Words) -> list[Anchor]:
    """The entities a question names; what is only a word for a type names none."""
    anchors = []
    for mention in linker.detect(text, marks=False):
        tokens = tokens_of(mention.text)
        spoken = words.find_types(tokens)
        if any(word.first == 0 and word.last == len(tokens) for word in spoken) or _is_cue(mention.text):
            continue
        best = mention.linked.best
        if best is not None:
            meanings = _meanings(best, mention.linked.candidates)
            anchors.append(Anchor(mention.start, mention.end, mention.text, meanings))
    anchors = [_widened(anchor, text, linker, words) for anchor in anchors]
    anchors += find_leftovers(text, linker, words, anchors)
    return sorted(anchors, key=lambda anchor: anchor.start)


def _widened(anchor: Anchor, text: str, linker: Linker, words: Words) -> Anchor:
    """A name that was found as part of a misspelt longer one: "glanzman thrombasthenia"."""
    before = [token for token in tokens_of(text) if token.end == anchor.start - 1]
    if not before or words.explains(before[0].stem) or words.find_types(before):
        return anchor
    start = before[0].start
    linked = linker.link(text[start : anchor.end])
    if linked.best is None or len(linked.best.matched) <= len(anchor.text):
        return anchor
    return Anchor(start, anchor.end, text[start : anchor.end], _meanings(linked.best, linked.candidates))


def find_leftovers(text: str, linker: Linker, words: Words, anchors: Sequence[Anchor]) -> list[Anchor]:
    """Misspelt or paraphrased names: runs of words that nothing else explains, the longest that resemble a name."""
    tokens = tokens_of(text)
    spoken = words.find_types(tokens)
    typed = {at for word in spoken for at in range(word.first, word.last)}
    free = [at for at, token in enumerate(tokens) if not _inside(token, anchors) and not words.explains(token.stem)]
    found: list[Anchor] = []
    taken: set[int] = set()
    for first, last in _windows(free, typed, tokens, anchors):
        if taken & set(range(first, last)):
            continue
        start, end = tokens[first].start, tokens[last - 1].end
        linked = linker.link(text[start:end])
        if linked.best is not None and not _is_cue(text[start:end]):
            found.append(Anchor(start, end, text[start:end], _meanings(linked.best, linked.candidates)))
            taken |= set(range(first, last))
    return found


def _windows(
    free: Sequence[int], typed: set[int], tokens: Sequence[Token], anchors: Sequence[Anchor]
) -> list[tuple[int, int]]:
    """Stretches of words that begin with a free one, hold only free words, type words and small ones, longest first."""
    unexplained = set(free) - typed
    windows = []
    for first in sorted(unexplained):
        for last in range(first + 1, min(first + LONGEST_NAME, len(tokens)) + 1):
            at = last - 1
            if _inside(tokens[at], anchors) or _crosses(tokens[first].end, tokens[at].start, anchors):
                break
            if at not in unexplained and at not in typed and tokens[at].text.lower() not in LINKING:
                break
            if tokens[at].text.lower() in LINKING:
                continue
            if any(len(tokens[each].text) >= SHORTEST_NAME for each in range(first, last) if each in unexplained):
                windows.append((first, last))
    return sorted(windows, key=lambda window: (window[0] - window[1], window[0]))


def _crosses(start: int, end: int, anchors: Sequence[Anchor]) -> bool:
    return any(start <= anchor.start < end for anchor in anchors)


def _is_cue(text: str) -> bool:
    """Whether a name is only a word that says what to do: "excluded" and "frequent" are entities of some graphs."""
    cues = (WITHOUT, MOST, LEAST, COUNTING, FREQUENT)
    return any(cue.fullmatch(text.strip()) for cue in cues)


def _meanings(best: Candidate, candidates: Iterable[Candidate]) -> tuple[Meaning, ...]:
    """Candidates of one type and nearly the best score are one meaning: the question cannot tell them apart."""
    by_type: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_type.setdefault(candidate.type, []).append(candidate)
    meanings = []
    for type, found in by_type.items():
        top = max(found, key=lambda each: each.score)
        alike = [each for each in found if top.score - each.score <= 0.02]
        meanings.append(Meaning(type, tuple(sorted(each.id for each in alike)), top.name, top.score, top.reason))
    return tuple(sorted(meanings, key=lambda each: (-each.score, each.type != best.type, each.type)))


def _inside(token: Token, anchors: Sequence[Anchor]) -> bool:
    return any(anchor.start <= token.start < anchor.end for anchor in anchors)


def _beside(word: TypeWord, tokens: list[Token], anchors: Sequence[Anchor]) -> bool:
    """Whether a type word only says what kind of thing a name is: "the gene FBN1", "FBN1 mutations"."""
    start, end = tokens[word.first].start, tokens[word.last - 1].end
    for anchor in anchors:
        types = {meaning.type for meaning in anchor.meanings}
        if types.isdisjoint(word.labels):
            continue
        if 0 < anchor.start - end <= 2:
            return True
        if 0 < start - anchor.end <= 1 and len(word.labels) >= 1 and word.last - word.first == 1:
            return True
    return False


def _says_kind(word: TypeWord, tokens: list[Token], anchors: Sequence[Anchor]) -> bool:
    """Whether a type word tells what a named entity is: "ectopia lentis as a sign", "seizures among the symptoms"."""
    before = [token.text.lower() for token in tokens[max(0, word.first - 2) : word.first]]
    after = tokens[word.last].text.lower() if word.last < len(tokens) else ""
    start = tokens[word.first].start
    fitting = [a for a in anchors if not {meaning.type for meaning in a.meanings}.isdisjoint(word.labels)]
    if not fitting:
        return False
    named_before = any(0 < start - anchor.end <= NEAR_BEHIND for anchor in fitting)
    a_kind = before[-1:] in (["a"], ["an"]) and (before[:1] == ["as"] or after == "of")
    return a_kind or "among" in before or named_before


def _masked(text: str, anchors: Sequence[Anchor]) -> str:
    """The text with each name as one mark, so that no rule trips over a word of a name."""
    for anchor in sorted(anchors, key=lambda each: -each.start):
        text = f"{text[: anchor.start]}§{text[anchor.end :]}"
    return text


# what is wanted -----------------------------------------------------------------------------------------------------


def _operation(
    rest: str, tokens: list[Token], anchors: Sequence[Anchor], found: list[TypeWord]
) -> tuple[str, int | None, bool]:
    lowered = [token.text.lower() for token in tokens]
    asks = any(word in WH or word in LISTING for word in lowered)
    ranks = MOST.search(rest) or LEAST.search(rest)
    if ranks and found and (asks or _number(lowered) is not None):
        return "top", _number(lowered) or _singular_top(rest) or DEFAULT_TOP, LEAST.search(rest) is None
    if COUNTING.search(rest):
        return "count", None, True
    plain = not [word for word in found if not word.implied]
    if len(anchors) >= 2 and plain and not asks and not JOINING.search(rest):
        return "exists", None, True
    if len(anchors) == 2 and plain and JOINING.search(rest) and not _asks_yes_or_no(lowered):
        return "path", None, True
    if len(anchors) >= 2 and _asks_yes_or_no(lowered) and not any(word in WH for word in lowered):
        return "exists", None, True
    return "list", None, True


def _is_statement(rest: str, found: Sequence[TypeWord], tokens: Sequence[Token], anchors: Sequence[Anchor]) -> bool:
    """Whether the text asserts something, to be judged: "A and B are drugs which commonly bind to C"."""
    if len(anchors) < 2 or not rest.startswith("§") or rest.rstrip().endswith("?"):
        return False
    after = [at for at, token in enumerate(tokens) if token.start >= anchors[0].end]
    verb = next((at for at in after if tokens[at].text.lower() not in ("and", "or", "both")), None)
    named = {at for word in found if not word.implied for at in range(word.first, word.last)}
    return verb is not None and verb not in named and re.match(r"§(\s*(,|and|or|both)?\s*§)*\s+\w", rest) is not None


def _asks_yes_or_no(lowered: list[str]) -> bool:
    if lowered[:1] and lowered[0] in YES_NO:
        return True
    return any(one == "is" and other == "there" for one, other in pairwise(lowered))


def _number(lowered: list[str]) -> int | None:
    for word in lowered:
        if word in NUMBERS and word != "one":
            return NUMBERS[word]
        if word.isdigit() and 0 < int(word) <= 1000:
            return int(word)
    return None


def _singular_top(rest: str) -> int | None:
    """Which gene … the most: one is meant."""
    return (
        1
        if re.search(r"\b(which|what)\s+(gene|disease|drug|symptom|disorder)\s+(is|has|causes)\b", rest, re.I)
        else None
    )


def _asked(tokens: list[Token], found: list[TypeWord], operation: str) -> TypeWord | None:
    """The type word that the question word belongs to."""
    if operation in ("exists", "path"):
        return None
    lowered = [token.text.lower() for token in tokens]
    named = [word for word in found if not word.implied]
    ranked: list[tuple[int, int, TypeWord]] = []
    for word in found:
        if word.implied and any(other.first == word.last for other in named):
            continue  # "inherited diseases" asks for diseases
        before = lowered[: word.first]
        ranked.append((_focus(before, word, ranking=operation == "top"), word.first, word))
    best = min(ranked, default=None, key=lambda each: each[:2])
    if best is None:
        return None
    return best[2] if best[0] < 9 or not named else named[0]


def _focus(before: list[str], word: TypeWord, *, ranking: bool) -> int:
    """How surely the words before a type word make it what is asked: 0 for "which genes", 9 for nothing of the kind."""
    near = before[-6:]
    if word.implied:
        return 4
    counted = near[-2:] in (["how", "many"], ["number", "of"]) or near[-1:] in (["count"], ["most"], ["fewest"])
    if counted:
        return 9 if ranking else 2
    if near and near[-1] in WH:
        return 0
    asking = [at for at, each in enumerate(near) if each in WH]
    if asking and not set(near[asking[-1] + 1 :]) & (YES_NO | {"of", "in", "with", "that", "by", "to"}):
        return 1  # which five, what other
    if asking and asking[-1] + 1 < len(near) and near[asking[-1] + 1] in BEING:
        between = near[asking[-1] + 2 :]
        if not set(between) & {"of", "in", "with", "that", "by", "to", "for"}:
            return 2  # what are the known
    if near and ("count" in near or set(near) & LISTING) and not set(near) & {"of", "in", "with", "that", "by"}:
        return 3
    return 9


def _negate(rest: str, anchors: list[Anchor]) -> tuple[list[Anchor], bool]:
    """Which names are subtracted: those after "but not" or "without", or the one before a closing "lacks"."""
    cue = WITHOUT.search(rest)
    if cue is None:
        return anchors, False
    if len(anchors) < 2:
        return anchors, True
    marks = [found.start() for found in re.finditer("§", rest)]
    after = [number for number, at in enumerate(marks) if at >= cue.start()]
    if TURNED.search(rest) and not after:
        after = [len(anchors) - 1]
    if not after or len(after) == len(anchors) or JUDGED.match(rest):
        return anchors, bool(after)
    negated = set(after)
    return [
        Anchor(each.start, each.end, each.text, each.meanings, negated=number in negated)
        for number, each in enumerate(anchors)
    ], False
