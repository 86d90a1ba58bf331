"""ConText: whether a mention is negated, uncertain, about a family member or historical.

The rules are read from a replaceable file. A cue's scope runs from the cue to the end of its sentence, or to a
termination word ("but", ";"). Takes a text and spans, returns a `Marks` for each span: one forward pass for cues that
precede a mention, one backward pass for cues that follow it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path

from clew.errors import InputError
from clew.json_files import read_text

__all__ = ["DEFAULT", "MARKS", "Cue", "Marks", "Rules", "mark", "split_sentences"]

MARKS = ("negated", "uncertain", "family", "historical")
POSITIONS = ("before", "after", "both")
PSEUDO, TERMINATE = "pseudo", "terminate"

Span = tuple[int, int]

# Full stops that do not end a sentence: after these words, after a single letter, and before a lower-case letter.
ABBREVIATIONS = frozenset(
    re.split(
        r"\s+",
        """al approx ca cf cp dept dr e.g eg esp etc fig figs hosp i.e ie inc incl jr mr mrs ms p.o p.r.n pp prof
        pt pts ref refs resp sp spp sr st subsp v var viz vol vs wt yr yrs""",
    )
)
NUMBERED = frozenset({"no", "nos"})  # "no. 5", but not "the answer was no."
ENDING = re.compile(r"(?<![.!?])[.!?]++[\"')\]]*+(?=\s)|\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")
TOKEN = re.compile(r"\w+|[^\w\s]")
WORD = re.compile(r"\w+")
LONG_WORD = 40  # characters read for each word of a cue's scope, at most
PUNCTUATION = "$"  # in a phrase: only before punctuation or the end
LAST_WORD = re.compile(r"\S+\Z")
CAPITALS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that marked a mention, and its span in the text."""

    mark: str  # one of MARKS
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Marks:
    """The ConText attributes of one mention, with the cues that set them."""

    negated: bool = False
    uncertain: bool = False
    family: bool = False
    historical: bool = False
    cues: tuple[Cue, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a rules file."""

    marks: tuple[str, ...]  # set by a cue, or whose scope it ends
    terminates: bool
    before: bool  # used in the forward pass
    after: bool  # used in the backward pass
    scope: int | None  # most words between cue and mention; None: to the end of the sentence


Found = tuple[int, int, Rule]  # start, end, rule
Active = dict[str, tuple[Cue, int | None]]  # mark -> the cue in scope, and its scope in words


class Rules:
    """The rules of a file, read on first use; `context_rules.tsv` in this folder documents the format."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    @classmethod
    def load(cls, path: Path) -> "Rules":
        """Read and check a rules file immediately."""
        rules = cls(path)
        _ = rules.phrases
        return rules

    @cached_property
    def phrases(self) -> "TrieState":
        """All phrases as a trie of words."""
        try:
            lines = read_text(self.path).splitlines()
        except (OSError, ValueError) as error:
            raise InputError(f"the context rules {self.path} cannot be read: {error}") from error
        root = TrieState()
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.startswith("#"):
                rule, phrases = _parsed(line, f"{self.path}, line {number}")
                for words in phrases:
                    state = root
                    for word in words:
                        state = state.words.setdefault(word, TrieState())
                    state.rules += (rule,)
        return root


@dataclass(slots=True)
class TrieState:
    """A state of the trie: the words that may follow, and the rules whose phrase ends here."""

    words: dict[str, "TrieState"] = field(default_factory=dict)
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
            _scan(text, cues, [(spans[number], found[number]) for number in numbers])
    return [_marks(cues) for cues in found.values()]


def split_sentences(text: str) -> list[Span]:
    """Sentence spans; together they cover the text.

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
    """Each sentence with mentions, and their numbers in text order; a mention across a boundary merges sentences."""
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
    """The longest matching cues of a sentence, in order."""
    tokens = _tokens(lowered, first, last, spans)
    words = [lowered[slice(*token)] for token in tokens]
    cues: list[Found] = []
    at = 0
    while at < len(words):
        state: TrieState | None = rules.phrases
        found: tuple[Rule, ...] = ()
        end, following = at + 1, at
        while state is not None:
            if state.rules:
                end, found = following, state.rules
            word = words[following] if following < len(words) else ""
            if PUNCTUATION in state.words and (word == "" or word in ".,;:!?)"):
                end, found = following, state.words[PUNCTUATION].rules
            state = state.words.get(word)
            following += 1
        if found:
            start, stop = tokens[at], tokens[end - 1]
            cues += ((start[0], stop[1], rule) for rule in found)
        at = end
    return cues


def _tokens(lowered: str, first: int, last: int, spans: Sequence[Span]) -> list[Span]:
    """Token spans of a sentence; tokens inside a mention are empty, because a name's own words are not cues."""
    tokens, covered, at = [], first, 0
    for match in TOKEN.finditer(lowered, first, last):
        start, end = match.span()
        while at < len(spans) and spans[at][0] < end:
            covered = max(covered, spans[at][1])
            at += 1
        tokens.append((start, start) if start < covered else (start, end))
    return tokens


def _scan(text: str, cues: Sequence[Found], mentions: Sequence[tuple[Span, dict[str, Cue]]]) -> None:
    """Record for every mention the nearest cue in scope for each mark, preceding cues first."""
    forward = [cue for cue in cues if cue[2].before]
    active: Active = {}
    at = 0
    for (start, _), found in mentions:
        while at < len(forward) and forward[at][1] <= start:
            _apply(text, forward[at], active)
            at += 1
        _collect(text, active, start, found)
    backward = [cue for cue in cues if cue[2].after]
    active = {}
    for (_, end), found in sorted(mentions, key=lambda mention: -mention[0][1]):
        while backward and backward[-1][0] >= end:
            _apply(text, backward.pop(), active)
        _collect(text, active, end, found)


def _apply(text: str, cue: Found, active: Active) -> None:
    """End scopes at a termination word, or open one at a cue; a limited scope does not replace an unlimited one."""
    start, end, rule = cue
    for kind in rule.marks:
        if rule.terminates:
            active.pop(kind, None)
        elif rule.scope is None or active.get(kind, (None, 0))[1] is not None:
            active[kind] = Cue(kind, text[start:end], start, end), rule.scope


def _collect(text: str, active: Active, here: int, found: dict[str, Cue]) -> None:
    """Note the cues that scope the position `here`, unless the mark is already set."""
    for kind, (cue, scope) in active.items():
        between = (cue.end, here) if cue.end <= here else (here, cue.start)
        if scope is None or len(WORD.findall(text[slice(*between)][: LONG_WORD * (scope + 2)])) <= scope:
            found.setdefault(kind, cue)


def _marks(cues: dict[str, Cue]) -> Marks:
    ordered = tuple(sorted(cues.values(), key=lambda cue: (cue.start, MARKS.index(cue.mark))))
    return Marks("negated" in cues, "uncertain" in cues, "family" in cues, "historical" in cues, ordered)


def _parsed(line: str, where: str) -> tuple[Rule, list[tuple[str, ...]]]:
    columns = [column.strip() for column in line.split("\t")]
    if len(columns) not in (3, 4) or not all(columns) or not "".join(columns[3:] or "0").isdecimal():
        raise InputError(
            f"{where}: expected tab-separated mark, position, phrase and optionally a number, not {line!r}"
        )
    what, position, phrase = columns[:3]
    scope = int(columns[3]) if columns[3:] else None
    kind, _, limited = what.partition(":")
    if kind == TERMINATE:
        marks = _known(limited.split("+"), where) if limited else MARKS
    else:
        marks = () if what == PSEUDO else _known(what.split("+"), where)
    if position not in POSITIONS:
        raise InputError(f"{where}: the position is {position!r}, not one of {', '.join(POSITIONS)}")
    if phrase != phrase.lower():
        raise InputError(f"{where}: the phrase {phrase!r} is not in lower case, so it would never be found")
    return Rule(marks, kind == TERMINATE, position != "after", position != "before", scope), _expanded(phrase, where)


def _known(marks: Iterable[str], where: str) -> tuple[str, ...]:
    for name in (given := tuple(marks)):
        if name not in MARKS:
            raise InputError(f"{where}: no mark is called {name!r}: known: {', '.join(MARKS)}, {PSEUDO}, {TERMINATE}")
    return given


def _expanded(phrase: str, where: str) -> list[tuple[str, ...]]:
    """Every variant of a phrase with one level of (this|that|) alternatives, each as its tokens."""
    parts = re.split(r"(\([^()]*\))", phrase)
    if any("(" in part or ")" in part or "|" in part for part in parts[::2]):
        raise InputError(f"{where}: the brackets of {phrase!r} are unbalanced or nested")
    choices = [part[1:-1].split("|") if number % 2 else [part] for number, part in enumerate(parts)]
    variants = {tuple(TOKEN.findall("".join(chosen))) for chosen in product(*choices)}
    if () in variants or (PUNCTUATION,) in variants:
        raise InputError(f"{where}: the phrase {phrase!r} matches empty text")
    return sorted(variants)
