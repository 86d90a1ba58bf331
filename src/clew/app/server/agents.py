"""Graphs as tools of agents (MCP): schema, find_entity, hop, paths, ask, context, read_cypher.

Each tool has limits of rows, seconds and tokens; what does not fit is left out, and the answer says so.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from clew._version import __version__
from clew.answer import Answer, Question
from clew.answer.context.retrieval import Retrieval
from clew.answer.context.retrieve import retrieve
from clew.app.records import entity_records, found_record, paths_record, rows_record, schema_record
from clew.app.server.edge.logs import log_as_json
from clew.app.server.graphs import Graphs, OpenGraph
from clew.app.server.settings import Limits, ServerSettings
from clew.app.server.workers import CLIENT, Workers
from clew.errors import ClewError
from clew.lm import open_model
from clew.progress import Progress, silent
from clew.traverse import Walk

__all__ = ["fit", "make_agents", "run_agents"]

CHARACTERS_OF_TOKEN = 4  # of English and JSON, on average
ABOUT = """Knowledge graphs: entities with types, joined by relations, each triple with its sources.

Begin with `schema` to learn the types and relations. Names must be exact: look them up with `find_entity` and pass the
ids on. `ask` answers a question in plain English with evidence, `context` gives the statements about its entities;
`hop` and `paths` explore; `read_cypher` queries."""
Graph = Annotated[str | None, Field(description="The name of the graph; leave it out for the first.")]
Rows = Annotated[int, Field(ge=1, le=200, description="Most rows of the answer.")]
Tokens = Annotated[int, Field(ge=200, le=20_000, description="Most tokens of the answer, roughly.")]
Hops = Annotated[int, Field(ge=1, le=4)]
Direction = Annotated[
    Literal["out", "in", "both"], Field(description="Follow triples from subject to object (out), back (in), or both.")
]
Relations = Annotated[list[str] | None, Field(description="Follow only these relations (see schema).")]


class _Tools:
    """The tools, and what they work with."""

    def __init__(self, graphs: Graphs, workers: Workers, limits: Limits) -> None:
        self._graphs, self._workers = graphs, workers
        self._seconds, self._model_seconds = limits.seconds, limits.model_seconds

    async def schema(self, graph: Graph = None, max_tokens: Tokens = 2_000) -> str:
        """The types (labels) of entities and the relations between them, with counts, as Cypher names them."""
        return await self._run(graph, lambda opened: self._schema(opened, max_tokens))

    async def find_entity(
        self,
        text: Annotated[str, Field(min_length=1, max_length=1_000, description="A name, a synonym or an id.")],
        graph: Graph = None,
        limit: Rows = 10,
        max_tokens: Tokens = 1_000,
    ) -> str:
        """Find entities by name, synonym, id, prefix or misspelling, best first. Use the ids in other tools."""

        def work(opened: OpenGraph) -> str:
            record = found_record(opened.engine.find(text, limit=limit), graph=opened.name, text=text)
            return fit(record, ("found",), max_tokens)

        return await self._run(graph, work)

    async def hop(
        self,
        seeds: Annotated[list[str], Field(min_length=1, max_length=50, description="Ids or exact names.")],
        graph: Graph = None,
        k: Hops = 1,
        direction: Direction = "both",
        relations: Relations = None,
        types: Annotated[list[str] | None, Field(description="Keep only entities of these types.")] = None,
        limit: Rows = 50,
        max_tokens: Tokens = 2_000,
    ) -> str:
        """The entities exactly k hops from some entities, and the triples that lead to them."""

        def work(opened: OpenGraph) -> str:
            engine = opened.engine
            walk = Walk(k, direction=direction, relations=relations, types=types)
            found = engine.hop(seeds, walk, timeout=self._seconds)
            triples = engine.hop_triples(found, k, leading_to_result=True)
            record = {
                "graph": opened.name,
                "seeds": entity_records(engine, found.seeds),
                "count": len(found),
                "entities": entity_records(engine, found.ids[:limit]),
                "triples": [str(each) for each, _ in zip(triples, range(limit), strict=False)],
            }
            return fit(record, ("triples", "entities"), max_tokens)

        return await self._run(graph, work)

    async def paths(
        self,
        source: Annotated[str, Field(description="Id or exact name.")],
        target: Annotated[str, Field(description="Id or exact name.")],
        graph: Graph = None,
        k: Hops = 3,
        direction: Direction = "both",
        relations: Relations = None,
        limit: Rows = 5,
        max_tokens: Tokens = 2_000,
    ) -> str:
        """The shortest, most specific paths of up to k hops between two entities, with the sources of each triple."""

        def work(opened: OpenGraph) -> str:
            engine = opened.engine
            walk = Walk(k, direction=direction, relations=relations)
            found = engine.paths(source, target, walk, limit=limit, timeout=self._seconds)
            ends = (entity_records(engine, engine.resolve(each))[0] for each in (source, target))
            record = paths_record(engine, found, list(found), graph=opened.name, source=next(ends), target=next(ends))
            kept = ("source", "target", "count_kind", "truncated")
            listed = [{"path": each["text"], "sources": _sources(each)} for each in record["paths"]]
            short = {name: record[name] for name in kept} | {"count": str(record["count"]), "paths": listed}
            return fit(short, ("paths",), max_tokens)

        return await self._run(graph, work)

    async def ask(
        self,
        question: Annotated[str, Field(min_length=1, max_length=5_000, description="A question in plain English.")],
        graph: Graph = None,
        limit: Rows = 20,
        max_tokens: Tokens = 2_000,
    ) -> str:
        """Answer a question from the graph alone, with the query that ran and its sources, or say why it cannot.

        Check `interpretation` and `ignored_words`: if they do not fit the question, ask again in other words.
        """

        def work(opened: OpenGraph) -> str:
            answer = opened.asker().ask(Question(question, timeout=self._asking(opened)))
            return fit(_short(answer, limit), ("items", "sources"), max_tokens)

        return await self._run(graph, work, seconds=self._asking)

    async def context(
        self,
        question: Annotated[str, Field(min_length=1, max_length=5_000, description="A question or a topic.")],
        graph: Graph = None,
        max_tokens: Tokens = 1_500,
    ) -> str:
        """What the graph states about the entities of a question, as sentences with their sources, most relevant first.

        Read it and answer yourself: for questions that `ask` does not understand.
        """

        def work(opened: OpenGraph) -> str:
            found = retrieve(question, opened.resources, Retrieval(budget=max_tokens))
            if found.entities:
                return found.text or f"No statement fits {max_tokens} tokens: raise max_tokens."
            return "No entity of the graph is named in the question: look names up with find_entity."

        return await self._run(graph, work)

    async def read_cypher(
        self,
        query: Annotated[str, Field(min_length=1, max_length=20_000, description="Read-only Cypher.")],
        graph: Graph = None,
        limit: Rows = 50,
        max_tokens: Tokens = 2_000,
    ) -> str:
        """Run a read-only Cypher query over the labels, relationships and properties that `schema` lists."""

        def work(opened: OpenGraph) -> str:
            store = opened.resources.store
            rows = store.run(query, timeout=self._seconds, limit=limit)
            record = rows_record(rows, graph=opened.name, store=store.name, query=query)
            return fit(
                {name: record[name] for name in ("columns", "count", "truncated", "rows")}, ("rows",), max_tokens
            )

        return await self._run(graph, work)

    def _schema(self, opened: OpenGraph, max_tokens: int) -> str:
        record = schema_record(opened.resources.schema, graph=opened.name)
        relationships = sorted(record["relationships"], key=lambda each: -each["count"])
        short = {
            "graph": opened.name,
            "graphs": [each.name for each in self._graphs],
            "labels": [{"label": each["label"], "count": each["count"]} for each in record["labels"]],
            "properties": ["id", "name", *(each["name"] for each in record["properties"])],
            "relationships": [
                {
                    "name": each["name"],
                    "relation": each["relation"],
                    "count": each["count"],
                    "ends": [f"{ends['subject']} -> {ends['object']}" for ends in each["ends"]],
                }
                for each in relationships
            ],
        }
        return fit(short, ("relationships", "labels", "properties"), max_tokens)

    def _asking(self, opened: OpenGraph) -> float:
        """The time limit of a question."""
        return self._seconds if opened.resources.model is None else self._model_seconds

    async def _run(
        self, name: str | None, work: Callable[[OpenGraph], str], *, seconds: Callable[[OpenGraph], float] | None = None
    ) -> str:
        """Do the work of a tool in the pool; whoever cancels the call stops it."""
        try:
            opened = next(iter(self._graphs)) if name is None else self._graphs.get(name)
            opened = self._graphs.get(opened.name)
            limit = self._seconds if seconds is None else seconds(opened)
            ticket = self._workers.submit(CLIENT.get(), lambda: work(opened), seconds=limit)
            try:
                await asyncio.wait((ticket.done,))
                made: str = ticket.done.result()
                return made
            finally:
                if not ticket.done.done():
                    self._workers.cancel(ticket)
        except ClewError as error:
            raise ToolError(" ".join(str(error).split())) from error


def make_agents(graphs: Graphs, workers: Workers, limits: Limits) -> MCPServer[Any]:
    """An MCP server with the tools over some graphs."""
    server: MCPServer[Any] = MCPServer("clew", version=__version__, instructions=ABOUT, log_level="WARNING")
    tools = _Tools(graphs, workers, limits)
    for tool in (tools.schema, tools.find_entity, tools.hop, tools.paths, tools.ask, tools.context, tools.read_cypher):
        server.add_tool(tool, structured_output=False)
    return server


def run_agents(settings: ServerSettings, *, progress: Progress = silent) -> None:
    """Serve an agent over stdin and stdout until it hangs up."""
    model = None if settings.model is None else open_model(settings.model)
    graphs = Graphs(settings.graphs, model=model, encoder=settings.encoder, progress=progress)
    workers = Workers(settings.limits)
    log_as_json()
    try:
        print(f"clew: {', '.join(settings.graphs)} for agents on stdin and stdout", file=sys.stderr, flush=True)
        make_agents(graphs, workers, settings.limits).run("stdio")
    finally:
        workers.close()
        graphs.close()
        if model is not None:
            model.close()


def fit(record: dict[str, Any], lists: tuple[str, ...], tokens: int) -> str:
    """A record as JSON within a number of tokens; its lists are shortened, and `left_out` counts what is missing.

    >>> fit({"rows": list(range(1000))}, ("rows",), 50)
    '{"rows": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], "left_out": {"rows": 985}}'
    """
    most = tokens * CHARACTERS_OF_TOKEN
    kept, left_out = dict(record), dict.fromkeys(lists, 0)
    text = json.dumps(kept, ensure_ascii=False, default=str)
    while len(text) > most and any(kept[name] for name in lists):
        longest = max(lists, key=lambda name: len(json.dumps(kept[name], default=str)))
        shorter = kept[longest][: len(kept[longest]) // 2]
        left_out[longest] += len(kept[longest]) - len(shorter)
        kept[longest] = shorter
        said = {name: count for name, count in left_out.items() if count}
        text = json.dumps({**kept, "left_out": said}, ensure_ascii=False, default=str)
    return text if len(text) <= most else text[:most] + " … (cut off: raise max_tokens)"


def _sources(path: dict[str, Any]) -> list[str]:
    """What the statements of a path cite, or else their sources."""
    said = [each for triple in path["triples"] for each in triple["assertions"]]
    cited = [document for each in said for document in each["evidence"]]
    return list(dict.fromkeys(cited or [each["source"] for each in said if "source" in each]))[:5]


def _short(answer: Answer, limit: int) -> dict[str, Any]:
    """What an agent needs of an answer."""
    items = [
        {"id": each.id, "name": each.name}
        | ({} if each.number is None else {"number": each.number})
        | ({} if each.value is None else {"value": each.value})
        | ({"beside": [{cell.column: cell.name for cell in row} for row in each.beside]} if each.beside else {})
        for each in answer.items[:limit]
    ]
    return {
        "text": answer.text,
        "answered": answer.abstained is None,
        "certainty": answer.certainty,
        "interpretation": list(answer.interpretation),
        "ignored_words": list(answer.unrecognised),
        **({"late": answer.late} if answer.late else {}),
        "total": answer.total,
        "value": answer.value,
        "items": items,
        "query": answer.query,
        "sources": list(answer.evidence.documents[:20]),
    }
