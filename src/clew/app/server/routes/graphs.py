"""What a graph holds: contents, schema, words, example questions, entities, neighbourhoods, triples and drawings."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from clew.app.drawing import page, scene_of_triples, svg
from clew.app.records import (
    entity_record,
    found_record,
    graph_record,
    neighbourhood_record,
    schema_record,
    triples_record,
    words_record,
)
from clew.app.server.bodies import MOST, DrawingBody, TriplesBody
from clew.app.server.edge.headers import DRAWING_HEADERS
from clew.app.server.examples import example_questions
from clew.app.server.graphs import OpenGraph
from clew.app.server.pages import check_snapshot, next_cursor, read_cursor
from clew.app.server.routes.documented import ENTITY, FBN1, MARFAN, SNAPSHOT, answers
from clew.app.server.serving import as_json, json_response, serving_of
from clew.errors import InputError

__all__ = ["router"]

router = APIRouter(prefix="/api/graphs/{graph}", tags=["graphs"])
Text = Annotated[str, Query(min_length=1, max_length=1_000)]
CONTENTS = {
    "graph": "hpo",
    "snapshot": SNAPSHOT,
    "format_version": 2,
    "created_by": "clew 0.1.0",
    "bytes": 34_000_000,
    "counts": {"entities": 36_848, "triples": 305_905},
    "widths": {},
    "types": {"Phenotype": 19_034},
    "relations": [],
    "sources": [],
    "problems": {},
}
SCHEMA = {"graph": "hpo", "snapshot": SNAPSHOT, "labels": [], "properties": [], "relationships": []}
WORDS: dict[str, Any] = {
    "graph": "hpo",
    "snapshot": SNAPSHOT,
    "types": {"Phenotype": ["phenotype", "symptom", "sign"]},
    "relations": {"has_phenotype": ["show", "have"]},
    "own": {},
    "unreached": {"types": [], "relations": [], "columns": []},
    "file": None,
}
EXAMPLES = {
    "graph": "hpo",
    "snapshot": SNAPSHOT,
    "examples": [{"question": "Which genes are linked to arachnodactyly?"}],
}
FOUND = {
    "graph": "hpo",
    "text": "arachno",
    "count": 1,
    "found": [{**ENTITY, "matched": "arachnodactyly", "how": "prefix", "score": 0.9}],
}
DETAILS = {
    "graph": "hpo",
    "snapshot": SNAPSHOT,
    **ENTITY,
    "synonyms": ["Spider fingers"],
    "xrefs": ["UMLS:C0003706"],
    "properties": {},
    "degree": 1_024,
    "relations": [{"relation": "is_a", "direction": "out", "triples": 1}],
}
TRIPLE = {
    "triple": 4_711,
    "subject": MARFAN["id"],
    "subject_name": MARFAN["name"],
    "relation": "has_phenotype",
    "object": ENTITY["id"],
    "object_name": ENTITY["name"],
    "subject_type": "Disease",
    "object_type": "Phenotype",
    "origin": "curated",
    "negated": False,
    "documents": 2,
}
NEIGHBOURHOOD = {
    "graph": "hpo",
    "snapshot": SNAPSHOT,
    "seeds": [ENTITY],
    "k": 1,
    "direction": "both",
    "count": 1_025,
    "truncated": True,
    "entities": [{**ENTITY, "distance": 0}, {**FBN1, "distance": 1}],
    "triple_count": 1_024,
    "triples": [TRIPLE],
}


@router.get("", responses=answers("The contents of a graph.", CONTENTS))
async def contents(graph: str, request: Request) -> Response:
    """Counts, types, relations, sources and licences; the JSON of `clew info --json`."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    return json_response(await serving.run(request, lambda: as_json(graph_record(opened.engine, graph=graph))))


@router.get("/schema", responses=answers("What queries can name.", SCHEMA))
async def schema(graph: str, request: Request) -> Response:
    """Labels, relationships and properties; the JSON of `clew cypher --schema --json`."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    return json_response(
        await serving.run(request, lambda: as_json(schema_record(opened.resources.schema, graph=graph)))
    )


@router.get("/words", responses=answers("Everyday words for types and relations.", WORDS))
async def words(graph: str, request: Request) -> Response:
    """The words by which questions name types and relations; the JSON of `clew words --json`."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    return json_response(await serving.run(request, lambda: as_json(words_record(opened.resources, graph=graph))))


