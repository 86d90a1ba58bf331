"""Walks and requests: one form however they are asked for, and to JSON and back without loss."""

import json
import pickle
from dataclasses import fields

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.errors import InputError, UnknownName
from clew.graph import Where
from clew.traverse.request import KINDS, HopRequest, PathRequest
from clew.traverse.walk import DIRECTIONS, MODES, Walk, WalkOptions, as_walk

QUIET = settings(deadline=None, suppress_health_check=list(HealthCheck))
names = st.frozensets(st.text(max_size=4), max_size=3)
days = st.none() | st.dates()
wheres = st.builds(
    Where,
    layer=st.sampled_from(("all", "curated", "no-extracted")),
    sources=st.none() | names,
    as_of=days,
    min_confidence=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    qualifiers=st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=2),
    negated=st.booleans(),
)
ends = st.lists(st.integers() | st.text(max_size=6), max_size=4).map(tuple)


@st.composite
def walks(draw: st.DrawFn, *, of_paths: bool = False) -> Walk:
    k = draw(st.integers(0, 5) | st.integers(10**17, 10**19))
    metapath = st.lists(st.none() | names, min_size=k, max_size=k) if 0 < k <= 5 else st.none()
    return Walk(
        k,
        mode="exact" if of_paths else draw(st.sampled_from(MODES)),
        direction=draw(st.sampled_from(DIRECTIONS)),
        relations=draw(st.none() | names | metapath),
        types=None if of_paths else draw(st.none() | names),
        through=draw(st.none() | names),
        max_degree=draw(st.none() | st.integers(0, 99)),
        where=draw(wheres),
    )


@QUIET
@given(st.builds(HopRequest, st.text(), ends, walks()))
def test_a_hop_request_survives_json(request: HopRequest) -> None:
    again = HopRequest.from_json(request.to_json())
    assert again == request
    assert hash(again) == hash(request)


@QUIET
@given(
    st.builds(PathRequest, st.text(), ends, ends, walks(of_paths=True), st.sampled_from(KINDS), st.integers(0, 10**6))
)
def test_a_path_request_survives_json(request: PathRequest) -> None:
    assert PathRequest.from_json(request.to_json()) == request


def test_the_same_walk_in_other_words_is_the_same_walk() -> None:
    assert Walk(2, relations="has", layer="curated") == Walk(2, relations=["has"], where=Where(layer="curated"))
    assert hash(Walk(2, types=("a", "b"))) == hash(Walk(2, types={"b", "a"}))
    assert Walk(1, relations=[["has"]]) != Walk(1, relations=["has"])  # a metapath of one hop
    assert Walk(2, relations=[]).relations == frozenset()


def test_every_option_of_a_hop_is_one_of_a_walk() -> None:
    assert set(WalkOptions.__annotations__) | set(WalkOptions.__optional_keys__) == (
        {field.name for field in fields(Walk) if field.compare} - {"k"} | {"layer"}
    )


@QUIET
@given(walks())
def test_a_walk_survives_pickling_and_is_found_again(walk: Walk) -> None:
    again = pickle.loads(pickle.dumps(walk))
    assert again == walk
    assert {walk: 1}[again] == 1


def test_the_same_keywords_give_the_same_walk() -> None:
    assert as_walk(2, {"relations": ["b", "a"], "layer": "curated"}) is as_walk(
        2, {"relations": {"a", "b"}, "layer": "curated"}
    )
    assert as_walk(2, {"relations": [["a"], ["b"]]}) == Walk(2, relations=[["a"], ["b"]])
    assert as_walk(2, {"max_degree": 1}).max_degree == 1
    with pytest.raises(InputError, match="max_degree must be a number of triples"):
        as_walk(2, {"max_degree": True})  # equal to 1, but not the same
    with pytest.raises(InputError, match="k must be a number of hops"):
        as_walk(True, {})


@pytest.mark.parametrize(
    "body",
    [
        "no json",
        "[]",
        '{"snapshot": "x", "seeds": []}',
        '{"snapshot": 1, "seeds": [], "walk": {}}',
        '{"snapshot": "x", "seeds": [1.5], "walk": {}}',
        '{"snapshot": "x", "seeds": [true], "walk": {}}',
        '{"snapshot": "x", "seeds": [], "walk": {"hops": 2}}',
        '{"snapshot": "x", "seeds": [], "walk": {"k": -1}}',
        '{"snapshot": "x", "seeds": [], "walk": {"relations": [1]}}',
        '{"snapshot": "x", "seeds": [], "walk": {"where": {"layers": "all"}}}',
    ],
)
def test_a_request_that_is_none_is_refused(body: str) -> None:
    with pytest.raises(InputError):
        HopRequest.from_json(body)


def test_what_paths_do_not_have_is_refused() -> None:
    with pytest.raises(UnknownName, match="simple"):
        PathRequest("x", (), (), Walk(2), kind="short")
    with pytest.raises(InputError, match="limit"):
        PathRequest("x", (), (), Walk(2), limit=-1)
    with pytest.raises(InputError, match="mode"):
        PathRequest("x", (), (), Walk(2, mode="within"))
    assert json.loads(PathRequest("x", (), (), Walk()).to_json())["limit"] == 100
