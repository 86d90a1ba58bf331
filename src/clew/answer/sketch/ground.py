"""A sketch → plans: each phrase finds a relation, a type or an attribute of the schema; what fits best comes first.

Things are typed by their nouns and by what relations lead to, so that a phrase which says little ("with", "have") is
met by the only relation between two types. A phrase that nothing fits is reported, and there is no plan.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product
from math import log

from clew.answer.lexicon.families import has_synonyms
from clew.answer.lexicon.forms import plain_name
from clew.answer.lexicon.light import senses_of_relation
from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.sketch.lexical import BARE, SAID, SMALL, Lexical, agreed
from clew.answer.sketch.linking import Has, LinkedQuestion
from clew.answer.sketch.sketch import Ref, Sketch, Statement, Word
from clew.answer.sketch.things import Find, Things, Unmet
from clew.store.layout import Relationship

__all__ = ["Grounded", "Link", "Via", "ground"]

MOST_STATES = 40  # ways to read the facts so far that are followed
MOST_LINKS = 8  # relations that are tried for one fact
MOST_MEANINGS = 6
WEAKEST = 0.3  # below this a phrase means nothing of the graph
CONTAINED = frozenset({"place", "part", "class"})  # senses of relations that lead from a part to its whole
HAPPENED = frozenset(
    {"origin", "participation", "motion", "departure"}
)  # senses of relations to places that hold nothing
DEEPEST = 5  # steps from a part to a whole
VIA = 0.8  # of a relation that reaches a thing through what that contains
TURNED = 0.6  # of a relation that is read against its direction
UNSTATED = 0.7  # of a relation that the named entity has no triple of
ELSEWHERE = 0.6  # of what the linker says against a list of words
HINTED = 0.45  # what the linker adds to words that say little
TOO_LITTLE = -3.0  # sum of logarithms of one fit below which too much is guessed; of n facts, its root of n-fold
AS_GOOD = 0.1  # difference of scores below which the labels of a thing that is not typed are all meant
ALONE = 0.4  # of the only relation between two types, where no word means it
MISTYPED = 0.55  # of a thing that is of another type than its noun says
BRIDGED, SAID_BRIDGED = 0.6, 0.6  # of a relation that reaches a thing through another one, and the least its words fit


@dataclass(frozen=True, slots=True)
class Via:
    """What joins the far end of a relation to the thing that is meant: relations to a whole, or one between both."""

    relations: tuple[str, ...]
    label: str  # of what lies between
    longest: int = 1  # steps
    forward: bool = True  # away from what lies between
    at_left: bool = False  # whether the left thing of the fact is the one that is reached so


@dataclass(frozen=True, slots=True)
class Link:
    """The relation that a fact means, whether it goes from left to right, and what leads on from there."""

    relation: str
    forward: bool
    left: str
    right: str
    fit: float
    via: Via | None = None
    longest: int = 1  # steps of the relation itself


@dataclass(frozen=True, slots=True)
class Grounded:
    """What each thing and each fact of a sketch is in a graph; `score` is the sum of the logarithms of all fits."""

    sketch: Sketch
    labels: dict[Ref, str]
    links: dict[int, Link]  # by the number of the statement
    meanings: dict[int, Meaning]  # by the number of the word that is a name
    score: float
    weakest: float
    met: dict[int, float]  # how well the phrase of a word fits what it stands for, by the number of the word
    among: dict[Ref, tuple[str, ...]] = field(default_factory=dict)  # all labels of a thing whose type is not said

    def labels_of(self, ref: Ref) -> tuple[str, ...]:
        """The labels that a thing may have; none for any."""
        return self.among.get(ref) or ((self.labels[ref],) if ref in self.labels else ())


@dataclass(slots=True)
class _State:
    labels: dict[Ref, str]
    links: dict[int, Link] = field(default_factory=dict)
    score: float = 0.0
    weakest: float = 1.0


def ground(
    sketch: Sketch,
    words: Sequence[Word],
    anchors: Sequence[Anchor],
    lexical: Lexical,
    *,
    has: Has | None = None,
    find: Find = lambda text: (),
    linked: LinkedQuestion | None = None,
    check: Callable[[], None] = lambda: None,
) -> tuple[list[Grounded], list[Unmet]]:
    """The ways in which a graph can mean a sketch, best first, and the words that kept it from being more.

    `has` says whether an entity has triples of a relation, `find` which entities a noun may name, `linked` which parts
    of the schema words mean; `check` ends it in time.
    """
    made = _Grounding(sketch, words, anchors, lexical, has, find, linked)
    found = sorted(made.run(check), key=lambda each: -each.score)
    return _of_any_type(found, {ref for ref in made.kinds if made.is_typed(ref)}), made.unmet


def _of_any_type(found: Sequence[Grounded], typed: set[Ref]) -> list[Grounded]:
    """Those that differ in nothing but the labels of things whose type is not said, as one: who works on a ward."""
    families: dict[object, list[Grounded]] = {}
    for each in found:
        links = tuple((at, one.relation, one.forward, one.via, one.longest) for at, one in each.links.items())
        said = tuple((ref, label) for ref, label in each.labels.items() if isinstance(ref, int) or ref in typed)
        meant = tuple((at, one.ids) for at, one in each.meanings.items())
        families.setdefault((links, said, meant), []).append(each)
    return [_with_labels(family) for family in families.values()]


def _with_labels(family: Sequence[Grounded]) -> Grounded:
    best = family[0]
    alike = [each for each in family if best.score - each.score < AS_GOOD]
    among = {ref: tuple(dict.fromkeys(each.labels[ref] for each in alike if ref in each.labels)) for ref in best.labels}
    return replace(best, among={ref: labels for ref, labels in among.items() if len(labels) > 1})


class _Grounding(Things):
    """The search for relations, given what the things of a sketch may be."""

    @cached_property
    def _fitting(self) -> dict[tuple[object, ...], tuple[str, ...]]:
        return {}

    def run(self, check: Callable[[], None]) -> Iterator[Grounded]:
        if self.unmet:
            return
        names, choices = list(self.meant), list(self.meant.values())
        known = {label.type for label in self.schema.labels}
        failed: list[Unmet] = []
        for meanings in islice(product(*choices), MOST_MEANINGS):
            if any(each.type not in known for each in meanings):
                continue
            meant = dict(zip(names, meanings, strict=True))
            labels: dict[Ref, str] = {at: self.schema.label_of(each.type) for at, each in meant.items()}
            states = [_State(dict(labels))]
            states[0].score = sum(log(max(each.score, 0.3)) for each in meanings)
            for number, fact in enumerate(self.sketch.statements):
                if fact.kind != "fact":
                    continue
                check()
                grown = [new for state in states for new in self._extended(state, number, fact, meant)]
                states = sorted(grown, key=lambda each: -each.score)[:MOST_STATES]
                if not states:
                    failed.append(Unmet(fact.words, "fact"))
                    break
            for state in states:
                for done in self._typed(state):
                    if done.score >= TOO_LITTLE * max(1, len(done.links)) ** 0.5:
                        met = self._met(done)
                        yield Grounded(self.sketch, done.labels, done.links, meant, done.score, done.weakest, met)
        self.unmet += failed[:1]

    def _typed(self, state: _State) -> Iterator[_State]:
        """With a label for each thing that no fact has typed."""
        open_ = [ref for ref in self.kinds if ref not in state.labels]
        options = [self.kinds[ref][:2] for ref in open_]
        for chosen in product(*options):
            labels = {**state.labels, **{ref: label for ref, (label, _) in zip(open_, chosen, strict=True)}}
            fits = [fit for _, fit in chosen]
            yield _State(labels, state.links, state.score + sum(map(log, fits)), min([state.weakest, *fits]))

    def _met(self, state: _State) -> dict[int, float]:
        """How well words are met: those of facts by relations, nouns by types or by the entities that they name."""
        found: dict[int, float] = {}
        for number, each in enumerate(self.sketch.statements):
            if each.kind == "kind" and each.left in self.kinds:
                fit = dict(self.kinds[each.left]).get(state.labels.get(each.left, ""), 0.0)
                found |= {at: max(fit, found.get(at, 0.0)) for at in each.words}
            elif number in state.links:
                found |= {at: max(state.links[number].fit, found.get(at, 0.0)) for at in each.words}
                found |= dict.fromkeys(each.value, 1.0)
        return found

    def _extended(self, state: _State, number: int, fact: Statement, meant: dict[int, Meaning]) -> Iterator[_State]:
        assert fact.left is not None
        assert fact.right is not None
        found = sorted(self._nearest(self._links(state, fact), fact, meant), key=lambda each: -each[1])
        best = found[0][1] if found else 0.0
        for link, fit in found[:MOST_LINKS]:
            if fit < max(WEAKEST, 0.5 * best):
                continue
            for ref, subject in ((fact.left, link.forward), (fact.right, not link.forward)):
                through = link.via is not None and ref == (fact.left if link.via.at_left else fact.right)
                if isinstance(ref, int) and self.has is not None and not through:
                    fit *= 1.0 if self.has(meant[ref], link.relation, subject) else UNSTATED
            labels = {**state.labels, fact.left: link.left, fact.right: link.right}
            score = state.score + log(max(fit, 1e-6))
            yield _State(labels, {**state.links, number: replace(link, fit=fit)}, score, min(state.weakest, link.fit))

    def _nearest(
        self, links: Iterable[tuple[Link, float]], fact: Statement, meant: dict[int, Meaning]
    ) -> Iterator[tuple[Link, float]]:
        """Without relations to a part of a named entity that has no parts, or has the same relation itself."""
        found, ref, has = list(links), fact.right, self.has
        if not isinstance(ref, int) or has is None:
            yield from found
            return
        named = meant[ref]
        own = {
            (link.relation, link.forward)
            for link, _ in found
            if link.via is None and has(named, link.relation, not link.forward)
        }
        for link, fit in found:
            via = link.via
            if via is None or via.at_left:
                yield link, fit
                continue
            leads = any(has(named, each, not via.forward) for each in via.relations)
            if leads and (link.relation, link.forward) not in own:
                yield link, fit

    def _fits(self, state: _State, ref: Ref) -> dict[str, float] | None:
        """The labels that a thing may have; None for any."""
        if ref in state.labels:
            return {state.labels[ref]: 1.0}
        return dict(self.kinds[ref]) if ref in self.kinds else None

    def _links(self, state: _State, fact: Statement) -> Iterator[tuple[Link, float]]:
        assert fact.left is not None
        assert fact.right is not None
        left, right = self._fits(state, fact.left), self._fits(state, fact.right)
        found = [each for each in self._between(fact, left, right) if each[1] >= WEAKEST]
        if not found:  # a noun may be used for something else: an animal is a "patient"
            loose = [self._loosened(state, fact.left, left), self._loosened(state, fact.right, right)]
            found = [each for each in self._between(fact, *loose) if each[1] >= WEAKEST]
        yield from found or self._bridged(fact, left, right)

    def _loosened(self, state: _State, ref: Ref, fits: dict[str, float] | None) -> dict[str, float] | None:
        """The labels that a thing may have if its noun is used for another type."""
        if fits is None or isinstance(ref, int) or ref in state.labels:
            return fits
        return {label.name: max(MISTYPED, fits.get(label.name, 0.0)) for label in self.schema.labels}

    def _between(
        self, fact: Statement, left: dict[str, float] | None, right: dict[str, float] | None
    ) -> Iterator[tuple[Link, float]]:
        """The relations between two things, given the labels that these may have."""
        phrase = self._phrase(fact)
        direct: list[tuple[Link, float]] = []
        for relation in self.schema.relationships:
            if relation.negated:
                continue
            said = self._phrase_fit(phrase, relation, fact, left, right)
            if said < WEAKEST:
                continue
            for link, typed in self._placed(relation, fact, left, right):
                direct.append((replace(link, fit=said * typed), said * typed))
        yield from direct
        through = list(self._through(fact, phrase, left, right))
        yield from through
        if not direct and not through and left is not None and right is not None and self._are_said(fact):
            yield from self._only(fact, left, right)

    def _phrase(self, fact: Statement) -> str:
        """The words of a fact; none where they only repeat the noun of a thing: "Peruvian cities"."""
        nouns = {at for each in self.sketch.statements if each.kind == "kind" for at in each.words}
        return "" if nouns.issuperset(fact.words) else self.text(fact.words)

    def _are_said(self, fact: Statement) -> bool:
        """Whether both things of a fact are names, or have a noun for a type."""
        ends = [ref for ref in (fact.left, fact.right) if isinstance(ref, str)]
        return all(ref in self.said and ref in self.kinds and self.kinds[ref][0][1] >= SAID for ref in ends)

    def _only(self, fact: Statement, left: dict[str, float], right: dict[str, float]) -> Iterator[tuple[Link, float]]:
        """The only relation that there is between two types: unsure, whatever the words."""
        found = [
            (link, ALONE * typed)
            for relation in self.schema.relationships
            if not relation.negated
            for link, typed in self._placed(relation, fact, left, right)
        ]
        if len({link.relation for link, _ in found}) == 1:
            yield from ((replace(link, fit=fit), fit) for link, fit in found)

    def _phrase_fit(
        self,
        phrase: str,
        relation: Relationship,
        fact: Statement,
        left: dict[str, float] | None,
        right: dict[str, float] | None,
    ) -> float:
        nouns = [self._noun(fact.left, left), self._noun(fact.right, right)]
        fit = self.lexical.relation(phrase, relation, *nouns)
        meant = self.meant_by(fact.words) if phrase else None
        if meant is not None:
            probability = meant.relation(relation.name, self._placeable(fact, left, right))
            probability *= ELSEWHERE if self._is_of_another(phrase, relation) else 1.0
            fit = min(1.0, fit + HINTED * probability) if self._is_light(fact) else agreed(fit, probability)
        for ref in (fact.left, fact.right):  # "coaches" of "clubs whose coaches": the noun itself is the relation
            if isinstance(ref, str) and ref in self.said and fit < 0.9:
                noun = self.lexical.relation(self.said[ref], relation)
                fit = max(fit, 0.85 * noun if noun >= 0.85 and self._is_light(fact) else 0.0)
        return fit

    def _is_of_another(self, phrase: str, relation: Relationship) -> bool:
        """Whether the one word that a phrase says is listed for other relations than this: "built" for registered."""
        said = [word for word in phrase.lower().split() if word not in SMALL]
        return len(said) == 1 and has_synonyms(said[0]) and not self.lexical.words.binds(relation.name, said[0])

    def _placeable(
        self, fact: Statement, left: dict[str, float] | None, right: dict[str, float] | None
    ) -> tuple[str, ...]:
        """The relations that can lie between two things by their types, remembered from one relation to the next."""
        key = (fact, tuple(left or ()), tuple(right or ()))
        if key not in self._fitting:
            self._fitting[key] = tuple(
                each.name
                for each in self.schema.relationships
                if not each.negated and any(True for _ in self._placed(each, fact, left, right))
            )
        return self._fitting[key]

    def _noun(self, ref: Ref | None, fits: object) -> str:
        if isinstance(ref, str) and ref in self.said:
            return self.said[ref]
        if isinstance(fits, dict) and fits:
            return plain_name(self.schema.type_of(next(iter(fits))))
        return ""

    def _placed(
        self, relation: Relationship, fact: Statement, left: dict[str, float] | None, right: dict[str, float] | None
    ) -> Iterator[tuple[Link, float]]:
        """The ways in which a relation can lie between two things by their types."""
        for ends in relation.ends:
            for forward in (True, False):
                here, there = (ends.subject, ends.object) if forward else (ends.object, ends.subject)
                fit = 1.0 if left is None else left.get(here, 0.0)
                fit *= 1.0 if right is None else right.get(there, 0.0)
                if ends.subject == ends.object and not relation.symmetric:
                    fit *= 1.0 if forward == self._reads_forward(relation, fact) else TURNED
                elif relation.symmetric and not forward and ends.subject == ends.object:
                    continue
                if fit > 0:
                    yield Link(relation.name, forward, here, there, fit), fit

    def _reads_forward(self, relation: Relationship, fact: Statement) -> bool:
        """Whether the left thing of a fact is the subject of the relation, as far as words tell."""
        if not fact.words:
            return True
        said = [self.words[at].text for at in fact.words]
        noun = next((word for word in said if self.lexical.words.binds(relation.name, word)), said[0])
        low = [word.lower() for word in said]
        meant = self.meant_by(fact.words)
        if meant is not None and not any(self.lexical.words.binds(relation.name, word) for word in said):
            return meant.forward.get(relation.name, 1.0) >= 0.5
        is_noun = low[-1] in ("of", "'s") or (len(low) == 1 and not low[0].endswith(("ed", "es", "ing")))
        if is_noun:
            return self.lexical.words.noun_is_subject(relation.name, noun)
        return self.lexical.words.verb_is_subject(relation.name, said, passive="by" in low)

    def _through(
        self, fact: Statement, phrase: str, left: dict[str, float] | None, right: dict[str, float] | None
    ) -> Iterator[tuple[Link, float]]:
        """Relations that lead to a part of what is meant, or to the part of a part: born in a city of Japan."""
        if right is None:
            return
        meant = self.meant_by(fact.words) if phrase and not self._is_light(fact) else None
        every = [each.name for each in self.schema.relationships]

        def fit_of(relation: Relationship) -> float:
            fit = self.lexical.relation(phrase, relation)
            return fit if meant is None else agreed(fit, meant.relation(relation.name, every))

        for wholes in self.containing:
            for end, fit in right.items():
                chains = _chains(wholes, end)
                for whole in wholes if left is not None else ():
                    for label, steps in _chains([whole], end).items() if fit_of(whole) >= BARE else ():
                        if steps > 1 and left is not None and label in left:
                            alone = VIA * fit * left[label] * fit_of(whole)
                            yield Link(whole.name, True, label, end, alone, longest=steps), alone
                names = tuple(each.name for each in wholes)
                for relation in self.schema.relationships:
                    said = 0.0 if relation.negated or wholes == [relation] else fit_of(relation)
                    if said < BARE:
                        continue
                    for between, steps in chains.items():
                        for link, typed in self._placed(relation, fact, left, {between: 1.0}):
                            through = VIA * said * typed * fit
                            via = Via(names, between, steps)
                            yield replace(link, right=end, fit=through, via=via), through

    def _bridged(
        self, fact: Statement, left: dict[str, float] | None, right: dict[str, float] | None
    ) -> Iterator[tuple[Link, float]]:
        """A relation that words mean, and another one from where it leads to the thing that is named: who directed a
        play is who directs a production that stages it."""
        phrase = self._phrase(fact)
        if not phrase or self._is_light(fact):
            return
        for relation in self.schema.relationships:
            said = 0.0 if relation.negated else self._phrase_fit(phrase, relation, fact, left, right)
            if said < SAID_BRIDGED:
                continue
            for at_left, known in ((False, right), (True, left)):
                if known is None:
                    continue
                ends = (None, right) if at_left else (left, None)
                for link, typed in self._placed(relation, fact, *ends):
                    between = link.left if at_left else link.right
                    ways = list(self._ways(between, known))
                    for other, forward, label, fit in ways:
                        through = BRIDGED * said * typed * fit / len(ways)
                        via = Via((other,), between, forward=forward, at_left=at_left)
                        placed = replace(link, left=label) if at_left else replace(link, right=label)
                        yield replace(placed, fit=through, via=via), through

    def _ways(self, between: str, known: dict[str, float]) -> Iterator[tuple[str, bool, str, float]]:
        """The relations from one label to some others, with their directions; none that says where something is."""
        for relation in self.schema.relationships:
            placed = senses_of_relation(relation, self.schema) & (CONTAINED | HAPPENED)
            for ends in () if relation.negated or placed else relation.ends:
                if ends.subject == between and ends.object in known:
                    yield relation.name, True, ends.object, known[ends.object]
                elif ends.object == between and ends.subject in known:
                    yield relation.name, False, ends.subject, known[ends.subject]

    @cached_property
    def containing(self) -> list[list[Relationship]]:
        """Relations that lead from a part to its whole: all those of places and parts together, which lead on to each
        other (an estate lies in a region, which is part of a country), and each that leads to a class."""
        found = [
            each
            for each in self.schema.relationships
            if not each.negated and not each.symmetric and self._contains(each)
        ]
        placed = [each for each in found if senses_of_relation(each, self.schema) & {"place", "part"}]
        return [*([placed] if placed else []), *([each] for each in found if each not in placed)]

    def _contains(self, relation: Relationship) -> bool:
        """Whether a relation leads from parts to wholes: by its name, and, where that also says that something comes
        from there or happened there (place of birth), not at all."""
        senses = senses_of_relation(relation, self.schema)
        return bool(senses & CONTAINED) and not senses & HAPPENED


def _chains(wholes: Sequence[Relationship], end: str) -> dict[str, int]:
    """The labels from which some relations lead to another, and in how many steps at most."""
    found: dict[str, int] = {}
    reached = {end}
    for steps in range(1, DEEPEST + 1):
        reached = {ends.subject for whole in wholes for ends in whole.ends if ends.object in reached}
        found |= dict.fromkeys(reached, steps)
    return found
