"""Places inside places, groups inside groups, and relations that hold both ways though stated once."""

from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import REQUIRED, Part, Plan, Slot, Step
from clew.answer.plans.schema.containment import containing, either_way, within_places
from clew.store.layout import Label, LabelPair, Relationship, StoreSchema


def relationship(name: str, *ends: tuple[str, str]) -> Relationship:
    pairs = tuple(LabelPair(subject, object_, 1) for subject, object_ in ends)
    return Relationship(name.upper(), name, 0, False, False, False, pairs, ())


LABELS = tuple(Label(name, name, 1) for name in ("Station", "Town", "County", "Person"))
SCHEMA = StoreSchema(
    "",
    LABELS,
    relationships=(
        relationship("town", ("Station", "Town")),
        relationship("part_of", ("Town", "County"), ("County", "Country")),
        relationship("spouse", ("Person", "Person")),
    ),
    properties=(),
)


def chain(*steps: tuple[str, str, str]) -> Plan:
    names = dict.fromkeys(end for subject, _, object_ in steps for end in (subject, object_))
    slots = tuple(Slot(name, (name.upper() if name in ("est", "reg") else name.title(),)) for name in names)
    last = steps[-1][2]
    part = Part(REQUIRED, tuple(Step(a, (r,), b) for a, r, b in steps), (Condition(last, "id", "=", "x"),))
    return Plan(slots, (part,), asked=(Asked(steps[0][0]),))


def test_a_chain_up_to_a_named_place_may_have_any_length() -> None:
    plan = within_places(chain(("station", "TOWN", "town"), ("town", "PART_OF", "county")), SCHEMA, containing(SCHEMA))
    (first, rest) = plan.required.steps
    assert first.relations == ("TOWN",)
    assert first.object == rest.subject
    assert rest.relations == ("PART_OF",)
    assert rest.object == "county"
    assert rest.shortest == 0
    assert rest.longest > 1


def test_a_place_that_contains_nothing_and_a_step_between_places_stay_as_they_are() -> None:
    direct = chain(("station", "TOWN", "town"))
    assert within_places(direct, SCHEMA, containing(SCHEMA)) == direct
    literal = chain(("town", "PART_OF", "county"))
    assert within_places(literal, SCHEMA, containing(SCHEMA)) == literal


def test_a_relation_that_holds_both_ways_is_followed_both_ways() -> None:
    plan = chain(("station", "TOWN", "town"))
    assert all(step.either_way for step in either_way(plan, frozenset({"TOWN"})).required.steps)
    assert either_way(plan, frozenset()) is plan


WINE = StoreSchema(
    "",
    tuple(Label(name, name, 1) for name in ("EST", "REG")),
    relationships=(relationship("loc", ("EST", "REG")), relationship("part", ("REG", "REG"))),
    properties=(),
)


def test_what_lies_in_a_place_lies_in_those_around_it() -> None:
    plan = within_places(chain(("est", "LOC", "reg")), WINE, containing(WINE))
    (step,) = plan.required.steps
    assert (step.shortest, step.longest > 1, set(step.relations)) == (1, True, {"LOC", "PART"})
