"""A Cypher statement → the plan it says, or one sentence about what no plan can say."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.cypher.read_conditions import (
    AGGREGATES,
    Scope,
    called,
    conjuncts,
    is_aggregate,
    is_count,
    read_property,
    read_value,
    refused,
    said,
)
from clew.answer.plans.cypher.read_matches import MatchReader
from clew.answer.plans.operators import TURNED
from clew.answer.plans.plan import ABSENT, COUNTED, OPTIONAL, REQUIRED, Count, Having, Measure, Part, Plan, Sort
from clew.answer.plans.quantify import counted
from clew.errors import QueryError
from clew.store.cypher import syntax as s

__all__ = ["read_plan"]

NAMES = ("id", "name")


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
class _Reader(MatchReader):
    """Reads clause after clause."""

    asked: list[Asked] = field(default_factory=list)
    measure: Measure | None = None
    having: Having | None = None
    sort: tuple[Sort, ...] = ()
    skip: int = 0
    limit: int | None = None
    grouped: bool = False
    compared: Count | None = None  # a count of what was matched that is compared with another, as the whole answer
    further: list[Measure] = field(default_factory=list)  # counts beside the first, for which rows are chosen too
    read: list[s.Match] = field(default_factory=list)  # what must be found, so far

    def plan(self, query: s.Query) -> Plan:
        for clause in query.clauses:
            match clause:
                case s.Match(patterns, where, optional):
                    self._check_last("MATCH")
                    self._match(patterns, where, OPTIONAL if optional else REQUIRED)
                    self.read.append(clause)
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
            having=self.having,
        )
        if self.compared is None:
            return _with_plain_count(plan)
        found = counted(plan, self.compared, Count(str(self.compared.number)))
        if found is None:
            raise refused("a comparison of these counts")
        return found

    def _there(self) -> Iterator[Part]:
        """That there is an entity in each slot of MATCH (a) OPTIONAL MATCH (a)-->(b) that nothing else requires.

        Also in those of which a yes or no is asked, where all that is said of them is counted or must be absent.
        """
        kinds = (OPTIONAL,) if self.kind == "rows" else (OPTIONAL, ABSENT, COUNTED)
        optional = {end for part in self.parts if part.kind in kinds for each in part.steps for end in each.ends}
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
        groups = {column.of for column in self.asked}
        beside = [condition for condition in conjuncts(where) if not self._bounds(condition, groups)]
        if self.further:
            raise refused("two measures")
        gone = {*self.scope.slots, *self.scope.steps} - groups  # WITH passes on no more
        conditions: list[Condition] = []
        for each in beside:
            if gone & _names(each):
                raise refused(f"the condition {said(each)} on a count")
            self._where(each, conditions)
        self.parts += [Part(REQUIRED, (), tuple(conditions))] if conditions else []

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

    def _bounds(self, condition: s.Expression, groups: Collection[str]) -> bool:
        """Take a condition on a measure into its bounds; False for any other.

        A count beside the first is one of the same patterns, for what both are grouped by.
        """
        match condition:
            case s.Binary(operator, s.Variable(name), wanted) if operator in TURNED:
                pass
            case s.Binary(turned, wanted, s.Variable(name)) if turned in TURNED:
                operator = TURNED[turned]
            case _:
                return False
        measure = self.scope.aliases.get(name)
        if isinstance(measure, Measure) and measure in self.further:
            self.further.remove(measure)
            self._count_again(measure.of, operator, self._number(wanted), groups)
            return True
        if self.measure is None or measure != self.measure:
            return False
        self.measure = self.measure.bounded(operator, self._number(wanted))
        self.scope.aliases[name] = self.measure
        return True

    def _count_again(self, of: str, operator: str, number: int | float, groups: Collection[str]) -> None:
        if not isinstance(number, int) or any(each.optional for each in self.read) or of in self.scope.steps:
            raise refused("two measures")
        patterns = tuple(pattern for each in self.read for pattern in each.patterns)
        own = {name: self._new(name) for name in s.declared(patterns) if name not in groups}
        where = s.conjunction(*(condition for each in self.read for condition in conjuncts(each.where)))
        place = len(self.parts)
        self._match(called(patterns, own), called(where, own), COUNTED, compared=(operator, number))
        self.parts[place] = replace(self.parts[place], count=Count(own[of], operator, number))

    def _number(self, wanted: s.Expression) -> int | float:
        value = read_value(wanted, self.scope)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise refused(f"a measure compared with {said(wanted)}")
        return value

    def _return(self, projection: s.Projection) -> None:
        if projection.everything:
            raise refused("RETURN *")
        if self.measure is not None and self.measure.bounds and not self._returns_groups(projection):
            self._hold_groups(projection, self.measure)
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

    def _returns_groups(self, projection: s.Projection) -> bool:
        """Whether what was measured is returned or sorted by, or nothing is but what it was measured for."""
        items = [each.expression for each in projection.items]
        columns = [*items, *(each.expression for each in projection.order)]
        if any(isinstance(each, s.Variable) and self.scope.aliases.get(each.name) == self.measure for each in columns):
            return True
        return all(isinstance(each, s.Variable) or self._is_name(each) for each in items)

    def _is_name(self, expression: s.Expression) -> bool:
        column = read_property(expression, self.scope)
        return column is not None and column.key in NAMES

    def _hold_groups(self, projection: s.Projection, measure: Measure) -> None:
        """What WITH measures is what rows are chosen by; RETURN asks something else of them."""
        groups = dict.fromkeys(column.of for column in self.asked)
        mentioned = {each.name for each in s.walk(projection.items) if isinstance(each, s.Variable)}
        if len(groups) != 1 or self.sort or self.limit is not None or not mentioned <= {*groups, *self.scope.aliases}:
            raise refused("RETURN of anything but what WITH counts by, or of how many these are")
        (of,) = groups
        self.having, self.measure, self.asked, self.grouped = Having(of, measure), None, [], False

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
            case (s.Item(s.Binary(operator, one, wanted)),) if operator in TURNED and is_aggregate(one):
                measure = self._column(one)
                assert isinstance(measure, Measure)
                self.kind, self.having = "exists", Having("", measure.bounded(operator, self._number(wanted)))
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
            if not self.grouped or (column.function, column.key) != ("count", None):
                raise refused("two measures")
            self.further.append(column)

    def _column(self, expression: s.Expression) -> Asked | Measure:
        match expression:
            case s.Variable(name) if name in self.scope.aliases:
                return self.scope.aliases[name]
            case s.Variable(name) if self.scope.knows(name):
                return Asked(name)
            case s.Variable(name) if name in self.paths and self.kind == "path":
                return Asked(self.paths[name].entities[0].variable or next(iter(self.scope.slots)))
            case s.CountAll():
                return Measure("count", self.having.of if self.having else next(iter(self.scope.slots), ""))
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


def _names(condition: s.Expression) -> set[str]:
    """The variables of a condition, those of the patterns inside it too."""
    parts = list(s.walk(condition))
    names = {part.name for part in parts if isinstance(part, s.Variable)}
    return names | {getattr(part, "variable", None) or "" for part in parts}


def _with_plain_count(plan: Plan) -> Plan:
    """The plan with a counted part where it chooses rows by how many there are of a slot, and that is all."""
    if plan.having is None or not plan.having.of:
        return plan
    match plan.having.measure:
        case Measure("count", of, None, ">" | ">=" | "=" as operator, int() as number, further=()) if number > 0:
            return counted(replace(plan, having=None), Count(of, operator, number)) or plan
    return plan
