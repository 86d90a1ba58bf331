"""The words by which questions name the types and relations of a graph."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.answer.lexicon.own_words import OwnWords
    from clew.answer.lexicon.words import Words

__all__ = ["words_record"]


def words_record(
    words: "Words", own: "OwnWords", unreached: Sequence[str], *, graph: str, snapshot: str
) -> dict[str, Any]:
    """All words in use, by type and relation; which of them are the graph's own, and relations without any."""
    types: Mapping[str, list[str]] = {label.type: words.types[label.name] for label in words.schema.labels}
    relations = {each.relation: words.relations[each.name] for each in words.schema.relationships}
    return {
        "graph": graph,
        "snapshot": snapshot,
        "types": types,
        "relations": relations,
        "own": {family: {name: list(listed) for name, listed in names.items()} for family, names in own.items()},
        "unreached": list(unreached),
        "file": "words.json" if own else None,
    }
