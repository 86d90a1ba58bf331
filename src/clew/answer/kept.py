"""What answering derives from a graph once and keeps with its resources: words, attributes, hierarchies, paths."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.answer.hearing.linking import LinkedQuestion
from clew.answer.lexicon.families import is_mutual
from clew.answer.lexicon.forms import plain_name, word_table
from clew.answer.lexicon.own_words import load_words
from clew.answer.lexicon.polarity import polarity_of_relations
from clew.answer.lexicon.words import Words
from clew.answer.plans.schema.paths import SchemaPaths
from clew.answer.reading.judged import Judge, Link
from clew.answer.reading.question import ParsedQuestion
from clew.answer.resources import Resources
from clew.answer.sketch.lexical import Lexical
from clew.answer.sketch.sketch import Word
from clew.answer.statements.filter_words import provenance_of
from clew.answer.values.attributes import find_attributes
from clew.answer.values.vocabulary import Vocabulary
from clew.graph import read_triples
from clew.link import Paraphrases
from clew.store.layout import Relationship, StoreSchema

if TYPE_CHECKING:
    from clew.answer.models.compose import Composer
    from clew.answer.models.shown_schema import ShownSchema
    from clew.embed import Encoder

__all__ = [
    "composer_of",
    "encoder_of",
    "hierarchy_of",
    "judge_of",
    "lexical_of",
    "link_of",
    "owners_of",
    "paraphrases_of",
    "polarity_of",
    "schema_of",
    "schema_paths_of",
    "stated_once_of",
    "vocabulary_of",
    "words_of",
]

PARENT = "parent"  # of a class, where it is not of a person
MOST_COMPARED = 20_000  # triples of a relation that are compared with their reverse


def schema_of(resources: Resources) -> StoreSchema:
    """What queries can name, for reading questions: relations that hold both ways throughout are symmetric here."""
    return resources.once("read schema", lambda: _with_mutual(resources))


def words_of(resources: Resources) -> Words:
    """The words for a graph's types and relations."""

    def is_name(noun: str) -> bool:
        return bool(resources.engine.lookup_name(noun) or resources.engine.lookup_name(noun.capitalize()))

    more = load_words(resources.engine.snapshot)
    return resources.once("words", lambda: Words(schema_of(resources), more=more, is_name=is_name))


def vocabulary_of(resources: Resources) -> Vocabulary:
    """The words for the attributes of a graph's entities."""

    def make() -> Vocabulary:
        found = find_attributes(resources.engine, resources.schema)
        types = [phrase for listed in words_of(resources).types.values() for phrase in listed]
        subjects = {ends.subject for each in resources.schema.relationships for ends in each.ends}
        return Vocabulary(found, types, {each.target for each in found if each.target} - subjects)

    return resources.once("vocabulary", make)


def owners_of(resources: Resources) -> Mapping[str, frozenset[str]]:
    """The labels whose entities have each property."""

    def make() -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for each in vocabulary_of(resources).attributes:
            if not each.relation:
                found.setdefault(each.key, set()).add(each.label)
        return {key: frozenset(labels) for key, labels in found.items()}

    return resources.once("owners", make)


def polarity_of(resources: Resources) -> dict[str, str]:
    """Whether each relationship of a graph helps, harms or does neither."""
    stated = load_words(resources.engine.snapshot).get("polarity")
    return resources.once("polarity", lambda: polarity_of_relations(resources.schema, stated))


def lexical_of(resources: Resources) -> Lexical:
    """How well words fit the parts of a graph's schema."""

    def make() -> Lexical:
        stated = provenance_of(resources.engine, resources.schema)
        return Lexical(
            schema_of(resources),
            words_of(resources),
            vocabulary_of(resources),
            resources.encoder,
            stated.named_values(resources.engine),
            stated.numeric(resources.engine),
        )

    return resources.once("lexical", make)


def judge_of(resources: Resources) -> Judge | None:
    """What says which relation a word means, where there is a linker of words and schemas."""
    link = link_of(resources)
    return None if link is None else resources.once("judge", lambda: Judge(words_of(resources), link))


