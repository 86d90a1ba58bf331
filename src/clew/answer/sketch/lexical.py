"""How well words of a question fit parts of a graph's schema: relations, types, attributes and columns of statements.

Every fit is between 0 and 1: 1 for the part's own name, less for synonyms and everyday words, less still for words
that are only near in meaning, and little for words that say nothing by themselves ("of", "have").
"""

import itertools
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, lru_cache

from clew.answer.hearing.linking import Meant, SchemaItem, schema_items
from clew.answer.lexicon.forms import plain_name, stem, tokens_of, word_table
from clew.answer.lexicon.light import senses_of_relation, senses_of_verb
from clew.answer.lexicon.words import Words
from clew.answer.values.attributes import Attribute
from clew.answer.values.vocabulary import Vocabulary
from clew.embed import Encoder
from clew.embed.cached import CachedEncoder
from clew.graph.encode import UNTYPED
from clew.store.layout import Relationship, StoreSchema

__all__ = ["Lexical", "agreed"]

SMALL = frozenset(word_table("sketch.json")["small"])  # words that mean no relation by themselves
REPORTING = frozenset(word_table("sketch.json")["reporting"])  # words that say no more than that there is a relation
NEAR, SAME = 0.35, 0.85  # cosines of words that have nothing to do with each other, and of those that mean one thing
OWN, SAID, LIGHT, NEARBY, BARE = 1.0, 0.9, 0.6, 0.75, 0.45
REMEMBERED = 4096  # phrases and their fits, texts and their vectors
GUESSED = 0.7  # of a nearness of words that the linker does not see
LISTED = 0.6  # of words on a list that the linker takes for something else
HEARD, MEANT = 0.1, 0.4  # shares from which words that are a value, or resemble one, mean its attribute
ALIKE = 4  # letters that two words must begin with to resemble each other
UNKNOWN = 0.35  # of a type that a noun may name for all that is known
JUDGING = frozenset(word_table("sketch.json")["judging"])  # words whose measure is the speaker's
PEOPLE = frozenset(word_table("sketch.json")["people"])  # nouns and pronouns for anybody
TRUE, FALSE = frozenset({"true", "yes", "y", "1", "t"}), frozenset({"false", "no", "n", "0", "f"})
COLUMN_WORDS = word_table("sketch.json")["columns"]  # what people say for common columns of statements


