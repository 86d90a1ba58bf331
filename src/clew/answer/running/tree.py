"""The shape of a conjunction: slots as branches of a tree, with the ids they are restricted to."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from clew.answer.plans.condition import TOGETHER, Condition
from clew.answer.plans.plan import ABSENT, COUNTED, OPTIONAL, Count, Part, Plan, Slot, Step
from clew.store.layout import StoreSchema

__all__ = ["Branch", "tree_of"]

FEWEST_HELD = 2  # slots restricted to ids that make a conjunction
UNKNOWN = 1 << 60  # cost of a branch that no named entity limits


@dataclass(slots=True)
class Branch:
    """A slot, the step that leads to it, and the branches that go on from it."""

    name: str
    types: tuple[str, ...] = ()
    parent: str | None = None
    step: Step | None = None
    held: tuple[str, ...] | None = None  # ids, one of which fills the slot
    excluded: tuple[str, ...] = ()
    children: list["Branch"] = field(default_factory=list)
    absent: list["Branch"] = field(default_factory=list)  # roots of what must not exist; each is this slot again
    counted: list[tuple["Branch", Count]] = field(default_factory=list)  # likewise of what is counted

    def below(self) -> Iterator["Branch"]:
        """All branches under this one, parents first."""
        waiting = list(reversed(self.children))
        while waiting:
            branch = waiting.pop()
            yield branch
            waiting += reversed(branch.children)

    @property
    def cost(self) -> int:
        """Branches are walked from those with the fewest named entities."""
        held = [len(each.held) for each in (self, *self.below()) if each.held is not None]
        return min(held, default=UNKNOWN)


def tree_of(plan: Plan, schema: StoreSchema) -> Branch | None:
    """The root of a plan's tree, which is what is asked for; None where the plan is no conjunction of this kind."""
    if not _is_wanted_so(plan) or any(part.kind == OPTIONAL for part in plan.parts):
        return None
    required = plan.required
    nested = any(part.kind == COUNTED or part.inside for part in plan.parts)
    slots = {slot.name: slot for slot in plan.slots}
    root = _root(plan, required, alone=nested)
    grown = _grown(root, required, slots) if root is not None and (required.steps or nested) else None
    tops = None if grown is None else _with_inner(plan, grown, slots)
    if grown is None or tops is None:
        return None
    every = [each for top in tops for each in (top, *top.below())]
    held = sum(each.held is not None for each in every)
    few = held < FEWEST_HELD or grown.cost == UNKNOWN
    if (few and not (nested and grown.types)) or not all(_can_be_walked(each.step, schema) for each in every):
        return None
    return grown if all(map(_are_apart, tops)) else None


def _with_inner(plan: Plan, grown: Branch, slots: dict[str, Slot]) -> list[Branch] | None:
    """Grow what must be absent or counted onto the branches that it is about; None where it is about several."""
    known = {"": {branch.name: branch for branch in (grown, *grown.below())}}  # branches of each part around others
    tops = [grown]
    waiting = [part for part in plan.parts if part.kind in (ABSENT, COUNTED)]
    while waiting:
        part = next((each for each in waiting if each.inside in known), None)
        if part is None:
            return None
        waiting.remove(part)
        joints = {name: around for around, own in known.items() for name in _touched(part) if name in own}
        joint = next(iter(joints), "")
        below = _grown(joint, part, slots) if len(joints) == 1 and joints[joint] == part.inside and part.steps else None
        if below is None:
            return None
        inner = {branch.name: branch for branch in below.below()}
        if part.count is not None:
            if part.count.of not in inner:
                return None
            known[part.inside][joint].counted.append((below, part.count))
        else:
            known[part.inside][joint].absent.append(below)
        if part.name:
            known[part.name] = inner
        tops.append(below)
    return tops if all(map(_counts_for_one, (each for own in known.values() for each in own.values()))) else None


def _counts_for_one(branch: Branch) -> bool:
    """Whether what a branch counts is compared with numbers, or with what it counts itself."""
    own = {count.of for _, count in branch.counted}
    return all(not isinstance(count.number, str) or count.number in own for _, count in branch.counted)


