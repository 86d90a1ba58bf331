"""The values in a plan that a model wrote, as the graph has them: numbers and days stored as text, texts in any case.

In: a plan. Out: the plan with values that its fields can have; `QueryError` for one that nothing in the graph has.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from clew.answer.lexicon.forms import plain_name, stem
from clew.answer.models.shown_schema import DAY, SHARE, TEXT, Field, ShownSchema
from clew.answer.names.adjectives import places_named
from clew.answer.plans.assertions.shares import share_of
from clew.answer.plans.condition import Asked, Condition, Joint
from clew.answer.plans.operators import TEXTUAL
from clew.answer.plans.plan import Measure, Part, Plan
from clew.answer.sketch.said_values import bounds_of_years
from clew.errors import QueryError
from clew.graph import GraphContents

__all__ = ["ranks_texts", "with_known_values"]


def with_known_values(plan: Plan, shown: ShownSchema, contents: GraphContents, said: Mapping[str, str]) -> Plan:
    """The plan with its values as the graph has them; what is compared, sorted or summed as numbers is marked.

    `said` is what the question calls entities, by their ids.
    """

    def numbered(column: Asked) -> Asked:
        field = _field(plan, column.of, column.key, shown)
        return replace(column, numeric=True) if field is not None and _is_numeric(field) else column

    def asked(column: Asked) -> Asked:  # values of statements are given as they are written
        known = numbered(column)
        return known if any(slot.name == column.of for slot in plan.slots) else column

    def fitted(part: Part) -> Iterator[Condition]:
        for each in part.conditions:
            field = _field(plan, each.of, each.key, shown)
            if field is not None and _says_no_more(each, field, plan):
                continue
            if isinstance(each.value, Asked):
                _field(plan, each.value.of, each.value.key, shown)  # which says so where there is none
            yield from [each] if field is None else _fitted(_in_words(each, field, contents, said), field)

    parts = tuple(replace(part, conditions=tuple(fitted(part))) for part in plan.parts)

    def measured(measure: Measure) -> Measure:
        return replace(measure, numeric=measure.key is not None and numbered(Asked(measure.of, measure.key)).numeric)

    having = plan.having and replace(plan.having, measure=measured(plan.having.measure))
    sort = tuple(replace(each, by=each.by and numbered(each.by)) for each in plan.sort)
    return replace(
        plan,
        parts=parts,
        asked=tuple(map(asked, plan.asked)),
        measure=plan.measure and measured(plan.measure),
        sort=sort,
        having=having,
    )


def ranks_texts(plan: Plan, shown: ShownSchema) -> bool:
    """Whether some are chosen of all that a plan finds by a text, as if one could be more than another."""
    by = plan.sort[0].by if plan.sort and plan.limit is not None else None
    field = _field(plan, by.of, by.key, shown) if by is not None else None
    return field is not None and field.kind == TEXT


def _field(plan: Plan, of: str, key: str | None, shown: ShownSchema) -> Field | None:
    if key in (None, "", "id", "name"):
        return None
    for step in (step for part in plan.parts for step in part.steps):
        if step.name == of:
            column = shown.column(step.relations, key)
            if column is None and key.startswith("q_"):
                raise QueryError(f"{' or '.join(step.relations)} has no {key}")
            return column
    labels = plan.slot(of).types
    field = shown.field((*labels, shown.untyped) if labels and shown.untyped else labels or shown.fields, key)
    if field is None and labels:
        raise QueryError(f"{' or '.join(labels)} has no {key}")
    return field


def _says_no_more(condition: Condition, field: Field, plan: Plan) -> bool:
    """Whether a column that never has it is compared with a word of its relation: had as members, they are members."""
    relations = [
        name for part in plan.parts for step in part.steps if step.name == condition.of for name in step.relations
    ]
    if condition.operator != "=" or condition.negated or field.kind != TEXT or not relations:
        return False
    word = stem(str(condition.value).lower())
    known = any(word in map(stem, value.lower().split()) for value in field.values)
    return not known and all(word in map(stem, plain_name(name).split()) for name in relations)


def _is_numeric(field: Field) -> bool:
    return field.kind not in (TEXT, DAY, SHARE)


def _in_words(condition: Condition, field: Field, contents: GraphContents, said: Mapping[str, str]) -> Condition:
    """The condition with an entity's name in place of its id, where the values of a field are names.

    Where what the question calls it is a value of the field, that is meant: a clinic's town, not the clinic.
    """
    value = condition.value
    if field.kind != TEXT or not isinstance(value, str) or value in (*field.values, *field.ids.values()):
        return condition
    called = said.get(value, "").casefold()
    if meant := next((each for each in field.values if each.casefold() == called), None):
        return replace(condition, value=meant)
    (number,) = contents.lookup([value])
    return condition if number < 0 else replace(condition, value=contents.describe([number])["name"][0].as_py())


def _fitted(condition: Condition, field: Field) -> Iterator[Condition]:
    """A condition fitted to the kind of its field's values; a year compared with days stands for all its days."""
    value = condition.value
    if isinstance(value, Asked | Joint | tuple) or value is None:
        yield condition
    elif field.kind == DAY and str(value)[:4].isdecimal() and condition.operator in ("<", "<=", ">", ">=", "="):
        if len(str(value)) == len("2024"):
            for operator, year in bounds_of_years(condition.operator, int(str(value))):
                yield replace(condition, operator=operator, value=str(year))
        else:
            yield replace(condition, value=str(value))
    elif field.kind == SHARE and (share := _share(value)) is not None:
        yield replace(condition, value=share, shared=True)
    elif _is_numeric(field):
        number = float(str(value)) if str(value).removeprefix("-").replace(".", "", 1).isdecimal() else None
        if number is None:
            raise QueryError(f"{field.name} is a number, not {value!r}")
        yield replace(condition, value=int(number) if number.is_integer() else number, numeric=True)
    else:
        yield _textual(condition, field, str(value))


