"""Everyday words proposed for a graph's relations, and the relations that no everyday word reaches.

A relation that Clew's table does not list gets the words of the relation in the table whose name means most nearly the
same (by an encoder); the owner of the graph keeps, changes or deletes them.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from clew.answer.lexicon.forms import core_name, tokens_of
from clew.answer.lexicon.words import Words, known_words
from clew.store.layout import upper_snake

if TYPE_CHECKING:
    from clew.embed import Encoder

__all__ = ["propose_words", "unreached"]

NEAR = 0.6  # similarity of two names from which their words are shared
MOST = 6  # words that are proposed for a relation


def propose_words(words: Words, encoder: "Encoder") -> dict[str, list[str]]:
    """Words for relations that the table does not list, by the names in it that mean nearly the same."""
    table: Mapping[str, list[str]] = known_words()["relations"]
    listed = {upper_snake(name) for name in table}
    own = {each.relation: core_name(each.called) for each in words.schema.relationships}
    missing = {relation: core for relation, core in own.items() if upper_snake(core) not in listed}
    if not missing:
        return {}
    names = list(table)
    vectors = encoder.encode([_spoken(name) for name in (*names, *missing.values())])
    similarity = vectors[len(names) :] @ vectors[: len(names)].T  # (missing, names)
    found = {}
    for row, relation in zip(similarity, missing, strict=True):
        best = int(row.argmax())
        if row[best] >= NEAR:
            found[relation] = table[names[best]][:MOST]
    return found


def unreached(words: Words, is_word: Callable[[str], bool]) -> list[str]:
    """Relations whose names and words hold nothing that people say: P27, CbG."""
    return [
        each.relation
        for each in words.schema.relationships
        if not any(is_word(token.text) for phrase in words.relations[each.name] for token in tokens_of(phrase))
    ]


def _spoken(name: str) -> str:
    return " ".join(upper_snake(name).lower().split("_"))
