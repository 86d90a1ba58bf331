"""Relations and chains in words, for scorers and for people."""

import re
from functools import cache

__all__ = ["chain_text", "relation_text", "step_text"]

SEPARATORS = re.compile(r"[^\w]+|_+|(?<=[a-z0-9])(?=[A-Z])")


@cache
def relation_text(name: str) -> str:
    """The words of a relation's name, each once.

    >>> relation_text("/film/actor/film./film/performance/film"), relation_text("hasPhenotype")
    ('film actor performance', 'has phenotype')
    """
    words = [word.lower() for word in SEPARATORS.split(name) if word]
    return " ".join(dict.fromkeys(words)) or name


def step_text(label: str, *, forward: bool) -> str:
    """A step in words; against its direction it is marked."""
    return label if forward else f"{label} (reverse)"


def chain_text(steps: tuple[tuple[str, bool], ...]) -> str:
    """A chain of relations in words.

    >>> chain_text((("born_in", True), ("capital", False)))
    'born_in → capital (reverse)'
    """
    return " → ".join(step_text(label, forward=forward) for label, forward in steps)
