"""The servers that are compared, each in a process of its own on a free port, which it prints.

clew: the real one, with a route beside the hop whose handler returns a constant body. networkx: a bare FastAPI.

python -m benchmarks.serving.servers clew hpo.clew 2500
"""

import logging
import sys
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from fastapi import FastAPI, Request, Response
from pydantic import BaseModel, Field

import clew
from clew.app.server.bodies import HopBody
from clew.app.server.routes import walks
from clew.app.server.run import address_of, listen, make_server
from clew.app.server.serving import json_response
from clew.app.server.settings import ServerSettings
from clew.graph import read_entities

__all__ = ["reached"]


class PeerBody(BaseModel):
    """What the peer is asked."""

    seeds: Annotated[list[str], Field(min_length=1)]
    k: int = 1


def clew_server(settings: ServerSettings, length: int) -> uvicorn.Server:
    """The real server, with a handler of the same checks that returns a body of a given length."""
    constant = b'{"ids": "' + b"x" * (length - 11) + b'"}'

    async def answer(graph: str, body: HopBody, request: Request) -> Response:
        return json_response(constant)

    walks.router.post("/constant")(answer)  # beside the hop
    return make_server(settings)


def networkx_server(settings: ServerSettings) -> uvicorn.Server:
    """A bare FastAPI that walks a NetworkX graph."""
    import networkx

    engine = clew.open(next(iter(settings.graphs.values())))
    ids = read_entities(engine, ["id"])["id"].to_pylist()
    graph = networkx.DiGraph()
    graph.add_nodes_from(ids)
    affirmed = engine.subgraph(range(len(ids)))
    for triple in zip(affirmed.subject.tolist(), affirmed.object.tolist(), strict=True):
        graph.add_edge(ids[triple[0]], ids[triple[1]])
    app = FastAPI()

    @app.post("/hop")
    async def hop(body: PeerBody) -> dict[str, Any]:
        return {"ids": list(reached(graph, body.seeds, body.k))}

    config = uvicorn.Config(app, log_config=None, access_log=False, ws="none")
    return uvicorn.Server(config)


def reached(graph: Any, seeds: list[str], k: int) -> set[str]:
    """The ends of walks of exactly k steps."""
    frontier = set(seeds)
    for _ in range(k):
        frontier = {after for each in frontier for after in graph.successors(each)}
    return frontier


def main(kind: str, path: str, length: str) -> None:
    logging.getLogger("clew").setLevel(logging.WARNING)
    settings = ServerSettings({"hpo": Path(path)}, port=0, encoder=None, extraction=None)
    listening = listen(settings)
    server = clew_server(settings, int(length)) if kind == "clew" else networkx_server(settings)
    print(address_of(listening), flush=True)
    server.run(sockets=[listening])


if __name__ == "__main__":
    main(*sys.argv[1:])
