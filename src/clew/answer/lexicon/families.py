"""Families of words for one relation seen from both ends: who does it, does it, has it done, undergoes it.

A line of families.json lists nouns for the doer, verbs said of the doer, nouns for the receiver and verbs said of the
receiver: "boss | manage | subordinate | report to". A relation belongs to a family by its name, which also tells
whether its subject is the doer (*manages*) or the receiver (*managed_by*, *manager*, *reports_to*).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from clew.answer.lexicon.forms import is_irregular, plain_name, stem, word_table
from clew.plurals import plural
from clew.store.layout import upper_snake

__all__ = ["Sense", "has_synonyms", "is_mutual", "names_roles", "senses_of", "spelt_out", "synonyms_of", "written_out"]

LEADING = ("has", "have", "is", "was", "are", "be", "had")
PARTICLES = frozenset(
    ("by", "of", "in", "at", "for", "with", "to", "on", "from", "under", "into", "through", "as", "upon")
)
NOUN_ENDINGS = ("er", "or", "ist", "ian", "ant", "ent", "ee", "ion", "ity", "ship", "ary", "ency")
VERBS_TOO = frozenset({"implement", "position", "transfer"})
SHORTEST = 2  # letters of an abbreviation, and of what it leaves out
Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """The phrases of one line, as they are written."""

    doers: tuple[str, ...]
    does: tuple[str, ...]
    receivers: tuple[str, ...]
    undergoes: tuple[str, ...]

    @property
    def phrases(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.does, *self.doers, *self.undergoes, *self.receivers)))


@dataclass(frozen=True, slots=True)
class Sense:
    """A family that a relation belongs to, and whether the subject of its triples is the doer."""

    family: Family
    subject_does: bool

    @property
    def nouns(self) -> frozenset[str]:
        """Nouns of the family that are no verbs as well."""
        return frozenset((*self.family.doers, *self.family.receivers)) - {*self.family.does, *self.family.undergoes}

    def noun_is_subject(self, noun: str) -> bool | None:
        """Whether a noun of the family names the subject of the triples; None for another noun."""
        own = stem(noun)
        for nouns, does in ((self.family.doers, True), (self.family.receivers, False)):
            if any(_stems(each)[-1] == own for each in nouns):
                return does == self.subject_does
        return None

    def verb_is_subject(self, words: Collection[str], *, passive: bool) -> bool | None:
        """Whether the grammatical subject of some words is that of the triples; None where they are not of the family.

        The longest phrase decides: "works under" is said of the receiver, "works" by itself of nobody.
        """
        said = {stem(word) for word in words}
        best: tuple[int, bool] | None = None
        for phrases, does in ((self.family.does, True), (self.family.undergoes, False)):
            for phrase in phrases:
                stems = _stems(phrase)
                if said.issuperset(stems) and (best is None or len(stems) > best[0]):
                    turned = passive and does and not _is_participle(phrase)
                    best = (len(stems), (does != turned) == self.subject_does)
        return None if best is None else best[1]

    def goes_both_ways(self, verb: str) -> bool:
        """Whether a verb by itself is said of either: actors star in films, and films star actors."""
        own = (stem(verb),)
        return all(own in map(_stems, phrases) for phrases in (self.family.does, self.family.undergoes))

    def is_turned(self, phrase: str) -> bool:
        """Whether a phrase is said of the object of the triples."""
        return phrase in (self.family.undergoes if self.subject_does else self.family.does)


def senses_of(relation: str, types: Sequence[str] = ()) -> tuple[Sense, ...]:
    """The families that a relation belongs to by its name, whatever names its types say.

    >>> [sense.subject_does for sense in senses_of("managed_by")[:1]], senses_of("acidity")
    ([False], ())
    """
    words = spelt_out(relation, types)
    led = len(words) > 1 and words[0] in LEADING
    words = words[1:] if led else words
    typed = {stem(word) for type in types for word in upper_snake(type).lower().split("_")}
    bare = [word for word in words if stem(word) not in typed]
    for form in _forms(words, bare):
        found = tuple(_senses(form, words))
        if found:
            return found
    return ()


def written_out(word: str, types: Sequence[str] = ()) -> str:
    """A word of a name, in full where it is an abbreviation: of a common word, or of a type.

    >>> written_out("loc"), written_out("ing", ["dish", "ingredient"]), written_out("treats", ["Drug"])
    ('location', 'ingredient', 'treats')
    """
    known: dict[str, str] = word_table("abbreviations.json")
    if word in known:
        return known[word]
    named = (part for type in types for part in upper_snake(type).lower().split("_"))
    longer = [part for part in named if SHORTEST <= len(word) <= len(part) - SHORTEST and part.startswith(word)]
    return longer[0] if longer else word


def spelt_out(name: str, types: Sequence[str] = ()) -> list[str]:
    """The words of a name, abbreviations in full: of common words, and of types.

    >>> spelt_out("ann_qty"), spelt_out("placeOfBirth")
    (['ann', 'quantity'], ['place', 'of', 'birth'])
    """
    return [part for word in plain_name(name).split() for part in written_out(word, types).split("_")]


def is_mutual(relation: str, types: Sequence[str]) -> bool:
    """Whether a relation holds both ways by what it means, even if stated once: spouse, neighbour, roped_with.

    >>> is_mutual("spouse", ["Person"]), is_mutual("parent", ["Person"]), is_mutual("spouse", ["Person", "City"])
    (True, False, False)
    """
    if len(set(types)) != 1:
        return False
    *before, last = upper_snake(relation).lower().split("_")
    if last == "with" and before and before[-1] not in word_table("relations.json")["one way"]:  # not "replaced with"
        return True
    found = senses_of(relation, types)
    return any(not {*each.family.doers}.isdisjoint(each.family.receivers) for each in found)


def synonyms_of(relation: str, types: Sequence[str] = ()) -> tuple[str, ...]:
    """Other words for a relation, from either end.

    >>> "boss" in synonyms_of("reports_to"), "boss" in synonyms_of("date_of_birth")
    (True, False)
    """
    return tuple(dict.fromkeys(phrase for each in senses_of(relation, types) for phrase in each.family.phrases))


def has_synonyms(word: str) -> bool:
    """Whether a word by itself is listed for some relation, and so means that and no other."""
    return any((stem(word),) in table for table in _index())


def names_roles(word: str) -> bool:
    """Whether a word in the plural names those who do or undergo something, and is no verb.

    >>> names_roles("operators"), names_roles("children"), names_roles("causes"), names_roles("treats")
    (True, True, False, False)
    """
    return word in _role_plurals()


@cache
def _role_plurals() -> frozenset[str]:
    families = {family for listed in (*_index()[0].values(), *_index()[1].values()) for family, _ in listed}
    nouns = {noun for each in families for noun in (*each.doers, *each.receivers) if noun.endswith(NOUN_ENDINGS)}
    verbs = {verb for each in families for verb in (*each.does, *each.undergoes)} | VERBS_TOO
    return frozenset(word_table("asking.json")["noun relations"]) | {plural(noun) for noun in nouns - verbs}


def _forms(words: list[str], bare: list[str]) -> Iterator[list[str]]:
    """A name as it is, without its last particle, without the words for its types, and its last word alone."""
    for each in (words, bare):
        if each:
            yield each
            if len(each) > 1 and each[-1] in PARTICLES:
                yield each[:-1]
    if len(words) > 1 and words[-1] not in PARTICLES and (stem(words[-1]),) in _index()[0]:
        yield words[-1:]


def _senses(form: list[str], words: list[str]) -> Iterator[Sense]:
    """The families that list a form nearest to their beginning."""
    nouns, verbs = _index()
    stems = tuple(stem(word) for word in form)
    whole, ends = form[-1] == words[-1], words[-1]
    as_noun, as_verb = nouns.get(stems, ()), verbs.get(stems, ())
    if as_noun and (not as_verb or _is_noun(form, ends)):
        for family, does in as_noun:
            yield Sense(family, does == (ends == "of"))
        return
    for family, does in as_verb:
        yield Sense(family, does != (ends == "by" and not whole))


def _is_noun(form: list[str], last: str) -> bool:
    """Whether a name that may be both is a noun: "coach", "coach of", not "coaches" or "coached by"."""
    word = form[-1]
    verbal = word.endswith(("s", "ed", "ing")) and not word.endswith("ss")
    return len(form) == 1 and not verbal and not is_irregular(word) and (last == word or last == "of")


def _is_participle(phrase: str) -> bool:
    """Whether a phrase is written in the passive: "married to"."""
    first = phrase.split()[0]
    return first.endswith("ed") or is_irregular(first)


@cache
def _stems(phrase: str) -> Stems:
    return tuple(stem(word) for word in phrase.split())


@cache
def _index() -> tuple[dict[Stems, tuple[tuple[Family, bool], ...]], dict[Stems, tuple[tuple[Family, bool], ...]]]:
    """By the stems of nouns, and of verbs: the families that list them first, and whether of the doer."""
    found: tuple[dict[Stems, list[tuple[int, Family, bool]]], dict[Stems, list[tuple[int, Family, bool]]]] = ({}, {})
    for line in word_table("families.json"):
        doers, does, receivers, undergoes = (
            tuple(each.strip() for each in column.split(",") if each.strip()) for column in line.split("|")
        )
        family = Family(doers, does, receivers, undergoes)
        columns = ((0, doers, True), (1, does, True), (0, receivers, False), (1, undergoes, False))
        for number, phrases, of_doer in columns:
            for at, phrase in enumerate(phrases):
                found[number].setdefault(_stems(phrase), []).append((at, family, of_doer))
    nouns, verbs = ({stems: _first(listed) for stems, listed in table.items()} for table in found)
    return nouns, verbs


def _first(listed: list[tuple[int, Family, bool]]) -> tuple[tuple[Family, bool], ...]:
    least = min(at for at, _, _ in listed)
    return tuple((family, of_doer) for at, family, of_doer in listed if at == least)
