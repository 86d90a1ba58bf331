"""Hops and paths."""

from typing import Any

from fastapi import APIRouter, Request, Response

from clew import HopResult, Triples
from clew.app.records import entity_records, paths_record, triple_record
from clew.app.server.bodies import HopBody, PathsBody
from clew.app.server.graphs import OpenGraph
from clew.app.server.pages import next_cursor, read_cursor
from clew.app.server.routes.documented import ENTITY, FBN1, SNAPSHOT, answers
from clew.app.server.serving import as_json, json_response, serving_of
from clew.errors import Timeout
from clew.traverse import Walk

__all__ = ["router"]

router = APIRouter(prefix="/api/graphs/{graph}", tags=["walks"])
BRIEF_SECONDS = 0.05  # a hop that takes less is not worth a thread
BRIEF_TRIPLES = 1 << 21  # hops times triples of a graph: up to there a hop takes less in any case
BRIEF_HOPS = 3
BRIEF_SEEDS = 16
HOP_JSON = (  # what `hop_record` gives, for one page; names of graphs need no escapes
    b'{"graph": "%b", "snapshot": "%b", "seeds": %b, "k": %d, "mode": "%b", "direction": "%b", "count": %d, '
    b'"truncated": %b, "types": %b, "%b": %b, %b'
)
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
async def hop(graph: str, body: HopBody, request: Request) -> Response:
    """The entities some hops from the seeds; the JSON of `clew hop --json`, and `next`, the cursor of the next page."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    start = read_cursor(body.cursor, opened)
    walk = body.walk(body.k, 1, mode=body.mode, types=body.types)
    if not body.triples and walk.k <= BRIEF_HOPS and walk.where.is_default and len(body.seeds) <= BRIEF_SEEDS:
        numbers = opened.texts.numbers(body.seeds)
        if numbers is not None:  # ids, all of them: names may have to be searched for
            limit = BRIEF_SECONDS if walk.k * opened.triples > BRIEF_TRIPLES else None
            try:
                found = opened.engine.hop(numbers, walk, timeout=limit)
                return json_response(_hop_json(opened, found, None, body, start))
            except Timeout:
                pass
    seconds = serving.seconds(body.timeout)
    made = await serving.run(request, lambda: _hop(opened, walk, body, start, seconds), seconds=seconds)
    return json_response(made)


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
    last: dict[str, Any] = {}
    if led is not None:
        listed = ({"hop": at, **triple_record(each)} for at, some in enumerate(led, 1) for each in some)
        last["triple_count"] = sum(map(len, led))
        last["triples"] = [each for each, _ in zip(listed, range(body.limit), strict=False)]
    if led is not None or end < len(found):
        last["next"] = next_cursor(opened, end, len(found))
    texts, walk = opened.texts, found.walk
    return HOP_JSON % (
        opened.name.encode(),
        opened.snapshot.encode(),
        texts.listed(found.seeds),
        walk.k,
        walk.mode.encode(),
        walk.direction.encode(),
        len(found),
        b"true" if end - start < len(found) else b"false",
        texts.counted_types(found.ids),
        b"ids" if body.ids_only else b"entities",
        texts.listed(found.ids[start:end], ids_only=body.ids_only),
        as_json(last)[1:] if last else b'"next": null}',
    )


@router.post("/paths", responses=answers("The best paths, each triple with its sources.", PATHS))
async def paths(graph: str, body: PathsBody, request: Request) -> Response:
    """Paths between two entities, ranked; the JSON of `clew paths --json`. A `count` above 2^53 is a string."""
    serving = serving_of(request)
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
