"""The words by which questions name the types and relations of a graph."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.answer import Resources

__all__ = ["words_record"]


def words_record(resources: "Resources", *, graph: str) -> dict[str, Any]:
    """All words in use, by type and relation; which of them are the graph's own, and names that no word reaches."""
    from clew.answer.kept import words_of
    from clew.answer.lexicon.own_words import load_words
    from clew.answer.lexicon.proposals import unreached

    words, parser, snapshot = words_of(resources), resources.parser, resources.engine.snapshot
    own = load_words(snapshot)
    types: Mapping[str, list[str]] = {label.type: words.types[label.name] for label in words.schema.labels}
    relations = {each.relation: words.relations[each.name] for each in words.schema.relationships}
    return {
        "graph": graph,
        "snapshot": snapshot.id,
        "types": types,
        "relations": relations,
        "own": {family: {name: list(listed) for name, listed in names.items()} for family, names in own.items()},
        "unreached": unreached(words, lambda word: len(word) > 3 if parser is None else parser.knows(word)),
        "file": "words.json" if own else None,
    }
