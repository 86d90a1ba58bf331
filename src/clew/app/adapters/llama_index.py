"""The context of a graph as a LlamaIndex retriever: one scored text for each line.

retriever = ClewRetriever(clew.open("hpo.clew"), budget=600)
retriever.retrieve("Which genes are linked to arachnodactyly?")[0].text
"""

from clew.app.records.contexts import line_metadata
from clew.errors import MissingDependency
from clew.traverse import GraphEngine

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise MissingDependency("this needs the library 'llama_index': pip install 'clew[llama-index]'") from error

__all__ = ["ClewRetriever"]


class ClewRetriever(BaseRetriever):  # type: ignore[misc]
    """Texts are ranked; their metadata has the relevance, the triples, the sources and the documents cited."""

    def __init__(self, graph: GraphEngine, *, budget: int = 1500, percentile: float = 0.0, floor: float = 0.0) -> None:
        super().__init__()
        self._graph = graph
        self._budget, self._percentile, self._floor = budget, percentile, floor

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._graph.context(
            query_bundle.query_str, budget=self._budget, percentile=self._percentile, floor=self._floor
        )
        return [
            NodeWithScore(node=TextNode(text=line.text, metadata=line_metadata(line)), score=line.score)
            for line in found.lines
        ]
