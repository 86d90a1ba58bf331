"""A plan as Cypher that a store can be sent as it stands: conditions on assertions as what they are in its lists.

    WHERE any(i IN range(0, size(r.source) - 1) WHERE r.source[i] = 'HPO' AND …)

Stores keep the assertions of a triple as parallel lists; a plan names one assertion (`provenance.py`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from clew.answer.plans.assertions.provenance import AS_OF, LAYER
from clew.answer.plans.assertions.shares import holds_of_share, named_shares
from clew.answer.plans.condition import Asked, Condition, Joint
from clew.answer.plans.cypher.write import shifted, write_statement
from clew.answer.plans.operators import TEXTUAL
from clew.answer.plans.plan import Part, Plan, Step
from clew.graph.assertions import CURATED_AGENTS, CURATED_LEVELS, EXTRACTED_AGENT
from clew.graph.staging import Source
from clew.store.cypher import syntax as s
from clew.store.cypher import write
from clew.store.layout import StoreSchema

__all__ = ["shown_query"]

AT, THERE = s.Variable("i"), s.Variable("j")
SILENT = ("", "not_provided")
NOTHING = s.Literal(value=True)


def shown_query(plan: Plan, schema: StoreSchema, sources: Iterable[Source] = ()) -> str:
    """The Cypher of a plan; `sources` are those of the graph, some of which may have been declared curated."""
    steps = {step.name: step for part in plan.parts for step in part.steps if step.name}
    if not any(condition.of in steps for part in plan.parts for condition in part.conditions):
        return write(write_statement(plan))
    plan = replace(plan, parts=tuple(_of_steps(part, steps) for part in plan.parts))
    curated = tuple(source.name for source in sources if source.curated)
    tests: dict[str, s.Expression] = {}
    parts = tuple(_held(part, steps, _Lists(schema, curated, steps), tests) for part in plan.parts)
    statement = write_statement(replace(plan, parts=parts))

    def change(part: s.Expression) -> s.Expression:
        """A test that stands in for its expression."""
        match part:
            case s.Binary("=", s.Property(s.Variable(of), key), s.Literal()) if f"{of}.{key}" in tests:
                return tests[f"{of}.{key}"]
        return part

    changed: s.Statement = s.rewrite(statement, change)
    return write(changed)


def _held(part: Part, steps: Mapping[str, Step], lists: "_Lists", tests: dict[str, s.Expression]) -> Part:
    """The part with one condition for all that it says of a step, which is written as its test."""
    kept = [each for each in part.conditions if each.of not in steps]
    for name in dict.fromkeys(each.of for each in part.conditions if each.of in steps):
        tests[f"{name}.{MARK}"] = lists.test(steps[name], [each for each in part.conditions if each.of == name])
        kept.append(Condition(name, MARK, "=", 1))
    return replace(part, conditions=tuple(kept))


def _of_steps(part: Part, steps: Mapping[str, Step]) -> Part:
    """The part with comparisons of entities and statements as conditions on the statements."""
    conditions = tuple(
        each.turned if each.of not in steps and isinstance(each.value, Asked) and each.value.of in steps else each
        for each in part.conditions
    )
    return replace(part, conditions=conditions)


MARK = "assertion"  # property that no store has: what stands for a test until the statement is written


class _Lists:
    """Conditions on the assertions of a step in terms of the lists that its relationships have."""

    def __init__(self, schema: StoreSchema, curated: Sequence[str], steps: Collection[str]) -> None:
        self.schema, self.curated, self.steps = schema, curated, steps

    def test(self, step: Step, conditions: Sequence[Condition]) -> s.Expression:
        """That one assertion of a step's triple meets all conditions."""
        relationships = [self.schema.relationship(name) for name in step.relations] or list(self.schema.relationships)
        self.step = s.Variable(step.name)
        self.known = {each.name for relationship in relationships for each in relationship.properties}
        parts = [part for condition in conditions for part in self._parts(condition)]
        if "negated" in self.known and not any(each.negated for each in relationships):
            parts.append(s.Unary("NOT", self._value("negated")))
        parts = [part for part in parts if part != NOTHING]
        if not parts:
            return NOTHING
        used = next((key for key in ("source", *sorted(self.known)) if key in self.known), None)
        if used is None:
            return s.Literal(value=False)
        last = s.Binary("-", s.Call("size", (s.Property(self.step, used),)), s.Literal(1))
        return s.Quantifier("any", AT.name, s.Call("range", (s.Literal(0), last)), _all(parts))

    def _value(self, key: str) -> s.Expression:
        return s.Index(s.Property(self.step, key), AT)

    def _parts(self, condition: Condition) -> Iterator[s.Expression]:
        if condition.key == AS_OF:
            for key, compared in (("valid_from", "<="), ("valid_to", ">=")):
                if key in self.known:
                    bound = s.Binary(compared, self._value(key), s.Literal(str(condition.value)))
                    yield s.Binary("OR", self._is(key, ""), bound)
        elif condition.key == LAYER:
            yield self._layer(str(condition.value))
        elif condition.key not in self.known:
            yield s.Literal(value=condition.or_absent or (condition.operator == "IS NULL") != condition.negated)
        elif condition.or_absent:
            yield s.Binary("OR", self._is(condition.key, ""), self._plain(condition))
        else:
            yield self._plain(condition)

    def _layer(self, layer: str) -> s.Expression:
        if layer == "no-extracted":
            mined = s.Binary("<>", self._value("agent_type"), s.Literal(EXTRACTED_AGENT))
            return mined if "agent_type" in self.known else NOTHING
        if layer != "curated":
            return NOTHING
        stated = _all([self._among("agent_type", CURATED_AGENTS), self._among("knowledge_level", CURATED_LEVELS)])
        if not self.curated:
            return stated
        silent = [self._among(key, SILENT) for key in ("agent_type", "knowledge_level")]
        return s.Binary("OR", stated, _all([*silent, self._among("source", self.curated)]))

    def _plain(self, condition: Condition) -> s.Expression:
        value = self._value(condition.key)
        if condition.operator in ("IS NULL", "IS NOT NULL"):
            return self._is(condition.key, "", negated=(condition.operator == "IS NULL") == condition.negated)
        if condition.shared and isinstance(condition.value, int | float):
            whole = _share(value, condition.operator, float(condition.value))
        elif isinstance(condition.value, Asked):
            whole = self._with_other(value, condition.operator, condition.value)
        elif condition.key == "evidence" and condition.operator in ("=", "IN", "STARTS WITH"):
            whole = self._cited(condition)
        else:
            left = s.Call("toLower", (value,)) if condition.ignoring_case else value
            whole = _compared(left, condition)
        if not condition.negated and condition.operator != "<>":
            return whole
        stated = self._is(condition.key, "", negated=True)
        return s.Binary("AND", s.Unary("NOT", whole) if condition.negated else whole, stated)

    def _with_other(self, value: s.Expression, operator: str, other: Asked) -> s.Expression:
        """A comparison with a property of an entity, or with a column of this or another statement."""
        listed: s.Expression = s.Property(s.Variable(other.of), other.key or "name")
        if other.of not in self.steps:
            return s.Binary(operator, value, shifted(listed, other))
        if s.Variable(other.of) == self.step:
            return s.Binary(operator, value, shifted(s.Index(listed, AT), other))
        last = s.Binary("-", s.Call("size", (listed,)), s.Literal(1))
        test = s.Binary(operator, value, shifted(s.Index(listed, THERE), other))
        return s.Quantifier("any", THERE.name, s.Call("range", (s.Literal(0), last)), test)

    def _cited(self, condition: Condition) -> s.Expression:
        """Documents are one text, joined by |: the wanted one stands at its beginning or behind a |."""
        value = self._value("evidence")
        found: list[s.Expression] = []
        for each in condition.values:
            if condition.operator == "STARTS WITH":
                found += [s.Binary("STARTS WITH", value, s.Literal(str(each)))]
                found += [s.Binary("CONTAINS", value, s.Literal(f"|{each}"))]
            else:
                forms = (
                    ("=", str(each)),
                    ("STARTS WITH", f"{each}|"),
                    ("ENDS WITH", f"|{each}"),
                    ("CONTAINS", f"|{each}|"),
                )
                found += [s.Binary(operator, value, s.Literal(text)) for operator, text in forms]
        return _any(found)

    def _is(self, key: str, text: str, *, negated: bool = False) -> s.Expression:
        return s.Binary("<>" if negated else "=", self._value(key), s.Literal(text))

    def _among(self, key: str, values: Sequence[str]) -> s.Expression:
        if key not in self.known:
            return s.Literal(value="" in values)
        return s.Binary("IN", self._value(key), s.ListLiteral(tuple(map(s.Literal, values))))


