"""Questions to begin with: made from a graph's own schema and names, and kept only if they are answered."""

from clew.answer.kept import words_of
from clew.answer.models.examples import make_examples
from clew.app.server.graphs import OpenGraph
from clew.cancellation import check_cancelled
from clew.errors import Cancelled, ClewError

__all__ = ["example_questions"]

MOST = 6


def example_questions(opened: OpenGraph) -> list[str]:
    """Up to six questions that this graph answers; found at the first request and kept with the snapshot."""
    resources = opened.resources
    return resources.once("example questions", lambda: _answered(opened))


def _answered(opened: OpenGraph) -> list[str]:
    resources = opened.resources
    schema = resources.schema
    made = make_examples(opened.engine, schema, words_of(resources))
    asker = opened.asker()
    kept: list[str] = []
    for question in dict.fromkeys(made):
        if len(kept) == MOST:
            break
        check_cancelled()
        try:
            answer = asker.ask(question)
        except Cancelled:
            raise
        except ClewError:
            continue
        if answer.abstained is None and (answer.items or answer.value is not None):
            kept.append(question)
    return kept
