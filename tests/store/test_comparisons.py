"""Conditions on relationships: random queries answered as plain Python does, on the store as users open it.

Ladybug itself loses and invents rows for such conditions; `clew.store.cypher.deferral` says when.
"""

import operator
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

import clew
from clew.store.embedded import EmbeddedStore, build_embedded

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip
EVERYTHING = "MATCH (a)-[r]->(b) RETURN a.id, type(r), b.id, r.triple, r.source[0], r.confidence[0]"
ARROWS = {"out": ("-", "->"), "in": ("<-", "-"), "both": ("-", "-")}
Condition = tuple[str, Callable[[Any], bool]]  # Cypher, and the same in Python


class Triple(NamedTuple):
    subject: str
    type: str
    object: str
    number: int
    source: str
    confidence: float


class Found(NamedTuple):
    """One match: entities and triples by variable."""

    entities: dict[str, str]
    triples: dict[str, Triple]


class Question:
    """A random chain of relationships from one entity, with conditions, in one or two clauses or in a subquery."""

    def __init__(self, triples: list[Triple], rng: random.Random) -> None:
        self.triples, self.rng = triples, rng
        self.hops = rng.choice([2, 3, 3, 3])
        self.ways = [rng.choice(list(ARROWS)) for _ in range(self.hops)]
        self.types = [rng.choice([(), ("R",), ("S",), ("R", "T")]) for _ in range(self.hops)]
        self.names = [f"n{number}" for number in range(self.hops + 1)]
        if rng.random() < 0.2:
            self.names[-1] = rng.choice(self.names[:-1])  # a cycle
        self.labels = {name: rng.choice([None, None, None, None, "Gene", "Disease"]) for name in self.names}
        self.labels["n0"] = None
        self.start = rng.choice(triples).subject
        self.form = rng.choice(["match", "match", "match", "two", "two", "optional", "exists", "count"])
        cut = rng.randrange(1, self.hops)
        self.parts = [(0, cut), (cut, self.hops)] if self.form in ("two", "optional") else [(0, self.hops)]
        self.conditions = [self._conditions(*part) for part in self.parts]

    def _conditions(self, first: int, last: int) -> list[Condition]:
        """Conditions on the relationships of one clause."""
        names = [f"x{hop}" for hop in range(first, last)]
        made: list[Condition] = []
        for _ in range(self.rng.choice([1, 1, 2])):
            one, other, sign = self.rng.choice(names), self.rng.choice(names), self.rng.choice(list(OPERATORS))
            compare = OPERATORS[sign]
            number = self.rng.choice(self.triples).number
            made.append(
                self.rng.choice(
                    [
                        (f"{one}.triple {sign} {number}", lambda f, a=one, n=number, c=compare: c(f[a].number, n)),
                        (f"{one}.triple % 2 = 0", lambda f, a=one: f[a].number % 2 == 0),
                        (f"'A' IN {one}.source", lambda f, a=one: f[a].source == "A"),
                        (
                            f"{one}.triple {sign} {other}.triple",
                            lambda f, a=one, b=other, c=compare: c(f[a].number, f[b].number),
                        ),
                        (
                            f"{one}.confidence[0] {sign} {other}.confidence[0]",
                            lambda f, a=one, b=other, c=compare: c(f[a].confidence, f[b].confidence),
                        ),
                        (
                            f"type({one}) {sign} type({other})",
                            lambda f, a=one, b=other, c=compare: c(f[a].type, f[b].type),
                        ),
                        (f"{one} <> {other}", lambda f, a=one, b=other: f[a] != f[b]),
                    ]
                )
            )
        return made

    @property
    def text(self) -> str:
        """The query."""
        clauses = [f"MATCH {self._pattern(*part)}" for part in self.parts]
        said = [[text for text, _ in conditions] for conditions in self.conditions]
        anchor = f"n0.id = '{self.start}'"
        if self.form not in ("exists", "count"):
            said[0].insert(0, anchor)
        whole = [
            clause + (f" WHERE {' AND '.join(texts)}" if texts else "")
            for clause, texts in zip(clauses, said, strict=True)
        ]
        match self.form:
            case "exists":
                return f"MATCH (n0) WHERE {anchor} AND EXISTS {{ {whole[0]} }} RETURN n0.id"
            case "count":
                return f"MATCH (n0) WHERE {anchor} RETURN COUNT {{ {whole[0]} }} AS n"
        returned = ", ".join(f"x{hop}.triple" for hop in range(self.hops))
        return f"{(' OPTIONAL ' if self.form == 'optional' else ' ').join(whole)} RETURN {returned}"

    def _pattern(self, first: int, last: int) -> str:
        text = f"({self.names[first]})"
        for hop in range(first, last):
            left, right = ARROWS[self.ways[hop]]
            types = f":{'|'.join(self.types[hop])}" if self.types[hop] else ""
            label = self.labels[self.names[hop + 1]]
            text += f"{left}[x{hop}{types}]{right}({self.names[hop + 1]}{f':{label}' if label else ''})"
        return text

    @property
    def rows(self) -> Counter[tuple[Any, ...]]:
        """What the query must give."""
        found = [Found({"n0": self.start}, {})]
        for number, (part, conditions) in enumerate(zip(self.parts, self.conditions, strict=True)):
            optional = self.form == "optional" and number > 0
            found = [more for each in found for more in self._matches(*part, conditions, each, optional=optional)]
        if self.form == "exists":
            return Counter([(self.start,)] if found else [])
        if self.form == "count":
            return Counter([(len(found),)])
        return Counter(
            tuple(each.triples[f"x{hop}"].number if f"x{hop}" in each.triples else None for hop in range(self.hops))
            for each in found
        )

    def _matches(
        self, first: int, last: int, conditions: list[Condition], begin: Found, *, optional: bool
    ) -> Iterator[Found]:
        """Every way to match one clause; a relationship is used once in it."""
        found = [begin]
        for hop in range(first, last):
            here = {f"x{each}" for each in range(first, hop)}
            found = [
                Found(each.entities | {self.names[hop + 1]: end}, each.triples | {f"x{hop}": triple})
                for each in found
                for triple, end in self._leaving(each.entities[self.names[hop]], hop)
                if each.entities.get(self.names[hop + 1], end) == end
                and self.labels[self.names[hop + 1]] in (None, "Gene" if end[0] == "G" else "Disease")
                and triple not in [each.triples[name] for name in here]
            ]
        kept = [each for each in found if all(holds(each.triples) for _, holds in conditions)]
        yield from kept or ([begin] if optional else [])

    def _leaving(self, entity: str, hop: int) -> Iterator[tuple[Triple, str]]:
        for triple in self.triples:
            if self.types[hop] and triple.type not in self.types[hop]:
                continue
            if self.ways[hop] != "in" and triple.subject == entity:
                yield triple, triple.object
            if self.ways[hop] != "out" and triple.object == entity:
                yield triple, triple.subject