def _compared(left: s.Expression, condition: Condition) -> s.Expression:
    value = condition.value
    assert not isinstance(value, Asked | Joint)
    if isinstance(value, tuple):
        given = ["" if each is None else each for each in value]
        if condition.operator in TEXTUAL:
            return _any([s.Binary(condition.operator, left, s.Literal(each)) for each in given])
        return s.Binary("IN", left, s.ListLiteral(tuple(map(s.Literal, given))))
    return s.Binary("=" if condition.operator == "HOLDS" else condition.operator, left, s.Literal(value))


def _share(value: s.Expression, compared: str, wanted: float) -> s.Expression:
    """That a text states such a share: n/m, n%, or a class that lies wholly there."""
    parts = s.Call("split", (value, s.Literal("/")))
    numbers = [s.Call("toFloat", (s.Index(parts, s.Literal(at)),)) for at in (0, 1)]
    fraction = s.Binary(compared, numbers[0], s.Binary("*", s.Literal(wanted), numbers[1]))
    percent = s.Call("toFloat", (s.Call("replace", (value, s.Literal("%"), s.Literal(""))),))
    classes = [s.Literal(name) for name in named_shares() if holds_of_share(name, compared, wanted)]
    return _any(
        [
            s.Binary("AND", s.Binary("CONTAINS", value, s.Literal("/")), fraction),
            s.Binary(
                "AND",
                s.Binary("ENDS WITH", value, s.Literal("%")),
                s.Binary(compared, percent, s.Literal(wanted * 100)),
            ),
            *([s.Binary("IN", value, s.ListLiteral(tuple(classes)))] if classes else []),
        ]
    )


def _all(parts: Sequence[s.Expression]) -> s.Expression:
    whole, *rest = parts
    for part in rest:
        whole = s.Binary("AND", whole, part)
    return whole


def _any(parts: Sequence[s.Expression]) -> s.Expression:
    whole, *rest = parts
    for part in rest:
        whole = s.Binary("OR", whole, part)
    return whole
