"""What the OpenAPI document says about answers: examples of success, and the errors that any request may get."""

from typing import Any

__all__ = ["ENTITY", "FBN1", "MARFAN", "SNAPSHOT", "answers", "errors"]

SNAPSHOT = "5b0f4c1d9e7a2368"
ENTITY = {"id": "HP:0001166", "name": "Arachnodactyly", "type": "Phenotype"}
FBN1 = {"id": "NCBIGene:2200", "name": "FBN1", "type": "Gene"}
MARFAN = {"id": "OMIM:154700", "name": "Marfan syndrome", "type": "Disease"}
ERRORS = {
    400: "The request cannot be used.",
    401: "A token is needed.",
    403: "Host, Origin or Sec-Fetch-Site is not this server's own.",
    404: "No graph, entity, relation or option of that name.",
    405: "The method is not supported.",
    408: "The body did not arrive in time.",
    409: "The snapshot was replaced: ask again.",
    413: "The body is too large.",
    415: "A POST takes application/json.",
    422: "More time or memory than a request may use.",
    429: "Too many requests of this client wait.",
    501: "The model for this is not on the server.",
    502: "The language model failed.",
    503: "The server is busy or shutting down.",
}
ERROR = {
    "type": "object",
    "required": ["error", "request"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["kind", "message", "close"],
            "properties": {
                "kind": {"type": "string"},
                "message": {"type": "string"},
                "close": {"type": "array", "items": {"type": "string"}},
            },
        },
        "request": {"type": "string"},
    },
}
FAILED = {
    "error": {
        "kind": "UnknownName",
        "message": "no entity has the id or name 'FBN'; did you mean FBN1?",
        "close": ["FBN1"],
    },
    "request": "9f86d081884c7d65",
}


def errors() -> dict[int | str, dict[str, Any]]:
    """The errors of every endpoint."""
    return {
        status: {"description": said, "content": {"application/json": {"schema": ERROR, "example": FAILED}}}
        for status, said in ERRORS.items()
    }


def answers(
    said: str, example: dict[str, Any], *, optional: tuple[str, ...] = (), also: dict[str, Any] | None = None
) -> dict[int | str, dict[str, Any]]:
    """A successful answer: an object with the keys of the example; `also` are other types of content."""
    schema = {"type": "object", "required": [name for name in example if name not in optional]}
    content: dict[str, Any] = {"application/json": {"schema": schema, "example": example}, **(also or {})}
    return {200: {"description": said, "content": content}}
