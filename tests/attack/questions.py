"""Questions as people, and attackers, put them, generated from a seed and from the names of a graph.

Each is answered, declined or refused by one sentence, in time; evidence is in the graph, and nothing is written.
"""

import hashlib
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import clew
from attack.tally import Tally
from attack.zygote import Commands
from clew.answer import Asker, Filters, Question, Resources
from clew.errors import ClewError, Timeout
from clew.graph import read_entities

__all__ = ["Questions", "ask_all", "attack"]

LATE = 1.0  # seconds past the limit that are still in time
ODD = (
    "\ud800",
    "\0",
    "\u202e",
    "a\u0301" * 40,
    "🧬" * 9,
    "\x1b[2J",
    "`;}{$",
    "'; DROP TABLE Gene; --",
    "<script>",
    "\\",
    "%s",
)
OPENINGS = (
    "Which {type} {verb} {names}?", "What {type} {verb} {names}?", "How many {type} {verb} {names}?",
    "Does {name} {verb} {name}?", "How is {name} connected to {name}?", "Which {type} {verb} {names} but not {name}?",
    "Which five {type} {verb} the most {type}?", "List {type} of {names}", "{names}", "Is {name} a {type}?",
    "Which {type} are linked to {type} that {verb} {names}?", "Which {type} {verb} more than {number} {type}?",
    "Which {type} that {verb} {name} do not {verb} {name}?", "according to {source}, which {type} {verb} {name}?",
    "as of {number}, which {type} {verb} {names}?", "which of {names} {verb} {name}", "What is {name}?",
)  # fmt: skip


class Questions:
    """Random questions about one graph; the same seed gives the same questions."""

    def __init__(self, engine: clew.Engine, seed: int) -> None:
        self.rng = random.Random(seed)
        table = read_entities(engine, ("id", "name"))
        self.ids, self.names = (table[each].to_pylist() for each in ("id", "name"))
        self.types = [f"{each.lower()}s" for each in engine.schema.types]
        self.verbs = [each.name for each in engine.schema.relations] + ["cause", "show", "have", "treat", "lack"]

    def __iter__(self) -> Iterator[tuple[str, Question]]:
        kinds = {"plain": 50, "mutated": 20, "odd": 10, "many": 10, "long": 5, "set": 5}
        while True:
            (kind,) = self.rng.choices(list(kinds), list(kinds.values()))
            text = getattr(self, kind)()
            yield kind, self._put(text) if kind == "set" else Question(text)

    def plain(self) -> str:
        text = self.rng.choice(OPENINGS)
        while "{" in text:
            for place in ("names", "name", "type", "verb", "number", "source"):
                text = text.replace(f"{{{place}}}", getattr(self, f"_{place}")(), 1)
        return text

    def mutated(self) -> str:
        """Words or letters lost, repeated or exchanged."""
        parts: list[str] = list(self.plain()) if self.rng.random() < 0.5 else self.plain().split(" ")
        for _ in range(self.rng.randrange(1, 6)):
            at, other = self.rng.randrange(len(parts)), self.rng.randrange(len(parts))
            parts[at : at + 1] = self.rng.choice([[], [parts[at]] * 2, [parts[other]], [self.rng.choice("?!,'(and")]])
            parts = parts or ["x"]
        return ("" if max(map(len, parts)) <= 1 else " ").join(parts)

    def odd(self) -> str:
        """Something odd in the middle."""
        text = self.plain()
        at = self.rng.randrange(len(text) + 1)
        return f"{text[:at]}{self.rng.choice(ODD)}{text[at:]}"

    def many(self) -> str:
        """Many names, exclusions or conditions."""
        count = self.rng.choice([5, 20, 60, 110])
        names = [self._name() for _ in range(count)]
        joint = self.rng.choice([", ", " and ", " or ", " but not ", " and not ", " "])
        return f"Which {self._type()} {self._verb()} {joint.join(names)}?"

    def long(self) -> str:
        """Up to some pages of words."""
        words = (
            " ".join(self.names).split() + self.types + self.verbs + ["and", "not", "the", "of", "which", "more than"]
        )
        made = ("".join(self.rng.choices("abcdefgh", k=7)), *words)
        return " ".join(self.rng.choices(made, k=self.rng.choice([40, 200, 700, 3000])))

    def set(self) -> str:
        return self.plain()

    def _put(self, text: str) -> Question:
        """With what an asker may add."""
        filters = self.rng.choice(
            [Filters(), Filters(layer="curated"), Filters(as_of="2020-01-01"), Filters(min_confidence=0.5)]
        )
        among = tuple(self.rng.sample(self.ids, 3)) if self.rng.random() < 0.3 else ()
        subclasses = self.rng.choice([None, True, False])
        return Question(text, among=among, filters=filters, subclasses=subclasses, all_evidence=self.rng.random() < 0.3)

    def _name(self) -> str:
        return self.rng.choice(
            [self.rng.choice(self.names), self.rng.choice(self.ids), self.rng.choice(self.names).lower()]
        )

    def _names(self) -> str:
        return self.rng.choice([", ", " and ", " or "]).join(self._name() for _ in range(self.rng.choice([1, 1, 2, 3])))

    def _type(self) -> str:
        return self.rng.choice(self.types)

    def _verb(self) -> str:
        return self.rng.choice(self.verbs)

    def _number(self) -> str:
        return self.rng.choice(["0", "3", "99999999999999999999", "-1", "2015", "1.5"])

    def _source(self) -> str:
        return self.rng.choice(["source 1", "HPO", "PMID:1", "nobody"])


