"""The entities of the graph that a question is about, and what else its words say: asked-for types and relations."""

from collections.abc import Iterable
from dataclasses import dataclass

from clew.answer.context.retrieval import Retrieval
from clew.answer.kept import paraphrases_of, words_of
from clew.answer.reading.question import ParsedQuestion, understand
from clew.answer.resources import Resources

__all__ = ["LinkedQuestion", "link_question"]

MOST_MEANINGS = 6  # entities of one name
CONTENT = 4  # letters of a word that may be part of a name
NEAR = 0.45  # smallest similarity of an entity that is found by vectors alone
MOST_PHRASES = 4  # that are looked up by vectors


@dataclass(frozen=True, slots=True)
class LinkedQuestion:
    """What a question is about: for each mention the entities that it may mean, and its words by their part."""

    masked: str  # the question with names replaced by their types
    mentions: tuple[tuple[str, ...], ...]  # ids
    asked: tuple[str, ...]  # types that are asked for
    through: tuple[str, ...]  # types that are mentioned besides: what is asked for is beyond them
    said: dict[str, float]  # relation → how clearly it is mentioned, 1 for the clearest
    rest: str  # words that nothing accounts for
    stems: tuple[str, ...]
    joins: bool  # it asks how entities are connected


def link_question(text: str, resources: Resources, retrieval: Retrieval) -> LinkedQuestion:
    """Read a question as far as retrieval needs it."""
    words = words_of(resources)
    parsed = understand(text, resources.linker, words, paraphrases=paraphrases_of(resources))
    schema = words.schema
    named = [] if retrieval.linking == "vectors" else _named(parsed)
    if retrieval.linking == "vectors" or (retrieval.linking == "both" and not named):
        named = _nearest(parsed, resources)
    clearest = max((each.clearly for each in parsed.said.values()), default=1.0)
    said: dict[str, float] = {}
    for name, each in parsed.said.items():
        relation = schema.relationship(name).relation
        said[relation] = max(said.get(relation, 0.0), each.clearly / clearest)
    return LinkedQuestion(
        masked=_masked(parsed, resources),
        mentions=tuple(dict.fromkeys(named)),
        asked=_types(parsed.asked, resources),
        through=_types(parsed.mentioned, resources),
        said=said,
        rest=" ".join(parsed.unrecognised),
        stems=parsed.stems,
        joins=parsed.operation == "path",
    )


def _types(labels: Iterable[str], resources: Resources) -> tuple[str, ...]:
    known, schema = resources.engine.schema.types, words_of(resources).schema
    return tuple(type for label in labels if (type := schema.type_of(label)) in known)


def _named(parsed: ParsedQuestion) -> list[tuple[str, ...]]:
    """The entities that names mean, each mention with all its meanings; those that are compared count as well."""
    mentions = [
        tuple(dict.fromkeys(id for meaning in anchor.meanings for id in meaning.ids))[:MOST_MEANINGS]
        for anchor in parsed.anchors
    ]
    return [*filter(None, mentions), *((id,) for id in (*parsed.among, *parsed.judged))]


def _nearest(parsed: ParsedQuestion, resources: Resources) -> list[tuple[str, ...]]:
    """The entity nearest in meaning to each phrase of the question that is neither a type nor a word of asking."""
    phrases = _phrases(parsed, resources)[:MOST_PHRASES]
    if not phrases:
        return []
    paraphrases = paraphrases_of(resources)
    if paraphrases is None:
        linked = [resources.linker.link(phrase) for phrase in phrases]
        return [(each.candidates[0].id,) for each in linked if each.candidates]
    found = paraphrases.nearest(phrases, limit=1)
    return [(each.id,) for near in found for each in near if each.score >= NEAR]


def _phrases(parsed: ParsedQuestion, resources: Resources) -> list[str]:
    """Runs of words that may be names, in order; names that were found by spelling are phrases too."""
    words = words_of(resources)
    phrases = [anchor.text for anchor in parsed.anchors]
    typed = {at for word in parsed.type_words for at in range(word.first, word.last)}
    run: list[str] = []
    for at, token in enumerate(parsed.tokens):
        if at not in typed and not words.explains(token.stem):
            run.append(token.text)
            continue
        phrases.append(" ".join(run))
        run = []
    phrases.append(" ".join(run))
    return [phrase for phrase in dict.fromkeys(phrases) if len(phrase) >= CONTENT]


def _masked(parsed: ParsedQuestion, resources: Resources) -> str:
    words, text = words_of(resources), parsed.text
    for anchor in sorted(parsed.anchors, key=lambda each: -each.start):
        label = words.schema.label_of(anchor.meanings[0].type) if anchor.meanings else None
        text = f"{text[: anchor.start]}a {words.name_of(label) if label else 'thing'}{text[anchor.end :]}"
    return text
