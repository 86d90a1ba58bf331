"""Hops and paths."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from clew import GraphEngine, HopResult, Triples
from clew.app.records import count_types, entity_records, paths_record, triple_record
from clew.app.server.bodies import HopBody, PathsBody
from clew.app.server.graphs import OpenGraph
from clew.app.server.pages import next_cursor, read_cursor
from clew.app.server.routes.documented import ENTITY, FBN1, SNAPSHOT, answers
from clew.app.server.serving import Serving, as_json, json_response, serving_of
from clew.errors import Timeout
from clew.traverse import Walk

__all__ = ["router"]

router = APIRouter(prefix="/api/graphs/{graph}", tags=["walks"])
Server = Annotated[Serving, Depends(serving_of)]
BRIEF_SECONDS = 0.005  # a hop that takes less is not worth a thread
BRIEF_HOPS = 3
BRIEF_SEEDS = 16
SAFE_INTEGER = 2**53  # larger ones lose digits in a browser

HOP = {
    "graph": "hpo",
    "snapshot": SNAPSHOT,
    "seeds": [ENTITY],
    "k": 2,
    "mode": "exact",
    "direction": "in",
    "count": 812,
    "truncated": True,
    "types": {"Gene": 812},
    "entities": [FBN1],
    "next": "5b0f4c1d-100",
}
PATHS = {
    "graph": "hpo",
    "snapshot": SNAPSHOT,
    "source": FBN1,
    "target": ENTITY,
    "k": 3,
    "kind": "simple",
    "count": 19,
    "count_kind": "exact",
    "truncated": True,
    "paths": [{"length": 2, "text": "FBN1 —associated_with→ Marfan syndrome —has_phenotype→ Arachnodactyly"}],
    "drawing": None,
}


@router.post("/hop", responses=answers("The entities reached, page by page.", HOP, optional=("entities",)))
async def hop(graph: str, body: HopBody, request: Request, serving: Server) -> Response:
    """The entities some hops from the seeds; the JSON of `clew hop --json`, and `next`, the cursor of the next page."""
    opened = serving.graph(request, graph)
    start = read_cursor(body.cursor, opened)
    walk = body.walk(body.k, 1, mode=body.mode, types=body.types)
    if not body.triples and walk.k <= BRIEF_HOPS and walk.where.is_default and _known(opened.engine, body.seeds):
        try:
            found = opened.engine.hop(body.seeds, walk, timeout=BRIEF_SECONDS)
            return json_response(_hop_json(opened, found, None, body, start))
        except Timeout:
            pass
    seconds = serving.seconds(body.timeout)
    made = await serving.run(request, lambda: _hop(opened, walk, body, start, seconds), seconds=seconds)
    return json_response(made)


def _known(engine: GraphEngine, seeds: list[str]) -> bool:
    """Whether a few seeds are ids of the graph: names may have to be searched for."""
    return len(seeds) <= BRIEF_SEEDS and bool((engine.lookup(seeds) >= 0).all())


def _hop(opened: OpenGraph, walk: Walk, body: HopBody, start: int, seconds: float) -> bytes:
    engine = opened.engine
    found = engine.hop(body.seeds, walk, timeout=seconds)
    led = None
    if body.triples:
        led = [engine.hop_triples(found, each, leading_to_result=True) for each in range(1, walk.k + 1)]
    return _hop_json(opened, found, led, body, start)


def _hop_json(opened: OpenGraph, found: HopResult, led: list[Triples] | None, body: HopBody, start: int) -> bytes:
    """`hop_record` for one page, with texts that are encoded already in place of records."""
    end = min(start + body.limit, len(found))
    first = {"graph": opened.name, "snapshot": opened.snapshot}
    then = {
        "k": found.walk.k,
        "mode": found.walk.mode,
        "direction": found.walk.direction,
        "count": len(found),
        "truncated": end - start < len(found),
        "types": count_types(opened.engine, found),
    }
    last: dict[str, Any] = {}
    if led is not None:
        listed = ({"hop": at, **triple_record(each)} for at, some in enumerate(led, 1) for each in some)
        last["triple_count"] = sum(map(len, led))
        last["triples"] = [each for each, _ in zip(listed, range(body.limit), strict=False)]
    last["next"] = next_cursor(opened, end, len(found))
    texts = opened.texts
    return b'%b, "seeds": %b, %b, "%b": %b, %b' % (
        _open(first),
        texts.listed(found.seeds),
        _open(then)[1:],
        b"ids" if body.ids_only else b"entities",
        texts.listed(found.ids[start:end], ids_only=body.ids_only),
        as_json(last)[1:],
    )


def _open(record: dict[str, Any]) -> bytes:
    """The JSON of a record without its last brace."""
    return json.dumps(record, ensure_ascii=False).encode()[:-1]


@router.post("/paths", responses=answers("The best paths, each triple with its sources.", PATHS))
async def paths(graph: str, body: PathsBody, request: Request, serving: Server) -> Response:
    """Paths between two entities, ranked; the JSON of `clew paths --json`. A `count` above 2^53 is a string."""
    opened = serving.graph(request, graph)
    walk = body.walk(body.k, 3)
    seconds = serving.seconds(body.timeout)
    return json_response(await serving.run(request, lambda: _paths(opened, walk, body, seconds), seconds=seconds))


def _paths(opened: OpenGraph, walk: Walk, body: PathsBody, seconds: float) -> bytes:
    engine = opened.engine
    found = engine.paths(body.source, body.target, walk, kind=body.kind, limit=body.limit, timeout=seconds)
    start, end = (entity_records(engine, engine.resolve(each))[0] for each in (body.source, body.target))
    record = paths_record(engine, found, list(found), graph=opened.name, source=start, target=end)
    if record["count"] > SAFE_INTEGER:
        record["count"] = str(record["count"])
    return as_json(record)
