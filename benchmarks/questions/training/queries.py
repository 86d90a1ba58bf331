"""Questions over invented schemas with their queries (queries/), as a model that writes queries is shown them."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.questions.training.query_checks import plan_of
from clew.answer.lexicon.families import is_mutual
from clew.answer.models.schema_grammar import NONE
from clew.answer.models.shown_schema import (
    DAY,
    MORE_NAMES,
    NUMBER,
    SHARE,
    SOME_NAMES,
    TEXT,
    YEAR,
    Field,
    Join,
    ShownSchema,
    variables_of,
)
from clew.answer.plans.canonical import same
from clew.answer.plans.cypher.read_conditions import conjuncts
from clew.errors import InputError
from clew.store.cypher import parse, write
from clew.store.cypher import syntax as s
from clew.store.layout import upper_snake

__all__ = ["Row", "WrittenSchema", "read_names", "read_queries", "shown"]

STATED = re.compile(r"(\w+): (\S+) (\S+) (=?\S+)((?: \{[^}]*\})*)(?: \[([^\]]*)\])?")
MARK = re.compile(r"[\[(]([^\[\]()|]*)\|[^\[\]()|]*[\])]")
NAMED = re.compile(r"\{([^{}:]*)(?::[^{}]*)?\}")
SHARES = re.compile("perc|share|freq|rate|prop")
MOST_ALIKE = 3  # variables of one type in a query
OPEN = "x"  # the variable of what may be of several types
NAMELESS = "Entity"  # the label of what has no type


@dataclass(frozen=True, slots=True)
class Row:
    """A question without its marks, the types of what it names, and its query in the words of the graph, or NONE."""

    question: str  # {0} and {1} for names
    named: tuple[str, ...]
    query: str  # $0 and $1
    keys: frozenset[str]  # relations and attributes that it uses


@dataclass(slots=True)
class WrittenSchema:
    """A schema: relations and attributes by their keys, and questions about it."""

    name: str
    relations: dict[str, tuple[str, str, str, dict[str, str]]] = field(default_factory=dict)
    attributes: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    unreadable: int = 0
    file: str = ""  # the name of the file it is from

    def is_mutual(self, key: str) -> bool:
        """Whether a relation holds both ways."""
        subject, name, object_, _ = self.relations[key]
        return is_mutual(name.lower(), [subject, object_])

    @property
    def types(self) -> list[str]:
        found = [end for one, _, other, _ in self.relations.values() for end in (one, other)]
        return list(dict.fromkeys([*found, *(type for type, _, _ in self.attributes.values())]))


def read_queries(paths: Sequence[Path]) -> Iterator[WrittenSchema]:
    """The schemas of some files with their questions, read by as many processes as there are cores."""
    if len(paths) == 1:
        yield from _read(paths[0])
        return
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for schemas in pool.map(_read, paths):
            yield from schemas


def _read(path: Path) -> list[WrittenSchema]:
    """The schemas of a file; what cannot be read is counted."""
    schemas = []
    for block in path.read_text("utf-8").split("== ")[1:]:
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        schema = _schema(lines)
        schema.file = path.stem
        for line in lines:
            if line.startswith("- ") and " => " in line:
                try:
                    schema.rows.append(_row(*line[2:].rsplit(" => ", 1), schema))
                except (InputError, KeyError, ValueError):
                    schema.unreadable += 1
        schemas.append(schema)
    return schemas


def read_names(path: Path) -> dict[str, tuple[str, ...]]:
    """What things of a type may be called, by the type in lower case."""
    lines = (line.split("\t") for line in path.read_text("utf-8").splitlines() if "\t" in line)
    return {type: tuple(each.strip() for each in names.split("|")) for type, names in lines}


def _schema(lines: Sequence[str]) -> WrittenSchema:
    schema = WrittenSchema(lines[0])
    known: dict[str, str] = {}  # types differ by case in some of the oldest
    for found in filter(None, map(STATED.fullmatch, lines[1:])):
        key, subject, name, object_, columns, label = found.groups()
        subject = known.setdefault(subject.lower(), subject)
        if object_.startswith("="):
            schema.attributes[key] = (subject, label or name, object_[1:])
        else:
            object_ = known.setdefault(object_.lower(), object_)
            columns = dict(re.findall(r"\{(\w+) ?([^}]*)\}", columns))
            schema.relations[key] = (subject, upper_snake(label or name), object_, columns)
    return schema


def _row(question: str, query: str, schema: WrittenSchema) -> Row:
    types = {type.lower(): type for type in schema.types}
    named = tuple(types[each.strip().lower()] for each in NAMED.findall(question))
    numbers = iter(range(len(named)))
    plain = NAMED.sub(lambda _: f"{{{next(numbers)}}}", MARK.sub(r"\1", question))
    if query == NONE:
        return Row(plain, named, NONE, frozenset())
    written, keys = _translated(query, schema, named)
    return Row(plain, named, written, frozenset(keys))


def _translated(query: str, schema: WrittenSchema, named: Sequence[str]) -> tuple[str, set[str]]:
    """A query with the names of relations and attributes for their keys, and variables that say their types."""
    statement = _all_named(parse(query))
    types, steps = _types(statement, schema), _steps(statement)
    variables = variables_of(schema.types)
    counts: Counter[str] = Counter()
    new: dict[str, str] = {"n": "number", **{old: f"r{at or ''}" for old, at in steps.items()}}
    for old, type in types.items():
        word = variables[type] if type is not None else OPEN
        counts[word] += 1
        if counts[word] > MOST_ALIKE:
            raise ValueError("too many of one type")
        new[old] = word + (str(counts[word]) if counts[word] > 1 else "")
    keys: set[str] = set()

    def change(part: Any) -> Any:
        match part:
            case s.EntityPattern():
                return replace(part, variable=new[part.variable or ""], labels=())
            case s.RelationshipPattern():
                keys.update(part.types)
                own = tuple(dict.fromkeys(schema.relations[key][1] for key in part.types))
                way = "both" if all(map(schema.is_mutual, part.types)) and not part.variable else part.direction
                return replace(part, types=own, variable=part.variable and new[part.variable], direction=way)
            case s.Property(s.Variable(name), key) if key not in ("id", "name"):
                if name in {new[old] for old in steps}:
                    keys.add(f".{key}")
                    return replace(part, key=f"q_{key}")
                keys.add(key)
                return replace(part, key=schema.attributes[key][1])
            case s.Literal(True):
                return s.Literal("yes")
            case s.Literal(False):
                return s.Literal("no")
            case s.Variable(name):
                return s.Variable(new.get(name, name))
            case s.Parameter(name):
                return s.Parameter(f"n{int(name) - 1}")
            case s.Item():
                return replace(part, alias=part.alias and new.get(part.alias, part.alias))
        return part

    return " ".join(write(_grouped(s.rewrite(statement, change))).split()), keys


def _grouped(statement: s.Statement) -> s.Statement:
    """A bound on one count of what is asked, as WITH says it: of two forms of one meaning a model learns one."""
    match statement.queries:
        case (s.Query((s.Match(patterns, where, False), s.Return(shown))),) if (
            not shown.order and len(shown.items) == 1
        ):
            asked = shown.items[0].expression
        case _:
            return statement
    counted = [each for each in s.walk(statement) if isinstance(each, s.Subquery) and each.kind == "COUNT"]
    bounds = [each for each in conjuncts(where) if isinstance(each, s.Binary) and each.left in counted]
    if not isinstance(asked, s.Variable) or len(counted) != 1 or not bounds:
        return statement
    (bound,), (inner,), plan = bounds, counted, plan_of(statement)
    of = next((part.count.of for part in plan.parts if part.count is not None), asked.name)
    rest = [each for each in conjuncts(where) if each is not bound]
    own = tuple(each for each in patterns if each.elements != (s.EntityPattern(asked.name),))
    number = s.Item(s.Call("count", (s.Variable(of),), distinct=True), "number")
    clauses = (
        s.Match((*own, *inner.patterns), s.conjunction(*rest, *conjuncts(inner.where))),
        s.With(s.Projection((s.Item(asked), number)), replace(bound, left=s.Variable("number"))),
        s.Return(shown),
    )
    grouped = replace(statement, queries=(s.Query(clauses),))
    return grouped if same(plan_of(grouped), plan) else statement


def _all_named(statement: s.Statement) -> s.Statement:
    """With a variable for every entity."""
    numbers = iter(range(50))

    def change(part: Any) -> Any:
        nameless = isinstance(part, s.EntityPattern) and part.variable is None
        return replace(part, variable=f"e{next(numbers)}x") if nameless else part

    changed: s.Statement = s.rewrite(statement, change)
    return changed


def _types(statement: s.Statement, schema: WrittenSchema) -> dict[str, str | None]:
    """The type of each variable: as it is written, else by the relations at it; None where these lead to several."""
    types = {type.lower(): type for type in schema.types}
    found: dict[str, str | None] = {}
    several: dict[str, set[str]] = {}
    for pattern in (each for each in s.walk(statement) if isinstance(each, s.Pattern)):
        for entity in pattern.entities:
            found.setdefault(entity.variable or "", None)
            if entity.labels:
                found[entity.variable or ""] = types[entity.labels[0].lower()]
        for step, left, right in zip(pattern.relationships, pattern.entities, pattern.entities[1:], strict=False):
            subjects, objects = ({schema.relations[key][at] for key in step.types} for at in (0, 2))
            ends = (objects, subjects) if step.direction == "in" else (subjects, objects)
            for entity, own in zip((left, right), ends, strict=True):
                name = entity.variable or ""
                several[name] = several.get(name, own) & own or own
    for name, own in several.items():
        found[name] = found[name] or (next(iter(own)) if len(own) == 1 else None)
    return {name: type for name, type in found.items() if type is not None or name in several}


def _steps(statement: s.Statement) -> dict[str, int]:
    """The variables of relationships, with 0, 2, 3 …"""
    steps = [each.variable for each in s.walk(statement) if isinstance(each, s.RelationshipPattern) and each.variable]
    return {name: at + 1 if at else 0 for at, name in enumerate(dict.fromkeys(steps))}


# as it is shown -----------------------------------------------------------------------------------------------------


def shown(
    schema: WrittenSchema,
    draw: random.Random,
    without: frozenset[str] = frozenset(),
    *,
    wider: float = 0.0,
    denied: int = 0,
    names: Mapping[str, Sequence[str]] | None = None,
) -> ShownSchema:
    """A schema as a model is shown it, with made-up examples; without some relations, attributes and columns.

    `wider` is the share of relations that have a further type at one end, `denied` how many have one beside them that
    states their absence, which no question means; `names` are what things of a type are called.
    """
    relations = [(key, each) for key, each in schema.relations.items() if key not in without]
    attributes = [(key, each) for key, each in schema.attributes.items() if key not in without]
    draw.shuffle(relations)
    draw.shuffle(attributes)
    fields: dict[str, list[Field]] = {}
    for _, (type, name, kind) in attributes:
        fields.setdefault(type, []).append(_field(name, kind, draw))
    joins = [Join(subject, name, object_) for _, (subject, name, object_, _) in relations]
    for join in list(joins):
        if draw.random() < wider:
            other = draw.choice(schema.types)
            joins.append(replace(join, subject=other) if draw.random() < 0.5 else replace(join, object=other))
    joins += [
        replace(join, relationship=f"LACKS_{join.relationship.removeprefix('HAS_')}")
        for join in draw.sample(joins, min(denied, len(joins)))
    ]
    return ShownSchema(
        tuple(dict.fromkeys(joins)),
        variables_of(sorted(schema.types)),
        {type: tuple(listed) for type, listed in fields.items()},
        _columns(relations, draw),
        {},
        names={type: tuple(_some(own, type, draw)) for type, own in (names or {}).items()},
    )


def _some(names: Sequence[str], type: str, draw: random.Random) -> list[str]:
    return draw.sample(list(names), min(len(names), MORE_NAMES if type == NAMELESS else SOME_NAMES))


def _columns(
    relations: Sequence[tuple[str, tuple[str, str, str, dict[str, str]]]], draw: random.Random
) -> dict[str, tuple[Field, ...]]:
    """The columns by the names of relations, which may be those of several keys."""
    kinds: dict[str, dict[str, str]] = {}
    for _, (_, name, _, columns) in relations:
        kinds.setdefault(name, {}).update(columns)
    return {
        name: tuple(_field(f"q_{column}", kind, draw) for column, kind in own.items()) for name, own in kinds.items()
    }


def _field(name: str, kind: str, draw: random.Random) -> Field:
    plain, _, listed = kind.rpartition(" ")[2].partition("(") if "(" not in kind else kind.partition("(")
    if plain in ("year",):
        return Field(name, YEAR, (str(draw.randint(1880, 2024)),))
    if plain in ("number", "amount", "money", "count", "percent", "integer", "float", "duration", "time"):
        if SHARES.search(name) and draw.random() < 0.5:
            whole = draw.randint(2, 90)
            return Field(name, SHARE, (draw.choice((f"{draw.randint(1, whole)}/{whole}", f"{whole}%")),))
        scale = draw.choice((10, 100, 1_000, 10_000))
        return Field(name, NUMBER, (str(draw.choice((draw.randint(1, scale), round(draw.random() * scale, 1)))),))
    if plain in ("date", "day"):
        return Field(name, DAY, (f"{draw.randint(1950, 2024)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",))
    if plain in ("bool", "boolean", "flag"):
        return Field(name, TEXT, values=("no", "yes"))
    values = tuple(each.strip() for each in listed.rstrip(")").split(",") if each.strip())
    return Field(name, TEXT, values=values)
