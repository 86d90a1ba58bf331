"""Small graphs written out in a test, as rows or as CSV, and what answers questions over them."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pyarrow as pa

import clew
from clew.answer import Asker, CypherStrategy, Resources
from clew.answer.kept import composer_of, words_of
from clew.answer.reading.question import understand
from clew.answer.runner import Runner
from clew.answer.strategy import Question

__all__ = ["asker_of_csv", "asker_of_rows", "found_by_query"]

Row = Sequence[str | None]


@contextmanager
def asker_of_rows(
    folder: Path, rows: Sequence[Row], *columns: str, entities: pa.Table | None = None
) -> Iterator[Asker]:
    """Rows of subject, its type, relation, object, its type and the `columns` of statements; ids are x: and the name.

    Questions are answered by the first reader alone.
    """
    subject, subject_type, relation, object_, object_type, *others = zip(*rows, strict=True)
    table = pa.table(
        {
            "subject": [f"x:{name}" for name in subject],
            "subject_name": subject,
            "subject_type": subject_type,
            "relation": relation,
            "object": [f"x:{name}" for name in object_],
            "object_name": object_,
            "object_type": object_type,
            **{name: pa.array(values, pa.string()) for name, values in zip(columns, others, strict=True)},
        }
    )
    clew.build(table, entities=entities, out=folder / "rows.clew")
    with closing(Asker(Resources(clew.open(folder / "rows.clew"), encoder=None), CypherStrategy())) as asker:
        yield asker


@contextmanager
def asker_of_csv(folder: Path, stated: str, entities: str | None = None) -> Iterator[Asker]:
    """Triples, and the table of entities if there is one, as text in CSV."""
    (folder / "stated.csv").write_text(stated, "utf-8")
    if entities is not None:
        (folder / "entities.csv").write_text(entities, "utf-8")
    known = None if entities is None else folder / "entities.csv"
    clew.build(folder / "stated.csv", entities=known, out=folder / "csv.clew")
    with closing(Asker(Resources(clew.open(folder / "csv.clew"), encoder=None))) as asker:
        yield asker


def found_by_query(asker: Asker, text: str, written: str) -> set[str] | object:
    """The names that a query, written by a model for a question, gives, or its value."""
    resources, composer = asker.resources, composer_of(asker.resources)
    question = understand(text, resources.linker, words_of(resources))
    composed = composer.read(written, question, composer.placeholders(question))
    outcome = Runner(resources, Question(text)).outcome(composed.candidate)
    return {item.name for item in outcome.items} or outcome.value
