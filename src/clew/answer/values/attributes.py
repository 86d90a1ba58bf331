"""The attributes of a graph: columns of entities and relations to numbers or days, with their kind and unit.

`elevation_ft` of airports is a number in feet; `releasedIn`, which leads from films to years, is a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.answer.lexicon.dimensions import ANY_TIME, Unit, dimensions, units
from clew.answer.lexicon.families import spelt_out
from clew.answer.lexicon.forms import is_irregular, singular, stem
from clew.answer.plans.plan import Plan
from clew.graph import GraphContents
from clew.graph.storage.arrays import arrow_of, numbers_of
from clew.store.layout import StoreSchema

__all__ = ["Attribute", "ValuePart", "find_attributes"]

NUMERIC = r"^\s*[-+]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?([eE][-+]?\d+)?\s*$"
DAY = r"^\s*\d{4}-\d{2}(-\d{2})?"
YEAR = r"^\s*(1[0-9]|20)\d\d\s*$"
ENOUGH = 0.9  # share of values that say what a column holds
MOST_ENTITIES, MOST_TRIPLES = 200_000, 200_000  # looked at of a graph
FEW_VALUES, SHORT_VALUE = 60, 40  # of a column that sorts entities into classes: most values, letters of the longest
MEASURED_IN = {
    "height": "length", "depth": "length", "width": "length", "length": "length", "distance": "length", "area": "area",
    "duration": "time", "weight": "mass", "speed": "speed", "temperature": "temperature", "age": "time",
}  # fmt: skip
NO_UNIT = frozenset({"in", "at", "of"})


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that entities of a label have a value of.

    The value is the property `key` of the entity or, if there is a `relation`, of the entity of label `target` to
    which that leads.
    """

    label: str
    key: str
    title: str  # its name as words, without the unit
    kind: str  # number, time or text
    dimensions: tuple[str, ...] = ()
    unit: Unit | None = None
    relation: str = ""
    target: str = ""
    years: bool = False  # whether values are years: of a time, rather than days; of a number, as they look
    values: tuple[str, ...] = ()  # of a text, the few that there are

    @property
    def measures(self) -> str:
        """What its unit measures."""
        return self.unit.measures if self.unit is not None else ""


def find_attributes(contents: GraphContents, schema: StoreSchema) -> tuple[Attribute, ...]:
    """The attributes of a graph's entities, by label."""
    table = _some_entities(contents)
    types = table["type"].cast(pa.string()).combine_chunks().dictionary_encode()
    rows = {
        type: np.flatnonzero(numbers_of(types.indices) == at) for at, type in enumerate(types.dictionary.to_pylist())
    }
    found: list[Attribute] = []
    for each in schema.properties:
        if each.column not in table.column_names:
            continue
        column = table[each.column]
        for type in contents.schema.types:
            own = column.take(arrow_of(rows[type])).drop_null() if type in rows else ()
            if len(own):
                found.append(_attribute(schema.label_of(type), each.name, each.column, own))
    return (*found, *_literal_relations(contents, schema))


def _some_entities(contents: GraphContents) -> pa.Table:
    batches: list[pa.RecordBatch] = []
    for batch in contents.scan_entities():
        batches.append(batch)
        if sum(map(len, batches)) >= MOST_ENTITIES:
            break
    return pa.Table.from_batches(batches)


def _literal_relations(contents: GraphContents, schema: StoreSchema) -> Iterator[Attribute]:
    """Relations whose objects are numbers or days."""
    count = contents.counts["triples"]
    triples = contents.triple_columns(np.arange(0, count, max(1, count // MOST_TRIPLES)))
    for each in schema.relationships:
        if each.negated or each.symmetric:
            continue
        objects = np.unique(triples.object[triples.relation == each.number])
        if not len(objects):
            continue
        names = contents.describe(objects)["name"].cast(pa.string())
        if _share(names, NUMERIC) < ENOUGH and _share(names, DAY) < ENOUGH:
            continue
        for ends in each.ends:
            yield _attribute(ends.subject, "name", each.relation, names, relation=each.name, target=ends.object)


def _attribute(
    label: str, key: str, name: str, values: pa.ChunkedArray, *, relation: str = "", target: str = ""
) -> Attribute:
    words = spelt_out(name)
    title, unit = _title(words, target)
    stems = tuple(map(stem, title))
    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        return Attribute(label, key, " ".join(title), "text", relation=relation, target=target)
    texts = values.cast(pa.string())
    said = tuple(each.name for each in dimensions().values() if each.is_said_by(stems))
    said = tuple(each for each in said if each != ANY_TIME) or said
    if unit is not None:
        said = tuple(each for each in said if MEASURED_IN.get(each, unit.measures) == unit.measures)
    numbers, days, years = (_share(texts, pattern) >= ENOUGH for pattern in (NUMERIC, DAY, YEAR))
    timed = any(dimensions()[each].time for each in said) or target.lower() in ("year", "date") or "since" in title
    if days or (years and (timed or _is_done(title))):
        kept = tuple(each for each in said if dimensions()[each].time) or (ANY_TIME,)
        return Attribute(label, key, " ".join(title), "time", kept, None, relation, target, years=not days)
    measured = tuple(each for each in said if not dimensions()[each].time)
    if numbers:
        return Attribute(label, key, " ".join(title), "number", measured, unit, relation, target, years=years)
    return Attribute(label, key, " ".join(words), "text", relation=relation, target=target, values=_classes(texts))


def _is_done(title: Sequence[str]) -> bool:
    """Whether a column is called by what was done, as in "bought": its years say when."""
    return len(title) == 1 and (title[0].lower().endswith("ed") or is_irregular(title[0]))


def _title(words: Sequence[str], target: str) -> tuple[list[str], Unit | None]:
    """The words of a name without those of its unit, which the type of its values may say too."""
    for length in (2, 1):
        last = " ".join(words[-length:])
        unit = units().get(last) or units().get(singular(last)) or units().get(last.removesuffix("s"))
        if unit is not None and len(words) > length and last not in NO_UNIT:
            rate = singular(words[-length - 1]) in units()  # hours a week are no weeks
            return (list(words), None) if rate else (list(words[:-length]), unit)
        if unit is not None and len(words) == length and last.endswith("s") and last not in NO_UNIT:
            return list(words), unit  # "minutes", but a "year" is a time
    lowered = target.lower()
    return list(words), units().get(lowered) or units().get(lowered.removesuffix("s"))


def _share(texts: pa.ChunkedArray, pattern: str) -> float:
    return float(pc.mean(pc.match_substring_regex(texts, pattern).cast(pa.int8())).as_py() or 0.0)


def _classes(texts: pa.ChunkedArray) -> tuple[str, ...]:
    distinct = pc.unique(texts)
    if len(distinct) > FEW_VALUES or len(distinct) == len(texts) > 1:
        return ()
    values = sorted(distinct.to_pylist())
    return tuple(values) if all(0 < len(each) <= SHORT_VALUE for each in values) else ()


@dataclass(frozen=True, slots=True)
class ValuePart:
    """What a plan says of values: the plan without it, what it says in words, and the attribute that is shown."""

    base: Plan
    said: str = ""
    shown: Attribute | None = None
    unsure: bool = False  # what is meant is not quite what the graph has
    ambiguous: bool = False  # another attribute may be meant
    unit: Unit | None = None  # that the question asks for
