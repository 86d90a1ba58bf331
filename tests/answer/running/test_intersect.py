"""Conjunctions run by the engine, against a slow and obvious reference that tries every combination of triples."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Asker, Question, Resources
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.operators import COMPARISONS
from clew.answer.plans.plan import ABSENT, COUNTED, REQUIRED, Count, Measure, Part, Plan, Slot, Sort, Step
from clew.answer.running.evidence import gather_evidence
from clew.answer.running.run import Outcome, run_plan
from clew.answer.running.tree import tree_of
from clew.errors import Timeout
from clew.graph import Relation
from clew.store.layout import lay_out
from clew.store.store import Store, open_store

TYPES = ("A", "B", "C")
RELATIONS = ("binds", "causes", "meets")


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> clew.Engine:
    """Dense, with loops, parallel and negated triples and a symmetric relation."""
    rng = random.Random(5)
    ids = [f"{type}:{at}" for type in TYPES for at in range(7)]
    rows = {(rng.choice(ids), rng.choice(RELATIONS), rng.choice(ids)) for _ in range(260)}
    rows |= {("A:1", "causes", "A:1"), ("B:1", "meets", "B:1")}
    listed = sorted(rows)
    table = pa.table(
        {
            "subject": [row[0] for row in listed],
            "relation": [row[1] for row in listed],
            "object": [row[2] for row in listed],
            "source": [f"s{at % 3}" for at in range(len(listed))],
            "negated": [at % 11 == 0 for at in range(len(listed))],
        }
    )
    entities = pa.table({"id": ids, "name": [f"name of {each}" for each in ids], "type": [each[0] for each in ids]})
    out = tmp_path_factory.mktemp("intersect") / "g.clew"
    clew.build(table, entities=entities, relations=[Relation("meets", symmetric=True)], out=out)
    return clew.open(out)


@pytest.fixture(scope="module")
def store(graph: clew.Engine) -> Store:
    return open_store("embedded", graph, build=True)


# the reference --------------------------------------------------------------------------------------------------------


class Reference:
    """Tries every triple for every step."""

    def __init__(self, graph: clew.Engine) -> None:
        self.schema = lay_out(graph)
        self.stated: dict[str, list[tuple[int, str, str]]] = {each.name: [] for each in self.schema.relationships}
        for number in range(graph.counts["triples"]):
            (triple,) = graph.numbered([number])
            said = graph.assertions(number)
            negated = all(each.negated for each in said)
            for each in self.schema.relationships:
                if each.relation == triple.relation and each.negated_only == negated:
                    self.stated[each.name].append((number, triple.subject, triple.object))
                    if each.symmetric and triple.subject != triple.object:
                        self.stated[each.name].append((number, triple.object, triple.subject))
        self.sources = {}
        for number in range(graph.counts["triples"]):
            said = graph.assertions(number)
            stated = [each for each in said if not each.negated] or said
            self.sources[number] = {each.source for each in stated}

    def matches(
        self, plan: Plan, part: Part, fixed: dict[str, str], triples: tuple[int, ...] = ()
    ) -> Iterator[tuple[dict[str, str], tuple[int, ...]]]:
        if len(triples) == len(part.steps):
            if self._hold(plan, part, fixed, {s.name: n for s, n in zip(part.steps, triples, strict=True)}):
                yield fixed, triples
            return
        step = part.steps[len(triples)]
        for number, *ends in (row for name in step.relations for row in self.stated[name]):
            if all(fixed.get(slot, end) == end for slot, end in zip(step.ends, ends, strict=True)):
                here = {**fixed, step.subject: ends[0], step.object: ends[1]}
                yield from self.matches(plan, part, here, (*triples, number))

    def _hold(self, plan: Plan, part: Part, filled: dict[str, str], triples: dict[str, int]) -> bool:
        if any(filled[slot.name][0] not in slot.types for slot in plan.slots if slot.name in filled and slot.types):
            return False
        for each in part.conditions:
            if each.of in triples:
                if each.value not in self.sources[triples[each.of]]:
                    return False
            else:
                ids = each.value if isinstance(each.value, tuple) else (each.value,)
                if (filled[each.of] in ids) == each.negated:
                    return False
        return True

    def all(self, plan: Plan) -> list[tuple[dict[str, str], tuple[int, ...]]]:
        found = []
        for filled, triples in self.matches(plan, plan.required, {}):
            counted = self.inside(plan, "", filled)
            if counted is not None:
                found.append((filled, (*triples, *counted)))
        return found

    def inside(self, plan: Plan, name: str, filled: dict[str, str]) -> tuple[int, ...] | None:
        """The triples that are counted, if what must be absent or counted inside a part is so, else None."""
        counted: set[int] = set()
        numbers: dict[int | str, int] = {}
        counts: list[Count] = []
        for part in (each for each in plan.parts if each.kind in (ABSENT, COUNTED) and each.inside == name):
            known = {slot: filled[slot] for slot in {end for step in part.steps for end in step.ends} & filled.keys()}
            found = list(self.matches(plan, part, known))
            if part.name:
                found = [each for each in found if self.inside(plan, part.name, each[0]) is not None]
            if part.count is None:
                if found:
                    return None
            else:
                numbers[part.count.of] = len({at[part.count.of] for at, _ in found})
                counts.append(part.count)
                counted |= {number for _, numbers in found for number in numbers}
        for each in counts:
            than = numbers.get(each.number, each.number)
            if each.operator and not COMPARISONS[each.operator](numbers[each.of], than):
                return None
        return tuple(sorted(counted))


# plans ----------------------------------------------------------------------------------------------------------------


def random_plan(rng: random.Random) -> Plan:
    slots, steps, conditions = [Slot("s0", (rng.choice(TYPES),))], [], []
    for at in range(1, rng.choice([3, 3, 4])):
        slots.append(Slot(f"s{at}", rng.choice([(), (rng.choice(TYPES),)])))
        ends = [rng.choice(slots[:at]).name, f"s{at}"]
        rng.shuffle(ends)
        relations = rng.choice([("BINDS",), ("CAUSES",), ("MEETS",), ("BINDS", "CAUSES"), ("NOT_BINDS",)])
        steps.append(Step(ends[0], relations, ends[1], name=f"t{at}" if rng.random() < 0.2 else ""))
        if rng.random() < 0.7:
            ids = tuple(sorted({f"{rng.choice(TYPES)}:{rng.randrange(7)}" for _ in range(6)}))
            conditions.append(Condition(f"s{at}", "id", "IN", ids))
        if steps[-1].name:
            conditions.append(Condition(steps[-1].name, "source", "=", rng.choice(["s0", "s1", "s2"])))
    if rng.random() < 0.3:
        conditions.append(Condition("s0", "id", "IN", ("A:1", "B:1", "C:1"), negated=True))
    parts = [Part(REQUIRED, tuple(steps), tuple(conditions))]
    if rng.random() < 0.5:
        slots.append(Slot("x"))
        step = Step(rng.choice(["s0", "s1"]), (rng.choice(["BINDS", "CAUSES"]),), "x")
        parts.append(Part(ABSENT, (step,), (Condition("x", "id", "IN", ("A:0", "B:2", "C:3")),)))
    if rng.random() < 0.5:
        more, inner = random_bounds(rng)
        slots, parts = [*slots, *more], [*parts, *inner]
    plain = Plan(tuple(slots), tuple(parts), asked=(Asked("s0"),))
    return rng.choice(
        [
            plain,
            plain,
            Plan(plain.slots, plain.parts, measure=Measure("count", "s0")),
            Plan(plain.slots, plain.parts, kind=rng.choice(["exists", "lacks"])),
            Plan(
                plain.slots, plain.parts, asked=(Asked("s0"),), measure=Measure("count", "s1"), sort=(Sort(None, True),)
            ),
        ]
    )


def random_bounds(rng: random.Random) -> tuple[list[Slot], list[Part]]:
    """An absent or counted part with slots of its own, and perhaps one inside it, counted or absent too."""
    kind, within = rng.choice([ABSENT, COUNTED]), rng.choice([ABSENT, COUNTED])
    joint = rng.choice(["s0", "s0", "s1"])
    near = Step(*rng.choice([(joint, ("BINDS",), "y"), ("y", ("CAUSES", "BINDS"), joint)]))
    far = Step("y", (rng.choice(["CAUSES", "MEETS"]),), "z")
    compared = rng.choice([(">=", 2), ("<=", 1), ("=", 2), (">", 3), ("<", 2), ("<>", 1)])
    slots = [Slot("y", rng.choice([(), (rng.choice(TYPES),)])), Slot("z")]
    held = (Condition("z", "id", "IN", tuple(sorted(f"{rng.choice(TYPES)}:{rng.randrange(7)}" for _ in range(8)))),)
    if rng.random() < 0.3:  # two counts that are compared
        first = Part(COUNTED, (near, far), held, Count(rng.choice(["y", "z"]), rng.choice([">", "<=", "="]), "w"))
        other = Step(joint, (rng.choice(["CAUSES", "BINDS"]),), "w")
        return [*slots, Slot("w")], [first, Part(COUNTED, (other,), (), Count("w"))]
    if rng.random() < 0.4:  # one part of two steps, in which either slot is counted
        count = Count(rng.choice(["y", "z"]), *compared)
        return slots, [Part(kind, (near, far), held, count if kind == COUNTED else None)]
    outer = Part(kind, (near,), (), Count("y", *compared) if kind == COUNTED else None, name="outer")
    inner = Part(within, (far,), held, Count("z", *compared) if within == COUNTED else None, inside="outer")
    return slots, [outer, inner]


def check(plan: Plan, outcome: Outcome, reference: Reference, graph: clew.Engine, store: Store) -> None:
    found = reference.all(plan)
    ways = Counter(filled["s0"] for filled, _ in found)
    if plan.kind in ("exists", "lacks"):
        assert outcome.value is (bool(found) == (plan.kind == "exists"))
    elif not plan.asked:
        assert outcome.value == len(ways)
    elif plan.measure is not None:
        ends = {root: len({filled["s1"] for filled, _ in found if filled["s0"] == root}) for root in ways}
        assert {item.id: item.number for item in outcome.items} == ends
        assert [item.number for item in outcome.items] == sorted(ends.values(), reverse=True)
    else:
        assert [item.id for item in outcome.items] == sorted(ways, key=lambda each: (-ways[each], each))
    evidence = gather_evidence(outcome, store, graph, every_item=True)
    listed = Counter((tuple(sorted(filled.items())), triples) for filled, triples in found)
    shown = Counter((tuple(sorted(each.slots.items())), each.triples) for each in evidence.supports)
    assert shown == listed
    assert evidence.complete


def test_conjunctions_are_what_the_reference_finds(graph: clew.Engine, store: Store) -> None:
    rng, reference, tried = random.Random(11), Reference(graph), 0
    while tried < 120:
        plan = random_plan(rng)
        if tree_of(plan, store.schema) is None:
            continue
        outcome = run_plan(plan, store, graph)
        assert outcome.matched is not None
        check(plan, outcome, reference, graph, store)
        tried += 1


def test_what_is_counted_or_nested_is_the_same_on_the_store(graph: clew.Engine, store: Store) -> None:
    rng, reference, tried = random.Random(12), Reference(graph), 0
    while tried < 40:
        plan = random_plan(rng)
        bounded = any(part.inside or part.count for part in plan.parts)
        named = any(step.name for part in plan.parts for step in part.steps)
        if not bounded or named or plan.measure is not None or plan.kind != "rows":
            continue
        if tree_of(plan, store.schema) is None:  # triples of one MATCH differ, which the reference does not ask
            continue
        rows = store.run(write_statement(plan), timeout=30).rows
        assert sorted({row[0] for row in rows}) == sorted({filled["s0"] for filled, _ in reference.all(plan)}), plan
        tried += 1


def test_every_one_of_a_type_can_be_looked_through(graph: clew.Engine, store: Store) -> None:
    """Nothing is named: those of a type that bind as many others, and all of whose others cause something."""
    reference = Reference(graph)
    slots = (Slot("s0", ("A",)), Slot("y"), Slot("z"), Slot("w"))
    binds, causes = Step("s0", ("BINDS",), "y"), Step("y", ("CAUSES",), "z")
    for number in range(8):
        some = Part(COUNTED, (binds,), (), Count("y", "=", number))
        outcome = run_plan(Plan(slots[:2], (some,), asked=(Asked("s0"),)), store, graph)
        ends = [{end for _, at, end in reference.stated["BINDS"] if at == f"A:{each}"} for each in range(7)]
        assert {item.id for item in outcome.items} == {f"A:{at}" for at in range(7) if len(ends[at]) == number}
        evidence = gather_evidence(outcome, store, graph, every_item=True)
        assert all(len(each.triples) == number for each in evidence.supports)
    every = (Part(ABSENT, (binds,), name="other"), Part(ABSENT, (causes,), inside="other"))
    outcome = run_plan(Plan(slots[:3], every, asked=(Asked("s0"),)), store, graph)
    causing = {at for _, at, _ in reference.stated["CAUSES"]}
    assert {item.id for item in outcome.items} == {f"A:{at}" for at in range(7) if ends[at] <= causing}


def test_other_shapes_are_left_to_the_store(graph: clew.Engine, store: Store) -> None:
    held = (Condition("b", "id", "=", "B:1"), Condition("c", "id", "=", "C:1"))
    slots = (Slot("a", ("A",)), Slot("b"), Slot("c"))
    steps = (Step("a", ("BINDS",), "b"), Step("a", ("BINDS",), "c"))

    def tree(*, steps: tuple[Step, ...] = steps, conditions: tuple[Condition, ...] = held) -> object:
        return tree_of(Plan(slots, (Part(REQUIRED, steps, conditions),), asked=(Asked("a"),)), store.schema)

    assert tree() is not None
    assert tree(conditions=held[:1]) is None, "one name is no conjunction"
    assert tree(steps=(*steps, Step("b", ("CAUSES",), "c"))) is None, "a circle"
    assert tree(steps=(steps[0], Step("a", ("CAUSES",), "c", 1, 3))) is None, "several hops"
    assert tree(conditions=(*held, Condition("a", "name", "CONTAINS", "x"))) is None, "more than ids"
    assert tree(steps=(steps[0], Step("a", ("BINDS", "MEETS"), "c"))) is None, "a symmetric relation with another"
    assert tree(conditions=(held[0], Condition("a", "id", "=", "A:1"))) is None, "c is another entity than b"


def test_time_is_limited(graph: clew.Engine, store: Store) -> None:
    slots = (Slot("a"), Slot("b"), Slot("c"))
    held = (Condition("b", "id", "=", "B:1"), Condition("c", "id", "=", "C:1"))
    part = Part(REQUIRED, (Step("a", ("BINDS",), "b"), Step("a", ("BINDS",), "c")), held)
    with pytest.raises(Timeout):
        run_plan(Plan(slots, (part,), asked=(Asked("a"),)), store, graph, timeout=1e-9)


# questions ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def asker(hpo: Path) -> Asker:
    asker = Asker(Resources(clew.open(hpo), encoder=None))
    asker.ask("Which genes are linked to arachnodactyly?")
    return asker


def test_five_findings_are_answered(asker: Asker) -> None:
    """A store ran out of its 2 GiB with four."""
    answer = asker.ask(
        "Which genes are linked to diseases that show Polyhydramnios and Pes planus and Abnormal facial shape and "
        "Respiratory insufficiency and Atypical behavior?"
    )
    assert "HSPG2" in [item.name for item in answer.items]
    assert answer.evidence.complete


def test_twenty_findings_take_little_time(asker: Asker) -> None:
    engine = asker.resources.engine
    disease = engine.resolve(["OMIM:154700"])  # Marfan syndrome
    findings = engine.hop(disease, 1, relations="has_phenotype").entities["name"].to_pylist()
    taken = []
    for wanted in (None, True, None):
        asked = Question(f"Which diseases show {', '.join(findings[:19])} and {findings[19]}?", subclasses=wanted)
        begun = time.process_time()
        answer = asker.ask(asked)
        taken.append(time.process_time() - begun)
        assert "Marfan syndrome" in [item.name for item in answer.items]
    assert min(taken) < 1  # of the processor; 0.1 for most


def test_the_query_that_is_shown_says_the_same(asker: Asker) -> None:
    """Findings that may be one and the same stand in a MATCH each: within one, triples differ."""
    answer = asker.ask(
        Question(
            "Which genes are linked to diseases that show Polyhydramnios and Pes planus?",
            subclasses=True,
        )
    )
    assert answer.query.count("MATCH") == 2
    rows = asker.resources.store.run(answer.query, timeout=60).rows
    assert sorted(row[0] for row in rows) == sorted(item.id for item in answer.items)
