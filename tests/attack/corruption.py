"""Every file of a graph directory damaged in many ways, derived ones included, and its answers compared.

After each damage, `doctor` is asked first, then hops, names, queries, links and questions. An answer must be the one of
the pristine graph, or one sentence. A wrong one from a damaged graph file must at least be found by `doctor`; from
derived files there must be none at all.
"""

import json
import os
import random
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import clew
from attack.graphs import build
from attack.tally import Tally
from attack.zygote import Commands
from clew.answer import Answer, Asker, Resources
from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import ClewError
from clew.link.vectors import build_vectors, open_vectors

__all__ = ["Corruptor", "attack", "prepare", "probe"]

SECONDS = 60.0
QUERY = "MATCH (a)-[r]->(b) RETURN a.name, type(r), b.id, r.source, r.evidence ORDER BY a.id, b.id, type(r)"


class Corruptor:
    """Ways to damage a file; each says what it did, or None where it does not apply."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.ways: dict[str, Callable[[Path], bool]] = {
            name.removeprefix("_by_"): getattr(self, name) for name in dir(self) if name.startswith("_by_")
        }

    def damage(self, graph: Path) -> tuple[str, str]:
        """Damage one file of a graph: what was done to which."""
        files = sorted(path for path in graph.rglob("*") if path.is_file() and not path.is_symlink())
        while True:
            path, way = self.rng.choice(files), self.rng.choice(list(self.ways))
            if self.ways[way](path):
                return way, path.relative_to(graph).as_posix()

    def _by_bit(self, path: Path) -> bool:
        content = bytearray(path.read_bytes())
        if not content:
            return False
        content[self.rng.randrange(len(content))] ^= 1 << self.rng.randrange(8)
        return _write(path, content)

    def _by_bytes(self, path: Path) -> bool:
        content = bytearray(path.read_bytes())
        for _ in range(self.rng.randrange(1, 20)):
            if content:
                content[self.rng.randrange(len(content))] = self.rng.randrange(256)
        return _write(path, content)

    def _by_zeros(self, path: Path) -> bool:
        content = bytearray(path.read_bytes())
        start = self.rng.randrange(len(content)) & ~4095 if content else 0
        end = min(len(content), start + 4096)
        content[start:end] = bytes(end - start)
        return _write(path, content)

    def _by_exchange(self, path: Path) -> bool:
        """A name for another of the same length, as a forger would."""
        content = path.read_bytes()
        words = (b"bakex", b"bamox", b"G:3", b"causes", b"shows", b"PMID:1")
        found = [each for each in words if each in content]
        if not found:
            return False
        word = self.rng.choice(found)
        return _write(path, content.replace(word, bytes(reversed(word))))

    def _by_cut(self, path: Path) -> bool:
        content = path.read_bytes()
        return bool(content) and _write(path, content[: self.rng.randrange(len(content))])

    def _by_more(self, path: Path) -> bool:
        return _write(path, path.read_bytes() + self.rng.randbytes(self.rng.randrange(1, 5000)))

    def _by_another(self, path: Path) -> bool:
        """The content of a neighbour."""
        others = [each for each in sorted(path.parent.iterdir()) if each.is_file() and each != path]
        return bool(others) and _write(path, self.rng.choice(others).read_bytes())

    def _by_shift(self, path: Path) -> bool:
        """Two stretches of the same length exchanged."""
        content = bytearray(path.read_bytes())
        if len(content) < 64:
            return False
        size = self.rng.randrange(8, len(content) // 4)
        one, other = sorted(self.rng.sample(range(len(content) - size), 2))
        if other - one < size:
            return False
        first, second = content[one : one + size], content[other : other + size]
        content[one : one + size], content[other : other + size] = second, first
        return first != second and _write(path, content)

    def _by_removal(self, path: Path) -> bool:
        path.unlink()
        return True

    def _by_pipe(self, path: Path) -> bool:
        path.unlink()
        os.mkfifo(path)
        return True

    def _by_device(self, path: Path) -> bool:
        path.unlink()
        path.symlink_to("/dev/zero")
        return True

    def _by_folder(self, path: Path) -> bool:
        path.unlink()
        path.mkdir()
        return True

    def _by_json(self, path: Path) -> bool:
        """A value of another type, or nesting without end, where there is JSON."""
        if path.suffix != ".json":
            return False
        odd = self.rng.choice([None, [], {}, -1, 10**30, "\ud800", "../../etc/passwd", [[]] * 9, True, 1e999])
        body = json.loads(path.read_bytes())
        if self.rng.random() < 0.2:
            return _write(path, self.rng.choice([b"[" * 100_000, b"{}", b"null", b"\xff\xfe", b'{"a":' * 50_000]))
        _replace(body, odd, self.rng)
        return _write(path, json.dumps(body).encode())


def _replace(body: Any, odd: Any, rng: random.Random) -> None:
    """Put an odd value somewhere into a JSON value."""
    while isinstance(body, dict | list) and body:
        key = rng.choice(list(body)) if isinstance(body, dict) else rng.randrange(len(body))
        if not isinstance(body[key], dict | list) or not body[key] or rng.random() < 0.3:
            body[key] = odd
            return
        body = body[key]


def _write(path: Path, content: bytes | bytearray) -> bool:
    """Write in place, as damage does; False where nothing changes."""
    if path.read_bytes() == content:
        return False
    path.write_bytes(content)
    return True


def probe(path: str) -> dict[str, Any]:
    """What a graph answers: for each probe the answer, one sentence, or an error that nobody wrote."""
    found: dict[str, Any] = {}

    def attempt(name: str, answer: Callable[[], Any]) -> None:
        try:
            found[name] = {"answer": answer()}
        except ClewError as error:
            found[name] = {"sentence": str(error)}
        except Exception as error:  # what must never happen
            found[name] = {"fault": f"{type(error).__name__}: {error}"}

    with ExitStack() as stack:
        opened: list[Any] = []
        attempt("open", lambda: opened.append(clew.open(path)))
        if not opened:
            return found
        engine = opened[0]
        resources = stack.enter_context(Resources(engine, encoder=None))
        attempt("hop", lambda: engine.hop("G:3", 2).entities.to_pylist())
        attempt("degree", lambda: engine.degree().tolist())
        attempt("paths", lambda: [[path.numbers, str(path)] for path in engine.paths("G:3", "P:7", 4)])
        attempt("assertions", lambda: [repr(engine.assertions(number)) for number in range(0, 400, 7)])
        attempt("details", lambda: engine.details(["G:3", "P:1"]).to_pylist())
        attempt("find", lambda: [repr(each) for each in engine.find("gene bakex 1")])
        attempt("link", lambda: [repr(resources.linker.link(each)) for each in ("gene bamox 1", "phenotip bakex 1")])
        attempt("cypher", lambda: [list(row) for row in resources.store.run(QUERY).rows])
        attempt("ask", lambda: _asked(Asker(resources).ask("Which genes cause disease bakex 1?")))
        attempt("vectors", lambda: _nearest(engine))
    return found


def _asked(answer: Answer) -> Any:
    return [answer.text, answer.query, [repr(item) for item in answer.items], repr(answer.evidence)]


def _nearest(engine: clew.Engine) -> Any:
    """The nearest rows of the vectors of names, if there are any: only the file itself is of interest."""
    encoder = HashedEncoder()
    vectors = open_vectors(engine, encoder)
    return [[entity, round(score, 4)] for entity, score in vectors.nearest(encoder.encode(["gene bakex 1"]), count=5)]


def attack(folder: Path, *, seed: int, tries: int, seconds: float) -> Tally:
    """Damage a graph again and again; what is damaged is restored after each try."""
    tally = Tally("corruption")
    pristine, graph = folder / "pristine.clew", folder / "graph.clew"
    with Commands(folder) as commands:
        right, until = _prepare(pristine, graph, commands), time.monotonic() + seconds
        corruptor = Corruptor(seed)
        while tally.tries < tries and time.monotonic() < until:
            way, file = corruptor.damage(graph)
            doctor = commands.run("doctor", str(graph), seconds=SECONDS)
            faults = [fault for fault in (doctor.fault(),) if fault]
            ran = commands.call("attack.corruption:probe", str(graph), seconds=SECONDS)
            tally.largest = max(tally.largest, ran.peak)
            found = {}
            if (fault := ran.fault()) is not None:
                faults.append(fault)
            else:
                found = json.loads(ran.out)
            faults += [f"{name}: {each['fault']}" for name, each in found.items() if "fault" in each]
            refused = any("sentence" in each for each in found.values())
            wrong = [name for name, each in found.items() if "answer" in each and each != right[name]]
            derived = file.startswith("derived")
            if wrong and (derived or doctor.code == 0):
                faults.append(f"a wrong answer to {', '.join(wrong)}; doctor says {doctor.code}")
            outcome = "found by doctor only" if wrong else "refused" if refused else "answered as before"
            tally.add(way, outcome, "; ".join(faults) or None, file)
            shutil.rmtree(graph)
            shutil.copytree(pristine, graph, symlinks=True)
    return tally


def prepare(path: str) -> dict[str, int]:
    """Build the graph, its index of names, its store and its vectors."""
    counts = build(path, 1)
    engine = clew.open(path)
    with Resources(engine, encoder=None) as resources:
        resources.linker.link("gene bamox 1")
        resources.store.run(QUERY)
    build_vectors(engine, HashedEncoder())
    return counts


def _prepare(pristine: Path, graph: Path, commands: Commands) -> dict[str, Any]:
    """The graph with all that is derived from it, at its place, and a copy of it; what it answers."""
    made = commands.call("attack.corruption:prepare", str(graph))
    found = commands.call("attack.corruption:probe", str(graph))
    if made.code != 0 or found.code != 0:
        raise AssertionError(made.err or found.err)
    right: dict[str, Any] = json.loads(found.out)
    if silent := [name for name, each in right.items() if "answer" not in each]:
        raise AssertionError(f"the pristine graph does not answer {silent[0]}: {right[silent[0]]}")
    shutil.copytree(graph, pristine, symlinks=True)
    return right
