"""The context of a graph as a LangChain retriever: one document for each line.

retriever = ClewRetriever(graph=clew.open("hpo.clew"), budget=600)
retriever.invoke("Which genes are linked to arachnodactyly?")[0].page_content
"""

from typing import Any

from clew.app.records.contexts import line_metadata
from clew.errors import MissingDependency

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise MissingDependency("this needs the library 'langchain_core': pip install 'clew[langchain]'") from error

__all__ = ["ClewRetriever"]


class ClewRetriever(BaseRetriever):  # type: ignore[misc]
    """Documents are ranked; their metadata has the relevance, the triples, the sources and the documents cited."""

    graph: Any  # an engine, as `clew.open` returns
    budget: int = 1500
    percentile: float = 0.0
    floor: float = 0.0

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.graph.context(query, budget=self.budget, percentile=self.percentile, floor=self.floor)
        return [Document(page_content=line.text, metadata=line_metadata(line)) for line in found.lines]