def ask_all(path: str, seed: int, tries: int, seconds: float, timeout: float) -> dict[str, Any]:
    """Ask until there were enough questions or the time is over; the record of the tally."""
    tally = Tally("questions")
    engine = clew.open(path)
    with Resources(engine) as resources:  # both readers
        asker = Asker(resources)
        resources.store.run("MATCH (n) RETURN count(n)")
        asker.ask("What is there?")  # builds the index of names
        before, until = _digest(Path(path)), time.monotonic() + seconds
        for kind, question in Questions(engine, seed):
            if tally.tries >= tries or time.monotonic() > until:
                break
            outcome, fault, past = _try(asker, question, timeout)
            if past > LATE:  # once more: others may have held the processors
                outcome, fault, again = _try(asker, question, timeout)
                tally.outcomes["late once, in time again"] += 0 if again > LATE else 1
                past = min(past, again)
                fault = f"{past:.2f} s past its limit" if past > LATE else fault
            tally.slowest = max(tally.slowest, past)
            tally.add(kind, outcome, fault, repr(question.text[:300]))
        if _digest(Path(path)) != before:
            tally.failures.append(("a file of the graph has changed", ""))
    return tally.to_record()


def _try(asker: Asker, question: Question, timeout: float) -> tuple[str, str | None, float]:
    """What became of a question, what is wrong with that, and seconds past the limit."""
    from dataclasses import replace

    begun, fault = time.monotonic(), None
    try:
        answer = asker.ask(replace(question, timeout=timeout))
        outcome = "declined" if answer.abstained is not None else "answered"
        if any(not engine_has(asker, each.triple) for each in answer.evidence.triples[:3]):
            fault = "evidence that is not in the graph"
        if answer.abstained is None and not answer.text:
            fault = "an answer without a text"
    except ClewError as error:
        outcome = "stopped in time" if isinstance(error, Timeout) else "refused"
        if "\n" in str(error) or not str(error):
            fault = f"not one sentence: {str(error)[:200]!r}"
    except Exception as error:  # what must never happen
        outcome, fault = "failed", f"{type(error).__name__}: {str(error)[:200]}"
    return outcome, fault, time.monotonic() - begun - timeout


def engine_has(asker: Asker, number: int) -> bool:
    return len(asker.resources.engine.numbered([number])) == 1


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    for file in sorted(each for each in path.rglob("*") if each.is_file()):
        found.update(str(file).encode() + file.read_bytes())
    return found.hexdigest()


def attack(
    folder: Path, *, seed: int, tries: int, seconds: float, graph: Path | None = None, timeout: float = 5.0
) -> Tally:
    """Ask a graph, by default the small one, in a process of its own."""
    with Commands(folder) as commands:
        if graph is None:
            graph = folder / "asked.clew"
            commands.call("attack.graphs:build", str(graph), 1)
        values = (str(graph), seed, tries, seconds, timeout)
        ran = commands.call("attack.questions:ask_all", *values, seconds=seconds + 300)
    tally = Tally("questions", largest=ran.peak)
    if (fault := ran.fault(memory=4 << 30)) is not None:
        tally.failures.append((fault, "all questions"))
    if ran.out.strip():
        record = json.loads(ran.out)
        tally.outcomes.update(record["outcomes"])
        tally.kinds.update(record["kinds"])
        tally.failures += [(each["fault"], each["on"]) for each in record["told"]]
        tally.slowest = record["most_past_limit"]
    return tally
