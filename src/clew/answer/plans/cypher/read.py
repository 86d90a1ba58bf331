"""A Cypher statement → the plan it says, or one sentence about what no plan can say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clew.answer.plans.cypher.read_conditions import (
    AGGREGATES,
    Scope,
    called,
    conjuncts,
    counted_patterns,
    is_aggregate,
    is_count,
    read_condition,
    read_property,
    read_value,
    refused,
    said,
)
from clew.answer.plans.cypher.read_patterns import PatternReader
from clew.answer.plans.plan import (
    ABSENT,
    COUNTED,
    OPTIONAL,
    REQUIRED,
    TURNED,
    Asked,
    Condition,
    Count,
    Measure,
    Part,
    Plan,
    Sort,
    Step,
)
from clew.answer.plans.quantify import counted
from clew.errors import QueryError
from clew.store.cypher import syntax as s

__all__ = ["read_plan"]


def read_plan(statement: s.Statement, parameters: Mapping[str, Any] | None = None) -> Plan:
    """The plan of a statement, with values for its parameters; raises `QueryError` where it says more than a plan can.

    >>> from clew.store.cypher import parse
    >>> read_plan(parse("MATCH (g:Gene)-[:CAUSES]->(d:Disease) WHERE d.name = 'Gout' RETURN count(g)")).operation
    'count'
    """
    if len(statement.queries) > 1:
        raise refused("UNION")
    taken = frozenset(getattr(part, "variable", None) or "" for part in s.walk(statement))
    return _Reader(Scope(parameters or {}), taken).plan(statement.queries[0])


@dataclass(slots=True)
class _Around:
    """An absent or counted part while what stands inside it is read."""

    name: str
    steps: list[Step]
    conditions: list[Condition]


@dataclass(slots=True)
class _Reader(PatternReader):
    """Reads clause after clause."""

    paths: dict[str, s.Pattern] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    matched: dict[str, None] = field(default_factory=dict)  # slots of patterns that must be found
    measure: Measure | None = None
    counted_for: set[str] = field(default_factory=set)  # slots that COUNT { … } counts something for
    sort: tuple[Sort, ...] = ()
    skip: int = 0
    limit: int | None = None
    kind: str = "rows"
    grouped: bool = False
    around: _Around | None = None  # the absent or counted part that is being read
    named: int = 0  # such parts so far
    closed: set[str] = field(default_factory=set)  # names of patterns inside conditions, which are known only there
    compared: Count | None = None  # a count of what was matched that is compared with another, as the whole answer

    def plan(self, query: s.Query) -> Plan:
        for clause in query.clauses:
            match clause:
                case s.Match(patterns, where, optional):
                    self._check_last("MATCH")
                    self._match(patterns, where, OPTIONAL if optional else REQUIRED)
                case s.With(projection, where):
                    self._with(projection, where)
                case s.Return(projection):
                    self._return(projection)
                case _:
                    raise refused(type(clause).__name__.upper())
        if not self.counted_for <= {column.of for column in self.asked}:
            raise refused("a count for what is not returned")
        plan = Plan(
            tuple(self.scope.slots.values()),
            (*self._there(), *self.parts),
            kind=self.kind,
            asked=tuple(self.asked),
            measure=self.measure,
            sort=self.sort,
            skip=self.skip,
            limit=self.limit,
        )
        if self.compared is None:
            return plan
        found = counted(plan, self.compared, Count(str(self.compared.number)))
        if found is None:
            raise refused("a comparison of these counts")
        return found

    def _there(self) -> Iterator[Part]:
        """That there is an entity in each slot of MATCH (a) OPTIONAL MATCH (a)-->(b) that nothing else requires."""
        optional = {end for part in self.parts if part.kind == OPTIONAL for each in part.steps for end in each.ends}
        required = {end for part in self.parts if part.kind == REQUIRED for each in part.steps for end in each.ends}
        required |= {each.of for part in self.parts if part.kind == REQUIRED for each in part.conditions}
        there = [Condition(name, "id", "IS NOT NULL") for name in self.matched if name in optional - required]
        if there:
            yield Part(REQUIRED, (), tuple(there))

    def _check_last(self, what: str) -> None:
        """A count and a limit are of the whole: only what is returned can follow."""
        if self.grouped:
            raise refused(f"{what} after a count")
        if self.limit is not None or self.skip:
            raise refused(f"{what} after a limit")

    # patterns -----------------------------------------------------------------------------------------------------

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

    # what is wanted -----------------------------------------------------------------------------------------------

    def _with(self, projection: s.Projection, where: s.Expression | None) -> None:
        if self.grouped or projection.everything:
            raise refused("more than one WITH that counts, or WITH *")
        found = [self._column(item.expression) for item in projection.items]
        if not any(isinstance(column, Measure) for column in found):
            self._pass_on(projection, where, found)
            return
        self._check_last("a count")
        self.grouped = True
        for item, column in zip(projection.items, found, strict=True):
            self._keep(column, item.column)
        self._order(projection)
        for condition in conjuncts(where):
            self._having(condition)

    def _pass_on(self, projection: s.Projection, where: s.Expression | None, found: list[Asked | Measure]) -> None:
        """WITH that only names what goes on, perhaps in order and not all of it: then nothing but RETURN can follow."""
        for item, column in zip(projection.items, found, strict=True):
            if isinstance(column, Asked) and column.key is None and item.column != column.of:
                raise refused(f"another name for {column.of}")
            self.scope.aliases[item.column] = column
        self._order(projection)
        if where is not None:
            self._check_last("WHERE")
        conditions: list[Condition] = []
        self._where(where, conditions)
        if conditions:
            self.parts.append(Part(REQUIRED, (), tuple(conditions)))

    def _having(self, condition: s.Expression) -> None:
        match condition:
            case s.Binary(operator, s.Variable(name), s.Literal(int() | float() as value)) if operator in TURNED:
                measure = self.scope.aliases.get(name)
                if measure is not None and measure == self.measure and self.measure.operator is None:
                    self.measure = replace(self.measure, operator=operator, value=value)
                    self.scope.aliases[name] = self.measure
                    return
        raise refused(f"the condition {said(condition)} on a count")

    def _return(self, projection: s.Projection) -> None:
        if projection.everything:
            raise refused("RETURN *")
        if self._asks_existence(projection):
            return
        before, self.asked = self.asked, []
        if not self.grouped and any(is_aggregate(item.expression) for item in projection.items):
            self._check_last("a count")
        for item in projection.items:
            self._keep(self._column(item.expression), item.column)
        if self.grouped:
            self._keep_groups(before)
        if projection.order and self.limit is not None:
            raise refused("an order after a limit")
        self._order(projection)

    def _keep_groups(self, before: list[Asked]) -> None:
        """After a count, rows are what was counted by, whether all of it is returned or not."""
        returned = {column.of for column in self.asked}
        self.asked += [column for column in before if column.of not in returned]

    def _asks_existence(self, projection: s.Projection) -> bool:
        match projection.items:
            case (s.Item(s.Binary(">" | "=" as compared, s.CountAll() | s.Call("count" | "COUNT"), s.Literal(0))),):
                self.kind = "exists" if compared == ">" else "lacks"
                return True
            case (s.Item(s.Binary(operator, one, s.Literal(int()) | s.Subquery()) as condition),) if is_count(one):
                self.kind = "exists"
                self._where(condition, [])
                return True
            case (s.Item(s.Binary(operator, s.Call() as one, s.Call() as other)),) if operator in TURNED:
                counts = [self._column(each) for each in (one, other) if is_aggregate(each)]
                match counts:
                    case [Measure("count", of, None), Measure("count", than, None)]:
                        self.kind, self.compared = "exists", Count(of, operator, than)
                        return True
        return False

    def _keep(self, column: Asked | Measure, name: str) -> None:
        self.scope.aliases[name] = column
        if isinstance(column, Asked):
            if column not in self.asked:
                self.asked.append(column)
        elif self.measure is None:
            self.measure = column
        elif self.measure != column:
            raise refused("two measures")

    def _column(self, expression: s.Expression) -> Asked | Measure:
        match expression:
            case s.Variable(name) if name in self.scope.aliases:
                return self.scope.aliases[name]
            case s.Variable(name) if self.scope.knows(name):
                return Asked(name)
            case s.Variable(name) if name in self.paths and self.kind == "path":
                return Asked(self.paths[name].entities[0].variable or next(iter(self.scope.slots)))
            case s.CountAll():
                return Measure("count", next(iter(self.scope.slots), ""))
            case s.Call(function, (inner,)) if function.lower() in AGGREGATES:
                column = self._column(inner)
                if isinstance(column, Asked) and not column.sized:
                    counted = function.lower() == "count" and column.key in ("id", "name")
                    return Measure(function.lower(), column.of, None if counted else column.key, numeric=column.numeric)
            case _ if (found := read_property(expression, self.scope)) is not None:
                return found
            case _ if is_count(expression):
                return self._counted(expression)
        raise refused(f"the column {said(expression)}")

    def _order(self, projection: s.Projection) -> None:
        sorts = []
        for order in projection.order:
            column = self._column(order.expression)
            if isinstance(column, Measure) and column != self.measure:
                if self.measure is not None:
                    raise refused("an order by another measure")
                self.measure = column
            sorts.append(Sort(None if isinstance(column, Measure) else column, order.descending))
        if sorts:
            self.sort = tuple(sorts)
        if projection.skip is not None:
            self.skip = self._whole(projection.skip)
        if projection.limit is not None:
            limit = self._whole(projection.limit)
            self.limit = limit if self.limit is None else min(limit, self.limit)

    def _whole(self, number: s.Expression) -> int:
        value = read_value(number, self.scope)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise QueryError(f"SKIP and LIMIT take a whole number, not {value!r}")
        return value


def _farthest(new: Sequence[str], steps: Sequence[Step], conditions: Sequence[Condition]) -> str:
    """What a pattern counts: its end that leads away from what is known, and that is not named itself."""
    named = {each.of for each in conditions if each.key in ("id", "name")}
    free = [name for name in new if name not in named] or new
    near = {end for step in steps for end in step.ends if not set(step.ends) <= set(new)}
    return free[0] if free[-1] in near and free[0] not in near else free[-1]
