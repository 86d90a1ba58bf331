"""POST requests about a graph, dispatched by name: one dictionary, one validation, and the endpoint itself.

FastAPI describes these endpoints and serves all others; its routing and its injection of parameters cost more than a
short hop does.
"""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from fastapi import FastAPI, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.routing import BaseRoute

from clew.app.server.edge.failures import invalid
from clew.app.server.edge.gate import Receive, Send

__all__ = ["Dispatch"]

PREFIX = "/api/graphs/"
TEMPLATE = "/api/graphs/{graph}/"


@dataclass(frozen=True, slots=True)
class _Endpoint:
    route: APIRoute
    body: type[BaseModel]
    answer: Callable[[str, Any, Request], Awaitable[Response]]


class Dispatch:
    """An ASGI application in front of the framework's."""

    def __init__(self, app: FastAPI, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._endpoints = {
            route.path.removeprefix(TEMPLATE): _Endpoint(route, get_type_hints(route.endpoint)["body"], route.endpoint)
            for route in routes
            if isinstance(route, APIRoute) and route.methods == {"POST"} and route.path.startswith(TEMPLATE)
        }

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"].startswith(PREFIX):
            graph, _, name = scope["path"].removeprefix(PREFIX).partition("/")
            endpoint = self._endpoints.get(name)
            if endpoint is not None and graph:
                scope["app"], scope["route"] = self._app, endpoint.route
                request = Request(scope, receive, send)
                try:
                    body = endpoint.body.model_validate_json((await receive())["body"])  # the gate has read all of it
                except ValidationError as error:
                    raise invalid(error.errors()) from None
                response = await endpoint.answer(graph, body, request)
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)
