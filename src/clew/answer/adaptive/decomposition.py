"""A question taken apart: what it asks, the entities that it names, and the options that it lists."""

import re
from dataclasses import dataclass

from clew.answer.context.linked import LinkedQuestion, link_question
from clew.answer.context.retrieval import Retrieval
from clew.answer.resources import Resources

__all__ = ["Decomposed", "decompose", "split_options"]

LISTED = re.compile(r"\b(?:(?:given|following) list|options|choices|candidates)\s*(?:is|are|:)\s*(?P<list>\S.*)$", re.I)
REFERENCE = re.compile(r"^\s*(?:out of|from|among|of)\s+the\s+(?:given|following)\s+(?:list|options)\s*,?\s*", re.I)
LAST = re.compile(r"(?:,|;)?\s+(?:or|and)\s+(?=[^,;]*$)")
MOST_MEANINGS = 4  # entities that one option may mean


@dataclass(frozen=True, slots=True)
class Decomposed:
    """The question without its list, how it was linked, and its options with the ids that each may mean."""

    text: str
    linked: LinkedQuestion
    options: dict[str, tuple[str, ...]]  # in the order given; no ids for a text that the graph does not have

    @property
    def entities(self) -> tuple[str, ...]:
        """The ids of everything that the question names."""
        return tuple(dict.fromkeys(id for mention in self.linked.mentions for id in mention))


def decompose(
    text: str, options: tuple[str, ...], resources: Resources, retrieval: Retrieval, *, split: bool = True
) -> Decomposed:
    """Take a question apart; with `split`, options in its text count if none are given beside it."""
    if split and not options:
        text, options = split_options(text)
    linked = link_question(text, resources, retrieval)
    return Decomposed(text, linked, {option: _meant(option, linked, resources) for option in options})


def split_options(text: str) -> tuple[str, tuple[str, ...]]:
    """The question, and the options that its last sentence lists.

    >>> split_options("Out of the given list, which gene causes gout. Given list is ABCG2, HLA-B or TERT")
    ('which gene causes gout?', ('ABCG2', 'HLA-B', 'TERT'))
    >>> split_options("Which gene causes gout?")
    ('Which gene causes gout?', ())
    """
    found = LISTED.search(text)
    if found is None:
        return text, ()
    listed = found["list"].strip().rstrip(".?!")
    sign = ";" if ";" in listed else ","
    options = tuple(dict.fromkeys(filter(None, map(str.strip, LAST.sub(sign, listed).split(sign)))))
    if len(options) < 2:
        return text, ()
    return f"{REFERENCE.sub('', text[: found.start()]).strip().rstrip('.,:;?!').rstrip()}?", options


def _meant(option: str, linked: LinkedQuestion, resources: Resources) -> tuple[str, ...]:
    """The entities that an option may mean: of the asked-for type, or else of any."""
    named = resources.linker.link(option, type=linked.asked or None, last_stage="fuzzy")
    named = named if named.best else resources.linker.link(option, last_stage="fuzzy")
    if named.best is None:
        return ()
    return tuple(dict.fromkeys((named.best.id, *(each.id for each in named.alternatives))))[:MOST_MEANINGS]