class Lexical:
    """The words of one graph; what was computed last is remembered."""

    def __init__(
        self,
        schema: StoreSchema,
        words: Words,
        vocabulary: Vocabulary,
        encoder: Encoder | None = None,
        column_values: Mapping[str, Sequence[str]] | None = None,
        numeric: Collection[str] = (),
    ) -> None:
        self.schema, self.words, self.vocabulary = schema, words, vocabulary
        self.numeric = numeric  # columns of statements that hold numbers
        self._column_values = {
            key: {value.lower(): value for value in values} for key, values in (column_values or {}).items()
        }
        self.relation = lru_cache(REMEMBERED)(self._relation)
        self._vectors = None if encoder is None else CachedEncoder(encoder, max_in_memory=REMEMBERED)

    @cached_property
    def items(self) -> tuple[SchemaItem, ...]:
        """The parts of the schema that words can mean."""
        return schema_items(self.schema, self.vocabulary.attributes)

    # relations ------------------------------------------------------------------------------------------------------

    def _relation(self, phrase: str, relation: Relationship, left: str = "", right: str = "") -> float:
        """How well a phrase between two kinds of things means a relation."""
        said = [token.text for token in tokens_of(phrase)]
        content = [word for word in said if word.lower() not in SMALL and not self.qualifies(word, relation)]
        own = [word for word in content if self.words.is_own(relation.name, word)]
        bound = [word for word in content if self.words.binds(relation.name, word)]
        open_ = [word for word in content if word not in own and word not in bound and word.lower() not in REPORTING]
        if not open_ and not own and not bound:
            return self._bare(said, relation)
        met = [OWN if word in own else SAID for word in content if word in own or word in bound]
        fit = sum(met) / len(met) * (1 - len(open_) / len(content)) ** 2 if met else 0.0
        if fit < LIGHT and len(content) == 1:
            senses = senses_of_verb(content[0], [word for word in said if word.lower() in SMALL])
            if senses & senses_of_relation(relation, self.schema):
                fit = max(fit, LIGHT)
        if fit < NEARBY:
            fit = max(fit, NEARBY * self._near(f"{left} {phrase} {right}".strip(), phrase, relation))
        return fit

    def _bare(self, said: Sequence[str], relation: Relationship) -> float:
        """Of words that say little: more where the relation is called by the same small word."""
        parts = set(plain_name(relation.called).split())
        senses = senses_of_verb(said[0], said[1:]) if said else frozenset()
        also = bool(senses & senses_of_relation(relation, self.schema))
        return BARE + 0.2 * bool(parts & {word.lower() for word in said}) + 0.1 * also

    def _near(self, whole: str, phrase: str, relation: Relationship) -> float:
        if self._vectors is None:
            return 0.0
        name = plain_name(relation.called)
        best = max(relation.ends, key=lambda ends: ends.count)
        typed = f"{plain_name(self.schema.type_of(best.subject))} {name} {plain_name(self.schema.type_of(best.object))}"
        rows = self._vectors.encode([phrase, name, whole, typed])
        bare, with_types = float(rows[0] @ rows[1]), float(rows[2] @ rows[3])
        return _scaled(max(bare, 0.5 * bare + 0.5 * with_types))

    # types ----------------------------------------------------------------------------------------------------------

    def types(self, phrase: str, meant: Meant | None = None) -> tuple[list[tuple[str, float]], list[str]]:
        """The labels that a noun phrase may name, best first, and the words beside the noun that says so."""
        tokens = tokens_of(phrase)
        found: dict[str, float] = {}
        beside = [token.text for token in tokens]
        for word in self.words.find_types(tokens):
            if word.last == len(tokens) and not word.implied:
                found |= dict.fromkeys(word.labels, OWN)
                beside = [token.text for token in tokens[: word.first] if token.text.lower() not in SMALL]
        if found:
            return list(found.items()), beside
        people = [word.text for word in tokens if word.text.lower() in PEOPLE]
        if people:
            return [(label, SAID) for label in self.who], []
        for label in self.schema.labels:
            near = self._cosine(phrase, plain_name(label.type))
            found[label.name] = UNKNOWN + (NEARBY - UNKNOWN) * _scaled(near)
            if meant is not None:
                found[label.name] = max(meant.type(label.name), GUESSED * found[label.name])
        return sorted(found.items(), key=lambda each: -each[1]), []

    def is_type(self, noun: str) -> bool:
        """Whether a noun is a word for a type of the graph."""
        return any(not word.implied for word in self.words.find_types(tokens_of(noun)))

    # attributes -----------------------------------------------------------------------------------------------------

    def attributes(
        self, phrase: str, labels: Sequence[str], meant: Meant | None = None
    ) -> list[tuple[Attribute, float, bool | None]]:
        """The attributes that words may mean of some labels, best first, and whether they mean much of it."""
        lowered = " ".join(phrase.lower().split())
        vocabulary, found = self.vocabulary, dict[Attribute, tuple[float, bool | None]]()

        def put(attribute: Attribute, fit: float, much: bool | None = None) -> None:
            if (not labels or attribute.label in labels) and fit > found.get(attribute, (0.0, None))[0]:
                found[attribute] = (fit, much if much is not None else found.get(attribute, (0.0, None))[1])

        words = [word.lower() for word in (token.text for token in tokens_of(phrase))]
        pairs = [f"{a} {b}" for a, b in itertools.pairwise(words)]  # before their words: "least tall" is not tall
        forms = dict.fromkeys([lowered, *pairs, *words])
        for form in forms:
            whole = 1.0 if form == lowered else 0.9
            for attribute in (*vocabulary.nouns.get(form, ()), *vocabulary.counted.get(form, ())):
                put(attribute, OWN * whole, self._much(words, attribute))
            for graded in vocabulary.graded(form):
                put(graded.attribute, SAID * whole, graded.much)
            for attribute in vocabulary.verbs.get(form, ()) or vocabulary.verbs.get(stem(form), ()):
                put(attribute, SAID * whole)
        for attribute in vocabulary.attributes:
            title = attribute.title.split()
            shared = {stem(word) for word in title} & {stem(word) for word in words if word not in SMALL}
            if shared:
                content = [word for word in words if word not in SMALL]
                put(attribute, SAID * len(shared) / max(len(content), 1), self._much(words, attribute))
            elif not labels or attribute.label in labels:
                near = _scaled(self._cosine(phrase, attribute.title))
                if near > 0.3:
                    put(attribute, NEARBY * near, self._much(words, attribute))
        generic = [vocabulary.generic[word] for word in words if word in vocabulary.generic]
        if not found and generic:
            for attribute in vocabulary.attributes:
                if attribute.kind == "number":
                    put(attribute, LIGHT * 0.7, generic[0])
        if meant is not None and not JUDGING & set(words):
            known = {
                each: (each.label, each.key) for each in vocabulary.attributes if not labels or each.label in labels
            }
            for each, key in known.items():
                fit, much = found.get(each, (0.0, None))
                found[each] = (agreed(fit, meant.attribute(key, known.values())), much)
        listed = [(attribute, fit, much) for attribute, (fit, much) in found.items()]
        return sorted(listed, key=lambda each: -each[1])

    def _much(self, words: Sequence[str], attribute: Attribute) -> bool | None:
        said = [self.vocabulary.direction(word, attribute) for word in words]
        return next((each for each in said if each is not None), None)

    def classes(self, phrase: str, labels: Sequence[str]) -> list[tuple[Attribute, str]]:
        """Values of text attributes that a describing word is: "wooden", "retired", "Turkish-language"."""
        said = phrase.lower().replace("-", " ").split()
        found = list(self.vocabulary.classes.get(" ".join(phrase.lower().split()), ()))
        for first in range(1, len(said)):  # a value, and behind it what it is the value of
            valued = self.vocabulary.classes.get(" ".join(said[:first]), ())
            found += [each for each in valued if set(said[first:]) <= set(each[0].title.lower().split())]
        return [each for each in found if not labels or each[0].label in labels]

    def stated(self, phrase: str, labels: Sequence[str], meant: Meant | None = None) -> list[tuple[Attribute, str]]:
        """An attribute of yes or no that describing words are, with its yes: "electrified", "step-free"."""
        for attribute, fit, _ in self.attributes(phrase, labels, meant):
            low = {value.lower(): value for value in attribute.values}
            yes = [value for value in low if value in TRUE]
            if fit >= LIGHT and yes and low.keys() <= TRUE | FALSE:
                return [(attribute, low[yes[0]])]
        return []

    def valued(self, phrase: str, labels: Sequence[str], meant: Meant | None) -> list[tuple[Attribute, str]]:
        """The value that describing words resemble, of a text attribute that the linker takes them for: "speech" of a
        therapist whose profession is *speech therapy*, "wooden" of a hull of *wood*."""
        said = [word for token in tokens_of(phrase) if (word := stem(token.text)) not in SMALL]
        found = []
        for attribute in self.vocabulary.attributes if meant is not None and said else ():
            share = meant.attributes.get((attribute.label, attribute.key), 0.0) if meant is not None else 0.0
            if share < HEARD or not attribute.values or (labels and attribute.label not in labels):
                continue
            stems = {each: [stem(word) for word in each.lower().split()] for each in attribute.values}
            same = [each for each, own in stems.items() if own == said]
            alike = [each for each, own in stems.items() if any(_resemble(a, b) for a in own for b in said)]
            chosen = same or (alike if share >= MEANT else [])
            found += [(share, attribute, each) for each in chosen] if len(chosen) == 1 else []
        return [(attribute, value) for _, attribute, value in sorted(found, key=lambda each: -each[0])]

    # columns of statements ------------------------------------------------------------------------------------------

    def columns(self, phrase: str, relation: Relationship, meant: Meant | None = None) -> list[tuple[str, float]]:
        """The columns of a relation's statements that words may mean, best first."""
        said = [token.text.lower() for token in tokens_of(phrase)]
        content = [word for word in said if word not in SMALL]
        documents = word_table("qualifiers.json")["documents"]
        found = []
        for each in relation.properties:
            name = plain_name(each.column.removeprefix("qualifier:"))
            own = {stem(word) for word in name.split()}
            usual = {listed for word in name.split() for listed in COLUMN_WORDS.get(word, ())}
            if own & {stem(word) for word in content}:
                fit = OWN
            elif any(singular_of(word) in documents.get(each.name, ()) for word in content):
                fit = SAID
            elif usual & set(said):
                fit = SAID * (1.0 if usual & set(content) else 0.8)
            else:
                near = _scaled(self._cosine(" ".join(content), name)) if content else 0.0
                fit = NEARBY * near
            if meant is not None:
                keys = [(relation.name, other.name) for other in relation.properties]
                fit = agreed(fit, meant.column((relation.name, each.name), keys))
            if fit > 0.3:
                found.append((each.name, fit))
        return sorted(found, key=lambda each: -each[1])

    def qualifies(self, word: str, relation: Relationship) -> bool:
        """Whether a word beside a relation is a value of its statements, and none of its own words: *severe*."""
        return not self.words.binds(relation.name, word) and self.column_value(word, relation) is not None

    def column_value(self, phrase: str, relation: Relationship | None = None) -> tuple[str, str] | None:
        """The column of statements, of one relation or of any, that has a phrase for a value, and the value."""
        low = " ".join(phrase.lower().split())
        keys = self._column_values if relation is None else [each.name for each in relation.properties]
        for key in keys:
            values = self._column_values.get(key, {})
            found = next((values[form] for form in (low, singular_of(low)) if form in values), None)
            if found is not None:
                return key, found
        return None

    # vectors --------------------------------------------------------------------------------------------------------

    def _cosine(self, one: str, other: str) -> float:
        if self._vectors is None:
            return 0.0
        rows = self._vectors.encode([one, other])
        return float(rows[0] @ rows[1])

    @cached_property
    def has_people(self) -> bool:
        """Whether some type of the graph is one of people."""
        nouns = [plain_name(label.type) for label in self.schema.labels]
        return any(noun.endswith(("ist", "ian", "ee", "person")) or self.words.is_class("who", noun) for noun in nouns)

    @cached_property
    def untyped(self) -> list[str]:
        """The label of entities whose type is not stated, where there is one beside others."""
        return [label.name for label in self.schema.labels if label.type == UNTYPED and len(self.schema.labels) > 1]

    @cached_property
    def who(self) -> list[str]:
        """Labels that "who" may ask for."""
        people = [label.name for label in self.schema.labels if label.type.lower().endswith("ee")]
        return [*people, *(each.name for each in self.schema.labels if self.words.may_be_who(each.name))]


def _resemble(one: str, other: str) -> bool:
    """Whether one word begins with the other."""
    return one == other or (min(len(one), len(other)) >= ALIKE and (one.startswith(other) or other.startswith(one)))


def agreed(fit: float, probability: float) -> float:
    """How well words fit by lists of words and by the linker: what only the lists say is less than what both say."""
    return max(fit * (LISTED + (1 - LISTED) * probability), probability) if fit >= SAID else max(fit, probability)


def _scaled(cosine: float) -> float:
    return min(1.0, max(0.0, (cosine - NEAR) / (SAME - NEAR)))


def singular_of(word: str) -> str:
    """A noun without the ending of its plural."""
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")
