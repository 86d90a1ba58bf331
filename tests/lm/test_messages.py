"""Requests: what can be asked, and that they can be keys."""

from typing import Any

import pytest

from clew.errors import InputError
from clew.lm import Message, Request, Usage

HELLO = [Message("user", "Hello?")]


def test_requests_are_keys() -> None:
    one, other = Request(HELLO, stop=["a", "b"]), Request(tuple(HELLO), stop=("a", "b"))
    assert one == other
    assert len({one, other, Request(HELLO, seed=1)}) == 2
    assert Request(HELLO, stop="a").stop == ("a",)


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({}, "either messages or a prompt"),
    ({"messages": HELLO, "prompt": "Hello"}, "either messages or a prompt"),
    ({"prompt": "x", "temperature": -1}, "temperature"),
    ({"prompt": "x", "temperature": float("nan")}, "temperature"),
    ({"prompt": "x", "max_tokens": 0}, "max_tokens"),
    ({"prompt": "x", "logprobs": -1}, "logprobs"),
    ({"prompt": "x", "stop": ["a", ""]}, "stop text"),
    ({"prompt": "x", "grammar": 'root ::= "a"', "schema": "{}"}, "not both"),
]


@pytest.mark.parametrize(("given", "sentence"), MISTAKES)
def test_mistakes_are_told(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Request(**given)


def test_roles_are_known() -> None:
    with pytest.raises(InputError, match="not 'robot'"):
        Message("robot", "beep")  # type: ignore[arg-type]


def test_usage_adds_up() -> None:
    total = Usage(1, 10, 5, 3, 0.5) + Usage(2, 1, 1, 0, 0.25, 4)
    assert total == Usage(3, 11, 6, 3, 0.75, 4)
