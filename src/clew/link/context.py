"""What the words around a mention say about it: that it is negated, uncertain, somebody else's, or past.

ConText-style rules, read from a file that can be replaced: a cue reaches from where it stands to the end of its
sentence, or to a word that stops it ("but", ";"). Text and spans in, a `Marks` for every span out; one pass forward for
cues that stand before what they mark, one pass back for those behind it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path

from clew.errors import InputError

__all__ = ["DEFAULT", "MARKS", "Cue", "Marks", "Rules", "mark", "split_sentences"]

MARKS = ("negated", "uncertain", "family", "historical")
PLACES = ("before", "after", "both")
NOTHING, STOP = "nothing", "stop"

Span = tuple[int, int]

# Full stops that end no sentence: after these words, after a single letter, and before a lower-case letter.
ABBREVIATIONS = frozenset(
    re.split(
        r"\s+",
        """al approx ca cf cp dept dr e.g eg esp etc fig figs hosp i.e ie inc incl jr mr mrs ms p.o p.r.n pp prof
        pt pts ref refs resp sp spp sr st subsp v var viz vol vs wt yr yrs""",
    )
)
NUMBERED = frozenset({"no", "nos"})  # "no. 5", but the answer was no
ENDING = re.compile(r"(?<![.!?])[.!?]++[\"')\]]*+(?=\s)|\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")
TOKEN = re.compile(r"\w+|[^\w\s]")
WORD = re.compile(r"\w+")
LONG_WORD = 40  # characters: no more text is looked at than so many for each word a cue may reach
PUNCTUATION = "$"  # in a phrase: only before punctuation or the end
LAST_WORD = re.compile(r"\S+\Z")
CAPITALS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that marked a mention, and where it stands in the text."""

    mark: str  # one of MARKS
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Marks:
    """What is said about one mention, with the phrases that say it."""

    negated: bool = False
    uncertain: bool = False
    family: bool = False
    historical: bool = False
    cues: tuple[Cue, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a file of rules."""

    marks: tuple[str, ...]  # those it sets, or those it stops
    stops: bool
    before: bool  # counts on the way forward
    after: bool  # counts on the way back
    reach: int | None  # words between phrase and mention; None: as far as the sentence goes


Found = tuple[int, int, Rule]  # start, end and what stands there
Reaching = dict[str, tuple[Cue, int | None]]  # mark -> the cue that reaches on, and for how many words


class Rules:
    """The rules of a file, read when first needed; `context_rules.tsv` beside this file tells the format."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    @classmethod
    def load(cls, path: Path) -> "Rules":
        """The rules of a file, checked at once."""
        rules = cls(path)
        _ = rules.phrases
        return rules

    @cached_property
    def phrases(self) -> "Branch":
        """All phrases as a tree of words."""
        try:
            lines = self.path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"the context rules {self.path} cannot be read: {error}") from error
        root = Branch()
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.startswith("#"):
                rule, phrases = _parsed(line, f"{self.path}, line {number}")
                for words in phrases:
                    branch = root
                    for word in words:
                        branch = branch.words.setdefault(word, Branch())
                    branch.rules += (rule,)
        return root


@dataclass(slots=True)
class Branch:
    """Where a phrase may go on, and the rules whose phrase ends here."""

    words: dict[str, "Branch"] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()


DEFAULT = Rules(Path(__file__).with_name("context_rules.tsv"))


def mark(text: str, spans: Sequence[Span], *, rules: Rules = DEFAULT) -> list[Marks]:
    """Marks for each span of the text, in their order.

    >>> text = "Denies chest pain but her mother had a stroke."
    >>> pain, stroke = mark(text, [(7, 17), (39, 45)])
    >>> pain.negated, stroke.negated, stroke.family, stroke.cues[0].text
    (True, False, True, 'mother')
    """
    for start, end in spans:
        if not 0 <= start <= end <= len(text):
            raise InputError(f"the span {(start, end)} lies outside the text of {len(text)} characters")
    found: dict[int, dict[str, Cue]] = {number: {} for number in range(len(spans))}
    if spans:
        lowered = text.translate(CAPITALS)
        for first, last, numbers in _by_sentence(split_sentences(text), spans):
            cues = _find_cues(lowered, first, last, [spans[number] for number in numbers], rules)
            _walk(text, cues, [(spans[number], found[number]) for number in numbers])
    return [_marks(cues) for cues in found.values()]


