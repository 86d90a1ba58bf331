"""Names in a plan become ids, so that plans written by people compare with plans that were linked."""

from dataclasses import replace

from clew.answer.plans.condition import Condition
from clew.answer.plans.plan import Plan
from clew.graph import GraphContents
from clew.store.layout import StoreSchema

__all__ = ["names_to_ids"]


def names_to_ids(plan: Plan, contents: GraphContents, schema: StoreSchema) -> Plan:
    """The plan with every exact name of a typed slot replaced by the ids of the entities called so.

    MATCH (d:Disease {name: 'Marfan syndrome'}) becomes MATCH (d:Disease) WHERE d.id IN ['OMIM:154700', 'ORPHA:558'].
    """
    types = {slot.name: {schema.type_of(label) for label in slot.types} for slot in plan.slots}

    def held(condition: Condition) -> Condition:
        wanted = types.get(condition.of)
        exact = condition.key == "name" and condition.operator in ("=", "IN") and not condition.ignoring_case
        if not wanted or not exact:
            return condition
        ids = sorted(identifier for name in condition.values for identifier in _called(str(name), wanted, contents))
        if len(ids) == 1:
            return replace(condition, key="id", operator="=", value=ids[0])
        return replace(condition, key="id", operator="IN", value=tuple(ids))

    parts = tuple(replace(part, conditions=tuple(map(held, part.conditions))) for part in plan.parts)
    return replace(plan, parts=parts)


def _called(name: str, types: set[str], contents: GraphContents) -> list[str]:
    found = contents.lookup_name(name)
    rows = contents.describe(found).to_pylist() if found else []
    return [row["id"] for row in rows if row["type"] in types]