def _share(value: object) -> float | None:
    """A share as a number, a percentage or a fraction: 50, 0.5, "50%" and "1/2"; 1 may be one of them or all."""
    if value == 1:
        return None
    if isinstance(value, int | float):
        return value / 100 if value > 1 else float(value)
    low, high = share_of(str(value)) or (0.0, 1.0)
    return low if low == high else None


def _textual(condition: Condition, field: Field, text: str) -> Condition:
    """A condition on a text: as the graph writes it, or on all texts that have its words ("confocal": a microscope).

    Else on those in another form: "painkillers" is the class painkiller, "Austria" the nationality Austrian.
    """
    if condition.operator in TEXTUAL and any(text.lower() in each.lower() for each in field.values):
        return replace(condition, value=text.lower(), ignoring_case=True)
    same = [each for each in field.values if each.lower() == text.lower()]
    words = set(text.lower().split())
    known = same or [each for each in field.values if words and words <= set(each.lower().split())]
    known = known or [each for each in field.values if _is_form_of(each, text)]
    stated = [text] if text in field.ids.values() else [field.ids.get(each, each) for each in known]
    if len(stated) == 1:
        return replace(condition, value=stated[0])
    if stated and condition.operator in ("=", "<>"):
        denied = condition.negated != (condition.operator == "<>")
        return replace(condition, operator="IN", value=tuple(stated), negated=denied)
    if field.values:
        raise QueryError(f"no {field.name} is {text!r}: {', '.join(field.values)}")
    return replace(condition, value=text.lower(), ignoring_case=True)


def _is_form_of(value: str, text: str) -> bool:
    """Whether two texts are forms of the same words, or one is the adjective of the other, a place."""
    if list(map(stem, value.split())) == list(map(stem, text.split())):
        return True
    pairs = ((value, text), (text, value))
    return any(place.lower() in (each.lower() for each in places_named(other)) for place, other in pairs)
