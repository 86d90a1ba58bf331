"""How AlzKB's questions are worded: the parts of a question, and the relation that its wording is about.

The table of wordings decides which questions a graph can answer at all; it is never shown to what answers them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from clew.errors import InputError

__all__ = [
    "COMPLETE",
    "STATEMENT_MARK",
    "WORDINGS",
    "Reading",
    "Wording",
    "read_wording",
    "split_choice",
    "split_joined",
    "split_listed",
    "strip_mark",
]

STATEMENT_MARK = "True or False Question:"
FOLLOWING = re.compile(r"^Which of the following\b")
QUESTION = re.compile(r"^(?P<stem>.+?)\s*\?\s+1\.\s+(?P<options>.+)$", re.DOTALL)
# Words that may stand between what a sentence is about and the phrase that names the relation.
LINKING = (
    r"(?:(?:is|are|does|do|can|be|not|a|an|the|which|both|common|commonly|involved|genes?|drugs?|diseases?|class(?:es)?"
    r"|pathways?|biological process(?:es)?|molecular functions?|cellular components?|body parts/anatomy)\s+)*"
)
ASKING = rf"^(?:Which(?: of the following)?|List the)\s+{LINKING}"
STATING = rf"^(?P<subjects>.+?)\s+(?:(?=(?:is|are|does|can)\s){LINKING})?"
LISTED_TOGETHER = 6  # most pieces of a comma list that one name is made of
# Metaedges of which Hetionet's files hold every triple: abbreviation → subject type, relation, object type.
COMPLETE: Mapping[str, tuple[str, str, str]] = {
    "CbG": ("Compound", "binds", "Gene"),
    "CpD": ("Compound", "palliates", "Disease"),
    "CtD": ("Compound", "treats", "Disease"),
    "DaG": ("Disease", "associates", "Gene"),
    "DlA": ("Disease", "localizes", "Anatomy"),
    "DpS": ("Disease", "presents", "Symptom"),
    "DrD": ("Disease", "resembles", "Disease"),
    "PCiC": ("PharmacologicClass", "includes", "Compound"),
}


@dataclass(frozen=True, slots=True)
class Wording:
    """A phrase, the kinds of Hetionet triples it stands for (none where Hetionet has no such relation), and types."""

    phrase: str  # a regular expression
    kinds: tuple[str, ...]
    asked: str  # the type of what is asked for, or of the subjects of a statement
    named: str  # the type of the names behind the phrase


TREATS = ("CtD", "CpD")  # AlzKB says "treats" for both: its drugs for Alzheimer's disease are Hetionet's of both kinds
WORDINGS = (
    Wording(r"binds? to (?:both )?the genes?", ("CbG",), "Compound", "Gene"),
    Wording(r"binds? to (?:both )?the drugs?", ("CbG",), "Gene", "Compound"),
    Wording(r"belongs? to the drug class(?:es)?", ("PCiC",), "Compound", "PharmacologicClass"),
    Wording(r"includes? the drugs?", ("PCiC",), "PharmacologicClass", "Compound"),
    Wording(r"treated by the drugs?", TREATS, "Disease", "Compound"),
    Wording(r"affected by the drugs?", (), "Disease", "Compound"),
    Wording(r"symptoms? of(?: both)?", ("DpS",), "Symptom", "Disease"),
    Wording(r"presents? the symptoms?", ("DpS",), "Disease", "Symptom"),
    Wording(r"sites? of localization of(?: both)?", ("DlA",), "Anatomy", "Disease"),
    Wording(r"localizes? to", ("DlA",), "Disease", "Anatomy"),
    Wording(r"associated with the genes?", ("DaG",), "Disease", "Gene"),
    Wording(r"genes? (?:is )?(?:not )?(?:commonly )?associated with the diseases?", ("DaG",), "Gene", "Disease"),
    Wording(r"associated with the diseases?", ("DrD",), "Disease", "Disease"),
    Wording(r"increases? (?:the gene )?expression of(?: the genes?)?", ("CuG",), "Compound", "Gene"),
    Wording(r"subject to increased expression by (?:both )?the drugs?", ("CuG",), "Gene", "Compound"),
    Wording(r"decreases? (?:the gene )?expression of(?: the genes?)?", ("CdG",), "Compound", "Gene"),
    Wording(r"subject to (?:decreased|reduced) expression by (?:both )?the drugs?", ("CdG",), "Gene", "Compound"),
    Wording(r"participates? in the biological process(?:es)?", ("GpBP",), "Gene", "BiologicalProcess"),
    Wording(r"involv(?:es?|ing)(?: both)?(?: the genes?)?", ("GpBP",), "BiologicalProcess", "Gene"),
    Wording(r"in the pathways?", ("GpPW",), "Gene", "Pathway"),
    Wording(r"contains?(?: both)? the genes?", ("GpPW",), "Pathway", "Gene"),
    Wording(r"performs? the molecular functions?", ("GpMF",), "Gene", "MolecularFunction"),
    Wording(r"attributed to(?: both)?(?: the genes?)?", ("GpMF",), "MolecularFunction", "Gene"),
    Wording(r"associated with the cellular components?", ("GpCC",), "Gene", "CellularComponent"),
    Wording(r"linked to(?: both)?(?: the genes?)?", ("GpCC",), "CellularComponent", "Gene"),
    Wording(r"interacts? with the genes?", ("GiG",), "Gene", "Gene"),
    Wording(r"over-express(?:es)? the genes?", ("AuG",), "Anatomy", "Gene"),
    Wording(r"over-expressed in(?: both)?", ("AuG",), "Gene", "Anatomy"),
    Wording(r"under-express(?:es)? the genes?", ("AdG",), "Anatomy", "Gene"),
    Wording(r"under-expressed in(?: both)?", ("AdG",), "Gene", "Anatomy"),
    Wording(r"treats?", TREATS, "Compound", "Disease"),
    Wording(r"affects?", (), "Compound", "Disease"),
)
ASKED, STATED = (
    tuple((wording, re.compile(rf"{head}(?:{wording.phrase})\s+(?P<named>.+)$")) for wording in WORDINGS)
    for head in (ASKING, STATING)
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the wording of a question says: the relation, whether it is denied, and the names as written."""

    wording: Wording
    subjects: str | None  # of a statement
    between: str  # what joins the subjects, or the beginning of a question, to the names
    named: str

    @property
    def negated(self) -> bool:
        return re.search(r"\bnot\b", self.between) is not None

    @property
    def pattern(self) -> str:
        """The sentence with types for names: what it has in common with others."""
        return ("" if self.subjects is None else f"[{self.wording.asked}]") + f"{self.between}[{self.wording.named}]"


