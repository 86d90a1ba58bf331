"""Lists in one string, and queries that take them apart."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import QueryError
from clew.store.cypher import parse, render
from clew.store.packing import pack, unpack, unpack_properties

TEXT = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x1e\x1f"), max_size=5)


@given(st.lists(st.lists(TEXT, min_size=1, max_size=4), min_size=1, max_size=6))
def test_what_is_packed_comes_out(lists: list[list[str]]) -> None:
    assert [unpack(each) for each in pack(pa.array(lists, pa.list_(pa.string()))).to_pylist()] == lists


def test_separators_in_values_become_spaces() -> None:
    packed = pack(pa.array([["a\x1fb", "\x1e"]], pa.list_(pa.string()))).to_pylist()
    assert unpack(packed[0]) == ["a b", " "]


def test_only_packed_properties_are_rewritten() -> None:
    statement = parse("MATCH (a)-[r:R]->(b) WHERE 'x' IN r.source RETURN a.name, r.triple")
    text = render(unpack_properties(statement, frozenset({"source"})), "ladybug")
    assert "string_split(r.source" in text
    assert "r.triple" in text
    assert unpack_properties(statement, frozenset()) == statement


def test_packed_properties_are_not_matched_in_brackets() -> None:
    statement = parse("MATCH (a)-[r:R {source: ['x']}]->(b) RETURN a")
    with pytest.raises(QueryError, match="source in WHERE"):
        unpack_properties(statement, frozenset({"source"}))
