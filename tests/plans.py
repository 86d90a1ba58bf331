"""Plans for the tests: those of queries, and random ones with every kind of part, condition, measure and order."""

from hypothesis import strategies as st

from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.plan import ABSENT, COUNTED, OPTIONAL, REQUIRED, Count, Measure, Part, Plan, Slot, Sort, Step
from clew.store.cypher import parse

LABELS = ("Gene", "Disease", "Odd Type")
RELATIONS = ("CAUSES", "IS_A", "in")
KEYS = ("id", "name", "size", "odd key")
VALUES = st.one_of(st.text(max_size=6), st.integers(-5, 5), st.booleans(), st.floats(-1, 1))
COMPARED = ("=", "<>", "<", ">=", "CONTAINS", "STARTS WITH")


def plan_of(text: str) -> Plan:
    """The plan of a query."""
    return read_plan(parse(text))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """A plan whose every slot is reached by a step or asked for, as reading Cypher gives it."""
    names = [f"v{number}" for number in range(draw(st.integers(1, 4)))]
    slots = tuple(
        Slot(name, draw(st.sampled_from([(), *((label,) for label in LABELS), LABELS[:2]]))) for name in names
    )
    required = draw(parts(names, REQUIRED))
    others = [draw(parts(names, kind)) for kind in draw(st.lists(st.sampled_from([OPTIONAL, ABSENT]), max_size=2))]
    kept = tuple(part for part in (required, *others) if part.steps or (part.kind == REQUIRED and part.conditions))
    outer = {end for step in required.steps for end in step.ends}  # what is absent is asked of these
    absent = [part for part in kept if part.kind == ABSENT]
    inner = [{name for step in each.steps for name in (*step.ends, step.name)} - {*outer, ""} for each in absent]
    if len(inner) == 2 and not inner[0].isdisjoint(inner[1]):  # what one of them has for itself the other cannot have
        kept = kept[:-1]
    reached = {end for part in kept for step in part.steps for end in (step.subject, step.object)}
    asked = tuple(
        Asked(name, *draw(st.sampled_from([(None,), ("odd key", True), *((key,) for key in KEYS)])))
        for name in names
        if name not in reached or draw(st.booleans())
    )
    kind = "rows"
    measure, sort = None, ()
    if not asked or draw(st.booleans()):
        function = draw(st.sampled_from(["count", "max"]))
        key = "size" if function == "max" else None
        passing = draw(st.booleans()) and bool(asked)
        measure = Measure(function, draw(st.sampled_from(names)), key, *((">", 2) if passing else ()))
        if passing and draw(st.booleans()):
            measure = measure.bounded("<=", 7)
    if draw(st.booleans()):
        by = None if measure is not None else Asked(asked[0].of, asked[0].key or "name")
        sort = (Sort(by, draw(st.booleans())),)
    limit = draw(st.none() | st.integers(0, 20))
    wanted = {each.of for each in asked} | ({measure.of} if measure is not None else set())
    outer |= wanted - {end for part in kept if part.kind == OPTIONAL for step in part.steps for end in step.ends}
    more, counted = draw(bounded(sorted(outer))) if outer and draw(st.booleans()) else ((), ())
    return Plan((*slots, *more), (*kept, *counted), kind, asked, measure, sort, draw(st.sampled_from([0, 3])), limit)


