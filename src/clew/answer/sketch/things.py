"""The things that a sketch talks about: the types that their nouns name, or what else the nouns say.

"Westerns" is no type but names an entity, "players" a part in a relation, and "patients with A" are A where a graph
knows no patients.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from clew.answer.hearing.linking import Has, LinkedQuestion, Meant
from clew.answer.lexicon.forms import word_table
from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.sketch.lexical import PEOPLE, SMALL, Lexical
from clew.answer.sketch.sketch import Ref, Said, Sketch, Statement, Word

__all__ = ["WHO", "Find", "Things", "Unmet", "of_cases"]

WHO = frozenset(word_table("sketch.json")["who"])  # words that ask for people
NAMING = frozenset(word_table("sketch.json")["naming"])  # words between a noun and its name: "a beer called A"
CASES = frozenset(word_table("sketch.json")["cases"])  # nouns for those who have something, in graphs without people
EXCEPTING = frozenset(word_table("sketch.json")["excepting"])  # words for all others: "other than A"
NO_PERSON = 0.6  # of a type that "who" asks for, though nothing says that it is one of people
LIKELY = 0.5  # share from which words mean a relation
HINTED = 0.1  # share from which a noun that is listed for a relation may mean it
CLEARLY = 0.8  # the same where grammar has them for a property
Find = Callable[[str], tuple[Meaning, ...]]


@dataclass(frozen=True, slots=True)
class Unmet:
    """Words that mean nothing of this graph."""

    words: tuple[int, ...]
    why: str


class Things:
    """The things of one sketch in one graph."""

    def __init__(
        self,
        sketch: Sketch,
        words: Sequence[Word],
        anchors: Sequence[Anchor],
        lexical: Lexical,
        has: Has | None,
        find: Find,
        linked: LinkedQuestion | None,
    ) -> None:
        self.words, self.anchors, self.lexical, self.has, self.find = words, anchors, lexical, has, find
        self.linked = linked
        self.meant: dict[int, tuple[Meaning, ...]] = {  # what names may mean; nouns that are names have numbers below 0
            at: anchors[word.name].meanings[:3] for at, word in enumerate(words) if word.name is not None
        }
        self.schema = lexical.schema
        self.unmet: list[Unmet] = []
        self.kinds: dict[Ref, list[tuple[str, float]]] = {}
        self.said: dict[Ref, str] = {}  # the nouns of things
        self.roles: list[Statement] = []  # facts that nouns state by themselves: directors are who directs something
        self.sketch = self._simplified(sketch)
        for each in sketch.statements:
            if each.kind == "fact" and each.left == each.right:
                self.unmet.append(Unmet(each.words, "itself"))

    def is_typed(self, ref: Ref) -> bool:
        """Whether a noun says what a thing is; "who" and "people" do not."""
        return ref in self.said and self.said[ref].split()[-1].lower() not in PEOPLE

    def text(self, numbers: Sequence[int]) -> str:
        return " ".join(self.words[at].text for at in numbers)

    def meant_by(self, numbers: Sequence[int]) -> Meant | None:
        """What the linker takes some words for; None without one, or where there are no words."""
        return self.linked.meant(numbers) if self.linked is not None and numbers else None

    # kinds ----------------------------------------------------------------------------------------------------------

    def _simplified(self, sketch: Sketch) -> Sketch:
        """With a type for each noun, or what else it says: an entity ("westerns"), another thing, a part in a relation.

        "Patients with A" are A where a graph knows no patients.
        """
        sketch = replace(sketch, statements=(*sketch.statements, *self._nouns_of_facts(sketch)))
        merged: dict[Ref, Ref] = {}
        qualified: dict[Statement, Statement] = {}
        excepted: dict[Statement, Statement] = {}
        more: list[Statement] = []
        asked = [of for of, _ in sketch.asked]
        for each in sketch.statements:
            if self._excepts(each):
                excepted[each] = Statement("differ", each.left, each.words, each.right)
                continue
            if self._only_names(each) and (each.left not in asked or sketch.mode == "value"):
                assert each.left is not None
                assert each.right is not None
                merged[each.left] = each.right
                continue
            if each.kind == "is" and each.left is not None:
                named = self._named(each, self.text(each.words))
                more += named
                if not named and (stated := self._stated_by(each)) is not None:
                    qualified[each] = stated
            if each.kind != "kind" or each.left is None:
                continue
            said = self.text(each.words)
            self.said[each.left] = said
            if any(self.words[at].name is not None for at in each.words):
                name = next(at for at in each.words if self.words[at].name is not None)
                more.append(Statement("fact", each.left, (), name, denied=each.denied))
                continue
            found, beside = self.lexical.types(said, self.meant_by(each.words))
            if found and found[0][1] >= 1.0:
                whole = self._named(each, said) if beside else []
                if any(one.kind == "fact" for one in whole):
                    more += whole
                    continue
                self.kinds[each.left] = found
                if beside:
                    more += self._named(each, " ".join(beside)) or [Statement("is", each.left, self._at(each, beside))]
                continue
            light = [
                other
                for other in sketch.statements
                if other.kind == "fact" and other.left == each.left and self._is_light(other) and not other.denied
            ]
            cases = each.words and self.words[each.words[-1]].text.lower() in CASES and not self.lexical.has_people
            if cases and light and light[0].right is not None and each.left not in asked:
                merged[each.left] = light[0].right
                continue
            if self._is_relation(each, sketch):
                continue
            role = self._is_role(each)
            named = [] if role else self._named(each, said)
            if role and found and found[0][1] >= LIKELY:  # else the relation says what it is
                self.kinds[each.left] = found
            if role and not self._is_said_again(each, sketch):
                self.roles.append(Statement("fact", each.left, each.words, f"of {each.left}", denied=each.denied))
            elif role:
                continue
            elif named and not any(one.kind == "is" for one in named):
                more += named
            elif (of := self._described_by(each, sketch)) is not None:
                merged[each.left] = of
                more.append(Statement("is", of, each.words, denied=each.denied))
            elif (fact := self._qualified_by(each, sketch)) is not None:
                before = qualified.get(fact, fact)
                qualified[fact] = replace(before, said=(*before.said, Said((), "=", each.words)))
            elif named:
                more += named
            elif valued := self.lexical.valued(said, (), self.meant_by(each.words)):
                self.kinds[each.left] = [(valued[0][0].label, 1.0)]
                more.append(Statement("is", each.left, each.words, denied=each.denied))
            elif found:
                self.kinds[each.left] = found
            else:
                if light and light[0].right is not None and each.left not in asked:
                    merged[each.left] = light[0].right
                else:
                    self.unmet.append(Unmet(each.words, "kind"))
        self.kinds |= dict(self._chosen_among(sketch))
        self.kinds |= dict(self._compared_with(sketch))
        if WHO & {word.text.lower() for word in self.words[:6]} and asked and isinstance(asked[0], str):
            people = dict.fromkeys((*self.lexical.who, *self.lexical.untyped), 1.0)
            others = dict.fromkeys((label.name for label in self.schema.labels), NO_PERSON)
            self.kinds.setdefault(asked[0], list((others | people).items()))
        statements = [
            (qualified | excepted).get(each, each)
            for each in sketch.statements
            if not (each.kind == "is" and self._is_taken(each, more))
        ]
        return _merged(replace(sketch, statements=(*statements, *more, *self.roles)), merged)

    def _nouns_of_facts(self, sketch: Sketch) -> Iterator[Statement]:
        """The nouns of things that only a fact says the type of: *episodes of* A."""
        typed = {each.left for each in sketch.statements if each.kind == "kind"}
        for each in sketch.statements:
            if each.kind != "fact" or not isinstance(each.left, str) or each.left in typed:
                continue
            meant = self.meant_by(each.words)
            content = tuple(at for at in each.words if self.words[at].text.lower() not in SMALL)
            if meant is not None and content and max(meant.types.values(), default=0.0) >= CLEARLY:
                typed.add(each.left)
                yield Statement("kind", each.left, content, denied=each.denied)

    def _stated_by(self, described: Statement) -> Statement | None:
        """The fact that a describing word states, where it means a relation: a costume that was *altered*."""
        meant = self.meant_by(described.words)
        if meant is None or described.left is None or max(meant.relations.values(), default=0.0) < CLEARLY:
            return None
        return replace(described, kind="fact", right=f"by {described.left}")

    def _chosen_among(self, sketch: Sketch) -> Iterator[tuple[Ref, list[tuple[str, float]]]]:
        """Things that are one of several names are of a type that all of these may have."""
        for each in sketch.statements:
            if each.kind == "of" and each.left is not None:
                own = [{self.schema.label_of(one.type) for one in self.meant[at]} for at in each.value]
                if own and (common := set.intersection(*own)):
                    yield each.left, [(label, 1.0) for label in sorted(common)]

    def _compared_with(self, sketch: Sketch) -> Iterator[tuple[Ref, list[tuple[str, float]]]]:
        """Things whose number is compared with that of others are of their type, if nothing says another."""
        typed = {each.left for each in sketch.statements if each.kind == "kind"}
        for each in sketch.statements:
            if each.kind == "number" and isinstance(each.left, str) and isinstance(each.right, str):
                for one, other in ((each.left, each.right), (each.right, each.left)):
                    if one in self.kinds and other not in typed:
                        yield other, self.kinds[one]

    def _is_taken(self, each: Statement, more: Sequence[Statement]) -> bool:
        return any(other.kind == "fact" and other.left == each.left and other.value == each.words for other in more)

    def _at(self, each: Statement, texts: Sequence[str]) -> tuple[int, ...]:
        return tuple(at for at in each.words if self.words[at].text in texts)

    def _named(self, each: Statement, said: str) -> list[Statement]:
        """The fact that a noun or a describing word states where it names an entity: "comedies", "autosomal"."""
        if self.lexical.classes(said, ()):
            return [Statement("is", each.left, self._at(each, said.split()), denied=each.denied)]
        found = self.find(said)
        if not found:
            return []
        number = -1 - len([at for at in self.meant if at < 0])
        self.meant[number] = found
        return [Statement("fact", each.left, (), number, value=each.words, denied=each.denied)]

    def _described_by(self, kind: Statement, sketch: Sketch) -> Ref | None:
        """What a noun says the value of: practices *in Coldwater* where towns are no entities, with *a night service*.

        None where the noun names no value, or where more than one fact is said of it.
        """
        fact = self._only_fact(kind, sketch)
        if fact is None or fact.said:
            return None
        of = fact.right if fact.left == kind.left else fact.left
        said, labels = self.text(kind.words), self._labels_said(of, sketch)
        meant = self.meant_by(kind.words)
        return of if self.lexical.classes(said, labels) or self.lexical.stated(said, labels, meant) else None

    def _qualified_by(self, kind: Statement, sketch: Sketch) -> Statement | None:
        """The one fact that a noun says a value of: who has played *Malvolio*, where parts are no entities."""
        fact = self._only_fact(kind, sketch)
        return fact if fact is not None and self.lexical.column_value(self.text(kind.words)) else None

    def _only_fact(self, kind: Statement, sketch: Sketch) -> Statement | None:
        """The fact about a thing that has a noun, is not asked for and of which nothing else is said."""
        own = [each for each in sketch.statements if kind.left in (each.left, each.right) and each is not kind]
        asked = kind.left in [of for of, _ in sketch.asked]
        return own[0] if len(own) == 1 and own[0].kind == "fact" and not asked else None

    def _labels_said(self, ref: Ref | None, sketch: Sketch) -> list[str]:
        """The labels that the noun of a thing or a name surely has; none where it has no noun."""
        if isinstance(ref, int):
            return [self.schema.label_of(each.type) for each in self.meant[ref]]
        kinds = [each for each in sketch.statements if each.kind == "kind" and each.left == ref]
        found = [self.lexical.types(self.text(each.words), self.meant_by(each.words))[0] for each in kinds]
        return [label for labels in found for label, fit in labels if fit >= LIKELY]

    def _only_names(self, fact: Statement) -> bool:
        """Whether a fact says no more than what a thing is called."""
        said = {self.words[at].text.lower() for at in fact.words} if fact.kind == "fact" else set()
        named = isinstance(fact.left, str) and isinstance(fact.right, int) and not fact.denied
        return named and bool(said & NAMING) and said <= NAMING | SMALL

    def _excepts(self, fact: Statement) -> bool:
        """Whether a fact says no more than that a thing is another than the one that is named."""
        said = {self.words[at].text.lower() for at in fact.words} if fact.kind == "fact" else set()
        return bool(said & EXCEPTING) and said <= EXCEPTING | SMALL and isinstance(fact.right, int)

    def _is_light(self, fact: Statement) -> bool:
        return all(self.words[at].text.lower() in SMALL for at in fact.words)

    def _is_said_again(self, kind: Statement, sketch: Sketch) -> bool:
        """Whether a fact of the same thing is said by words of the same family as its noun: players who played for."""
        nouns = [self.words[at].text for at in kind.words]
        relations = [each.name for each in self.schema.relationships if self._binds(each.name, nouns)]
        for each in sketch.statements:
            if each.kind == "fact" and kind.left in (each.left, each.right):
                said, meant = [self.words[at].text for at in each.words], self.meant_by(each.words)
                likely = [name for name in relations if meant and meant.relations.get(name, 0.0) >= LIKELY]
                bound = any(self._binds(name, said) for name in relations)
                if likely or bound or set(each.words) & set(kind.words):
                    return True
        return False

    def _binds(self, relation: str, said: Sequence[str]) -> bool:
        return any(self.lexical.words.binds(relation, word) for word in said)

    def _is_relation(self, kind: Statement, sketch: Sketch) -> bool:
        """Whether a noun means the very relation that a fact of the same thing means: the *flag* that a ship flies."""
        noun = self.meant_by(kind.words)
        if noun is None or not noun.relations:
            return False
        likeliest = max(noun.relations, key=lambda name: noun.relations[name])
        if noun.relations[likeliest] < LIKELY:
            return False
        facts = (each for each in sketch.statements if each.kind == "fact" and kind.left in (each.left, each.right))
        others = [meant.relations.get(likeliest, 0.0) for each in facts if (meant := self.meant_by(each.words))]
        return any(share >= LIKELY for share in others)

    def _is_role(self, kind: Statement) -> bool:
        """Whether a noun that names no type belongs to a relation: directors, where films have a director."""
        noun, meant = self.words[kind.words[-1]].text, self.meant_by(kind.words)
        shares = meant.relations if meant is not None else {}
        return any(
            self.lexical.words.is_own(each.name, noun)
            or (self.lexical.words.binds(each.name, noun) and shares.get(each.name, 1.0) >= HINTED)
            for each in self.schema.relationships
        )


def _merged(sketch: Sketch, merged: Mapping[Ref, Ref]) -> Sketch:
    """A sketch in which some things are others."""

    def now(ref: Ref | None) -> Ref | None:
        return merged.get(ref, ref) if ref is not None else None

    kept = []
    for each in sketch.statements:
        turned = replace(each, left=now(each.left), right=now(each.right))
        itself = turned.kind == "fact" and turned.left == turned.right
        if not itself and not (turned.kind == "kind" and each.left in merged):
            kept.append(turned)
    return replace(sketch, asked=tuple((now(ref), words) for ref, words in sketch.asked), statements=tuple(kept))


def of_cases(sketch: Sketch, words: Sequence[Word]) -> Sketch | None:
    """A sketch in which those who have something named are that: suitable for *someone with* A is suitable for A.

    None where there are none.
    """
    low = [word.text.lower() for word in words]
    asked = [of for of, _ in sketch.asked]
    people = [each.left for each in sketch.statements if each.kind == "kind" and low[each.words[-1]] in CASES]
    found: dict[Ref, Ref] = {}
    for each in sketch.statements:
        light = each.kind == "fact" and not each.denied and SMALL.issuperset(low[at] for at in each.words)
        if light and each.left in people and each.left not in asked and isinstance(each.right, int):
            assert each.left is not None
            found[each.left] = each.right
    return _merged(sketch, found) if found else None
