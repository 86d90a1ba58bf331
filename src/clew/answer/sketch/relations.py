"""The relations that can lie between two things of a sketch: by words, by types, or through a third thing.

A relation may reach a part of what is meant (born in a city of Japan), or something from where another one leads to it
(who directed a play is who directs a production that stages it).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from clew.answer.lexicon.families import has_synonyms
from clew.answer.lexicon.forms import plain_name
from clew.answer.lexicon.light import senses_of_relation
from clew.answer.sketch.lexical import BARE, SAID, SMALL, agreed
from clew.answer.sketch.sketch import Ref, Statement
from clew.answer.sketch.things import Things
from clew.store.layout import Relationship

__all__ = ["WEAKEST", "Link", "Relations", "Via"]

WEAKEST = 0.3  # below this a phrase means nothing of the graph
CONTAINED = frozenset({"place", "part", "class"})  # senses of relations that lead from a part to its whole
HAPPENED = frozenset(
    {"origin", "participation", "motion", "departure"}
)  # senses of relations to places that hold nothing
DEEPEST = 5  # steps from a part to a whole
VIA = 0.8  # of a relation that reaches a thing through what that contains
TURNED = 0.6  # of a relation that is read against its direction
ELSEWHERE = 0.6  # of what the linker says against a list of words
HINTED = 0.45  # what the linker adds to words that say little
ALONE = 0.4  # of the only relation between two types, where no word means it
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


class Relations(Things):
    """What may join the things of one sketch in one graph."""

    @cached_property
    def _fitting(self) -> dict[tuple[object, ...], tuple[str, ...]]:
        return {}

    def between(
        self, fact: Statement, left: dict[str, float] | None, right: dict[str, float] | None
    ) -> Iterator[tuple[Link, float]]:
        """The relations between two things, given the labels that these may have."""
        phrase = self._phrase(fact)
        direct: list[tuple[Link, float]] = []
        for relation in self.schema.relationships:
            placed = [] if relation.negated else list(self._placed(relation, fact, left, right))
            said = self._phrase_fit(phrase, relation, fact, left, right) if placed else 0.0  # words take longer
            if said >= WEAKEST:
                direct += [(replace(link, fit=said * typed), said * typed) for link, typed in placed]
        yield from direct
        through = list(self._through(fact, phrase, left, right))
        yield from through
        if not direct and not through and left is not None and right is not None and self._are_said(fact):
            yield from self._only(fact, left, right)

    def _phrase(self, fact: Statement) -> str:
        """The words of a fact; only the small ones where the others repeat the noun of a type: "episodes of A"."""
        nouns = {at for each in self.sketch.statements if each.kind == "kind" for at in each.words}
        small = [at for at in fact.words if self.words[at].text.lower() in SMALL]
        only = nouns.issuperset(set(fact.words) - set(small)) and len(small) < len(fact.words)
        return self.text(small) if only and fact not in self.roles else self.text(fact.words)

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
            if any(each.words == fact.words for each in fact.said):  # the words mean a column of its statements
                probability = max(probability, *(0.0, *meant.columns_of(relation.name)))
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
            elsewhere = ELSEWHERE if self._is_of_another(phrase, relation) else 1.0
            return fit if meant is None else agreed(fit, elsewhere * meant.relation(relation.name, every))

        for wholes in self.containing:
            for end, fit in right.items():
                chains = _chains(wholes, end)
                for whole in wholes if left is not None else ():
                    for label, steps in _chains([whole], end).items() if fit_of(whole) >= BARE else ():
                        if steps > 1 and left is not None and label in left:
                            alone = VIA * fit * left[label] * fit_of(whole)
                            yield Link(whole.name, True, label, end, alone, longest=steps), alone
                names = tuple(each.name for each in wholes)
                for relation in self.schema.relationships if chains else ():
                    said = 0.0 if relation.negated or wholes == [relation] else fit_of(relation)
                    if said < BARE:
                        continue
                    for between, steps in chains.items():
                        for link, typed in self._placed(relation, fact, left, {between: 1.0}):
                            through = VIA * said * typed * fit
                            via = Via(names, between, steps)
                            yield replace(link, right=end, fit=through, via=via), through

    def bridged(
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
                    onward = list(self._leading_on(between, known))
                    for other, forward, label, fit in onward:
                        through = BRIDGED * said * typed * fit / len(onward)
                        via = Via((other,), between, forward=forward, at_left=at_left)
                        placed = replace(link, left=label) if at_left else replace(link, right=label)
                        yield replace(placed, fit=through, via=via), through

    def _leading_on(self, between: str, known: dict[str, float]) -> Iterator[tuple[str, bool, str, float]]:
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
