"""`graph.context(…)`: retrieval with the resources that are kept for a graph."""

from clew.answer.ask import check_question, resources_of
from clew.answer.context.retrieval import Retrieval
from clew.answer.context.retrieve import retrieve
from clew.traverse import GraphEngine
from clew.traverse.context import Context

__all__ = ["retrieve_for"]


def retrieve_for(
    graph: GraphEngine, question: str, *, budget: int, style: str, percentile: float, floor: float
) -> Context:
    """The context of a question; what that needs is opened at the first one and kept with the graph."""
    check_question(question)
    retrieval = Retrieval(budget=budget, style=style, percentile=percentile, floor=floor)
    return retrieve(question, resources_of(graph), retrieval)
