"""JSON schemas of responses: whether a schema is valid, and whether a response matches it.

Servers without support for schemas ignore them silently, so every response is validated again. The keywords type, enum,
const, properties, required, additionalProperties, items, minItems, maxItems, anyOf and oneOf are checked; others are
left to the server.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clew.errors import InputError

__all__ = ["check_schema", "mismatch"]

TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
BRANCHES = ("anyOf", "oneOf")


def check_schema(text: str) -> None:
    """Raise `InputError` unless the text is a JSON schema that uses JSON's own types."""
    try:
        schema = json.loads(text)
    except ValueError as error:
        raise InputError(f"schema must be a JSON schema as text: {error}") from error
    if not isinstance(schema, dict):
        raise InputError(f"a JSON schema must be an object, not {text[:40]!r}")
    for part in _parts(schema):
        if not isinstance(part, dict | bool):
            raise InputError(f"a part of a JSON schema must be an object, not {json.dumps(part)[:40]}")
        for name in _types(part) if isinstance(part, dict) else ():
            if name not in TYPES:
                raise InputError(f"a JSON schema has no type {name!r}: known: {', '.join(TYPES)}")


def mismatch(text: str, schema: str) -> str | None:
    """Why a text does not match a JSON schema; None if it does."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"it is malformed JSON ({error})"
    return _mismatch(value, json.loads(schema), "it")


def _parts(schema: Any) -> Iterator[Any]:
    yield schema
    if not isinstance(schema, dict):
        return
    inner = [*_mapping(schema.get("properties")).values(), *(schema[key] for key in ("items",) if key in schema)]
    for key in BRANCHES:
        inner += schema.get(key, [])
    for part in inner:
        yield from _parts(part)


def _types(schema: Mapping[str, Any]) -> list[Any]:
    stated = schema.get("type", [])
    return stated if isinstance(stated, list) else [stated]


def _mismatch(value: Any, schema: Any, what: str) -> str | None:
    if not isinstance(schema, dict):
        return f"{what} should not be there" if schema is False else None
    if (names := _types(schema)) and not any(_is(value, name) for name in names):
        return f"{what} should be of type {' or '.join(names)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{what} is not one of the allowed values"
    if "const" in schema and value != schema["const"]:
        return f"{what} should be {json.dumps(schema['const'])}"
    for key in BRANCHES:
        if key in schema and all(_mismatch(value, branch, what) for branch in schema[key]):
            return f"{what} matches none of the allowed schemas"
    if isinstance(value, dict):
        return _object_mismatch(value, schema)
    if isinstance(value, list):
        return _array_mismatch(value, schema, what)
    return None


def _object_mismatch(value: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    for name in schema.get("required", []):
        if name not in value:
            return f"{name!r} is missing"
    known = _mapping(schema.get("properties"))
    for name, inner in value.items():
        shape = known.get(name, schema.get("additionalProperties", True))
        if (why := _mismatch(inner, shape, repr(name))) is not None:
            return why
    return None


def _array_mismatch(value: list[Any], schema: Mapping[str, Any], what: str) -> str | None:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
    if not least <= len(value) <= most:
        return f"{what} has {len(value)} items"
    reasons = (_mismatch(inner, schema.get("items", True), f"item {at}") for at, inner in enumerate(value))
    return next(filter(None, reasons), None)


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, TYPES[name])


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
