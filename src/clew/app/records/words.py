"""The words by which questions name the types and relations of a graph, and the names that no word reaches."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.answer import Resources

__all__ = ["codebook_rows", "words_record"]


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


def codebook_rows(resources: "Resources", unreached: Mapping[str, list[str]]) -> list[tuple[str, str, str, str]]:
    """A codebook to be filled in: each name that no word reaches, no name yet, what it is one of, and examples."""
    from clew.answer.kept import shown_schema_of
    from clew.store.layout import QUALIFIER

    schema, shown = resources.schema, shown_schema_of(resources)
    relations = {each.relation: each.name for each in reversed(schema.relationships)}
    stated = [each for relationship in schema.relationships for each in relationship.properties]
    columns = {each.name: each.column.removeprefix(QUALIFIER) for each in (*schema.properties, *stated)}
    fields = [each for listed in (*shown.fields.values(), *shown.columns.values()) for each in listed]
    examples: dict[str, Mapping[str, Sequence[str]]] = {
        "types": {each.type: shown.names.get(each.name, ()) for each in schema.labels},
        "relations": {name: [" → ".join(shown.examples.get(label, ()))] for name, label in relations.items()},
        "columns": {columns[each.name]: each.examples for each in reversed(fields)},
    }
    return [
        (name, "", family.removesuffix("s"), ", ".join(examples[family].get(name, ())))
        for family, names in unreached.items()
        for name in names
    ]
