"""Conjunctions without a store: plans whose steps form a tree, run by walking and intersecting (Yannakakis' algorithm).

    MATCH (d:Disease)-[:HAS_PHENOTYPE]->({id: 'HP:1'}), (d)-[:HAS_PHENOTYPE]->({id: 'HP:2'}), … RETURN d

A store joins the branches row by row, so that rows multiply with every branch. Here each slot gets the set of entities
that its branches allow, from the named ends inwards; then triples that lead to nothing are dropped, and the rest is
counted or listed without ever building the product.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.answer.plans.operators import COMPARISONS
from clew.answer.plans.plan import Step
from clew.answer.running.tree import UNKNOWN, Branch
from clew.graph import Where
from clew.store.deadline import Deadline
from clew.store.layout import StoreSchema
from clew.traverse import GraphEngine

__all__ = ["Intersection", "intersect"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Triples between a slot and the next one of a branch, row by row."""

    parent: Ints
    child: Ints
    triple: Ints

    def where(self, keep: Mask) -> "Links":
        return Links(self.parent[keep], self.child[keep], self.triple[keep])


def intersect(
    root: Branch, engine: GraphEngine, schema: StoreSchema, *, passing: Mapping[str, Mask], deadline: Deadline
) -> "Intersection":
    """What fills the slots of a tree; `passing` are the triples that a named step may use."""
    walker = _Walker(engine, schema, passing, deadline)
    found = walker.reduce(root, walker.all_of(root) if root.cost == UNKNOWN else None)
    return Intersection(root, walker.completed(root, found), walker.links)


@dataclass(frozen=True, eq=False)
class Intersection:
    """The entities that fill each slot of a plan, and the triples between them: all of them belong to some match."""

    root: Branch
    links: Mapping[str, Links]  # by the slot they lead to
    walked: Mapping[str, Links]  # the same before dead ends were dropped, and those of counted parts

    @cached_property
    def _sets(self) -> dict[str, Ints]:
        return {name: np.unique(links.child) for name, links in self.links.items()}

    @property
    def found(self) -> Ints:
        """The entities that fill the root, ascending."""
        return self._sets[self.root.name]

    @cached_property
    def support(self) -> NDArray[np.float64]:
        """The number of matches of each of them."""
        matches = {name: np.ones(len(entities)) for name, entities in self._sets.items()}
        for branch in reversed(list(self.root.below())):
            assert branch.parent is not None
            links, parents = self.links[branch.name], self._sets[branch.parent]
            at = np.searchsorted(parents, links.parent)
            each = matches[branch.name][np.searchsorted(self._sets[branch.name], links.child)]
            matches[branch.parent] *= np.bincount(at, weights=each, minlength=len(parents))
        return matches[self.root.name]

    def count(self, slot: str) -> NDArray[np.int64]:
        """How many distinct entities of another slot go with each of them."""
        path = [
            branch for branch in self.root.below() if slot in (branch.name, *(each.name for each in branch.below()))
        ]
        return _count([self.links[branch.name] for branch in path], self.found)

    def counted(self, branch: Branch, entity: int, *, most: int) -> list[int]:
        """The triples that were counted for an entity of a slot."""
        found: list[int] = []
        for top, _ in branch.counted:
            reached = {top.name: np.array([entity])}
            for below in top.below():
                assert below.parent is not None
                links = self.walked[below.name]
                links = links.where(np.isin(links.parent, reached[below.parent]))
                reached[below.name] = np.unique(links.child)
                found += links.triple.tolist()
        return sorted(set(found))[:most]

    def matches(self, roots: Sequence[int], *, most: int) -> tuple[list[tuple[dict[str, int], dict[str, int]]], bool]:
        """At most `most` matches, shared evenly among some entities, and whether there are more.

        A match says which entity fills each slot, and which triple leads to it.
        """
        waiting = [self._of(root) for root in roots]
        listed: list[tuple[dict[str, int], dict[str, int]]] = []
        while waiting:
            for each in list(waiting):
                match = next(each, None)
                if match is None:
                    waiting.remove(each)
                elif len(listed) == most:
                    return listed, True
                else:
                    listed.append(match)
        return listed, False

    def _of(self, root: int) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
        """The matches of one entity, by backtracking: after each, the last branch with another triple takes it."""
        branches = list(self.root.below())
        entities = {self.root.name: root}
        triples: dict[str, int] = {}
        if not branches:
            yield entities, triples
        stack = [self._choices(branches[0], root)] if branches else []
        while stack:
            choice = next(stack[-1], None)
            if choice is None:
                stack.pop()
                continue
            branch = branches[len(stack) - 1]
            entities[branch.name], triples[branch.name] = choice
            if len(stack) == len(branches):
                yield dict(entities), dict(triples)
            else:
                following = branches[len(stack)]
                assert following.parent is not None
                stack.append(self._choices(following, entities[following.parent]))

    def _choices(self, branch: Branch, parent: int) -> Iterator[tuple[int, int]]:
        links, order = self._ordered(branch.name)
        first, last = (
            int(np.searchsorted(links.parent, parent, side=side, sorter=order)) for side in ("left", "right")
        )
        rows = order[first:last]
        return zip(links.child[rows].tolist(), links.triple[rows].tolist(), strict=True)

    def _ordered(self, slot: str) -> tuple[Links, Ints]:
        known = self._orders.get(slot)
        if known is None:
            links = self.links[slot]
            known = self._orders[slot] = (links, np.lexsort((links.triple, links.parent)))
        return known

    @cached_property
    def _orders(self) -> dict[str, tuple[Links, Ints]]:
        return {}