@router.get("/examples", responses=answers("Questions to begin with.", EXAMPLES))
async def examples(graph: str, request: Request) -> Response:
    """Questions made from this graph, each of which it answers."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    found = await serving.run(request, lambda: example_questions(opened))
    listed = [{"question": each} for each in found]
    return json_response(as_json({"graph": graph, "snapshot": opened.snapshot, "examples": listed}))


@router.get(
    "/entities",
    responses=answers("Entities found, or listed page by page.", FOUND, optional=("text", "found")),
)
async def entities(
    graph: str,
    request: Request,
    text: Annotated[str | None, Query(min_length=1, max_length=1_000, examples=["arachno"])] = None,
    type: Annotated[str | None, Query(max_length=1_000, description="Only of this type; without `text`.")] = None,
    limit: Annotated[int, Query(ge=0, le=1_000)] = 10,
    cursor: Annotated[str | None, Query(max_length=100, description="`next` of the page before.")] = None,
) -> Response:
    """With `text`: entities by id, name, synonym, prefix or misspelling (`clew find --json`). Without: all of them."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    if text is None:
        start = read_cursor(cursor, opened)
        return json_response(await serving.run(request, lambda: _listed(opened, type, start, limit)))
    if type is not None or cursor is not None:
        raise InputError("text finds entities of all types on one page: leave type and cursor out")
    found = await serving.run(
        request, lambda: as_json(found_record(opened.engine.find(text, limit=limit), graph=graph, text=text))
    )
    return json_response(found)


def _listed(opened: OpenGraph, type: str | None, start: int, limit: int) -> bytes:
    import numpy as np

    engine = opened.engine
    if type is None:
        total = engine.counts["entities"]
        chosen = np.arange(min(start, total), min(start + limit, total))
    else:
        every = np.flatnonzero(engine.types_of() == engine.schema.type_number(type))
        total, chosen = len(every), every[start : start + limit]
    head = as_json({"graph": opened.name, "snapshot": opened.snapshot, "count": total})[:-1]
    following = as_json({"next": next_cursor(opened, start + len(chosen), total) if limit else None})[1:]
    return b'%b, "entities": %b, %b' % (head, opened.texts.listed(chosen), following)


@router.get("/entity", responses=answers("One entity.", DETAILS))
async def entity(graph: str, request: Request, id: Annotated[Text, Query(examples=["HP:0001166"])]) -> Response:
    """An entity by id or exact name: synonyms, cross-references, properties, and its triples by relation."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    return json_response(await serving.run(request, lambda: as_json(entity_record(opened.engine, id, graph=graph))))


@router.get("/neighbourhood", responses=answers("Entities nearby and the triples between them.", NEIGHBOURHOOD))
async def neighbourhood(
    graph: str,
    request: Request,
    id: Annotated[Text, Query(examples=["HP:0001166"])],
    k: Annotated[int, Query(ge=0, le=4)] = 1,
    direction: Literal["out", "in", "both"] = "both",
    relation: Annotated[list[Text] | None, Query(max_length=100)] = None,
    layer: Literal["all", "curated", "no-extracted"] = "all",
    limit: Annotated[int, Query(ge=1, le=MOST.drawn_entities)] = 200,
    triples: Annotated[int, Query(ge=0, le=MOST.triples, description="Most triples listed.")] = 1_000,
) -> Response:
    """The entities within k hops of one, nearest first, and the triples between those listed."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    seconds = serving.seconds(None)
    made = await serving.run(
        request,
        lambda: as_json(
            neighbourhood_record(
                opened.engine, [id], graph=graph, k=k, direction=direction, relations=relation, layer=layer,
                limit=limit, most_triples=triples, timeout=seconds,
            )
        ),
    )  # fmt: skip
    return json_response(made)


@router.post(
    "/triples",
    responses=answers(
        "Triples with their statements.",
        {"graph": "hpo", "snapshot": SNAPSHOT, "triples": [{**TRIPLE, "assertions": []}]},
    ),
)
async def triples(graph: str, body: TriplesBody, request: Request) -> Response:
    """Triples by number with every source's statement: evidence, qualifiers, and the sentence of extracted ones."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    check_snapshot(opened, body.snapshot, what="the request")
    made = await serving.run(request, lambda: as_json(triples_record(opened.engine, body.numbers, graph=graph)))
    return json_response(made)


@router.post(
    "/drawing",
    response_class=Response,
    responses={200: {"description": "A self-contained drawing.", "content": {"image/svg+xml": {}, "text/html": {}}}},
)
async def drawing(graph: str, body: DrawingBody, request: Request) -> Response:
    """Triples drawn as one self-contained file, as `clew paths --draw` and `clew ask --draw` write it."""
    serving = serving_of(request)
    opened = serving.graph(request, graph)
    check_snapshot(opened, body.snapshot, what="the request")
    made = await serving.run(request, lambda: _drawn(opened, body))
    media_type = "image/svg+xml" if body.format == "svg" else "text/html; charset=utf-8"
    headers = {name.decode(): value.decode() for name, value in DRAWING_HEADERS}
    headers["content-disposition"] = f'attachment; filename="evidence.{body.format}"'
    return Response(made, media_type=media_type, headers=headers)


def _drawn(opened: OpenGraph, body: DrawingBody) -> str:
    scene = scene_of_triples(
        opened.engine, body.triples, body.starts, body.ends, title=body.title, description=body.description
    )
    return (svg if body.format == "svg" else page)(scene)
