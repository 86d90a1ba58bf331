"""The application: routes, the gate around them, and what they share, from the settings of a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute

from clew._version import __version__
from clew.app.server.dispatch import Dispatch
from clew.app.server.edge.failures import (
    CLIENT_GONE,
    ClientGone,
    Refused,
    error_body,
    error_headers,
    invalid,
    status_of,
)
from clew.app.server.edge.gate import App, Gate
from clew.app.server.edge.metrics import Metrics
from clew.app.server.extraction import find_extraction
from clew.app.server.graphs import Graphs
from clew.app.server.routes import asking, chat, graphs, status, walks
from clew.app.server.routes.documented import errors
from clew.app.server.routes.page import page_router
from clew.app.server.serving import Serving
from clew.app.server.settings import ServerSettings
from clew.app.server.workers import Workers
from clew.errors import ClewError
from clew.lm import open_model
from clew.progress import Progress, silent

if TYPE_CHECKING:
    from mcp.server import MCPServer

__all__ = ["create_application"]

NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
ABOUT = """Search, walk and question knowledge graphs; every answer has the triples and sources behind it.

The JSON of each endpoint is that of the command line (`clew … --json`). Where the server has a token, send it as
`Authorization: Bearer TOKEN`."""


def create_application(settings: ServerSettings, *, progress: Progress = silent) -> App:
    """Open the graphs and models of a server and make the application that serves them."""
    model = None if settings.model is None else open_model(settings.model)
    opened = Graphs(settings.graphs, model=model, encoder=settings.encoder, progress=progress)
    workers = Workers(settings.limits)
    serving = Serving(settings, opened, workers, model, find_extraction(settings.extraction))

    agents = _agents(opened, workers, settings)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        if serving.extraction is not None:
            serving.extraction.open()
        async with nullcontext() if agents is None else agents.session_manager.run():
            yield
        workers.close()
        opened.close()
        if model is not None:
            model.close()

    app = FastAPI(
        title="Clew",
        version=__version__,
        description=ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,  # FastAPI's pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=life,
        responses=errors(),
        telemetry=NO_TELEMETRY,
    )
    app.state.serving = serving
    app.state.metrics = metrics = Metrics(opened, workers)
    for kind in (ClewError, ClientGone, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _failed)
    for module in (walks, asking, graphs, status, chat):  # routes are tried in this order
        app.include_router(module.router)
    app.include_router(page_router())
    if agents is not None:
        app.router.routes.extend(_agent_routes(agents))
    direct = Dispatch(app, [*walks.router.routes, *asking.router.routes, *graphs.router.routes])
    return Gate(direct, settings, metrics)


def _agents(graphs: Graphs, workers: Workers, settings: ServerSettings) -> "MCPServer[Any] | None":
    """The tools for agents, if the library for them is installed."""
    try:
        from clew.app.server.agents import make_agents
    except ModuleNotFoundError:
        return None
    return make_agents(graphs, workers, settings.limits)


def _agent_routes(agents: "MCPServer[Any]") -> list[BaseRoute]:
    """/mcp: each call on its own, without sessions; who may call is the gate's matter."""
    from mcp.server.transport_security import TransportSecuritySettings

    open_to_all = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return agents.streamable_http_app(json_response=True, stateless_http=True, transport_security=open_to_all).routes


def _refusal(request: Request, error: HTTPException) -> str:
    """What the framework's own refusals say here."""
    if error.status_code == 404:
        return "there is nothing at this address: /api/openapi.json lists what there is"
    if error.status_code == 405:
        takes = "POST with a JSON object" if "POST" in (error.headers or {}).get("Allow", "") else "GET"
        return f"this address takes {takes}, not {request.method}: /api/openapi.json has an example"
    return error.detail.rstrip(".")


async def _failed(request: Request, error: Exception) -> Response:
    """The answer to a request that failed; the gate logs it."""
    if isinstance(error, RequestValidationError):
        error = invalid(error.errors())
    elif isinstance(error, HTTPException):
        error = Refused(_refusal(request, error), error.status_code, headers=error.headers)
    request.state.error = error
    if isinstance(error, ClientGone):
        return Response(status_code=CLIENT_GONE)
    return Response(
        error_body(error, request.state.request),
        status_of(error),
        headers=error_headers(error),
        media_type="application/json",
    )
