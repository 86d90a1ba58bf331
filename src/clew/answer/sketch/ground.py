"""A sketch → plans: each phrase finds a relation, a type or an attribute of the schema; what fits best comes first.

Things are typed by their nouns and by what relations lead to, so that a phrase which says little ("with", "have") is
met by the only relation between two types. A phrase that nothing fits is reported, and there is no plan.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from math import log

from clew.answer.hearing.linking import Has, LinkedQuestion
from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.sketch.lexical import OWN, Lexical
from clew.answer.sketch.relations import WEAKEST, Link, Relations
from clew.answer.sketch.sketch import Ref, Sketch, Statement, Word
from clew.answer.sketch.things import Find, Unmet

__all__ = ["Grounded", "ground"]

MOST_STATES = 40  # ways to read the facts so far that are followed
MOST_LINKS = 8  # relations that are tried for one fact
MOST_MEANINGS = 6
UNSTATED = 0.7  # of a relation that the named entity has no triple of
TOO_LITTLE = -3.0  # sum of logarithms of one fit below which too much is guessed; of n facts, its root of n-fold
AS_GOOD = 0.1  # difference of scores below which the labels of a thing that is not typed are all meant
MISTYPED = 0.55  # of a thing that is of another type than its noun says


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


class _Grounding(Relations):
    """The search for relations, given what the things of a sketch may be."""

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
        found = [each for each in self.between(fact, left, right) if each[1] >= WEAKEST]
        if all(link.via is not None for link, _ in found):  # a noun may be used for something else: a "patient"
            loose = [self._loosened(state, fact.left, left), self._loosened(state, fact.right, right)]
            if loose != [left, right]:
                found += [each for each in self.between(fact, *loose) if each[1] >= WEAKEST and each[0].via is None]
        yield from found or self.bridged(fact, left, right)

    def _loosened(self, state: _State, ref: Ref, fits: dict[str, float] | None) -> dict[str, float] | None:
        """The labels that a thing may have if its noun, which is no word for a type, is used for another one."""
        if fits is None or isinstance(ref, int) or ref in state.labels or max(fits.values(), default=0.0) >= OWN:
            return fits
        return {label.name: max(MISTYPED, fits.get(label.name, 0.0)) for label in self.schema.labels}
