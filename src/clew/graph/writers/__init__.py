"""Writers: a graph in, files of another format out. Each is `write(graph, out, overwrite=, progress=)`."""

from clew.registry import Entry, Registry

__all__ = ["WRITERS"]

WRITERS = Registry(
    "export format",
    {
        "kgx": Entry("clew.graph.writers.kgx:write", "KGX nodes and edges as TSV"),
        "kgx-jsonl": Entry("clew.graph.writers.kgx:write_json_lines", "KGX nodes and edges as JSON lines, lists kept"),
        "parquet": Entry(
            "clew.graph.writers.parquet:write", "Parquet tables of entities, triples with assertions, relations"
        ),
        "neo4j": Entry("clew.graph.writers.neo4j:write", "CSV files for neo4j-admin, version 4 and 5"),
        "graphml": Entry("clew.graph.writers.graphml:write", "GraphML, one edge per statement"),
        "tensors": Entry("clew.graph.writers.tensors:write", "NumPy arrays for PyTorch Geometric and DGL"),
        "n-triples": Entry("clew.graph.writers.n_triples:write", "RDF, one statement a line"),
    },
)