def build(out: Path, seed: int, *, entities: int = 12, triples: int = 200) -> clew.Engine:
    """Every relation connects every pair of types; there are no self-loops, which Ladybug counts twice."""
    rng = random.Random(seed)
    ids = [f"{letter}:{number}" for letter in "GD" for number in range(entities)]
    made = sorted({(*rng.sample(ids, 2), rng.choice("rst")) for _ in range(triples)})
    table = {
        "subject": [each[0] for each in made],
        "relation": [each[2] for each in made],
        "object": [each[1] for each in made],
        "source": [rng.choice("AB") for _ in made],
        "confidence": [rng.choice([0.1, 0.2, 0.3]) for _ in made],
    }
    types = ["Gene" if each[0] == "G" else "Disease" for each in ids]
    clew.build(pa.table(table), entities=pa.table({"id": ids, "name": ids, "type": types}), out=out)
    return clew.open(out)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    graph = build(tmp_path_factory.mktemp("comparisons") / "g.clew", seed=1)
    build_embedded(graph)
    with EmbeddedStore(graph) as opened:
        yield opened


def wrong(store: EmbeddedStore, *, count: int, seed: int) -> list[str]:
    """Random questions that the store answers otherwise than Python does."""
    rng = random.Random(seed)
    triples = [Triple(*row) for row in store.run(EVERYTHING).rows]
    asked = [Question(triples, rng) for _ in range(count)]
    return [each.text for each in asked if Counter(store.run(each.text).rows) != each.rows]


