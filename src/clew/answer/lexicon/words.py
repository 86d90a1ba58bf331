"""What people call the types and relations of a graph: "signs" are phenotypes, "linked to" is associated_with.

The words of common biomedical types and relations come from words.json; any other is called by its own name. More
can be added for a graph of one's own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clew.answer.lexicon.families import senses_of, synonyms_of
from clew.answer.lexicon.forms import Token, core_name, plain_name, root, singular, stem, tokens_of, word_table
from clew.answer.lexicon.kinds import other_nouns
from clew.answer.lexicon.phrases import (
    TRAILING,
    VERB_PARTICLES,
    is_doer,
    is_verb_name,
    phrases_of,
    roots_of,
    spoken_phrases,
)
from clew.answer.lexicon.type_words import TypeWord, heads, phrase_index, type_words
from clew.store.layout import Relationship, StoreSchema, upper_snake

__all__ = ["Said", "Words", "known_words"]

PLACING = frozenset({"in", "at"})  # "where is A based" says neither, and never means "based on"
WHERE = stem("where")
OWN_NAME = 0.1  # bonus of a relation's own name over an everyday word
LESS_CLEARLY = 0.6
EVERY, UNINFLECTED = "every", frozenset({"no", "nor", "not"})
SAME_BEGINNING = 6  # letters that an adjective shares with the name of the type it is made from
SHORTEST_SLIP, LONG_WORD = 5, 8  # letters of a word that is misspelt, and of one that may be so twice


@dataclass(frozen=True, slots=True)
class Said:
    """How clearly a relation is mentioned, and by which words of a text."""

    clearly: float
    places: frozenset[int]


def known_words() -> Mapping[str, Mapping[str, list[str]]]:
    """The everyday words of common types and relations that Clew brings along."""
    table: Mapping[str, Mapping[str, list[str]]] = word_table("words.json")
    return table


class Words:
    """The words for one graph's types and relations; `is_name` says whether a noun names an entity of the graph."""

    def __init__(
        self,
        schema: StoreSchema,
        *,
        more: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
        is_name: Callable[[str], bool] = lambda noun: False,
    ) -> None:
        known: Any = _merged(known_words(), more or {})
        self.schema = schema
        self.everyday: Mapping[str, list[str]] = known["everyday"]  # lay words → what graphs call it
        others = other_nouns(label.type for label in schema.labels)
        free = {type: [noun for noun in nouns if not is_name(noun)] for type, nouns in others.items()}  # not "herbs"
        self.types = {
            label.name: list(dict.fromkeys([*phrases_of(label.type, known["types"]), *free[label.type]]))
            for label in schema.labels
        }
        self.verbs = {label.name: known["verbs"].get(label.type, []) for label in schema.labels}
        both = {
            name: [*known["relations"].get(name, ()), *known["reversed"].get(name, ())]
            for name in {**known["relations"], **known["reversed"]}
        }
        self.classes = {name: {stem(word) for word in listed} for name, listed in word_table("asking.json").items()}
        self._senses = {each.name: senses_of(each.called, _types_of(each)) for each in schema.relationships}
        self._listed = {each.name: phrases_of(each.relation, both, each.called) for each in schema.relationships}
        taken = {phrase for phrases in self.types.values() for phrase in phrases}
        self.relations = {
            each.name: [
                *self._listed[each.name],
                *(
                    phrase
                    for phrase in synonyms_of(each.called, _types_of(each))
                    if phrase not in self._listed[each.name] and phrase not in taken and not self._says_nothing(phrase)
                ),
            ]
            for each in schema.relationships
        }
        own = {label.name: [plain_name(label.type)] for label in schema.labels}
        self._type_index = {**heads(phrase_index(own, singular)), **phrase_index(self.types, singular)}
        elsewhere = phrase_index(
            {name: phrases for name, phrases in known["types"].items() if name not in self.types}, singular
        )
        self._beginnings = {
            word[:SAME_BEGINNING] for (name,) in own.values() for word in name.split() if len(word) > SAME_BEGINNING
        }
        self._foreign_index = {phrase: () for phrase in elsewhere if phrase not in self._type_index}
        self._verb_index = phrase_index(self.verbs, stem)
        self._spoken = {
            each.name: spoken_phrases(self.relations[each.name], each.called) for each in schema.relationships
        }
        spoken = [phrase for family in (self.relations, self.verbs) for listed in family.values() for phrase in listed]
        asking = [*spoken, *known["asking"]["words"]]
        self._agents = {label for label, phrases in self.types.items() if any(map(self._is_agent, phrases))}
        self._roots = {
            each.name: roots_of(self._listed[each.name], self.relations[each.name], core_name(each.called))
            for each in schema.relationships
        }
        self._cores = {each.name: upper_snake(core_name(each.called)) for each in schema.relationships}
        turned = {upper_snake(name): phrases for name, phrases in known["reversed"].items()}
        self._reversed = {
            each.name: {stem(word) for phrase in turned.get(self._cores[each.name], ()) for word in phrase.split()}
            - self.classes["frame"]
            for each in schema.relationships
        }
        nouns = {(stem(noun),) for senses in self._senses.values() for sense in senses for noun in sense.nouns}
        self._verbs = {
            phrase.stems[0]
            for phrases in self._spoken.values()
            for phrase in phrases
            if phrase.stems[0] not in self.classes["frame"]
            and phrase.stems not in nouns
            and (len(phrase.stems) == 1 or phrase.stems[1] in VERB_PARTICLES)
        }
        self._explained = {token.stem for phrase in asking for token in tokens_of(phrase)}
        said = [phrase for phrases in (*self._listed.values(), *self.verbs.values()) for phrase in phrases]
        self._asking = {token.stem for phrase in (*said, *known["asking"]["words"]) for token in tokens_of(phrase)}
        listed = [phrase for family in (self.types, self.verbs) for phrases in family.values() for phrase in phrases]
        right = (token for phrase in [*asking, *listed] for token in tokens_of(phrase))
        spelt = list(right)
        self._right = {token.stem: token.text for token in spelt if len(token.stem) >= SHORTEST_SLIP}
        self._swapped = {  # a short word with two letters exchanged: "bron", "wrok"
            "".join(sorted(token.text.lower())): token.text for token in spelt if len(token.text) == SHORTEST_SLIP - 1
        }

    def read(self, text: str, *, is_right: Callable[[str], bool], more: Iterable[str] = ()) -> list[Token]:
        """The words of a question, with slips of the pen in those that ask put right ("wich sympoms").

        What `is_right` says of a name or an English word is left as it is; `more` are other words that may be meant.
        """
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extractOne

        tokens = []
        spelt = {**{stem(word): word for word in more if len(word) >= SHORTEST_SLIP}, **self._right}
        for token in tokens_of(text):
            known = token.stem in self._explained or self.find_types([token])
            if not known and len(token.stem) >= SHORTEST_SLIP - 1 and not is_right(token.text):
                most = 1 if len(token.stem) < LONG_WORD else 2
                meant = extractOne(token.stem, spelt.keys(), scorer=OSA.distance, score_cutoff=most)
                right = spelt[meant[0]] if meant else self._swapped.get("".join(sorted(token.text.lower())))
                token = Token(right, token.start, token.end) if right else token
            tokens.append(token)
        return tokens

    def name_of(self, label: str) -> str:
        """The everyday name of a type, in the singular."""
        return self.types[label][0]

    def find_types(self, tokens: list[Token]) -> list[TypeWord]:
        """Words that name types, the longest first where they overlap, in the order of the text."""
        found = [
            *type_words(tokens, self._type_index, singular, implied=False),
            *type_words(tokens, self._verb_index, stem, implied=True),
        ]
        found = [word for word in found if tokens[word.first].text.lower() != EVERY]  # "every one" of what was said
        found.sort(key=lambda word: (word.implied, word.first - word.last, word.first))
        kept: list[TypeWord] = []
        for word in found:
            if all(word.last <= other.first or word.first >= other.last for other in kept):
                kept.append(word)
        return sorted(kept, key=lambda word: word.first)

    def find_foreign(self, tokens: list[Token]) -> list[TypeWord]:
        """Words for types that other graphs have and this one does not: nobody can list its drugs."""
        return list(type_words(tokens, self._foreign_index, singular, implied=False))

    def is_said_of_a_type(self, word: str) -> bool:
        """Whether a word is made from the name of a type: "phenotypic", "anatomical"."""
        return len(word) > SAME_BEGINNING and word.lower()[:SAME_BEGINNING] in self._beginnings

    def find_roles(self, tokens: Sequence[Token], typed: Iterable[TypeWord]) -> Iterator[TypeWord]:
        """Nouns that name no type but what part something has in a relation: neighbours, members, directors."""
        taken = {at for word in typed if not word.implied for at in range(word.first, word.last)}
        for at, token in enumerate(tokens):
            if at in taken or self.is_class("frame", token.text) or not token.text.lower().endswith("s"):
                continue
            labels = [
                label
                for each in self.schema.relationships
                if self.is_own(each.name, token.text) and self.binds(each.name, token.text)
                for ends in each.ends
                for label in (ends.subject, ends.object)
            ]
            if labels:
                yield TypeWord(at, at + 1, tuple(dict.fromkeys(labels)))

    def explains(self, stemmed: str) -> bool:
        """Whether a word belongs to how people ask, or to what relations are called here, and so names nothing."""
        return stemmed in self._explained

    def is_asking(self, stemmed: str) -> bool:
        """The same without synonyms: a synonym of a relation that is spelt like a name is one."""
        return stemmed in self._asking

    def says(self, relation: str, stems: Sequence[str], *, where: bool = False) -> float:
        """How clearly a text mentions a relation: 0 for not at all, more for longer phrases, most for its own name.

        `where` if it is of a question that asks where.
        """
        return self._said(relation, stems, where=where).clearly

    def relations_said(self, stems: Sequence[str]) -> dict[str, Said]:
        """The relations that a text mentions."""
        said = {relation: self._said(relation, stems) for relation in self.relations}
        return {relation: each for relation, each in said.items() if each.clearly}

    def places(self, relation: str, stems: Sequence[str]) -> set[int]:
        """The words of a text that belong to any phrase for a relation."""
        found: set[int] = set()
        for phrase in self._spoken[relation]:
            for wanted in (phrase.stems, phrase.stems[:-1] if phrase.stems[-1] in _optional(stems) else ()):
                if wanted and (at := _place(stems, wanted)) is not None:
                    found.update(range(at, at + len(wanted)))
        return found

    def spans(self, relation: str, stems: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Where phrases of several words for a relation stand in a text."""
        for phrase in self._spoken[relation]:
            at = _place(stems, phrase.stems) if len(phrase.stems) > 1 else None
            if at is not None:
                yield at, at + len(phrase.stems)

    def stems_of(self, name: str) -> set[str]:
        """The stems of everything that a type or relation is called."""
        phrases = [name, *self.types.get(name, ()), *self.relations.get(name, ())]
        written = (" ".join(upper_snake(phrase).lower().split("_")) for phrase in phrases)
        return {token.stem for text in written for token in tokens_of(text)}

    def binds(self, relation: str, word: str, particle: str = "") -> bool:
        """Whether a word, in any of its forms, belongs to what a relation is called; with its particle, if any."""
        if not particle:
            return root(word) in self._roots[relation]
        said = (self.stems_in(phrase) for phrase in self.relations[relation])
        return any(stem(word) in stems and particle in stems for stems in said)

    def is_verb(self, word: str) -> bool:
        """Whether a word may be the verb of a phrase for some relation: "direct" of "directed by"."""
        return stem(word) in self._verbs

    def stems_in(self, text: str) -> list[str]:
        """The stems of the words of a text."""
        return [token.stem for token in tokens_of(text)]

    def said_forward(self, relation: str) -> list[str]:
        """The words for a relation that are not said from its other end."""
        turned, senses = self._reversed[relation], self._senses[relation]
        return [
            each
            for each in self.relations[relation]
            if not turned.intersection(self.stems_in(each)) and not any(sense.is_turned(each) for sense in senses)
        ]

    def noun_is_subject(self, relation: str, noun: str) -> bool:
        """Whether "the NOUN of X" is the subject of triples that have X as their object: captain_of, not capital."""
        name = self._cores[relation]
        if (known := self.role_is_subject(relation, noun)) is not None:
            return known
        if stem(noun) in self._reversed[relation]:
            return not name.endswith("_OF")
        if name.endswith("_OF"):
            return True
        return self.is_own(relation, noun) and is_doer(noun) and is_verb_name(name) and not name.endswith("_BY")

    def role_is_subject(self, relation: str, noun: str) -> bool | None:
        """Whether a noun of the families of a relation names its subject; None for other nouns."""
        found = (sense.noun_is_subject(noun) for sense in self._senses[relation])
        return next((known for known in found if known is not None), None)

    def deed_is_subject(self, relation: str, words: Sequence[str], *, passive: bool) -> bool | None:
        """Whether some words of the families of a relation are said of its subject; None for other words."""
        found = (sense.verb_is_subject(words, passive=passive) for sense in self._senses[relation])
        return next((known for known in found if known is not None), None)

    def goes_both_ways(self, relation: str, verb: str) -> bool:
        """Whether a verb of the families of a relation is said of its subject and of its object."""
        return any(sense.goes_both_ways(verb) for sense in self._senses[relation])

    def core(self, relation: str) -> str:
        """What a relation is called without its namespace, in the spelling of queries: WORKS_FOR."""
        return self._cores[relation]

    def is_own(self, relation: str, word: str) -> bool:
        """Whether a word is of the family of a relation's own name."""
        return root(word) in {root(part) for part in self._cores[relation].lower().split("_")}

    def verb_is_subject(self, relation: str, words: Sequence[str], *, passive: bool) -> bool:
        """Whether the subject of a verb is that of a relation's triples: for made_by only if the verb is passive."""
        name = self._cores[relation]
        if (known := self.deed_is_subject(relation, words, passive=passive)) is not None:
            return known
        turned = any(stem(word) in self._reversed[relation] for word in words)
        if not is_verb_name(name):
            doer = any(is_doer(word) for word in name.split("_"))
            return (passive or not doer) != turned
        return (name.endswith("_BY") == passive) != turned

    def may_be_who(self, label: str | None) -> bool:
        """Whether "who" may ask for a type: for people and those who act like them, or where there are none of them."""
        return label is None or label in self._agents or not self._agents

    def is_agent(self, label: str) -> bool:
        """Whether a type is of people or those who act like them."""
        return label in self._agents

    def is_class(self, name: str, word: str) -> bool:
        """Whether a word belongs to a class of words for asking: frame, light, negation ("noted" is no "not"), …"""
        said = stem(word)
        return said in self.classes[name] and (said not in UNINFLECTED or word.lower() == said)

    def _says_nothing(self, phrase: str) -> bool:
        """Whether a synonym is one word that any question may have: "part", "get"."""
        return any(stem(phrase) in self.classes[name] for name in ("frame", "filler", "light", "listing"))

    def _is_agent(self, noun: str) -> bool:
        if noun in word_table("asking.json")["not doers"]:
            return False
        return is_doer(noun) or not self.classes["who"].isdisjoint(self.stems_in(noun))

    def _said(self, relation: str, stems: Sequence[str], *, where: bool = False) -> Said:
        """The small word at the end of a phrase need not be there: "metabolise" matches "metabolised by"."""
        best, optional = Said(0.0, frozenset()), PLACING if where else _optional(stems)
        for phrase in self._spoken[relation]:
            wanted, clearly = phrase.stems, min(1.0, 0.5 + 0.25 * len(phrase.stems))
            at = _place(stems, wanted)
            if at is None and len(wanted) > 1 and wanted[-1] in optional:
                wanted, clearly = wanted[:-1], LESS_CLEARLY
                at = _place(stems, wanted)
            if at is not None and clearly + OWN_NAME * phrase.own > best.clearly:
                best = Said(clearly + OWN_NAME * phrase.own, frozenset(range(at, at + len(wanted))))
        return best


def _optional(stems: Sequence[str]) -> frozenset[str]:
    """The small words that a question need not say at the end of a phrase."""
    return PLACING if WHERE in stems else TRAILING


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, dict[str, list[str]]]:
    return {
        family: {
            name: [*other.get(family, {}).get(name, ()), *one[family].get(name, ())]
            for name in {**one[family], **other.get(family, {})}
        }
        for family in one
    }


def _types_of(relation: Relationship) -> tuple[str, ...]:
    """The types that a relation leads from and to."""
    return tuple(dict.fromkeys(label for ends in relation.ends for label in (ends.subject, ends.object)))


def _place(stems: Sequence[str], wanted: tuple[str, ...]) -> int | None:
    """Where a run of words begins in a text, if it is there."""
    if wanted and wanted[0] not in stems:
        return None
    last = len(stems) - len(wanted)
    return next((at for at in range(last + 1) if tuple(stems[at : at + len(wanted)]) == wanted), None)
