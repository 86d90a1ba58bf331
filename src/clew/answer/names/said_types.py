"""Type words that say of what type a name is: "the gene FBN1", "FBN1 mutations", "ectopia lentis as a sign"."""

from collections.abc import Sequence

from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.type_words import TypeWord
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import Anchor

__all__ = ["is_beside", "tells_type", "types_of_names"]

NEAR_BEHIND = 12  # letters from a name to a type word that tells what it is: "preeclampsia in the history"


def is_beside(word: TypeWord, tokens: Sequence[Token], anchors: Sequence[Anchor]) -> bool:
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


def tells_type(word: TypeWord, tokens: Sequence[Token], anchors: Sequence[Anchor]) -> bool:
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


def types_of_names(
    tokens: Sequence[Token], spoken: Sequence[TypeWord], anchors: Sequence[Anchor], words: Words
) -> tuple[Token, ...]:
    """The words that mention no relation: "the painting A" says nothing of who painted it.

    Of people they may: "films of director A" are those that A directed.
    """
    types = (word for word in spoken if is_beside(word, tokens, anchors) and not any(map(words.is_agent, word.labels)))
    return tuple(token for word in types for token in tokens[word.first : word.last])