def test_random_conditions_on_relationships(store: EmbeddedStore) -> None:
    assert wrong(store, count=100, seed=2) == []


ONE_MATCH = "MATCH (n0)-[x0:T]-(n1)-[x1]-(n2)-[x2:T]-(n3) WHERE n0.id = $start AND {}"
TWO_MATCHES = "MATCH (n0)-[x0:T]-(n1)-[x1]-(n2) WHERE n0.id = $start AND {} MATCH (n2)-[x2:T]-(n3)"
BUSIEST = "MATCH (n)-[:T]-(m)-[]-(k)-[:T]-() RETURN n.id, count(*) AS c ORDER BY c DESC LIMIT 1"
CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "x1.triple % 2 = 0": lambda _, x1: x1 % 2 == 0,
    "x1.triple > 40": lambda _, x1: x1 > 40,
    "x0.triple < x1.triple": lambda x0, x1: x0 < x1,
}


@pytest.mark.parametrize("query", [ONE_MATCH, TWO_MATCHES])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_conditions_that_ladybug_gets_wrong(store: EmbeddedStore, query: str, condition: str) -> None:
    """A filter of relationships from several tables, and then a further hop."""
    start = {"start": store.run(BUSIEST).rows[0][0]}
    query += " RETURN x0.triple, x1.triple, x2.triple"
    unfiltered = store.run(query.format("true"), start).rows
    kept = [row for row in unfiltered if CONDITIONS[condition](row[0], row[1])]
    assert 0 < len(kept) < len(unfiltered)
    assert Counter(store.run(query.format(condition), start).rows) == Counter(kept)


SIZES = {"A": 118, "B": 38, "C": 20, "D": 15}  # entities of each type
ENDS = {"ab": ("A", "B", 126), "bc": ("B", "C", 38), "ad": ("A", "D", 118), "dc": ("D", "C", 15), "aa": ("A", "A", 100)}
MOST = 9_000  # rows of an answer


