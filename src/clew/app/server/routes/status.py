"""What the server is, how it is, and its counts."""

from typing import Any

from fastapi import APIRouter, Request, Response

from clew._version import __version__
from clew.app.server.edge.metrics import CONTENT_TYPE, Metrics
from clew.app.server.graphs import strategies
from clew.app.server.routes.documented import SNAPSHOT, answers
from clew.app.server.serving import as_json, json_response, serving_of

__all__ = ["router"]

router = APIRouter(tags=["server"])
STATED = ("seconds", "model_seconds", "rows", "hops", "paths", "entities", "triples", "characters", "body")
ABOUT = {
    "version": __version__,
    "graphs": [{"name": "hpo", "snapshot": SNAPSHOT, "entities": 36_848, "triples": 305_905, "title": "hpo"}],
    "strategies": ["readers", "cypher", "local", "rag"],
    "model": None,
    "extraction": "small",
    "token": False,
    "limits": {"seconds": 30.0, "model_seconds": 120.0, "rows": 10_000, "hops": 10},
}


@router.get("/api/server", responses=answers("What this server serves.", ABOUT))
async def about(request: Request) -> Response:
    """The graphs, strategies, models and limits of this server."""
    serving = serving_of(request)
    limits = serving.settings.limits
    graphs: list[dict[str, Any]] = []
    for name in serving.settings.graphs:
        opened = serving.graphs.get(name)
        counts = opened.engine.counts
        source = next((each.name for each in opened.engine.snapshot.sources), name)
        graphs.append(
            {
                "name": name,
                "snapshot": opened.snapshot,
                "entities": counts["entities"],
                "triples": counts["triples"],
                "title": source,
            }
        )
    return json_response(
        as_json(
            {
                "version": __version__,
                "graphs": graphs,
                "strategies": strategies(),
                "model": None if serving.model is None else serving.model.name,
                "extraction": None if serving.extraction is None else serving.extraction.name,
                "token": bool(serving.settings.tokens),
                "limits": {name: getattr(limits, name) for name in STATED},
            }
        )
    )


@router.get("/health", responses=answers("The server answers.", {"status": "ok", "version": __version__}))
async def health() -> Response:
    """Whether the server answers; needs no token."""
    return json_response(as_json({"status": "ok", "version": __version__}))


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Counts in the text format of Prometheus.", "content": {"text/plain": {}}}},
)
async def metrics(request: Request) -> Response:
    """Requests by route and status, their duration, the queue, and memory."""
    counted: Metrics = request.app.state.metrics
    return Response(counted.text(), headers={"content-type": CONTENT_TYPE})
