"""Cypher as an attacker writes it, generated from a seed: grammatical, mutated, writing, hungry and deep texts.

Every text is answered or refused by one sentence, in time, within the memory limit, and nothing is written.
"""

import hashlib
import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import clew
from attack.graphs import build
from attack.tally import Tally
from clew.errors import ClewError, QueryError, StoreError, Timeout
from clew.store.embedded import FILE, open_or_build_embedded
from clew.store.layout import StoreSchema
from clew.store.process import child
from clew.store.process.child import OWN_MEMORY
from clew.store.store import Store

__all__ = ["Texts", "attack", "attack_graph"]

LATE = 1.0  # seconds past the limit that are still in time
PROGRAM = os.fsencode(child.__file__)
CHECK = "MATCH (n) RETURN count(n)"
WRITES = (
    "CREATE (:Gene {id: 'new'})", "SET n.name = 'x'", "DETACH DELETE n", "REMOVE n.name", "MERGE (m:Gene {id: 'new'})",
    "DROP TABLE Gene", "COPY Gene TO 'out.csv'", "LOAD FROM '/etc/passwd' RETURN *", "CALL show_tables() RETURN *",
    "INSTALL httpfs", "ATTACH 'other' AS other", "EXPORT DATABASE 'here'", "; MATCH (n) DELETE n", "CHECKPOINT",
)  # fmt: skip
SCALARS = (
    "abs",
    "ceil",
    "floor",
    "size",
    "toLower",
    "toUpper",
    "trim",
    "sqrt",
    "sign",
    "head",
    "last",
    "type",
    "labels",
)
AGGREGATES = ("count", "collect", "sum", "avg", "min", "max")
ODD = (
    "'\ud800'",
    r"'\ud800'",
    r"'\u0000'",
    "'𝔊'",
    "9223372036854775807",
    "-9223372036854775808",
    "1e308",
    "0.1e-300",
    "''",
)