def link_of(resources: Resources) -> Link | None:
    """What reads a question together with the schema, where there is a linker and an encoder."""
    parser = resources.sketch_parser
    if parser is None:
        return None

    def link(words: Sequence[Word], question: ParsedQuestion, check: Callable[[], None]) -> LinkedQuestion:
        names = [each.meanings[0] for each in sorted(question.anchors, key=lambda each: each.start)]
        return parser.linker.link(words, names, lexical_of(resources).items, check=check)

    return link


def composer_of(resources: Resources) -> "Composer":
    """What lets models write queries for a graph."""

    def make() -> "Composer":
        from clew.answer.models.compose import Composer

        mutual, shown = stated_once_of(resources), shown_schema_of(resources)
        return Composer(resources.engine, resources.schema, shown, words_of(resources), mutual=mutual)

    return resources.once("composer", make)


def shown_schema_of(resources: Resources) -> "ShownSchema":
    """The schema of a graph with examples of everything, as people and models are shown it."""

    def make() -> "ShownSchema":
        from clew.answer.models.shown_schema import show_schema

        return show_schema(resources.engine, resources.schema, vocabulary_of(resources).attributes)

    return resources.once("shown schema", make)


def encoder_of(resources: Resources) -> "Encoder | None":
    """The encoder, which remembers what it encoded: plans and relations in words, and recent names."""
    from clew.embed.cached import CachedEncoder

    encoder = resources.encoder
    return None if encoder is None else resources.once("cached encoder", lambda: CachedEncoder(encoder))


def paraphrases_of(resources: Resources) -> Paraphrases | None:
    """What finds entities by the meaning of a phrase, where there is an encoder."""
    encoder = resources.encoder
    return None if encoder is None else resources.once("paraphrases", lambda: Paraphrases(resources.linker, encoder))


def hierarchy_of(resources: Resources) -> dict[str, str]:
    """The subclass relationship of each label that has one, declared transitive or called so."""
    return resources.once("hierarchy", lambda: _hierarchy(resources, word_table("relations.json")["subclass"]))


def schema_paths_of(resources: Resources) -> SchemaPaths:
    """The paths between the labels of a graph's schema."""
    return resources.once(
        "schema paths", lambda: SchemaPaths(schema_of(resources), frozenset(_hierarchy(resources).values()))
    )


def stated_once_of(resources: Resources) -> frozenset[str]:
    """The relationships that hold both ways by what they mean, though the graph states them one way: spouse."""
    return resources.once("stated once", lambda: _stated_once(resources))


def _stated_once(resources: Resources) -> frozenset[str]:
    return frozenset(
        each.name
        for each in resources.schema.relationships
        if not each.symmetric
        and not each.negated
        and is_mutual(each.relation, [label for ends in each.ends for label in (ends.subject, ends.object)])
    )


def _with_mutual(resources: Resources) -> StoreSchema:
    schema = resources.schema
    mutual = {each.name for each in schema.relationships if _is_mutual(each, resources)} | stated_once_of(resources)
    known = tuple(replace(each, symmetric=each.symmetric or each.name in mutual) for each in schema.relationships)
    return replace(schema, relationships=known) if mutual else schema


def _is_mutual(relationship: Relationship, resources: Resources) -> bool:
    """Whether every triple of a relation between entities of one type is there the other way round too."""
    if relationship.symmetric or relationship.negated or not 1 < relationship.count <= MOST_COMPARED:
        return False
    if any(ends.subject != ends.object for ends in relationship.ends):
        return False
    triples = read_triples(resources.engine, relations=[relationship.relation])
    pairs = set(zip(triples["subject"].to_pylist(), triples["object"].to_pylist(), strict=True))
    return all((object_, subject) in pairs for subject, object_ in pairs)


def _hierarchy(resources: Resources, called: Collection[str] = ()) -> dict[str, str]:
    """For each label the relationship between its entities that is declared transitive, or has one of some names."""
    words = words_of(resources)
    transitive = {relation.name for relation in resources.engine.schema.relations if relation.transitive}
    return {
        ends.subject: each.name
        for each in resources.schema.relationships
        if (each.relation in transitive or plain_name(each.called) in called) and not each.negated
        for ends in each.ends
        if ends.subject == ends.object
        and not (plain_name(each.called) == PARENT and words.is_class("who", ends.subject))  # people are no classes
    }
