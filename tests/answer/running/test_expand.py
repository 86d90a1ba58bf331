"""Named terms stand for their subclasses: by a step to these, or by a longer step of the hierarchy itself."""

from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import ABSENT, REQUIRED, Part, Plan, Slot, Step
from clew.answer.running.expand import with_subclasses

HIERARCHY = {"Taxon": "IS_A"}


def asked(step: Step) -> Plan:
    part = Part(REQUIRED, (step,), (Condition("k", "id", "=", "x"),))
    return Plan((Slot("s", ("Species",)), Slot("k", ("Taxon",))), (part,), asked=(Asked("s"),))


def test_a_step_to_a_class_leads_to_its_subclasses_too() -> None:
    plan = with_subclasses(asked(Step("s", ("EATS",), "k")), HIERARCHY, deepest=5)
    assert plan is not None
    assert plan.required.steps == (Step("s", ("EATS",), "kk"), Step("kk", ("IS_A",), "k", 0, 5))


def test_instances_of_a_class_are_those_of_its_subclasses_too() -> None:
    plan = with_subclasses(asked(Step("s", ("IS_A",), "k")), HIERARCHY, deepest=5)
    assert plan is not None
    assert plan.required.steps == (Step("s", ("IS_A",), "k", 1, 5),)


def test_what_a_class_is_an_instance_of_stays_direct() -> None:
    up = asked(Step("k", ("IS_A",), "s"))
    assert with_subclasses(up, HIERARCHY, deepest=5) is None
    assert with_subclasses(asked(Step("s", ("IS_A",), "k", 1, 5)), HIERARCHY, deepest=5) is None


def test_subclasses_are_nothing_else_than_what_is_named() -> None:
    part = Part(ABSENT, (Step("s", ("EATS",), "o"),), (Condition("o", "id", "IN", ("x",), negated=True),))
    eating = asked(Step("s", ("EATS",), "k"))
    only = Plan((*eating.slots, Slot("o", ("Taxon",))), (*eating.parts, part), asked=eating.asked)
    plan = with_subclasses(only, HIERARCHY, deepest=5, kinds=(ABSENT,))
    assert plan is not None
    _, around, inner = plan.parts
    assert (around.steps, around.conditions) == (part.steps, ())
    assert inner.steps == (Step("o", ("IS_A",), "ok", 0, 5),)
    assert inner.conditions == (Condition("ok", "id", "IN", ("x",)),)
    assert inner.inside == around.name != ""