def _count(path: Sequence[Links], roots: Ints) -> NDArray[np.int64]:
    """How many distinct entities a chain of links leads to from each root; roots are in ascending order."""
    starts, ends = roots, roots
    for links in path:
        order = np.argsort(links.parent, kind="stable")
        first, last = (np.searchsorted(links.parent, ends, side=side, sorter=order) for side in ("left", "right"))
        lengths = last - first
        rows = np.repeat(first - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))
        pairs = np.unique(np.stack([np.repeat(starts, lengths), links.child[order][rows]]), axis=1)
        starts, ends = pairs
    return np.bincount(np.searchsorted(roots, starts), minlength=len(roots))


class _Walker:
    """Finds what fills the slots of a tree."""

    def __init__(
        self, engine: GraphEngine, schema: StoreSchema, passing: Mapping[str, Mask], deadline: Deadline
    ) -> None:
        self.engine = engine
        self.schema = schema
        self.passing = passing
        self.deadline = deadline
        self.links: dict[str, Links] = {}

    def reduce(self, branch: Branch, within: Ints | None) -> Ints:
        """The entities that fill a slot and have all that is below it; keeps the links to the slots below."""
        found = self._allowed(branch, within)
        for child in sorted(branch.children, key=lambda each: each.cost):
            if found is not None and not (child.held is not None and len(child.held) < len(found)):
                links = self._walk(branch, child, found, inwards=False)
                below = self.reduce(child, np.unique(links.child))
                links = links.where(np.isin(links.child, below))
            else:
                links = self._walk(branch, child, self.reduce(child, None), inwards=True)
            ends = np.unique(links.parent)
            found = ends if found is None else np.intersect1d(found, ends, assume_unique=True)
            self.links[child.name] = links
        assert found is not None, "a tree is reduced from a slot that is held to some entities"
        for absent in branch.absent:
            found = np.setdiff1d(found, self.reduce(absent, found), assume_unique=True)
        return found[self._meets(branch, found)] if branch.counted else found

    def _meets(self, branch: Branch, found: Ints) -> Mask:
        """Which entities have as many as each count says."""
        numbers: dict[int | str, NDArray[np.int64]] = {}
        for top, count in branch.counted:
            self.reduce(top, found)
            path = [each for each in top.below() if count.of in (each.name, *(below.name for below in each.below()))]
            numbers[count.of] = _count([self.links[each.name] for each in path], found)
        meets = np.ones(len(found), bool)
        for _, count in branch.counted:
            if count.operator:
                than = numbers.get(count.number, count.number)
                meets &= COMPARISONS[count.operator](numbers[count.of], than)
        return meets

    def all_of(self, root: Branch) -> Ints:
        """Every entity of a slot's types."""
        numbers = [self.engine.schema.type_number(self.schema.type_of(label)) for label in root.types]
        return np.flatnonzero(np.isin(self.engine.types_of(), numbers)).astype(np.int64)

    def completed(self, root: Branch, found: Ints) -> dict[str, Links]:
        """The links that belong to a match, outwards from the root."""
        kept = {root.name: Links(found, found, found)}
        for branch in root.below():
            assert branch.parent is not None
            links = self.links[branch.name]
            kept[branch.name] = links.where(np.isin(links.parent, kept[branch.parent].child))
        return kept

    def _allowed(self, branch: Branch, within: Ints | None) -> Ints | None:
        """The entities that a slot allows by itself; None for all."""
        found = within
        if branch.held is not None:
            held = self.engine.lookup(list(branch.held))
            held = np.unique(held[held >= 0]).astype(np.int64)
            found = held if found is None else np.intersect1d(found, held)
        return None if found is None else found[self._fits(branch, found)]

    def _fits(self, branch: Branch, entities: Ints) -> Mask:
        """Which entities have one of the slot's types and are not excluded."""
        fits = np.ones(len(entities), bool)
        if branch.types:
            numbers = [self.engine.schema.type_number(self.schema.type_of(label)) for label in branch.types]
            fits &= np.isin(self.engine.types_of(entities), numbers)
        if branch.excluded:
            fits &= ~np.isin(entities, self.engine.lookup(list(branch.excluded)))
        return fits

    def _walk(self, branch: Branch, child: Branch, start: Ints, *, inwards: bool) -> Links:
        """The triples of a step that touch `start`, which fills the child if the walk goes inwards, else the parent."""
        self.deadline.check()
        step, far = child.step, branch if inwards else child
        assert step is not None
        forwards = (step.subject == child.name) == inwards  # from the subject
        both = step.either_way or any(self.schema.relationship(name).symmetric for name in step.relations)
        direction = "both" if step.either_way else "out" if forwards else "in"
        numbers = self._numbers(step, start, direction)
        columns = self.engine.triple_columns(numbers)
        subject, object_ = columns.subject.astype(np.int64), columns.object.astype(np.int64)
        near, other = (subject, object_) if forwards else (object_, subject)
        if both:
            loops = subject == object_
            near, other = np.concatenate([near, other[~loops]]), np.concatenate([other, near[~loops]])
            numbers = np.concatenate([numbers, numbers[~loops]])
        keep = np.isin(near, start)
        keep[keep] = self._fits(far, other[keep])
        near, other, numbers = near[keep], other[keep], numbers[keep]
        return Links(other, near, numbers) if inwards else Links(near, other, numbers)

    def _numbers(self, step: Step, start: Ints, direction: str) -> NDArray[np.int64]:
        """The numbers of a step's triples at some entities."""
        if not step.relations:
            numbers = self.engine.triples(start, direction=direction).numbers
        else:
            named = [self.schema.relationship(name) for name in step.relations]
            plain = [each.relation for each in named if not each.negated_only]
            denied = [each.relation for each in named if each.negated_only]
            numbers = self.engine.triples(start, relations=plain, direction=direction).numbers
            if denied:
                every = self.engine.triples(start, relations=denied, direction=direction, where=Where(negated=True))
                stated = self.engine.triples(start, relations=denied, direction=direction)
                numbers = np.union1d(numbers, np.setdiff1d(every.numbers, stated.numbers))
        passing = self.passing.get(step.name)
        return numbers if passing is None else numbers[passing[numbers]]
