"""Questions, queries and texts: ask, context, query, mentions, extract."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response

from clew.answer import Answer, Step
from clew.answer.context.retrieve import retrieve
from clew.app.records import answer_record, context_record, mentions_record, rows_record
from clew.app.server.bodies import AskBody, ContextBody, ExtractBody, MentionsBody, QueryBody
from clew.app.server.graphs import OpenGraph
from clew.app.server.routes.documented import ENTITY, FBN1, SNAPSHOT, answers
from clew.app.server.serving import as_json, json_response, serving_of
from clew.app.server.streams import NDJSON, SSE, ndjson, sse, start_stream, wanted_stream
from clew.app.type_names import resolve_types
from clew.errors import MissingModel

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["asking"])
ANSWER: dict[str, Any] = {
    "graph": "hpo",
    "snapshot": SNAPSHOT,
    "question": "Which genes are linked to arachnodactyly?",
    "kind": "list",
    "text": "72 genes linked to Arachnodactyly: FBN1, …",
    "items": [{**FBN1, "number": None, "value": None, "beside": []}],
    "value": None,
    "total": 72,
    "truncated": False,
    "evidence": {"triples": [], "supports": [], "complete": True, "documents": ["PMID:20301510"]},
    "query": "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(:Disease)-[:HAS_PHENOTYPE]->(:Phenotype {id: 'HP:0001166'}) RETURN g",
    "named": [ENTITY["id"]],
    "interpretation": [],
    "bindings": [{"text": "genes", "part": "type"}],
    "unrecognised": [],
    "repairs": [],
    "ambiguities": [],
    "alternatives": [],
    "decided": None,
    "trace": [],
    "usage": {},
    "confidence": 0.97,
    "certainty": "sure",
    "late": "",
    "abstained": None,
    "suggestions": [],
    "drawing": None,
}
STEP = '{"event": "step", "step": "names", "text": "arachnodactyly: Arachnodactyly", "seconds": 0.012}\n'
CONTEXT = {
    "graph": "hpo",
    "snapshot": SNAPSHOT,
    "question": "Which genes are linked to arachnodactyly?",
    "text": "FBN1 associated with Marfan syndrome. [HPO; PMID:20301510]",
    "style": "sentences",
    "entities": [ENTITY["id"]],
    "budget": 500,
    "tokens": 24,
    "found": 72,
    "pruned": 0,
    "left_out": 71,
    "ranking": "embeddings",
    "notes": [],
    "seconds": 0.04,
    "lines": [],
}
ROWS = {
    "graph": "hpo",
    "store": "embedded",
    "query": "MATCH (g:Gene {name: $gene}) RETURN g",
    "columns": ["g"],
    "count": 1,
    "truncated": False,
    "seconds": 0.004,
    "rows": [],
}
MENTIONS: dict[str, Any] = {"graph": "hpo", "snapshot": SNAPSHOT, "types": None, "count": 0, "mentions": []}
FACTS = {"model": "small", "seconds": 0.2, "total": 0, "facts": []}


@router.post(
    "/graphs/{graph}/ask",
    responses=answers(
        "The answer with its evidence, or its steps and then the answer.",
        ANSWER,
        also={NDJSON: {"example": STEP}, SSE: {"example": f"event: step\ndata: {STEP}\n"}},
    ),
)
async def ask(graph: str, body: AskBody, request: Request) -> Response:
    """Answer a question; the JSON of `clew ask --json`.

    With `Accept: application/x-ndjson` or `text/event-stream` the steps are streamed as they happen, and then the
    answer. Closing the connection stops the work.
    """
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    cypher = body.cypher is not None
    seconds = serving.seconds(body.timeout, question=not cypher)
    question = body.asked(seconds)
    asker = opened.asker(body.strategy)
    if serving.settings.log_questions:
        serving.note(request, question=question.text)

    def work(report: Callable[[Step], None] | None) -> bytes:
        asked = replace(question, report=report)
        return _answered(opened, asker.ask_cypher(asked) if cypher else asker.ask(asked))

    stream = wanted_stream(request)
    if stream is None:
        return json_response(await serving.run(request, lambda: work(None), seconds=seconds))
    return start_stream(serving, work, seconds=seconds, media_type=stream, encode=ndjson if stream == NDJSON else sse)


def _answered(opened: OpenGraph, answer: Answer) -> bytes:
    return as_json(answer_record(answer, graph=opened.name, snapshot=opened.snapshot))


@router.post("/graphs/{graph}/context", responses=answers("Cited lines within the budget.", CONTEXT))
async def context(graph: str, body: ContextBody, request: Request) -> Response:
    """What the graph states about a question, for a language model to read; the JSON of `clew context --json`."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    if serving.settings.log_questions:
        serving.note(request, question=body.question)

    def work() -> bytes:
        found = retrieve(body.question, opened.resources, body.retrieval())
        return as_json(context_record(found, graph=graph, snapshot=opened.snapshot))

    return json_response(await serving.run(request, work, seconds=serving.seconds(body.timeout)))


@router.post("/graphs/{graph}/query", responses=answers("The rows of a query.", ROWS))
async def query(graph: str, body: QueryBody, request: Request) -> Response:
    """Run a read-only Cypher query; the JSON of `clew cypher --json`."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    seconds = serving.seconds(body.timeout)
    if serving.settings.log_questions:
        serving.note(request, query=body.query)

    def work() -> bytes:
        store = opened.resources.store
        rows = store.run(body.query, body.parameters, timeout=seconds, limit=body.limit)
        return as_json(rows_record(rows, graph=graph, store=store.name, query=body.query))

    return json_response(await serving.run(request, work, seconds=seconds))


@router.post("/graphs/{graph}/mentions", responses=answers("The entities that a text mentions.", MENTIONS))
async def mentions(graph: str, body: MentionsBody, request: Request) -> Response:
    """Find the mentions in a text, with those that are negated or uncertain marked; the JSON of `clew link --text`."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)

    def work() -> bytes:
        types = resolve_types(opened.engine.schema, body.types)
        found = opened.resources.linker.detect(body.text, types=types)
        return as_json(mentions_record(found, graph=graph, snapshot=opened.snapshot, types=types))

    return json_response(await serving.run(request, work))


@router.post("/extract", responses=answers("The facts that a text states.", FACTS))
async def extract(body: ExtractBody, request: Request) -> Response:
    """Extract the facts that a text states, each with its sentence and a calibrated confidence."""
    serving = serving_of(request)
    extraction = serving.extraction
    if extraction is None:
        raise MissingModel("no extraction model is on this server: run `clew models get small` there and restart it")

    def work() -> bytes:
        begun = time.perf_counter()
        facts = extraction.facts(body.text, confidence=body.confidence)
        seconds = round(time.perf_counter() - begun, 3)
        return as_json(
            {"model": extraction.name, "seconds": seconds, "total": len(facts), "facts": facts[: body.limit]}
        )

    return json_response(await serving.run(request, work))
