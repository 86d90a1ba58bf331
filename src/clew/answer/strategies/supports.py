"""Items and evidence from the lines of a context: the entities that lines name and end at, and their triples."""

import re
from collections.abc import Iterable, Mapping, Sequence

from clew.answer.answer import Evidence, Item, Support
from clew.answer.resources import Resources
from clew.answer.running.evidence import cite
from clew.traverse.context import Context, ContextLine

__all__ = ["ends_of", "evidence_of", "items_of", "lines_named", "named_in"]


def ends_of(line: ContextLine, entities: Sequence[str]) -> list[str]:
    """The ends of a line's last triples that the question does not name."""
    inner = {end for triple in line.triples[:-1] for end in (triple.subject, triple.object)}
    ends = [end for triple in line.triples for end in (triple.subject, triple.object) if end not in entities]
    last = [end for end in ends if end not in inner]
    return list(dict.fromkeys(last or ends))


def named_in(line: ContextLine) -> dict[str, str]:
    """The entities of a line: id → name."""
    pairs = [(each.subject, each.subject_name) for each in line.triples]
    return dict(pairs + [(each.object, each.object_name) for each in line.triples])


def items_of(ids: Iterable[str], resources: Resources) -> tuple[Item, ...]:
    """Entities by id as items of an answer."""
    listed = list(ids)
    rows = resources.engine.describe(resources.engine.lookup(listed)).to_pylist() if listed else []
    return tuple(Item(row["id"], row["name"], row["type"]) for row in rows)


def evidence_of(lines: Mapping[str, Sequence[ContextLine]], resources: Resources) -> Evidence:
    """The triples of the lines that support each item, given by its id."""
    supports = tuple(
        Support(id, {}, tuple(triple.number for triple in line.triples)) for id, own in lines.items() for line in own
    )
    numbers = dict.fromkeys(number for support in supports for number in support.triples)
    return Evidence(cite(numbers, resources.engine), supports)


def lines_named(text: str, context: Context) -> dict[str, list[ContextLine]]:
    """The entities of a context that a text names, apart from those of the question, with the lines about each."""
    found: dict[str, list[ContextLine]] = {}
    for line in context.lines:
        for id, name in named_in(line).items():
            if id not in context.entities and name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.I):
                found.setdefault(id, []).append(line)
    return found
