"""The prompt of a model trained to write queries: a graph in brief, and a question with parameters for names.

It was trained on questions about invented graphs (benchmarks/questions/queries) in the same form, so it needs no
instructions and no worked examples: a graph of a dozen relations takes some 250 tokens. It was also trained to say
whether queries for questions that were new to it are right.
"""

from collections.abc import Mapping, Sequence
from math import exp

from clew.answer.models.schema_grammar import Placeholder
from clew.answer.models.shown_schema import LONGEST, TEXT, Field, ShownSchema
from clew.answer.reading.question import Anchor
from clew.lm import Completion, Message
from clew.store.cypher.write import quote

__all__ = ["brief", "check_of", "masked", "messages_for", "probability_of_right"]

INSTRUCTION = "Write the Cypher query that answers the question from this graph, or NONE."
CHECK, RIGHT, WRONG = "Right?", "yes", "no"  # what it is asked about a query that it wrote, and says
MOST_VALUES = 12  # texts of a field that are listed; none of a field with more


def messages_for(schema: ShownSchema, question: str) -> list[Message]:
    """A question, with its names as parameters, and the graph it is about."""
    return [Message("system", INSTRUCTION), Message("user", f"{brief(schema)}\n\nQuestion: {question}")]


def check_of(schema: ShownSchema, question: str, query: str) -> list[Message]:
    """A question and the query that the model wrote for it: is it right?"""
    return [*messages_for(schema, question), Message("assistant", query), Message("user", CHECK)]


def probability_of_right(said: Completion) -> float | None:
    """The probability that the model calls its query right rather than wrong; None where it says neither."""
    first = said.logprobs[:1]
    likely = [(each.token, each.logprob) for each in first] + [other for each in first for other in each.alternatives]
    yes, no = (max((exp(log) for token, log in likely if token == word), default=0.0) for word in (RIGHT, WRONG))
    return yes / (yes + no) if yes + no > 0 else None


def brief(schema: ShownSchema) -> str:
    """Types with some names and their fields, and relations with their columns, a line each."""
    return schema.described_by_names(_shown)


def masked(text: str, anchors: Mapping[Anchor, Sequence[Placeholder]]) -> str:
    """A question with parameters in place of its names; several where a name can mean several things."""
    parts, here = [], 0
    for anchor in sorted(anchors, key=lambda each: each.start):
        said = " or ".join(f"${each.name}" for each in anchors[anchor])
        if anchor.start >= here and said:
            parts += [text[here : anchor.start], said]
            here = anchor.end
    return " ".join("".join([*parts, text[here:]]).split())


def _shown(field: Field) -> str:
    """A field with an example of its numbers or days, or with all its texts where they are few."""
    few = len(field.values) <= MOST_VALUES and all(len(each) <= LONGEST for each in field.values)
    shown = ", ".join((field.values if few else ()) if field.kind == TEXT else field.examples[:1])
    return f"{quote(field.name)} ({shown})" if shown else quote(field.name)
