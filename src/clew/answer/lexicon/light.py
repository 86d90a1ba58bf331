"""Verbs that say little by themselves (use, lie, fall under, make up) and the relations that they may stand for.

A light verb has senses (place, part, class, use, …), and so has a relation, by the words of its name: "lie" may stand
for *located_in*, never for *resembles*. The lists are English and in light.json.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from clew.answer.lexicon.forms import plain_name, root, stem, tokens_of, word_table
from clew.store.layout import Relationship, StoreSchema, upper_snake

__all__ = ["is_light", "senses_of_relation", "senses_of_verb"]

HIERARCHIES = ("is_a", "subclass_of")
PHRASAL = frozenset({"over", "up", "off", "out", "down", "away", "back"})  # with which a verb means something else
INSIDE = frozenset({"in", "at", "within"})


@cache
def is_light(verb: str) -> bool:
    """Whether a verb is light, alone or with some particle."""
    return stem(verb) in {first for first, _ in _verbs()}


def senses_of_verb(verb: str, particles: Iterable[str] = ()) -> frozenset[str]:
    """What a verb may mean, with one of its particles or by itself; nothing for one that is not light.

    >>> sorted(senses_of_verb("fell", ["under"])), sorted(senses_of_verb("discover"))
    (['class', 'part'], [])
    >>> senses_of_verb("take", ["over", "from"])  # which is no taking
    frozenset()
    """
    table, own, low = _verbs(), stem(verb), [each.lower() for each in particles]
    with_particle = [table[own, each] for each in low if (own, each) in table]
    if with_particle or not PHRASAL.isdisjoint(low):
        return frozenset().union(*with_particle)
    return table.get((own, ""), frozenset())


def senses_of_relation(relation: Relationship, schema: StoreSchema) -> frozenset[str]:
    """What a relation may mean, by the words of its name; of one that says "has" by those of its object's type too."""
    if relation.relation in HIERARCHIES:
        return frozenset({"class", "part"})
    words = plain_name(relation.called).split()
    if words[0] in ("has", "have"):
        words += [
            word for ends in relation.ends for word in upper_snake(schema.type_of(ends.object)).lower().split("_")
        ]
    inside = {"place", "part"} if words[0] in INSIDE or words[:2] == ["is", "in"] else set()
    said = {form for word in words for form in (stem(word), root(word))}
    named = {sense for word in words for sense in _verbs().get((stem(word), ""), ())}  # lies_on, belongs_to
    return frozenset(inside.union(named, (sense for sense, listed in _relations().items() if said & listed)))


@cache
def _verbs() -> Mapping[tuple[str, str], frozenset[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for sense, phrases in word_table("light.json")["verbs"].items():
        for phrase in phrases:
            first, *rest = (token.text for token in tokens_of(phrase))
            found.setdefault((stem(first), " ".join(rest)), set()).add(sense)
    return {phrase: frozenset(senses) for phrase, senses in found.items()}


@cache
def _relations() -> Mapping[str, frozenset[str]]:
    listed = word_table("light.json")["relations"]
    return {
        sense: frozenset(form for word in words for form in (stem(word), root(word))) for sense, words in listed.items()
    }
