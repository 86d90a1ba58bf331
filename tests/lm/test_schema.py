"""Whether a schema makes sense, and whether an answer fits it."""

import json

import pytest

from clew.errors import InputError
from clew.lm import Request
from clew.lm.schema import mismatch

GENE = {
    "type": "object",
    "properties": {
        "gene": {"type": "string"},
        "hops": {"type": "integer"},
        "way": {"enum": ["in", "out"]},
        "paths": {"type": "array", "items": {"type": ["string", "null"]}, "minItems": 1, "maxItems": 2},
        "extra": {"anyOf": [{"type": "boolean"}, {"const": "none"}]},
    },
    "required": ["gene"],
    "additionalProperties": False,
}
FITS = [
    {"gene": "FBN1"},
    {"gene": "FBN1", "hops": 2, "way": "in", "paths": ["a", None], "extra": "none"},
    {"gene": "", "hops": 2.0, "extra": True},
]
MISFITS = [
    ([], "it should be of type object"),
    ({}, "'gene' is missing"),
    ({"gene": 1}, "'gene' should be of type string"),
    ({"gene": "x", "hops": True}, "'hops' should be of type integer"),
    ({"gene": "x", "hops": 1.5}, "'hops' should be of type integer"),
    ({"gene": "x", "way": "up"}, "'way' is not one of the allowed values"),
    ({"gene": "x", "paths": []}, "'paths' has 0 items"),
    ({"gene": "x", "paths": ["a", 3]}, "item 1 should be of type string or null"),
    ({"gene": "x", "extra": "some"}, "'extra' matches none of the allowed schemas"),
    ({"gene": "x", "more": 1}, "'more' should not be there"),
]


@pytest.mark.parametrize("value", FITS)
def test_answers_that_fit(value: object) -> None:
    assert mismatch(json.dumps(value), json.dumps(GENE)) is None


@pytest.mark.parametrize(("value", "sentence"), MISFITS)
def test_answers_that_do_not(value: object, sentence: str) -> None:
    assert mismatch(json.dumps(value), json.dumps(GENE)) == sentence


def test_text_that_is_no_json() -> None:
    assert "malformed JSON" in str(mismatch("{'gene'}", json.dumps(GENE)))


@pytest.mark.parametrize("schema", ["", "[]", "3", '{"type": "gene"}', '{"items": {"type": "text"}}', '{"anyOf": [3]}'])
def test_schemas_that_make_no_sense(schema: str) -> None:
    with pytest.raises(InputError, match="schema"):
        Request(prompt="x", schema=schema)
