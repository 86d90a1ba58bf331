"""A Cypher statement → the plan it says, or one sentence about what no plan can say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from clew.answer.plan import ABSENT, OPTIONAL, REQUIRED, Asked, Condition, Measure, Part, Plan, Slot, Sort, Step
from clew.errors import QueryError
from clew.store.cypher import syntax as s
from clew.store.cypher.write import write

__all__ = ["read_plan"]

COMPARED = ("=", "<>", "<", "<=", ">", ">=", "IN", "CONTAINS", "STARTS WITH", "ENDS WITH", "=~")
TURNED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
AGGREGATES = ("count", "sum", "avg", "min", "max", "collect")
LONGEST = 30


def read_plan(statement: s.Statement, parameters: Mapping[str, Any] | None = None) -> Plan:
    """The plan of a statement, with values for its parameters; raises `QueryError` where it says more than a plan can.

    >>> from clew.store.cypher import parse
    >>> read_plan(parse("MATCH (g:Gene)-[:CAUSES]->(d:Disease) WHERE d.name = 'Gout' RETURN count(g)")).operation
    'count'
    """
    if len(statement.queries) > 1:
        _refuse("UNION")
    taken = frozenset(getattr(part, "variable", None) or "" for part in s.walk(statement))
    return _Reader(parameters or {}, taken).plan(statement.queries[0])


def _refuse(what: str) -> NoReturn:
    raise QueryError(f"a plan cannot say {what}")


def _said(part: s.Expression) -> str:
    item = s.Return(s.Projection((s.Item(part),)))
    return write(s.Statement((s.Query((item,)),))).removeprefix("RETURN ")


@dataclass(slots=True)
class _Reader:
    """Reads clause after clause; what a variable stands for is kept in `slots`, `steps` and `paths`."""

    parameters: Mapping[str, Any]
    taken: frozenset[str]
    slots: dict[str, Slot] = field(default_factory=dict)
    steps: set[str] = field(default_factory=set)
    paths: dict[str, s.Pattern] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    aliases: dict[str, Asked | Measure] = field(default_factory=dict)
    measure: Measure | None = None
    sort: tuple[Sort, ...] = ()
    skip: int = 0
    limit: int | None = None
    kind: str = "rows"
    grouped: bool = False

    def plan(self, query: s.Query) -> Plan:
        for clause in query.clauses:
            match clause:
                case s.Match(patterns, where, optional):
                    if self.grouped:
                        _refuse("MATCH after a count")
                    self._match(patterns, where, OPTIONAL if optional else REQUIRED)
                case s.With(projection, where):
                    self._with(projection, where)
                case s.Return(projection):
                    self._return(projection)
                case _:
                    _refuse(type(clause).__name__.upper())
        return Plan(
            tuple(self.slots.values()),
            tuple(self.parts),
            kind=self.kind,
            asked=tuple(self.asked),
            measure=self.measure,
            sort=self.sort,
            skip=self.skip,
            limit=self.limit,
        )

    # patterns -----------------------------------------------------------------------------------------------------

    def _match(self, patterns: tuple[s.Pattern, ...], where: s.Expression | None, kind: str) -> None:
        steps: list[Step] = []
        conditions: list[Condition] = []
        for pattern in patterns:
            if pattern.variable is not None:
                self.paths[pattern.variable] = pattern
            if pattern.kind == "all":
                _refuse("allShortestPaths")
            if pattern.kind:
                self.kind = "path"
            self._pattern(pattern, steps, conditions)
        place = len(self.parts)
        self._where(where, conditions)
        if steps or conditions:
            self.parts.insert(place, Part(kind, tuple(steps), tuple(conditions)))

    def _pattern(self, pattern: s.Pattern, steps: list[Step], conditions: list[Condition]) -> None:
        names = [self._slot(entity, conditions) for entity in pattern.entities]
        for relationship, left, right in zip(pattern.relationships, names, names[1:], strict=False):
            inward = relationship.direction == "in"
            name = relationship.variable or ""
            if relationship.properties is not None:
                name = name or self._new("r")
                conditions += self._entries(name, relationship.properties)
            if name:
                self.steps.add(name)
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
        known = self.slots.get(name)
        self.slots[name] = self._narrowed(known or Slot(name), entity.labels)
        if entity.properties is not None:
            conditions += self._entries(name, entity.properties)
        return name

    def _narrowed(self, slot: Slot, labels: tuple[str, ...]) -> Slot:
        if not labels:
            return slot
        both = tuple(each for each in slot.types if each in labels) if slot.types else labels
        if not both:
            _refuse(f"that {slot.name} is {slot.types[0]} and {labels[0]}")
        return replace(slot, types=both)

    def _new(self, letter: str) -> str:
        number = 1
        while (name := f"{letter}{number}") in self.taken or name in self.slots or name in self.steps:
            number += 1
        return name

    def _entries(self, of: str, properties: s.Expression) -> Iterator[Condition]:
        if not isinstance(properties, s.MapLiteral):
            _refuse("properties given as one parameter")
        for key, value in properties.entries:
            yield Condition(of, key, "=", self._value(value))

    # conditions ---------------------------------------------------------------------------------------------------

    def _where(self, where: s.Expression | None, conditions: list[Condition]) -> None:
        for condition in _conjuncts(where):
            match condition:
                case s.Unary("NOT", s.PatternExpression(pattern)):
                    self._inner((pattern,), None, ABSENT)
                case s.Unary("NOT", s.Subquery("EXISTS", patterns, inner)):
                    self._inner(patterns, inner, ABSENT)
                case s.PatternExpression(pattern):
                    self._inner((pattern,), None, REQUIRED)
                case s.Subquery("EXISTS", patterns, inner):
                    self._inner(patterns, inner, REQUIRED)
                case s.HasLabels(s.Variable(name), labels) if name in self.slots:
                    self.slots[name] = self._narrowed(self.slots[name], labels)
                case s.Unary("NOT", inner_condition):
                    conditions.append(replace(self._condition(inner_condition), negated=True))
                case _:
                    conditions.append(self._condition(condition))

    def _inner(self, patterns: tuple[s.Pattern, ...], where: s.Expression | None, kind: str) -> None:
        """A pattern inside a condition: what it names for the first time is known only there."""
        if any(isinstance(each, s.Subquery | s.PatternExpression) for each in s.walk(where)) and kind == ABSENT:
            _refuse("a pattern inside one that must not exist")
        self._match(patterns, where, kind)

    def _condition(self, condition: s.Expression) -> Condition:
        match condition:
            case s.Binary("OR"):
                return self._either(condition)
            case s.Binary("<>", s.Variable(one), s.Variable(other)) if one in self.slots and other in self.slots:
                return Condition(one, "", "DIFFERS", other)
            case s.IsNull(s.Property(s.Variable(of), key), negated) if self._known(of):
                return Condition(of, key, "IS NOT NULL" if negated else "IS NULL")
            case s.Binary(operator, s.Property(s.Variable(of), key), value) if operator in COMPARED and self._known(of):
                return Condition(of, key, operator, self._value(value))
            case s.Binary(operator, value, s.Property(s.Variable(of), key)) if operator in TURNED and self._known(of):
                return Condition(of, key, TURNED[operator], self._value(value))
            case s.Binary(operator, s.Call(function, (s.Property(s.Variable(of), key),)), value) if (
                function.lower() in ("tolower", "lower") and operator in COMPARED and self._known(of)
            ):
                return Condition(of, key, operator, self._lowered(value), ignoring_case=True)
            case s.Property(s.Variable(of), key) if self._known(of):
                return Condition(of, key, "=", True)
        _refuse(f"the condition {_said(condition)}")

    def _either(self, condition: s.Binary) -> Condition:
        """n.key = a OR n.key = b is n.key IN [a, b]."""
        left, right = self._condition(condition.left), self._condition(condition.right)
        if (left.of, left.key, left.ignoring_case) != (right.of, right.key, right.ignoring_case):
            _refuse(f"the condition {_said(condition)}")
        values: list[Any] = []
        for each in (left, right):
            if each.negated or each.operator not in ("=", "IN"):
                _refuse(f"the condition {_said(condition)}")
            values += each.value if isinstance(each.value, tuple) else [each.value]
        return replace(left, operator="IN", value=tuple(values))

    def _known(self, name: str) -> bool:
        return name in self.slots or name in self.steps

    def _value(self, value: s.Expression) -> Any:
        match value:
            case s.Literal(literal):
                return literal
            case s.ListLiteral(items):
                return tuple(self._value(item) for item in items)
            case s.Parameter(name):
                if name not in self.parameters:
                    raise QueryError(f"the parameter ${name} has no value")
                given = self.parameters[name]
                return tuple(given) if isinstance(given, list | tuple) else given
            case s.Call(function, (inner,)) if function.lower() in ("date", "tolower", "lower"):
                return self._value(inner)
        _refuse(f"the value {_said(value)}")

    def _lowered(self, value: s.Expression) -> Any:
        found = self._value(value)
        return found.lower() if isinstance(found, str) else found

    # what is wanted -----------------------------------------------------------------------------------------------

    def _with(self, projection: s.Projection, where: s.Expression | None) -> None:
        if self.grouped or projection.everything:
            _refuse("more than one WITH that counts, or WITH *")
        found = [self._column(item.expression) for item in projection.items]
        if not any(isinstance(column, Measure) for column in found):
            self._pass_on(projection, where, found)
            return
        self.grouped = True
        for item, column in zip(projection.items, found, strict=True):
            self._keep(column, item.column)
        self._order(projection)
        for condition in _conjuncts(where):
            self._having(condition)

    def _pass_on(self, projection: s.Projection, where: s.Expression | None, found: list[Asked | Measure]) -> None:
        """WITH that only names what goes on: nothing changes but the names of properties."""
        if projection.order or projection.limit is not None or projection.skip is not None:
            _refuse("a limit before the end")
        for item, column in zip(projection.items, found, strict=True):
            if isinstance(column, Asked) and column.key is None and item.column != column.of:
                _refuse(f"another name for {column.of}")
            self.aliases[item.column] = column
        conditions: list[Condition] = []
        self._where(where, conditions)
        if conditions:
            self.parts.append(Part(REQUIRED, (), tuple(conditions)))

    def _having(self, condition: s.Expression) -> None:
        match condition:
            case s.Binary(operator, s.Variable(name), s.Literal(int() | float() as value)) if operator in TURNED:
                measure = self.aliases.get(name)
                if measure is not None and measure == self.measure and self.measure.operator is None:
                    self.measure = replace(self.measure, operator=operator, value=value)
                    self.aliases[name] = self.measure
                    return
        _refuse(f"the condition {_said(condition)} on a count")

    def _return(self, projection: s.Projection) -> None:
        if projection.everything:
            _refuse("RETURN *")
        if self._asks_existence(projection):
            return
        before, self.asked = self.asked, []
        for item in projection.items:
            self._keep(self._column(item.expression), item.column)
        if self.grouped:
            self._keep_groups(before)
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
        return False

    def _keep(self, column: Asked | Measure, name: str) -> None:
        self.aliases[name] = column
        if isinstance(column, Asked):
            if column not in self.asked:
                self.asked.append(column)
        elif self.measure is None:
            self.measure = column
        elif self.measure != column:
            _refuse("two measures")

    def _column(self, expression: s.Expression) -> Asked | Measure:
        match expression:
            case s.Variable(name) if name in self.aliases:
                return self.aliases[name]
            case s.Variable(name) if self._known(name):
                return Asked(name)
            case s.Variable(name) if name in self.paths and self.kind == "path":
                return Asked(self.paths[name].entities[0].variable or next(iter(self.slots)))
            case s.Property(s.Variable(name), key) if self._known(name):
                return Asked(name, key)
            case s.CountAll():
                return Measure("count", next(iter(self.slots), ""))
            case s.Call(function, (inner,)) if function.lower() in AGGREGATES:
                column = self._column(inner)
                if isinstance(column, Asked):
                    counted = function.lower() == "count" and column.key in ("id", "name")
                    return Measure(function.lower(), column.of, None if counted else column.key)
        _refuse(f"the column {_said(expression)}")

    def _order(self, projection: s.Projection) -> None:
        sorts = []
        for order in projection.order:
            column = self._column(order.expression)
            if isinstance(column, Measure) and column != self.measure:
                if self.measure is not None:
                    _refuse("an order by another measure")
                self.measure = column
            sorts.append(Sort(None if isinstance(column, Measure) else column, order.descending))
        if sorts:
            self.sort = tuple(sorts)
        if projection.skip is not None:
            self.skip = self._whole(projection.skip)
        if projection.limit is not None:
            self.limit = self._whole(projection.limit)

    def _whole(self, number: s.Expression) -> int:
        value = self._value(number)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise QueryError(f"SKIP and LIMIT take a whole number, not {value!r}")
        return value


def _conjuncts(condition: s.Expression | None) -> Iterator[s.Expression]:
    match condition:
        case None:
            return
        case s.Binary("AND", left, right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield condition
