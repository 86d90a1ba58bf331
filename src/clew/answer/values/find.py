"""What a question says of values: which attribute it asks for, what it must be, and what is sorted by it.

In: the words of a graph's attributes, a question and its names. Out: `ValueWords` and where they stand, so that the
rest of the question ("the film that Spielberg directed") is read as if they were not there.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.numbers import COMPARISON, read_number
from clew.answer.lexicon.times import TIME
from clew.answer.names.meanings import Anchor
from clew.answer.values.asking import Asking, find_asked
from clew.answer.values.conditions import find_conditions
from clew.answer.values.orders import find_order
from clew.answer.values.passage import Corrected, Passage
from clew.answer.values.said import NOTHING_SAID, ValueWords
from clew.answer.values.vocabulary import Vocabulary

__all__ = ["find_values"]

SURE = 0.97  # score of a name spelt as in the graph


def find_values(
    text: str,
    tokens: Sequence[Token],
    vocabulary: Vocabulary,
    *,
    types: Callable[[str], Mapping[int, tuple[str, ...]]],
    names: Callable[[str], Sequence[Anchor]],
    is_dated: Callable[[str], bool] = lambda said: False,
) -> ValueWords:
    """What a question says of values; `tokens` are its words, slips put right.

    `types` tells where words for types end in a text and what they mean, `names` which names it has, `is_dated` whether
    it mentions, beside its names, a relation whose statements have a time: that is only asked where needed.
    """
    corrected = Corrected.of(text, tokens)
    if not vocabulary.attributes or not _may_say(corrected.text.lower(), vocabulary):
        return NOTHING_SAID
    found = [each for each in map(_without_genitive, names(corrected.text)) if _is_name(each, vocabulary)]
    passage = Passage.of(corrected.text, vocabulary, found, types(corrected.text))
    passage.dated = is_dated(passage.text)
    conditions = find_conditions(passage)
    order = find_order(passage)
    asking = find_asked(passage) if order is None else Asking()
    values = ValueWords(
        asked=tuple(dict.fromkeys(asking.options)),
        aggregate=asking.aggregate,
        unit=asking.unit,
        conditions=tuple(replace(each, start=corrected.back(each.start)) for each in conditions),
        order=None if order is None else replace(order, end=corrected.back(order.end)),
        spans=tuple(sorted((corrected.back(start), corrected.back(end)) for start, end in passage.spans)),
        unsure=asking.unsure,
    )
    return values or NOTHING_SAID


def _may_say(text: str, words: Vocabulary) -> bool:
    """Whether any word of a text may be about a value."""
    spoken = "|".join(
        (words.noun, words.count, words.more, words.most, words.verb, words.adjective, words.class_, TIME, COMPARISON)
    )
    return re.search(rf"\b(?:{spoken}|else|also|how\s+many|how\s+much)\b|\d", text) is not None


def _without_genitive(anchor: Anchor) -> Anchor:
    """The name in "Anna's", which is as sure as it is without the ending."""
    plain = anchor.text.replace("’", "'").removesuffix("'s").removesuffix("'")
    if plain.casefold() != anchor.meanings[0].name.casefold():
        return anchor
    sure = tuple(replace(each, score=max(each.score, SURE)) for each in anchor.meanings)
    return replace(anchor, text=plain, end=anchor.start + len(plain), meanings=sure)


def _is_name(anchor: Anchor, words: Vocabulary) -> bool:
    """Whether a name is surely one, and not a word for values."""
    lowered = anchor.text.lower()
    spoken = lowered in words.nouns or lowered in words.counted or bool(words.graded(lowered))
    counts = all(read_number(word) is not None or words.unit_named(word) for word in lowered.split())
    literal = all(meaning.type in words.literals for meaning in anchor.meanings)
    return anchor.meanings[0].score >= SURE and not spoken and not counts and not literal