@st.composite
def bounded(draw: st.DrawFn, names: list[str]) -> tuple[tuple[Slot, ...], tuple[Part, ...]]:
    """An absent or counted part with slots of its own, and perhaps one inside it."""
    slots = [Slot("w0", (LABELS[0],)), Slot("w1")]
    steps = [Step(draw(st.sampled_from(names)), ("CAUSES",), "w0")]
    if draw(st.booleans()):
        steps.append(Step("w0", ("IS_A", "in"), "w1"))
    else:
        slots.pop()
    said = tuple(draw(st.lists(conditions([slot.name for slot in slots]), max_size=1)))
    count = Count(draw(st.sampled_from([slot.name for slot in slots])), draw(st.sampled_from(["=", "<=", ">"])), 3)
    kind = draw(st.sampled_from([ABSENT, COUNTED]))
    counted = count if kind == COUNTED else None
    if draw(st.booleans()):  # counted against another count
        compared = Count(count.of, draw(st.sampled_from(["=", "<>", "<=", ">"])), "w2")
        other = Step("w2", (draw(st.sampled_from(["CAUSES", "IS_A"])),), draw(st.sampled_from(names)))
        both = (Part(COUNTED, tuple(steps), said, compared), Part(COUNTED, (other,), (), Count("w2")))
        return (*slots, Slot("w2", draw(st.sampled_from([(), (LABELS[0],)])))), both
    if draw(st.booleans()):
        return tuple(slots), (Part(kind, tuple(steps), said, counted),)
    inside = Part(ABSENT, (Step("w0", ("CAUSES",), "w2"),), (Condition("w2", "name", "=", "x"),), inside="around")
    outer = Part(kind, tuple(steps), said, counted, name="around")
    return (*slots, Slot("w2")), (outer, inside)


@st.composite
def parts(draw: st.DrawFn, names: list[str], kind: str) -> Part:
    steps = tuple(
        Step(
            draw(st.sampled_from(names)),
            draw(st.sampled_from([(), ("CAUSES",), ("IS_A", "in")])),
            draw(st.sampled_from(names)),
            *draw(st.sampled_from([(1, 1), (0, 3), (2, 2)])),
            either_way=draw(st.booleans()),
            name=draw(st.sampled_from(["", f"{kind[0]}{draw(st.integers(0, 10**6))}"])),
        )
        for _ in range(draw(st.integers(0 if kind == REQUIRED else 1, 3)))
    )
    ends = sorted({end for step in steps for end in step.ends}) or names[:1]
    said = draw(st.lists(conditions(ends), max_size=2))
    for step in steps:
        if step.name:
            said += draw(st.lists(provenance(step.name), min_size=1, max_size=2))
    return Part(kind, steps, tuple(said))


@st.composite
def provenance(draw: st.DrawFn, step: str) -> Condition:
    """What may be said of the assertions of a step."""
    key, value = draw(st.sampled_from([("source", "hpo"), ("layer", "curated"), ("as_of", "2015-12-31")]))
    several = Condition(step, "evidence", "IN", ("PMID:1", "PMID:2"))
    least = Condition(step, "confidence", ">=", 0.5, negated=draw(st.booleans()))
    return draw(st.sampled_from([Condition(step, key, "=", value), several, least]))


@st.composite
def conditions(draw: st.DrawFn, names: list[str]) -> Condition:
    of, key = draw(st.sampled_from(names)), draw(st.sampled_from(KEYS))
    form = draw(st.sampled_from(["compare", "null", "list", "lower", "several", "holds", "size", "other"]))
    if form == "null":
        return Condition(of, key, draw(st.sampled_from(["IS NULL", "IS NOT NULL"])), negated=draw(st.booleans()))
    if form == "list":
        return Condition(of, key, "IN", tuple(draw(st.lists(VALUES, max_size=3))), negated=draw(st.booleans()))
    if form == "several":
        texts = tuple(draw(st.lists(st.text("abc", max_size=3), min_size=2, max_size=3, unique=True)))
        return Condition(of, key, "ENDS WITH", texts, negated=draw(st.booleans()))
    if form == "holds":
        return Condition(of, key, "HOLDS", draw(VALUES), negated=draw(st.booleans()))
    if form == "size":
        return Condition(of, key, ">", draw(st.integers(0, 5)), sized=True)
    if form == "other":
        return Condition(
            of,
            key,
            draw(st.sampled_from(["<", "="])),
            Asked(draw(st.sampled_from(names)), "size", plus=draw(st.sampled_from([0, 3, -0.5]))),
        )
    if form == "lower":
        return Condition(of, key, "CONTAINS", draw(st.text("abc", max_size=3)), ignoring_case=True)
    return Condition(of, key, draw(st.sampled_from(COMPARED)), draw(VALUES), negated=draw(st.booleans()))