def _is_wanted_so(plan: Plan) -> bool:
    """Whether a set of entities, with a number each, is all that is wanted."""
    if plan.kind in ("exists", "lacks"):
        return True
    if plan.kind != "rows" or plan.skip or len(plan.asked) > 1 or any(each.key or each.sized for each in plan.asked):
        return False
    if plan.measure is None:
        return bool(plan.asked) and not plan.sort and plan.limit is None
    counts = plan.measure.function == "count" and plan.measure.key is None
    return counts and all(sort.by is None for sort in plan.sort) and (bool(plan.asked) or plan.measure.operator is None)


def _root(plan: Plan, required: Part, *, alone: bool) -> str | None:
    """What is asked for; if it may stand `alone`, no step need lead to it."""
    touched = _touched(required)
    wanted = plan.asked[0].of if plan.asked else plan.measure.of if plan.measure else None
    if alone and not touched:
        touched = [each for each in (wanted, *(condition.of for condition in required.conditions)) if each][:1]
    if wanted is None:
        return touched[0] if touched else None
    measured = plan.measure.of if plan.measure else wanted
    return wanted if wanted in touched and measured in touched else None


def _touched(part: Part) -> list[str]:
    return list(dict.fromkeys(end for step in part.steps for end in step.ends))


def _grown(root: str, part: Part, slots: dict[str, Slot]) -> Branch | None:
    """The tree of a part's steps from a root; None where they form no tree, or have conditions other than ids."""
    named = {step.name for step in part.steps if step.name}
    plain = [each for each in part.conditions if each.of not in named or each.operator == TOGETHER]
    waiting, branches = list(part.steps), {root: Branch(root, slots[root].types)}
    grew = True
    while waiting and grew:
        grew = False
        for step in list(waiting):
            known = [end for end in step.ends if end in branches]
            if step.repeated or len(known) > 1:
                return None  # a walk of several hops, a loop or a circle
            if known:
                other = step.object if known[0] == step.subject else step.subject
                branches[other] = Branch(other, slots[other].types, known[0], step)
                branches[known[0]].children.append(branches[other])
                waiting.remove(step)
                grew = True
    if waiting or not all(_apply(each, branches) for each in plain):
        return None
    return branches[root]


def _apply(condition: Condition, branches: dict[str, Branch]) -> bool:
    """Restrict a slot to the ids of a condition; False for any other condition."""
    if condition.of not in branches or condition.key != "id" or condition.ignoring_case or condition.sized:
        return False
    branch, value = branches[condition.of], condition.value
    if condition.says_there_is_one:
        return True
    if condition.operator == "=" and isinstance(value, str):
        ids: tuple[str, ...] = (value,)
    elif condition.operator == "IN" and isinstance(value, tuple) and all(isinstance(each, str) for each in value):
        ids = tuple(map(str, value))
    else:
        return False
    if condition.negated:
        branch.excluded += ids
    elif branch.held is None:
        branch.held = ids
    else:
        wanted = set(ids)
        branch.held = tuple(each for each in branch.held if each in wanted)
    return True


def _can_be_walked(step: Step | None, schema: StoreSchema) -> bool:
    """Whether the engine and a store follow a step alike: symmetric relations are not mixed with others."""
    if step is None or step.either_way:
        return True
    named = schema.relationships if not step.relations else [schema.relationship(name) for name in step.relations]
    return len({each.symmetric for each in named}) <= 1


def _are_apart(top: Branch) -> bool:
    """Whether steps that could be the same triple both lead to named entities.

    Two different triples are meant where a name is not given: "genes of the diseases of FBN1" are other genes. Named
    findings may be one and the same: "seizures, and seizures of that kind".
    """
    for one, other in combinations(top.below(), 2):
        assert one.step is not None
        assert other.step is not None
        relations, others = one.step.relations, other.step.relations
        alike = not relations or not others or not set(relations).isdisjoint(others)
        if alike and (one.held is None or other.held is None):
            return False
    return True
