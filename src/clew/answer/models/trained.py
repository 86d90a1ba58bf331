"""What a model that was trained to write queries is shown: a graph in brief, a question with parameters for names.

It learned from questions about invented graphs (benchmarks/questions/queries) that were shown in the same way, so it
needs no instructions and no worked examples: a graph of a dozen relations takes some 250 tokens.
"""

from collections.abc import Iterator, Mapping, Sequence

from clew.answer.models.schema_grammar import Placeholder
from clew.answer.models.shown_schema import LONGEST, MOST_FIELDS, MOST_LINES, TEXT, Field, ShownSchema
from clew.answer.reading.question import Anchor
from clew.lm import Message
from clew.store.cypher.write import quote

__all__ = ["brief", "masked", "messages_for"]

INSTRUCTION = "Write the Cypher query that answers the question from this graph, or NONE."
MOST_VALUES = 12  # texts of a field that are listed; of a field with more none is


def messages_for(schema: ShownSchema, question: str) -> list[Message]:
    """A question, with its names as parameters, and the graph it is about."""
    return [Message("system", INSTRUCTION), Message("user", f"{brief(schema)}\n\nQuestion: {question}")]


def brief(schema: ShownSchema) -> str:
    """Types with their fields and relations with their columns, a line each."""
    return "\n".join([*_types(schema), *_relations(schema)])


def masked(text: str, anchors: Mapping[Anchor, Sequence[Placeholder]]) -> str:
    """A question with parameters in the place of its names; several where a name can mean several things."""
    parts, here = [], 0
    for anchor in sorted(anchors, key=lambda each: each.start):
        said = " or ".join(f"${each.name}" for each in anchors[anchor])
        if anchor.start >= here and said:
            parts += [text[here : anchor.start], said]
            here = anchor.end
    return " ".join("".join([*parts, text[here:]]).split())


def _types(schema: ShownSchema) -> Iterator[str]:
    for label, variable in schema.variables.items():
        if schema.fields.get(label):
            yield f"{variable}: {', '.join(map(_shown, schema.fields[label][:MOST_FIELDS]))}"


def _relations(schema: ShownSchema) -> Iterator[str]:
    ends: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for join in schema.joins:
        subjects, objects = ends.setdefault(join.relationship, ({}, {}))
        subjects[schema.variables[join.subject]] = objects[schema.variables[join.object]] = None
    for name, (subjects, objects) in list(ends.items())[:MOST_LINES]:
        columns = ", ".join(map(_shown, schema.columns.get(name, ())))
        arrow = f"({'|'.join(subjects)})-[:{quote(name)}]->({'|'.join(objects)})"
        yield f"{arrow} with {columns}" if columns else arrow


def _shown(field: Field) -> str:
    """A field with an example of its numbers or days, or with all its texts where they are few."""
    texts = field.values if len(field.values) <= MOST_VALUES else ()
    shown = ", ".join(each[:LONGEST] for each in (texts if field.kind == TEXT else field.examples[:1]))
    return f"{quote(field.name)} ({shown})" if shown else quote(field.name)
