"""The clauses of a Cypher statement that match: their patterns and conditions as the parts of a plan."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from clew.answer.plans.condition import Condition
from clew.answer.plans.cypher.read_conditions import (
    called,
    conjuncts,
    counted_patterns,
    is_count,
    read_condition,
    refused,
    said,
)
from clew.answer.plans.cypher.read_patterns import PatternReader
from clew.answer.plans.operators import TURNED
from clew.answer.plans.plan import ABSENT, COUNTED, OPTIONAL, REQUIRED, Count, Measure, Part, Step
from clew.store.cypher import syntax as s

__all__ = ["MatchReader"]


@dataclass(slots=True)
class _Around:
    """An absent or counted part while what stands inside it is read."""

    name: str
    steps: list[Step]
    conditions: list[Condition]


@dataclass(slots=True)
class MatchReader(PatternReader):
    """Reads what must be found, what must not, and what is counted."""

    paths: dict[str, s.Pattern] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    matched: dict[str, None] = field(default_factory=dict)  # slots of patterns that must be found
    counted_for: set[str] = field(default_factory=set)  # slots that COUNT { … } counts something for
    kind: str = "rows"
    around: _Around | None = None  # the absent or counted part that is being read
    named: int = 0  # such parts so far
    closed: set[str] = field(default_factory=set)  # names of patterns inside conditions, which are known only there

    def _match(
        self,
        patterns: tuple[s.Pattern, ...],
        where: s.Expression | None,
        kind: str,
        *,
        compared: tuple[str, int] = ("", 0),
    ) -> None:
        steps: list[Step] = []
        conditions: list[Condition] = []
        known = set(self.scope.slots)
        for pattern in patterns:
            if pattern.variable is not None:
                self.paths[pattern.variable] = pattern
            if pattern.kind == "all":
                raise refused("allShortestPaths")
            if pattern.kind:
                self.kind = "path"
            self._pattern(pattern, steps, conditions)
            if kind == REQUIRED:
                self.matched |= dict.fromkeys(entity.variable or "" for entity in pattern.entities)
        new = [name for name in self.scope.slots if name not in known]
        place, around = len(self.parts), self.around
        if kind in (ABSENT, COUNTED):
            self.named += 1
            self.around = _Around(f"p{self.named}", steps, conditions)
        self._where(where, conditions)
        name = self.around.name if self.around is not None and self.around is not around else ""
        self.around = around
        if kind == COUNTED and not new:
            raise refused("the count of what is known already")
        count = Count(_farthest(new, steps, conditions), *compared) if kind == COUNTED else None
        if steps or conditions or count:
            name = name if any(part.inside == name for part in self.parts) else ""
            inside = around.name if around is not None and kind in (ABSENT, COUNTED) else ""
            self.parts.insert(place, Part(kind, tuple(steps), tuple(conditions), count, name, inside))

    # conditions ---------------------------------------------------------------------------------------------------

    def _where(self, where: s.Expression | None, conditions: list[Condition]) -> None:
        for condition in conjuncts(where):
            match condition:
                case s.Unary("NOT", s.PatternExpression(pattern)):
                    self._inner((pattern,), None, ABSENT)
                case s.Unary("NOT", s.Subquery("EXISTS", patterns, inner)):
                    self._inner(patterns, inner, ABSENT)
                case s.PatternExpression(pattern):
                    self._inner((pattern,), None, REQUIRED)
                case s.Subquery("EXISTS", patterns, inner):
                    self._inner(patterns, inner, REQUIRED)
                case s.HasLabels(s.Variable(name), labels) if name in self.scope.slots:
                    self.scope.slots[name] = self._narrowed(self.scope.slots[name], labels)
                case s.Binary(operator, counted, s.Literal(int() as number)) if is_count(counted):
                    self._count_condition(counted, operator, number)
                case s.Binary(operator, one, other) if is_count(one) and is_count(other) and operator in TURNED:
                    self._compare(one, operator, other)
                case _:
                    conditions.append(read_condition(condition, self.scope))

    def _inner(
        self,
        patterns: tuple[s.Pattern, ...],
        where: s.Expression | None,
        kind: str,
        compared: tuple[str, int] = ("", 0),
    ) -> None:
        """A pattern inside a condition: what it names for the first time is known only there."""
        again = {name: self._new(name) for name in s.declared(patterns) if name in self.closed}
        patterns, where = (called(each, again) for each in (patterns, where))
        before = {*self.scope.slots, *self.scope.steps}
        if kind != REQUIRED or self.around is None:
            self._match(patterns, where, kind, compared=compared)
        else:
            for pattern in patterns:  # what must be there within what must not is part of it
                self._pattern(pattern, self.around.steps, self.around.conditions)
            self._where(where, self.around.conditions)
        self.closed |= {*self.scope.slots, *self.scope.steps} - before

    # counts of patterns -------------------------------------------------------------------------------------------

    def _count_condition(self, counted: s.Expression, operator: str, number: int) -> None:
        """COUNT { … } > 3: none and some are what must be absent or there, the rest is a part that is counted."""
        patterns, where = counted_patterns(counted)
        if (operator, number) in (("=", 0), ("<", 1)):
            self._inner(patterns, where, ABSENT)
        elif (operator, number) in ((">", 0), (">=", 1)):
            self._inner(patterns, where, REQUIRED)
        elif operator in TURNED:
            self._inner(patterns, where, COUNTED, (operator, number))
        else:
            raise refused(f"the condition {said(s.Binary(operator, counted, s.Literal(number)))}")

    def _compare(self, one: s.Expression, operator: str, other: s.Expression) -> None:
        """COUNT { … } > COUNT { … }: two parts that are counted, the second for the first to be compared with."""
        places = []
        for each in (one, other):
            places.append(len(self.parts))
            self._inner(*counted_patterns(each), COUNTED)
        first, second = (self.parts[place] for place in places)
        assert first.count is not None
        assert second.count is not None
        self.parts[places[0]] = replace(first, count=Count(first.count.of, operator, second.count.of))

    def _counted(self, counted: s.Expression) -> Measure:
        """How many ends a pattern has, for what is already known of it: an optional part and a count."""
        patterns, where = counted_patterns(counted)
        known, place = set(self.scope.slots), len(self.parts)
        self._match(patterns, where, OPTIONAL)
        new = [name for name in self.scope.slots if name not in known]
        if not new:
            raise refused(f"the count {said(counted)}, which finds nothing new")
        part = self.parts[place]
        self.counted_for |= {end for step in part.steps for end in step.ends} & known
        return Measure("count", _farthest(new, part.steps, part.conditions))


def _farthest(new: Sequence[str], steps: Sequence[Step], conditions: Sequence[Condition]) -> str:
    """What a pattern counts: its end that leads away from what is known, and that is not named itself."""
    named = {each.of for each in conditions if each.key in ("id", "name")}
    free = [name for name in new if name not in named] or new
    near = {end for step in steps for end in step.ends if not set(step.ends) <= set(new)}
    return free[0] if free[-1] in near and free[0] not in near else free[-1]
