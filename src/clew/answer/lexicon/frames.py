"""The wrapping of a question: greetings and polite phrases, follow-ups that ask for a list, and "any kind of".

In: the text of a question. Out: the positions of such phrases, and whether they ask for a list, for a yes or no, or for
subclasses of the named terms. The reader then ignores these words; the patterns, one a phrase, are in frames.json.
"""

import re
from dataclasses import dataclass
from functools import cache

from clew.answer.lexicon.forms import word_table

__all__ = ["Frame", "find_frame", "sentence_behind", "sentences_before"]

APART = r"[\s,;:.!?–—-]*"
END_OF_SENTENCE = re.compile(r"(?<=[^\W\d_]{3})[.!?]\s+(?=[A-Z])")
BEHIND = re.compile(r"\?\s+([A-Z][^?]*[.!])\s*$")
WHETHER = re.compile(rf"{APART}(?:whether(?: or not)?|if)\b", re.IGNORECASE)
ASKS = re.compile(
    r"\W*(?:(?:in|to|for|with|by|from|at|on|under|of)\s+)?"
    r"(?:which|what|who|whom|whose|where|when|how|list|name|give|show|find|count)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the words stand that only frame a question, and what a follow-up or an opening asks for."""

    spans: tuple[tuple[int, int], ...] = ()
    lists: bool = False  # "Is there a …? If so, which?" asks for a list
    judges: bool = False  # "Do you know whether …" asks for a yes or no
    subclasses: bool = False  # "any kind of …", "subtypes included"


def find_frame(text: str) -> Frame:
    """The frame of a question; one that is nothing but a frame has none."""
    start = _end_of_opening(text)
    judges = False
    if start and (whether := WHETHER.match(text, start)) is not None:
        start, judges = whether.end(), True
    end, lists = _start_of_closing(text, start)
    if not re.search(r"\w{2}", text[start:end]):
        return Frame()
    kinds = [found.span() for found in _patterns()["subclasses"].finditer(text, start, end)]
    idle = [found.span() for found in _patterns()["anywhere"].finditer(text, start, end)]
    spans = tuple(span for span in ((0, start), *kinds, *idle, (end, len(text))) if span[0] < span[1])
    if lists and ASKS.match(text, start, end):
        lists = False  # "Which drugs …? List them." asks once
    return Frame(spans, lists, judges, bool(kinds))


def sentences_before(text: str) -> list[tuple[int, int]]:
    """Where the sentences stand that lead up to a question: "I'm drafting a contract. Who looks after A?".

    >>> sentences_before("Thanks a lot. I am new here! Who is A?")
    [(0, 13), (14, 28)]
    """
    found, start = [], 0
    for end in END_OF_SENTENCE.finditer(text):
        if text[end.start()] == "?" or not re.search(r"\w{2}", text[end.end() :]):
            break
        found.append((start, end.start() + 1))
        start = end.end()
    return found


def sentence_behind(text: str) -> list[tuple[int, int]]:
    """The place of a sentence that follows the question and asks nothing itself: "Is A in B? My son is allergic.".

    >>> sentence_behind("Is A in B? My son is allergic."), sentence_behind("Is A in B? Which one?")
    ([(11, 30)], [])
    """
    return [found.span(1) for found in BEHIND.finditer(text)]


def _end_of_opening(text: str) -> int:
    end, found = 0, _patterns()["opening"].match(text)
    while found is not None and found.end() > end:
        end = found.end()
        found = _patterns()["opening"].match(text, end)
    return end


def _start_of_closing(text: str, start: int) -> tuple[int, bool]:
    """Where the closing words begin, and whether one of them asks for a list."""
    end, lists = len(text), False
    while True:
        listing = _patterns()["listing"].search(text, start, end)
        found = listing or _patterns()["closing"].search(text, start, end)
        if found is None or found.start() <= start:
            return end, lists
        kept = text[found.start()] in ".?!"  # the mark that ends the question itself
        end, lists = found.start() + kept, lists or listing is not None


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    listed = word_table("frames.json")
    either = {name: "|".join(f"(?:{each})" for each in patterns) for name, patterns in listed.items()}
    return {
        "opening": re.compile(rf"{APART}(?:{either['opening']})(?!\w)(?:\s*[,:;.!?–—-]+)*", re.IGNORECASE),
        "closing": re.compile(rf"[\s,;:.!?(–—-]++(?:{either['closing']})[\s,;:.!?)–—-]*$", re.IGNORECASE),
        "anywhere": re.compile(either["anywhere"], re.IGNORECASE),
        "subclasses": re.compile(either["subclasses"], re.IGNORECASE),
        "listing": re.compile(rf"(?:[.?!;:,]\s*|\s[-–—]\s*)(?:{either['listing']})[\s.?!]*$", re.IGNORECASE),
    }
