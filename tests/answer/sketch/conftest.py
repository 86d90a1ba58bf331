"""Small graphs, and what a written sketch finds in one, without the trained linker."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from benchmarks.questions.training.notation import read_line

import clew
from clew.answer import Asker, Item, Resources
from clew.answer.kept import lexical_of
from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.runner import Runner
from clew.answer.sketch.build import Built, build
from clew.answer.sketch.ground import ground
from clew.answer.strategy import Question
from clew.graph.staging import Staged

Found = list[str] | bool | int | None


@pytest.fixture(scope="session")
def find() -> Callable[[Asker, str], Found]:
    """What the best plan of a line QUESTION => SKETCH finds; None where nothing can be meant."""
    return _find


def _find(asker: Asker, line: str) -> Found:
    text, words, sketch = read_line(line)
    resources = asker.resources
    anchors = []
    for word in words:
        if word.name is not None:
            by_type: dict[str, list[str]] = {}
            for each in resources.engine.find(word.text):
                if each.score > 0.9:
                    by_type.setdefault(each.type, []).append(each.id)
            meanings = tuple(Meaning(type, tuple(ids), word.text, 1.0, "name") for type, ids in by_type.items())
            anchors.append(Anchor(word.start, word.end, word.text, meanings))
    lexical = lexical_of(resources)
    grounded, _ = ground(sketch, words, anchors, lexical)
    for each in grounded:
        built = build(each, words, anchors, lexical)
        if isinstance(built, Built):
            outcome = Runner(resources, Question(text)).outcome(built.candidate)
            return sorted(map(_listed, outcome.items)) if built.candidate.plan.asked else outcome.value
    return None


def _listed(item: Item) -> str:
    """An item, with what was asked for beside it."""
    return " | ".join([item.id, *(", ".join(cell.name for cell in row) for row in item.beside)])


def asked(
    folder: Path, entities: dict[str, list[object]], columns: Sequence[str], rows: Sequence[Sequence[object]]
) -> Iterator[Asker]:
    """A graph of these entities and statements, asked without an encoder; closed in the end."""
    triples = pa.table(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))
    clew.build(Staged(triples, entities=pa.table(entities)), out=folder / "asked.clew")
    asker = Asker(Resources(folder / "asked.clew", encoder=None))
    yield asker
    asker.close()
