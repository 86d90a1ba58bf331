"""A short text that states what the rows state, and nothing else.

The plain form is made from the plan and the items. A language model may put it more smoothly; if its text holds a name
or number that the rows do not hold, the plain form stands.
"""

import logging
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from clew.answer.answer import Item
from clew.answer.candidates import Candidate
from clew.answer.words import Words
from clew.plurals import plural

if TYPE_CHECKING:
    from clew.lm import LanguageModel

__all__ = ["phrased", "plain_list", "plain_text", "states_only"]

log = logging.getLogger(__name__)
LISTED = 10
MOST_TOKENS = 160
NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
NAMED = re.compile(r"(?<![\w-])[A-Z][\w-]*")


def plain_text(
    candidate: Candidate,
    words: Words,
    *,
    named: Sequence[tuple[str, bool]],
    kind: str,
    items: Sequence[Item],
    value: object,
    total: int,
    truncated: bool,
) -> str:
    """The answer in one or two sentences; `named` are the entities asked about and whether each is excluded.

    >>> plain_list(["FBN1", "FBN2"], 2)
    'FBN1 and FBN2'
    """
    names = [name for name, _ in named]
    about = _about(named)
    if kind == "exists":
        joined = bool(value) == (candidate.plan.kind == "exists")
        return f"{'Yes' if value else 'No'}: {_joined(names)} {'are' if joined else 'are not'} joined in this graph."
    if kind == "path":
        return _path_text(names, total)
    noun = words.name_of(candidate.asked) if candidate.asked in words.types else "entity"
    if kind == "count":
        return f"{value:,} {plural(noun, int(str(value)))}{about}." if isinstance(value, int) else f"{value}{about}."
    if kind == "aggregate":
        return f"{value}{about}."
    if not items:
        return f"No {noun} was found{about} in this graph."
    more = " or more" if truncated else ""
    shown = plain_list([_with_number(item) for item in items[:LISTED]], total)
    return f"{total:,}{more} {plural(noun, total)}{about}: {shown}."


def phrased(model: "LanguageModel", question: str, plain: str) -> str:
    """The plain text as a model puts it, if it says nothing else; the plain text itself where it does or fails."""
    from clew.errors import ModelError, Timeout
    from clew.lm import Message, Request, load_prompt, strip

    asked = load_prompt("clew.answer", "phrase.txt").format(question=question, facts=plain)
    try:
        completion = model.complete(Request([Message("user", asked)], max_tokens=MOST_TOKENS))
    except (ModelError, Timeout) as error:
        log.info("the plain text stands: %s", error)
        return plain
    said = " ".join(strip(completion.text).split())
    good = bool(said) and completion.finish == "stop" and states_only(said, known=[plain], question=question)
    return said if good else plain


def _about(named: Sequence[tuple[str, bool]]) -> str:
    wanted = [name for name, excluded in named if not excluded]
    unwanted = [name for name, excluded in named if excluded]
    about = f" for {_joined(wanted)}" if wanted else ""
    return f"{about}{' but' if about else ''} without {_joined(unwanted)}" if unwanted else about


def plain_list(names: Sequence[str], total: int) -> str:
    """Names as people list them; what is left out is counted."""
    left = total - len(names)
    if left > 0:
        return f"{', '.join(names)} and {left:,} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def states_only(text: str, *, known: Iterable[str], question: str) -> bool:
    """Whether every number and capitalised name of a text stands in the rows or in the question."""
    allowed = " ".join([*known, question]).lower()
    for found in (*NUMBER.findall(text), *NAMED.findall(_without_starts(text))):
        if not re.search(rf"(?<!\w){re.escape(found.lower().replace(',', ''))}(?!\w)", allowed.replace(",", "")):
            return False
    return True


def _without_starts(text: str) -> str:
    """Sentences begin with a capital whatever the word is."""
    return re.sub(r"(^|[.!?:]\s+)([A-Z][a-z]+)\b", lambda found: found.group(1) + found.group(2).lower(), text)


def _with_number(item: Item) -> str:
    return item.name if item.number is None else f"{item.name} ({item.number:,})"


def _path_text(named: Sequence[str], total: int) -> str:
    if not total:
        return f"No path joins {_joined(named)} within the steps looked at in this graph."
    return f"{total:,} shortest {plural('path', total)} {'joins' if total == 1 else 'join'} {_joined(named)}."


def _joined(named: Sequence[str]) -> str:
    return plain_list(named, len(named)) if named else "they"