def split_sentences(text: str) -> list[Span]:
    """Where sentences begin and end; together they cover the text.

    >>> [text[a:b] for text in ["Dr. Li saw 2.5 mm, e.g. here. It grew."] for a, b in split_sentences(text)]
    ['Dr. Li saw 2.5 mm, e.g. here.', ' It grew.']
    """
    sentences: list[Span] = []
    start = 0
    for ending in ENDING.finditer(text):
        if ending[0].startswith(".") and not _ends_sentence(text, ending.start(), ending.end()):
            continue
        if sentences and text[start : ending.end()].isspace():  # the empty line after a full stop
            start = sentences.pop()[0]
        sentences.append((start, ending.end()))
        start = ending.end()
    if start < len(text):
        sentences.append((start, len(text)))
    return sentences


def _ends_sentence(text: str, stop: int, after: int) -> bool:
    following = text[after : after + 40].lstrip()
    if following[:1].islower():
        return False
    word = LAST_WORD.search(text, max(0, stop - 20), stop)
    last = word[0].lstrip("(['\"").lower() if word else ""
    if last in NUMBERED:
        return not following[:1].isdecimal()
    return last not in ABBREVIATIONS and not (len(last) == 1 and last.isalpha() and following[:1].isupper())


def _by_sentence(sentences: Sequence[Span], spans: Sequence[Span]) -> Iterator[tuple[int, int, list[int]]]:
    """Each sentence that holds mentions, with their numbers in the order of the text; a mention may join sentences."""
    order = sorted(range(len(spans)), key=lambda number: spans[number])
    at = 0
    first, last, numbers = 0, 0, list[int]()
    for number in order:
        start, end = spans[number]
        if start >= last:
            if numbers:
                yield first, last, numbers
            while at < len(sentences) - 1 and sentences[at][1] <= start:
                at += 1
            first, last = sentences[at] if sentences else (0, 0)
            numbers = []
        while at < len(sentences) - 1 and last < end:
            at += 1
            last = sentences[at][1]
        numbers.append(number)
    if numbers:
        yield first, last, numbers


def _find_cues(lowered: str, first: int, last: int, spans: Sequence[Span], rules: Rules) -> list[Found]:
    """The longest phrases of a sentence, in order."""
    tokens = _outside(lowered, first, last, spans)
    words = [lowered[slice(*token)] for token in tokens]
    cues: list[Found] = []
    at = 0
    while at < len(words):
        branch: Branch | None = rules.phrases
        found: tuple[Rule, ...] = ()
        end, following = at + 1, at
        while branch is not None:
            if branch.rules:
                end, found = following, branch.rules
            word = words[following] if following < len(words) else ""
            if PUNCTUATION in branch.words and (word == "" or word in ".,;:!?)"):
                end, found = following, branch.words[PUNCTUATION].rules
            branch = branch.words.get(word)
            following += 1
        if found:
            start, stop = tokens[at], tokens[end - 1]
            cues += ((start[0], stop[1], rule) for rule in found)
        at = end
    return cues


def _outside(lowered: str, first: int, last: int, spans: Sequence[Span]) -> list[Span]:
    """Where the words of a sentence stand; one of a mention has no width: a name's own words say nothing about it."""
    tokens, covered, at = [], first, 0
    for match in TOKEN.finditer(lowered, first, last):
        start, end = match.span()
        while at < len(spans) and spans[at][0] < end:
            covered = max(covered, spans[at][1])
            at += 1
        tokens.append((start, start) if start < covered else (start, end))
    return tokens


