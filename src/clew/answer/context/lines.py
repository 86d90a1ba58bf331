"""Facts as lines of text: sentences, JSON or a table, each with its sources, as many as a budget of tokens allows."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from clew.answer.context.facts import Fact
from clew.answer.context.sentences import named, sentence
from clew.graph import Where
from clew.traverse import GraphEngine, Triple
from clew.traverse.context import ContextLine

__all__ = ["Sheet", "fit", "lay_out_lines"]

CITED = 3  # documents in a line; the line itself lists all
TABLE_HEAD = "id | subject | relation | object | sources"


@dataclass(frozen=True, slots=True)
class Sheet:
    """Lines in one style and the text around them."""

    lines: tuple[ContextLine, ...]
    facts: tuple[int, ...]  # how many of them each line states
    head: str = ""
    between: str = "\n"
    foot: str = ""

    def text(self, count: int) -> str:
        """The first lines as one text; nothing at all where there is none."""
        return f"{self.head}{self.between.join(line.text for line in self.lines[:count])}{self.foot}" if count else ""


def fit(sheet: Sheet, budget: int, count: Callable[[str], int]) -> int:
    """How many of the first lines are within the budget, whatever counts the tokens."""
    low, high = 0, len(sheet.lines)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(sheet.text(middle)) <= budget else (low, middle - 1)
    while low and count(sheet.text(low)) > budget:  # a count that does not grow with the text
        low -= 1
    return low


def lay_out_lines(facts: Sequence[Fact], style: str, engine: GraphEngine, where: Where) -> Sheet:
    """The lines of some facts, numbered from 1, with the sources that state them under the conditions of `where`."""
    numbers = sorted({number for fact in facts for number in fact.triples})
    triples = {triple.number: triple for triple in engine.numbered(numbers)}
    sources, documents = _stated_by(numbers, engine, where)
    types = _types(triples.values(), engine)
    alike = _alike(facts, triples)
    lines = []
    for at, (same, first) in enumerate(alike, 1):
        stated = [number for fact in same for number in fact.triples]
        line = ContextLine(
            text="",
            triples=tuple(triples[number] for number in dict.fromkeys(stated)),
            sources=tuple(dict.fromkeys(each for number in stated for each in sources.get(number, ()))),
            documents=tuple(dict.fromkeys(each for number in stated for each in documents.get(number, ()))),
            score=round(same[0].score, 4),
        )
        lines.append(replace(line, text=WRITERS[style](at, first, _citation(line), types)))
    head, between, foot = FRAMES[style]
    return Sheet(tuple(lines), tuple(len(same) for same, _ in alike), head, between, foot)


def _alike(facts: Sequence[Fact], triples: Mapping[int, Triple]) -> list[tuple[list[Fact], list[Triple]]]:
    """Facts that read the same, as those of two entities with one name do, and the triples of the first of them."""
    groups: dict[tuple[tuple[str, str, str], ...], list[Fact]] = {}
    for fact in facts:
        own = [triples[number] for number in fact.triples]
        key = tuple((each.subject_name or each.subject, each.relation, each.object_name or each.object) for each in own)
        groups.setdefault(key, []).append(fact)
    return [(same, [triples[number] for number in same[0].triples]) for same in groups.values()]


def _stated_by(
    numbers: Sequence[int], engine: GraphEngine, where: Where
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """The sources and the documents of each triple: of the statements that let it in, and of no others."""
    table = engine.assertion_table(numbers, where=where)
    owners = table["number"].to_pylist()
    sources: dict[int, list[str]] = {}
    documents: dict[int, list[str]] = {}
    for name, found in (("source", sources), ("document", documents), ("evidence", documents)):
        if name in table.column_names:
            for number, stated in zip(owners, table[name].to_pylist(), strict=True):
                listed = stated if isinstance(stated, list) else [stated]
                found.setdefault(number, []).extend(filter(None, listed))
    return sources, documents


def _types(triples: Iterable[Triple], engine: GraphEngine) -> dict[str, str]:
    ids = sorted({end for triple in triples for end in (triple.subject, triple.object)})
    described = engine.describe(engine.lookup(ids))
    return dict(zip(described["id"].to_pylist(), described["type"].to_pylist(), strict=True))


def _citation(line: ContextLine) -> list[str]:
    """What a line cites: its sources and first documents, or the number of its triple if neither is stated."""
    cited = [*line.sources, *line.documents[:CITED]]
    flat = [" ".join(each.split()) for each in cited]
    return [each for each in dict.fromkeys(flat) if each] or [f"triple {triple.number}" for triple in line.triples]


def _as_sentence(at: int, triples: Sequence[Triple], cited: Sequence[str], types: Mapping[str, str]) -> str:
    said = "; ".join(sentence(triple, types) for triple in triples)
    return f"[{at}] {said}. Source: {', '.join(cited)}"


def _as_json(at: int, triples: Sequence[Triple], cited: Sequence[str], types: Mapping[str, str]) -> str:
    facts = [
        {
            "subject": named(triple.subject_name, triple.subject, types.get(triple.subject, "")),
            "relation": triple.relation,
            "object": named(triple.object_name, triple.object, types.get(triple.object, "")),
        }
        for triple in triples
    ]
    return json.dumps({"id": at, "facts": facts, "sources": list(cited)}, ensure_ascii=False)


def _as_rows(at: int, triples: Sequence[Triple], cited: Sequence[str], types: Mapping[str, str]) -> str:
    sources = _cell(", ".join(cited))
    rows = []
    for triple in triples:
        subject = named(triple.subject_name, triple.subject, types.get(triple.subject, ""))
        object_ = named(triple.object_name, triple.object, types.get(triple.object, ""))
        rows.append(f"{at} | {_cell(subject)} | {_cell(triple.relation)} | {_cell(object_)} | {sources}")
    return "\n".join(rows)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


WRITERS = {"sentences": _as_sentence, "json": _as_json, "table": _as_rows}
FRAMES = {"sentences": ("", "\n", ""), "json": ("[\n", ",\n", "\n]"), "table": (f"{TABLE_HEAD}\n", "\n", "")}