def read_wording(text: str, *, stated: bool) -> Reading | None:
    """The reading of a stem, a question or (if `stated`) a statement; None where no wording fits."""
    for wording, pattern in STATED if stated else ASKED:
        match = pattern.match(text)
        if match is not None:
            subjects = match["subjects"] if stated else None
            start = match.end("subjects") if stated else 0
            return Reading(wording, subjects, text[start : match.start("named")], match["named"].rstrip(" ?."))
    return None


def split_choice(text: str) -> tuple[str, tuple[str, ...]]:
    """The stem of a multiple-choice question, as a question of its own, and its options.

    >>> split_choice("Which of the following binds to the gene NOS3? 1. Iron 2. ATP")
    ('Which binds to the gene NOS3?', ('Iron', 'ATP'))
    """
    match = QUESTION.match(text.strip())
    if match is None:
        raise InputError(f"expected a question with options such as 'Which …? 1. A 2. B', not {text!r}")
    rest, options, number = match["options"], [], 2
    while (cut := re.search(rf"\s+{number}\.\s+", rest)) is not None:
        options.append(rest[: cut.start()].strip())
        rest, number = rest[cut.end() :], number + 1
    options.append(rest.strip())
    stem = FOLLOWING.sub("Which", match["stem"].strip())
    return f"{stem}?", tuple(options)


def strip_mark(text: str) -> str:
    """A statement without the words that say it is to be judged."""
    return text.strip().removeprefix(STATEMENT_MARK).strip()


def split_joined(text: str, count: int, known: Callable[[str], bool]) -> tuple[str, ...]:
    """`count` names joined by "and", any of which may hold an "and" itself: the first division with all known.

    Where there is none, the division that knows most is given, and of those the first.
    """
    return max(_divisions(text.split(" and "), count), key=lambda names: sum(map(known, names)), default=(text,))


def _divisions(pieces: list[str], count: int) -> Iterator[tuple[str, ...]]:
    if count == 1:
        yield (" and ".join(pieces),)
        return
    for first in range(1, len(pieces) - count + 2):
        for rest in _divisions(pieces[first:], count - 1):
            yield (" and ".join(pieces[:first]), *rest)


def split_listed(text: str, known: Callable[[str], bool]) -> tuple[str, ...]:
    """Names listed with commas, any of which may hold a comma itself: from the left, the longest that is known."""
    pieces, names, at = text.strip().split(", "), [], 0
    while at < len(pieces):
        spans = range(min(LISTED_TOGETHER, len(pieces) - at), 0, -1)
        taken = next((span for span in spans if known(", ".join(pieces[at : at + span]))), 1)
        names.append(", ".join(pieces[at : at + taken]))
        at += taken
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
