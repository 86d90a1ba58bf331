"""What a graph records under a word that no plan stands for: "beds" of wards, "dose" of takes, "older" by age."""

from collections.abc import Iterator

from clew.answer.lexicon.forms import plain_name, stem
from clew.answer.lexicon.words import Words
from clew.answer.values.vocabulary import Vocabulary
from clew.answer.wording.value_words import type_name
from clew.plurals import plural

__all__ = ["recorded_as"]


def recorded_as(text: str, words: Words, vocabulary: Vocabulary) -> list[str]:
    """The attributes and columns of statements that a word, or the last of several, is about, each in words."""
    return list(dict.fromkeys(_recorded(text.lower().split()[-1], words, vocabulary)))


def _recorded(word: str, words: Words, vocabulary: Vocabulary) -> Iterator[str]:
    named = [*vocabulary.nouns.get(word, ()), *vocabulary.counted.get(word, ()), *vocabulary.verbs.get(word, ())]
    for each in (*named, *(graded.attribute for graded in vocabulary.graded(word))):
        yield f"{each.title} of {plural(type_name(each.label))}"
    for relation in words.schema.relationships:
        for column in relation.properties:
            title = plain_name(column.name.removeprefix("q_"))
            if stem(word) in map(stem, title.split()):
                yield f"{title} of {relation.relation!r}"
