"""Linking by likeness: 3-gram Jaccard against a naive version, the bar, and what an encoder decides."""

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import InputError
from clew.extract.mentions.heads import HEADS
from clew.extract.mentions.linking import LinkingSettings, jaccard, link_heads, link_strings
from clew.link import Linker
from extract.seeds import make_seed


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return Linker(make_seed(tmp_path_factory.mktemp("linking")))


@given(st.text("ab ", min_size=1), st.text("ab ", min_size=1))
def test_jaccard_is_symmetric_and_one_for_the_same(one: str, other: str) -> None:
    assert jaccard(one, other) == jaccard(other, one)
    assert jaccard(one, one) == 1 or not one.strip()
    assert 0 <= jaccard(one, other) <= 1


def test_jaccard_by_hand() -> None:
    # " ab", "ab " against " ab", "abc", "bc "
    assert jaccard("ab", "abc") == pytest.approx(1 / 4)


@pytest.mark.parametrize("encoder", [None, HashedEncoder()])
def test_what_looks_alike_is_linked_and_what_does_not_is_not(linker: Linker, encoder: HashedEncoder | None) -> None:
    links = link_strings(["gastric ulceration", "tuberculosis", "gastric ulceration"], linker, encoder=encoder)
    assert links[1] is None
    assert links[0] == links[2]
    assert links[0] is not None
    assert links[0].matched == "gastric ulcer"
    assert (links[0].cosine is None) == (encoder is None)
    assert links[0].jaccard == pytest.approx(jaccard("gastric ulceration", "gastric ulcer"))


def test_the_bar_is_a_bar(linker: Linker) -> None:
    alike = jaccard("gastric ulceration", "gastric ulcer")
    assert link_strings(["gastric ulceration"], linker, settings=LinkingSettings(jaccard=alike)) == [None]
    with pytest.raises(InputError):
        LinkingSettings(candidates=0)


def test_only_heads_without_an_entity_are_linked(linker: Linker) -> None:
    row = {"head": 0, "sequence": 0, "first": 0, "last": 1, "start": 0, "end": 7, "score": 1.0, "method": "given"}
    rows = [
        {**row, "text": "aspirins!", "entity": None, "type": None},
        {**row, "text": "aspirins!", "entity": "D:1", "type": "Disease"},
        {**row, "text": "nothing like it", "entity": None, "type": None},
    ]
    linked = link_heads(pa.Table.from_pylist(rows, HEADS), linker).to_pylist()
    assert [each["entity"] for each in linked] == ["C:1", "D:1", None]
    assert linked[0]["type"] == "Chemical"


def test_vectors_of_names_are_used_where_they_are(tmp_path: Path) -> None:
    from clew.link import build_vectors

    graph, encoder = make_seed(tmp_path), HashedEncoder()
    build_vectors(graph, encoder)
    (link,) = link_strings(["stomach ulcers"], Linker(graph), encoder=encoder)
    assert link is not None
    assert link.matched == "stomach ulcer"
