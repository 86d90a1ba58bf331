"""Names not spelt as in the graph: attributes of a type ("start in adulthood"), lay terms, paraphrases.

Each function is one stage: it adds what it finds to the search.
"""

from collections.abc import Iterable, Sequence

from clew.answer.lexicon.numbers import read_number
from clew.answer.names.likeness import is_meant, is_proper, is_symbol, resembles
from clew.answer.names.meanings import Anchor, meanings_of
from clew.answer.names.name_search import INNER, NameSearch
from clew.answer.names.overlap import most_overlapping
from clew.link import Candidate, Paraphrases
from clew.link.normalise import words_of

__all__ = ["find_everyday", "find_paraphrased", "find_said_of_types"]

MEANS_THE_SAME, ONE_WORD_MEANS = 0.7, 0.8  # minimum similarity of a paraphrase of several words, of one word
MOST_PARAPHRASES = 5  # phrases of a question that are looked up by embedding
SAID_OF_A_TYPE = 0.42  # minimum similarity among the entities of a small type that is mentioned alongside
FEW = 400  # most entities of a small type


def find_said_of_types(search: NameSearch, paraphrases: Paraphrases | None) -> None:
    """Attributes from a type with few entities: "start in adulthood", "mitochondrially inherited"."""
    for word in search.spoken:
        search.check_time()
        types = tuple(search.words.schema.type_of(label) for label in word.labels)
        if not _are_few(search, types) or _is_named(search, types):
            continue
        for first, last in search.around(word):
            if last in search.inside and search.tokens[last].start - search.tokens[last - 1].end == 1:
                continue  # "countries in south Asia": said of the name behind it
            found = _said_of(search, types, first, last, paraphrases)
            if found is not None:
                search.add(found)
                break


def _are_few(search: NameSearch, types: Sequence[str]) -> bool:
    counts = search.linker.engine.schema.types
    return sum(counts.get(name, 0) for name in types) <= FEW


def _is_named(search: NameSearch, types: Sequence[str]) -> bool:
    """Whether an entity of the type is named already, so that the type word refers to it."""
    return any(meaning.type in types for anchor in search.anchors for meaning in anchor.meanings[:1])


def _said_of(
    search: NameSearch, types: tuple[str, ...], first: int, last: int, paraphrases: Paraphrases | None
) -> Anchor | None:
    if all(read_number(search.tokens[at].text) is not None for at in range(first, last) if at in search.free):
        return None  # "over 5 series"
    phrase = search.cleaned(first, last)
    found = most_overlapping(phrase, types, search.linker)
    if paraphrases is not None and not found:
        near = paraphrases.nearest([phrase], types=types)[0]
        found = [each for each in near[:1] if each.score >= SAID_OF_A_TYPE]
    known = bool(found) and not _is_of_another(search, first, last, found[0])
    return _anchor(search, first, last, found, found[0]) if known else None


def find_everyday(search: NameSearch) -> None:
    """Lay terms: "heart attack", or "fits" (but not in "diseases that fit")."""
    for first, last in search.windows(shortest=3):
        if last - first == 1 and first - 1 in search.typed:
            continue
        said = " ".join(token.text.lower() for token in search.tokens[first:last])
        for name in search.words.everyday.get(said, ()):
            linked = search.linker.link(name, last_stage="normalised")
            if linked.best is not None and search.is_open(first, last):
                search.add(_anchor(search, first, last, linked.candidates, linked.best))


def find_paraphrased(search: NameSearch, paraphrases: Paraphrases) -> None:
    """Link the remaining words to the entity with the most similar name."""
    tried = 0
    for first, last in search.windows():
        if tried == MOST_PARAPHRASES or not search.is_open(first, last) or _begins_no_name(search, first):
            continue
        tried += 1
        phrase = search.cleaned(first, last)
        if search.is_cue(phrase):
            continue
        (found,) = paraphrases.nearest([phrase])
        if found and (is_symbol(found[0].matched, phrase) or _is_of_another(search, first, last, found[0])):
            continue
        if found and is_meant(found, MEANS_THE_SAME if len(words_of(phrase)) > 1 else ONE_WORD_MEANS):
            search.add(_anchor(search, first, last, found, found[0]))


def _is_of_another(search: NameSearch, first: int, last: int, found: Candidate) -> bool:
    """Whether a proper name in some words is not in what was found: "the Brightwater line" is not the Coast line."""
    proper = [search.tokens[at] for at in range(first, last) if at in search.free and is_proper(search.tokens[at])]
    return not resembles(" ".join(token.text for token in proper), "", f"{found.matched} {found.name}")


def _begins_no_name(search: NameSearch, at: int) -> bool:
    """Whether a word says something of the name before it, and so begins no name: "is FBN1 expressed in"."""
    return at - 1 in search.inside and at + 1 < len(search.tokens) and search.tokens[at + 1].text.lower() in INNER


def _anchor(search: NameSearch, first: int, last: int, candidates: Iterable[Candidate], best: Candidate) -> Anchor:
    """The words from one to another as a mention of what they may mean."""
    start, end = search.tokens[first].start, search.tokens[last - 1].end
    return Anchor(start, end, search.text[start:end], meanings_of(candidates, best))
