"""Everyday words proposed for a graph's relations, and the names in its schema that no everyday word reaches.

A relation that Clew's table does not list gets the words of the relation in the table whose name means most nearly the
same (by an encoder); the owner of the graph keeps, changes or deletes them.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from clew.answer.lexicon.families import written_out
from clew.answer.lexicon.forms import Token, core_name, tokens_of
from clew.answer.lexicon.words import Words, known_words
from clew.store.layout import PROVENANCE, QUALIFIER, upper_snake

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


def unreached(words: Words, is_word: Callable[[str], bool]) -> dict[str, list[str]]:
    """Types, relations and columns whose names and words hold nothing that people say: CRS, P27, yob."""

    def is_said(token: Token) -> bool:
        small = any(token.stem in words.classes[name] for name in ("frame", "restriction"))  # of, since
        return len(token.text) > 1 and (small or is_word(token.text))

    schema = words.schema
    stated = [each for relation in schema.relationships for each in relation.properties]
    columns = {each.column.removeprefix(QUALIFIER): each for each in (*schema.properties, *stated)}
    ours = {*PROVENANCE, "synonyms", "xrefs"}
    said = {
        "types": {each.type: words.types[each.name] for each in schema.labels},
        "relations": {each.relation: words.relations[each.name] for each in schema.relationships},
        "columns": {name: [_written_out(name)] for name, each in columns.items() if each.column not in ours},
    }
    return {
        family: [
            name
            for name, phrases in names.items()
            if not any(is_said(token) for phrase in phrases for token in tokens_of(phrase))
        ]
        for family, names in said.items()
    }


def _written_out(name: str) -> str:
    return " ".join(map(written_out, _spoken(name).split()))


def _spoken(name: str) -> str:
    return " ".join(upper_snake(name).lower().split("_"))
