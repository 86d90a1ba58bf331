"""Sketches of "Does nobody …?" and "Are there no …?": whether there is none at all, not whether one is not so.

In: a sketch as the parser wrote it, which denies something of a thing. Out: what the question asks
whether there is none of, for a plan that is true if nothing matches.
"""

from collections.abc import Sequence
from dataclasses import replace

from clew.answer.lexicon.forms import word_table
from clew.answer.sketch.sketch import Sketch, Word

__all__ = ["asks_for_none"]

NOBODY = frozenset(word_table("sketch.json")["nobody"])
DENYING = frozenset(word_table("sketch.json")["negations"]) - {"except"}


def asks_for_none(sketch: Sketch, words: Sequence[Word]) -> Sketch | None:
    """The sketch of what there must be none of, where a yes or no is wanted to that; else None.

    What is denied once more stays so: "no ward without patients".
    """
    first = next((ref for each in sketch.statements for ref in (each.left, each.right) if isinstance(ref, str)), None)
    groups = {each.denied for each in sketch.statements if each.kind == "fact"}
    if sketch.mode != "yesno" or first is None or len(groups) != 1:
        return None
    low = ["" if each.name is not None else each.text.lower() for each in words]
    none = _none_before(sketch, low, first)
    others = [at for at, word in enumerate(low) if at != none and (word in DENYING | NOBODY or word.endswith("n't"))]
    if none is None or len(others) > 1:
        return None
    if others:
        return sketch if groups != {0} else None
    return replace(sketch, statements=tuple(replace(each, denied=0) for each in sketch.statements))


def _none_before(sketch: Sketch, low: Sequence[str], thing: str) -> int | None:
    """Where "no" stands before what a thing is, or a word for nobody where nothing says what it is."""
    kinds = [each.words[0] for each in sketch.statements if each.kind == "kind" and each.left == thing and each.words]
    if kinds:
        return kinds[0] - 1 if kinds[0] and low[kinds[0] - 1] == "no" else None
    return next((at for at, word in enumerate(low) if word in NOBODY), None)
