"""The patterns of a Cypher statement as the slots, steps and conditions of a plan."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from clew.answer.plans.condition import Condition
from clew.answer.plans.cypher.read_conditions import Scope, read_property, read_value, refused
from clew.answer.plans.plan import Slot, Step
from clew.store.cypher import syntax as s

__all__ = ["PatternReader"]

LONGEST = 30


@dataclass(slots=True)
class PatternReader:
    """Keeps in `scope` what each variable stands for; `taken` are the names that the statement has."""

    scope: Scope
    taken: frozenset[str]

    def _pattern(self, pattern: s.Pattern, steps: list[Step], conditions: list[Condition]) -> None:
        """Add the steps of a pattern and what it says of their ends."""
        names = [self._slot(entity, conditions) for entity in pattern.entities]
        for relationship, left, right in zip(pattern.relationships, names, names[1:], strict=False):
            inward = relationship.direction == "in"
            name = relationship.variable or ""
            if relationship.properties is not None:
                name = name or self._new("r")
                conditions += self._entries(name, relationship.properties)
            if name:
                self.scope.steps.add(name)
            steps.append(
                Step(
                    right if inward else left,
                    relationship.types,
                    left if inward else right,
                    shortest=relationship.shortest,
                    longest=LONGEST if relationship.longest is None else relationship.longest,
                    either_way=relationship.direction == "both",
                    name=name,
                )
            )

    def _slot(self, entity: s.EntityPattern, conditions: list[Condition]) -> str:
        name = entity.variable or self._new("e")
        known = self.scope.slots.get(name)
        self.scope.slots[name] = self._narrowed(known or Slot(name), entity.labels)
        if entity.properties is not None:
            conditions += self._entries(name, entity.properties)
        return name

    def _narrowed(self, slot: Slot, labels: tuple[str, ...]) -> Slot:
        if not labels:
            return slot
        both = tuple(each for each in slot.types if each in labels) if slot.types else labels
        if not both:
            raise refused(f"that {slot.name} is {slot.types[0]} and {labels[0]}")
        return replace(slot, types=both)

    def _new(self, letter: str) -> str:
        number = 1
        while (name := f"{letter}{number}") in self.taken or self.scope.knows(name):
            number += 1
        return name

    def _entries(self, of: str, properties: s.Expression) -> Iterator[Condition]:
        if not isinstance(properties, s.MapLiteral):
            raise refused("properties given as one parameter")
        for key, value in properties.entries:
            yield Condition(of, key, "=", read_property(value, self.scope) or read_value(value, self.scope))