def _walk(text: str, cues: Sequence[Found], mentions: Sequence[tuple[Span, dict[str, Cue]]]) -> None:
    """Note for every mention the nearest cue of each mark that reaches it, from before and then from behind."""
    forward = [cue for cue in cues if cue[2].before]
    reaching: Reaching = {}
    at = 0
    for (start, _), found in mentions:
        while at < len(forward) and forward[at][1] <= start:
            _meet(text, forward[at], reaching)
            at += 1
        _take(text, reaching, start, found)
    backward = [cue for cue in cues if cue[2].after]
    reaching = {}
    for (_, end), found in sorted(mentions, key=lambda mention: -mention[0][1]):
        while backward and backward[-1][0] >= end:
            _meet(text, backward.pop(), reaching)
        _take(text, reaching, end, found)


def _meet(text: str, cue: Found, reaching: Reaching) -> None:
    """Let a stop end what reaches, or a cue begin to; one that reaches few words does not hide one that reaches on."""
    start, end, rule = cue
    for kind in rule.marks:
        if rule.stops:
            reaching.pop(kind, None)
        elif rule.reach is None or reaching.get(kind, (None, 0))[1] is not None:
            reaching[kind] = Cue(kind, text[start:end], start, end), rule.reach


def _take(text: str, reaching: Reaching, here: int, found: dict[str, Cue]) -> None:
    """Note the cues that reach the place `here`, unless the mark is known already."""
    for kind, (cue, reach) in reaching.items():
        between = (cue.end, here) if cue.end <= here else (here, cue.start)
        if reach is None or len(WORD.findall(text[slice(*between)][: LONG_WORD * (reach + 2)])) <= reach:
            found.setdefault(kind, cue)


def _marks(cues: dict[str, Cue]) -> Marks:
    ordered = tuple(sorted(cues.values(), key=lambda cue: (cue.start, MARKS.index(cue.mark))))
    return Marks("negated" in cues, "uncertain" in cues, "family" in cues, "historical" in cues, ordered)


def _parsed(line: str, where: str) -> tuple[Rule, list[tuple[str, ...]]]:
    columns = [column.strip() for column in line.split("\t")]
    if len(columns) not in (3, 4) or not all(columns) or not "".join(columns[3:] or "0").isdecimal():
        raise InputError(f"{where}: expected mark, place, phrase and at most a number between tabs, not {line!r}")
    what, place, phrase = columns[:3]
    reach = int(columns[3]) if columns[3:] else None
    kind, _, limited = what.partition(":")
    if kind == STOP:
        marks = _known(limited.split("+"), where) if limited else MARKS
    else:
        marks = () if what == NOTHING else _known(what.split("+"), where)
    if place not in PLACES:
        raise InputError(f"{where}: the place is {place!r}, not one of {', '.join(PLACES)}")
    if phrase != phrase.lower():
        raise InputError(f"{where}: the phrase {phrase!r} is not in lower case, so it would never be found")
    return Rule(marks, kind == STOP, place != "after", place != "before", reach), _expanded(phrase, where)


def _known(marks: Iterable[str], where: str) -> tuple[str, ...]:
    for name in (given := tuple(marks)):
        if name not in MARKS:
            raise InputError(f"{where}: no mark is called {name!r}: known: {', '.join(MARKS)}, {NOTHING}, {STOP}")
    return given


def _expanded(phrase: str, where: str) -> list[tuple[str, ...]]:
    """Every way to read a phrase of words and one level of (this|that|) choices, each as its tokens."""
    parts = re.split(r"(\([^()]*\))", phrase)
    if any("(" in part or ")" in part or "|" in part for part in parts[::2]):
        raise InputError(f"{where}: the brackets of {phrase!r} do not match, or stand inside each other")
    choices = [part[1:-1].split("|") if number % 2 else [part] for number, part in enumerate(parts)]
    readings = {tuple(TOKEN.findall("".join(chosen))) for chosen in product(*choices)}
    if () in readings or (PUNCTUATION,) in readings:
        raise InputError(f"{where}: the phrase {phrase!r} fits even where nothing stands")
    return sorted(readings)