class Branching:
    """A random pattern that branches, of relations between two types each, with a condition on its relationships."""

    def __init__(self, edges: dict[str, list[Triple]], rng: random.Random) -> None:
        self.types = {"n0": rng.choice("ABD")}
        self.hops: list[tuple[str, str, str]] = []
        while len(self.hops) < rng.choice([2, 3, 3, 4]):
            relation = rng.choice(list(ENDS))
            subject, object_, _ = ENDS[relation]
            here = rng.choice([name for name, type in self.types.items() if type in (subject, object_)] or [""])
            if here:
                forward = self.types[here] == subject
                far = object_ if forward else subject
                known = [name for name, type in self.types.items() if type == far and name != here]
                there = rng.choice(known) if known and rng.random() < 0.2 else f"n{len(self.types)}"
                self.types.setdefault(there, far)
                self.hops.append((here, relation, there) if forward else (there, relation, here))
        names = [f"x{number}" for number in range(len(self.hops))]
        one, other = rng.choice(names), rng.choice(names)
        self.condition, holds = rng.choice(
            [
                (f"{one}.triple % 3 = 1", lambda row: row[one].number % 3 == 1),
                (f"{one}.source[0] = 'A'", lambda row: row[one].source == "A"),
                (f"{one}.triple % 3 = 1 AND {other}.triple % 2 = 0",
                 lambda row: row[one].number % 3 == 1 and row[other].number % 2 == 0),
            ]
        )  # fmt: skip
        self.form = rng.choice(["triples", "entities", "count", "distinct", "exists", "counted"])
        self.found = [row for row in self._rows(edges) if holds(row)]

    def _rows(self, edges: dict[str, list[Triple]]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [{}]
        for number, (subject, relation, object_) in enumerate(self.hops):
            rows = [
                {**row, subject: each.subject, object_: each.object, f"x{number}": each}
                for row in rows
                for each in edges[relation]
                if row.get(subject, each.subject) == each.subject
                and row.get(object_, each.object) == each.object
                and each not in row.values()
            ]
        return rows

    @property
    def text(self) -> str:
        """The query."""
        pattern = ", ".join(
            f"({subject}:{self.types[subject]})-[x{number}:{relation.upper()}]->({object_}:{self.types[object_]})"
            for number, (subject, relation, object_) in enumerate(self.hops)
        )
        whole, outer = f"MATCH {pattern} WHERE {self.condition}", f"MATCH (n0:{self.types['n0']}) WHERE"
        match self.form:
            case "triples":
                return f"{whole} RETURN {', '.join(f'x{number}.triple' for number in range(len(self.hops)))}"
            case "entities":
                return f"{whole} RETURN {', '.join(f'{name}.id' for name in self.types)}"
            case "count":
                return f"{whole} RETURN count(*)"
            case "distinct":
                return f"{whole} RETURN DISTINCT n0.id"
            case "exists":
                return f"{outer} EXISTS {{ {whole} }} RETURN n0.id"
        return f"{outer} COUNT {{ {whole} }} >= 2 RETURN n0.id"

    @property
    def rows(self) -> Counter[tuple[Any, ...]]:
        """What the query must give."""
        match self.form:
            case "triples":
                return Counter(tuple(row[f"x{hop}"].number for hop in range(len(self.hops))) for row in self.found)
            case "entities":
                return Counter(tuple(row[name] for name in self.types) for row in self.found)
            case "count":
                return Counter([(len(self.found),)])
        least = 2 if self.form == "counted" else 1
        counts = Counter(row["n0"] for row in self.found)
        return Counter((name,) for name, count in counts.items() if count >= least)


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    """Each relation connects one pair of types, so that Ladybug reads it from one table."""
    rng = random.Random(5)
    made = sorted(
        {
            (f"{subject}:{rng.randrange(SIZES[subject])}", relation, f"{object_}:{rng.randrange(SIZES[object_])}")
            for relation, (subject, object_, count) in ENDS.items()
            for _ in range(count)
        }
    )
    kept = [each for each in made if each[0] != each[2]]
    subjects, relations, objects = zip(*kept, strict=True)
    table = {"subject": subjects, "relation": relations, "object": objects, "source": [rng.choice("AB") for _ in kept]}
    ids = [f"{type}:{number}" for type, count in SIZES.items() for number in range(count)]
    entities = pa.table({"id": ids, "name": ids, "type": [each[0] for each in ids]})
    path = tmp_path_factory.mktemp("typed") / "g.clew"
    clew.build(pa.table(table), entities=entities, out=path)
    graph = clew.open(path)
    build_embedded(graph)
    with EmbeddedStore(graph) as opened:
        yield opened


def test_random_conditions_within_patterns_that_branch(typed: EmbeddedStore) -> None:
    rng, edges = random.Random(6), dict[str, list[Triple]]()
    for row in typed.run("MATCH (a)-[r]->(b) RETURN a.id, type(r), b.id, r.triple, r.source[0]").rows:
        edges.setdefault(row[1].lower(), []).append(Triple(*row, 0.0))
    asked = [made for _ in range(150) if len((made := Branching(edges, rng)).found) <= MOST]
    assert len(asked) > 120
    assert [each.text for each in asked if Counter(typed.run(each.text).rows) != each.rows] == []