class Texts:
    """Random texts about one schema; the same seed gives the same texts."""

    def __init__(self, schema: StoreSchema, seed: int) -> None:
        self.rng = random.Random(seed)
        self.labels = [f"`{each.name.replace('`', '``')}`" for each in schema.labels]
        self.types = [f"`{each.name.replace('`', '``')}`" for each in schema.relationships]
        self.scope: dict[str, str] = {}  # variables, and whether they are entities, relationships or values
        self.keys = ["id", "name", "triple", *(each.name for each in schema.properties), *sorted(schema.provenance)]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Kinds and texts, without end."""
        kinds = {"grammar": 70, "mutated": 15, "writing": 7, "deep": 5, "hungry": 3}
        while True:
            (kind,) = self.rng.choices(list(kinds), list(kinds.values()))
            yield kind, getattr(self, kind)()

    def grammar(self) -> str:
        """One statement whose names and kinds mostly fit."""
        self.scope = {}
        clauses = [self._clause() for _ in range(self.rng.choice([1, 1, 1, 2, 2, 3]))]
        text = " ".join([*clauses, f"RETURN {self._projection()}"])
        return f"{text} UNION {text}" if self.rng.random() < 0.05 else text

    def mutated(self) -> str:
        """A statement with words or characters lost, repeated or exchanged."""
        words = list(self.grammar()) if self.rng.random() < 0.4 else self.grammar().split(" ")
        for _ in range(self.rng.randrange(1, 5)):
            at, other = self.rng.randrange(len(words)), self.rng.randrange(len(words))
            words[at : at + 1] = self.rng.choice(
                [[], [words[at]] * 2, [words[other]], [self.rng.choice("({[`'\"$;-<")]]
            )
            words = words or ["x"]
        return ("" if len(max(words, key=len)) == 1 else " ").join(words)

    def writing(self) -> str:
        """A statement with a clause that would write, read files or change the database."""
        words = self.grammar().split(" ")
        words.insert(self.rng.randrange(len(words) + 1), self.rng.choice(WRITES))
        return self.rng.choice([" ", "\n", " /* */ ", "\t"]).join(words)

    def deep(self) -> str:
        """Something in itself, many times."""
        times = self.rng.choice([10, 60, 200, 1000, 4000])
        opening, closing = self.rng.choice(
            [
                ("(", ")"), ("[", "]"), ("{a: ", "}"), ("NOT ", ""), ("-", ""), ("CASE WHEN true THEN ", " ELSE 0 END"),
                ("(1 < ", " < 3)"), ("size([", "])"), ("", "[0]"), ("", " IS NULL"), ("", " + 1"), ("", " OR true"),
                ("coalesce(null, ", ")"), ("EXISTS { (a)-->(b) WHERE ", " }"), ("[x IN [1] | ", "]"), ("", ".a"),
            ]
        )  # fmt: skip
        match self.rng.randrange(5):
            case 0:
                return (
                    "MATCH (a)"
                    + self.rng.choice(["-->()", "--()", "<-[:" + self.rng.choice(self.types) + "]-()"]) * times
                )
            case 1:
                return f"MATCH (a) WHERE {opening * times}true{closing * times} RETURN count(*)"
            case 2:
                return "WITH 1 AS a " * times + "RETURN a"
        return f"RETURN {opening * times}{self.rng.choice(['1', '[1]', 'true'])}{closing * times} AS x"

    def hungry(self) -> str:
        """Much memory or time from few words; the size stands where no check of the text can see it."""
        size = self.rng.choice(["2000000000", "100000 * 100000", "300000000", "9000000", "count(g) * 100000000"])
        begin = self.rng.choice([f"WITH {size} AS n", f"UNWIND [{size}] AS n", f"MATCH (g) WITH {size} AS n"])
        begin = begin.replace("count(g) * ", "") if "MATCH" not in begin else begin
        end = self.rng.choice(
            [
                "RETURN size(range(0, n))", "UNWIND range(0, n) AS i RETURN collect(i)", "RETURN range(0, n)",
                "UNWIND range(0, n) AS i RETURN i, toUpper('text') AS t ORDER BY t, i LIMIT 3",
                "UNWIND range(0, n) AS i UNWIND range(0, n) AS j RETURN count(*)",
                "RETURN [x IN range(0, n) | [x, x, x]]", "UNWIND range(0, n) AS i WITH DISTINCT i RETURN count(i)",
                "MATCH (a), (b), (c) RETURN a.name + b.name + c.name AS x ORDER BY x",
                "MATCH (a)-[*1..30]-(b) RETURN a",
            ]
        )  # fmt: skip
        return f"{begin} {end}"

    def _clause(self) -> str:
        pick = self.rng.random()
        if pick < 0.7 or not self.scope:
            optional = "OPTIONAL " * (self.rng.random() < 0.15)
            patterns = ", ".join(self._pattern() for _ in range(self.rng.choice([1, 1, 1, 2])))
            return f"{optional}MATCH {patterns}" + f" WHERE {self._value('bool', 2)}" * (self.rng.random() < 0.7)
        if pick < 0.85:
            return f"UNWIND {self._value('list', 1)} AS {self._declare('value')}"
        kept = [name for name in self.scope if self.rng.random() < 0.8]
        number = self._value("number", 1)
        new = self._declare("value")
        self.scope = {name: self.scope[name] for name in (*kept, new)}
        return f"WITH {', '.join([*kept, f'{number} AS {new}'])}" + f" WHERE {self._value('bool', 1)}" * (
            self.rng.random() < 0.4
        )

    def _projection(self) -> str:
        kinds = ["bool", "number", "text", "list", "any"]
        count = self.rng.choice([1, 1, 2, 3])
        items = ", ".join(f"{self._value(self.rng.choice(kinds), 2)} AS column{at}" for at in range(count))
        text = "DISTINCT " * (self.rng.random() < 0.2) + self.rng.choice([items, items, items, "*"])
        if self.rng.random() < 0.2:
            text += self.rng.choice([" ORDER BY column0", f" ORDER BY {self._value('number', 1)} DESC"])
        for word in ("SKIP", "LIMIT"):
            if self.rng.random() < 0.2:
                text += f" {word} {self.rng.choice(['0', '1', '5', '5', '10000000000', self._value('number', 1)])}"
        return text

    def _pattern(self) -> str:
        text = self._entity()
        for _ in range(self.rng.choice([0, 1, 1, 1, 2, 3])):
            length = self.rng.choice(["", "", "", "", "", "", "*1..2", "*0..3", "*2", " {triple: 1}"])
            length = self.rng.choice(["*", "*1..40"]) if self.rng.random() < 0.03 else length
            named = self.rng.random() < 0.6
            inside = self._declare("value" if "*" in length else "relationship") if named else ""
            if self.rng.random() < 0.6:
                inside += ":" + "|".join(
                    self.rng.sample(self.types, self.rng.randrange(1, min(3, len(self.types)) + 1))
                )
            left, right = self.rng.choice([("-", "->"), ("<-", "-"), ("-", "-")])
            text += f"{left}[{inside}{length}]{right}{self._entity()}"
        return f"{self._declare('value')} = {text}" if self.rng.random() < 0.1 else text

    def _entity(self) -> str:
        known = [name for name, kind in self.scope.items() if kind == "entity"]
        name = self._declare("entity") if self.rng.random() < 0.5 else self.rng.choice(["", *known])
        label = self.rng.choice(["", f":{self.rng.choice(self.labels)}"])
        return f"({name}{label}{' {id: ' + self._value('text', 0) + '}' if self.rng.random() < 0.1 else ''})"

    def _declare(self, kind: str) -> str:
        name = self.rng.choice(["a", "b", "c", "r", "n", "x", "p", "`odd name`", "count", "match", "id"])
        if self.rng.random() < 0.97:
            name = f"v{len(self.scope)}"
        self.scope[name] = kind
        return name

    def _property(self) -> str:
        name, kind = self.rng.choice(list(self.scope.items()) or [("nobody", "entity")])
        keys = {"entity": ["id", "name"], "relationship": ["triple"]}.get(kind, [])
        if self.rng.random() < 0.05 or not keys:
            keys = self.keys
        return name if self.rng.random() < 0.08 or kind == "value" else f"{name}.{self.rng.choice(keys)}"

    def _value(self, kind: str, depth: int) -> str:
        """An expression that is mostly of the kind asked for."""
        kind = self.rng.choice(["bool", "number", "text", "list", "any"]) if self.rng.random() < 0.02 else kind
        leaves = {
            "bool": ["true", "false", "null"], "number": ["1", "0", "2.5", "-3", "size('abc')"],
            "any": ["null", "{k: 1}"], "text": ["'text'", "''", "'G:1'"],
            "list": ["[]", "[1, 2]", "['a', null]", "range(0, 5)"],
        }[kind]  # fmt: skip
        if depth <= 0 or self.rng.random() < 0.2:
            odd = [self.rng.choice(ODD)] if self.rng.random() < 0.02 else []
            return self.rng.choice(odd or [*leaves, *leaves, self._property(), self._property()])
        return self.rng.choice(getattr(self, f"_{kind}")(depth - 1))

    def _bool(self, depth: int) -> list[str]:
        one, two, kind = self._value("bool", depth), self._value("bool", depth), self.rng.choice(["number", "text"])
        left, right, text = self._value(kind, depth), self._value(kind, depth), self._value("text", depth)
        items, prop = self._value("list", depth), self._property()
        compared = [f"{left} {sign} {right}" for sign in ("=", "<>", "<", ">=")]
        words = [f"{prop} {word} {text}" for word in ("CONTAINS", "STARTS WITH", "ENDS WITH", "=~")]
        return [
            *compared, *words, f"{one} AND {two}", f"{one} OR {two}", f"NOT {one}", f"({one})", f"{prop} IS NULL",
            f"{left} IN {items}", f"any(y IN {items} WHERE y = {left})", f"{one} XOR {two}",
            f"{prop}:{self.rng.choice(self.labels)}", "EXISTS { (e)-[f]->(g) WHERE f.triple > 3 }",
        ]  # fmt: skip

    def _number(self, depth: int) -> list[str]:
        one, two, items = self._value("number", depth), self._value("number", depth), self._value("list", depth)
        return [
            *(f"{one} {sign} {two}" for sign in "+-*/%^"), f"abs({one})", f"size({items})", f"-({one})", "count(*)",
            f"{self.rng.choice(AGGREGATES)}({self._property()})", f"{self.rng.choice(SCALARS)}({one})",
            f"CASE WHEN {self._value('bool', depth)} THEN {one} ELSE {two} END", "COUNT { (e)-[f]->(g) }",
            f"coalesce({one}, {two})", f"{items}[0]",
        ]  # fmt: skip

    def _text(self, depth: int) -> list[str]:
        one, number = self._value("text", depth), self._value("number", depth)
        return [
            f"toUpper({one})", f"substring({one}, {number})", f"replace({one}, 'a', {one})", f"left({one}, {number})",
            f"{one} + {one}", f"trim({one})", self._property(), f"coalesce({self._property()}, {one})",
        ]  # fmt: skip

    def _list(self, depth: int) -> list[str]:
        items, number = self._value("list", depth), self._value("number", depth)
        return [
            f"[y IN {items} WHERE {self._value('bool', depth)} | y]", f"{items}[{number}..]", f"tail({items})",
            f"range(0, {number})", f"[{number}, {self._property()}]", f"collect({self._property()})",
            f"labels({self._property()})", f"{items} + {items}",
        ]  # fmt: skip

    def _any(self, depth: int) -> list[str]:
        return [
            self._property(),
            self._property(),
            f"{{k: {self._value('number', depth)}}}",
            f"head({self._value('list', depth)})",
        ]


def attack(
    store: Store, texts: Iterator[tuple[str, str]], *, queries: int, seconds: float, timeout: float = 2.0
) -> Tally:
    """Run texts until there were enough or the time is over."""
    tally, begun = Tally("queries"), time.monotonic()
    before = store.run(CHECK).rows
    with _largest_child() as largest:
        for kind, text in texts:
            if tally.tries >= queries or time.monotonic() - begun > seconds:
                break
            outcome, fault, past = _try(store, text, timeout)
            if past > LATE:  # once more: others may have held the processors
                outcome, fault, again = _try(store, text, timeout)
                tally.outcomes["late once, in time again"] += 0 if again > LATE else 1
                past = min(past, again)
                fault = f"{past:.2f} s past its limit" if past > LATE else fault
            tally.slowest = max(tally.slowest, past)
            tally.add(kind, outcome, fault, text)
    tally.largest = largest[0]
    if store.run(CHECK).rows != before:
        tally.failures.append(("the number of entities has changed", ""))
    return tally


def _try(store: Store, text: str, timeout: float) -> tuple[str, str | None, float]:
    """What became of a text, what is wrong with that, and seconds past the limit."""
    begun, fault = time.monotonic(), None
    try:
        store.run(text, timeout=timeout, limit=1_000)
        outcome = "answered"
    except ClewError as error:
        kinds = ((Timeout, "late"), (QueryError, "refused"), (StoreError, "stopped"))
        outcome = next((name for kind, name in kinds if isinstance(error, kind)), "refused")
        if "\n" in str(error) or not str(error):
            fault = f"not one sentence: {str(error)[:200]!r}"
        if "ended unexpectedly" in str(error):
            outcome = "process ended"
    except Exception as error:  # what must never happen
        outcome, fault = "failed", f"{type(error).__name__}: {str(error)[:200]}"
    return outcome, fault, time.monotonic() - begun - timeout


@contextmanager
def _largest_child() -> Iterator[list[int]]:
    """The largest memory of a process of the store meanwhile, where /proc tells; other children do not count."""
    largest, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            for status in Path("/proc").glob("[0-9]*/stat"):
                try:
                    ours = int(status.read_text().rsplit(")", 1)[1].split()[1]) == os.getpid()
                    if ours and PROGRAM in (status.parent / "cmdline").read_bytes():
                        pages = int((status.parent / "statm").read_text().split()[1])
                        largest[0] = max(largest[0], pages * os.sysconf("SC_PAGE_SIZE"))
                except (OSError, IndexError):
                    continue

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield largest
    finally:
        over.set()
        thread.join()


def attack_graph(folder: Path, *, seed: int, tries: int, seconds: float, timeout: float = 2.0) -> Tally:
    """Attack the embedded store of the small graph; its file must stay as it is."""
    path = folder / "queried.clew"
    build(str(path), 1)
    graph = clew.open(path)
    with open_or_build_embedded(graph) as store:
        file = store.path / FILE
        before = hashlib.sha256(file.read_bytes()).digest()
        texts = iter(Texts(store.schema, seed))
        tally = attack(store, texts, queries=tries, seconds=seconds, timeout=timeout)
        if hashlib.sha256(file.read_bytes()).digest() != before:
            tally.failures.append(("the file of the store has changed", ""))
    if tally.largest > (2 << 30) + OWN_MEMORY:
        tally.failures.append((f"a process had {tally.largest >> 20:,} MiB", ""))
    return tally
