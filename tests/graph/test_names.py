"""Finding entities: by id whatever the hashes do, by name letter for letter, by text best first."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.errors import AmbiguousName, UnknownName
from clew.graph import names
from clew.graph.names import hash_string, hash_strings

ODD = [
    "a|b",
    'say "hi"',
    "two\nlines",
    "tab\there",
    "nul\x00l",
    "🧬 gene",
    "ΟΔΟΣ",
    "İzmir",
    "  spaced  out ",
    "ſtraße",
    "é",
]


def build(out: Path, entities: dict[str, list[object]]) -> clew.Engine:
    nothing = pa.array([], pa.string())
    triples = pa.table({"subject": nothing, "relation": nothing, "object": nothing})
    return clew.build(triples, entities=pa.table(entities), out=out, overwrite=True)


@pytest.fixture(scope="module")
def genes(tmp_path_factory: pytest.TempPathFactory) -> clew.Engine:
    return build(
        tmp_path_factory.mktemp("names") / "g.clew",
        {
            "id": ["G:1", "G:2", "G:3", "G:4", "G:5", "G:6"],
            "name": [
                "fibrillin 2",
                "fibrillin",
                "Marfan syndrome",
                "marfan syndrome",
                "Marfan syndrome",
                "fibrillinlike",
            ],
            "synonyms": [["FBN", "fibrillin"], ["FBN1", "fibril"], ["MFS"], None, None, ["mfs  type\n1"]],
        },
    )


class TestHashes:
    @settings(deadline=None)
    @given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=8), st.integers(0, 3))
    def test_many_at_once_are_those_of_each(self, texts: list[str], start: int) -> None:
        array = pa.array(texts, pa.string()).slice(start)
        assert hash_strings(array).tolist() == [hash_string(text) for text in texts[start:]]

    def test_trailing_nul_and_order_count(self) -> None:
        assert len({hash_string(text) for text in ("", "\0", "\0\0", "a", "a\0", "ab", "ba")}) == 7


class TestById:
    def test_every_id_is_found_when_hashes_collide(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(names, "hash_string", lambda text: len(text) % 2)
        monkeypatch.setattr(
            "clew.graph.build.hash_strings",
            lambda ids: np.array([len(each) % 2 for each in ids.to_pylist()], np.uint64),
        )
        ids = [f"n{number}" for number in range(30)]
        index = build(tmp_path / "g.clew", {"id": ids})._graph.names
        assert [index.by_id(each) for each in ids] == list(range(30))
        assert index.by_id("n30") is None
        assert index.by_id("n300") is None

    @pytest.mark.parametrize("text", ["", "nothing", "\ud800", "x" * 100_000, "\0"])
    def test_what_is_not_there_is_none(self, genes: clew.Engine, text: str) -> None:
        assert genes._graph.names.by_id(text) is None


class TestByName:
    @pytest.mark.parametrize("name", ODD)
    def test_any_name_is_found_letter_for_letter(self, tmp_path: Path, name: str) -> None:
        engine = build(tmp_path / "g.clew", {"id": ["n1", "n2"], "name": [name, "other"]})
        assert engine.lookup_name(name) == [0]
        assert engine.resolve(name).tolist() == [0]
        assert (engine.find(name)[0].id, engine.find(name)[0].how) == ("n1", "name")

    @pytest.mark.parametrize("identifier", ODD)
    def test_any_id_is_found(self, tmp_path: Path, identifier: str) -> None:
        engine = build(tmp_path / "g.clew", {"id": ["first", identifier], "name": ["x", "y"]})
        assert engine.resolve(identifier).tolist() == [1]

    def test_case_counts_and_synonyms_do_not(self, genes: clew.Engine) -> None:
        index = genes._graph.names
        assert index.by_name("marfan syndrome") == [3]
        assert index.by_name("Marfan syndrome") == [2, 4]
        assert index.by_name("FBN1") == []
        assert index.by_name("\ud800") == []

    def test_a_name_of_several_lists_them(self, genes: clew.Engine) -> None:
        with pytest.raises(AmbiguousName, match=r"2 entities are called 'Marfan syndrome': .* G:3, G:5") as error:
            genes.resolve("Marfan syndrome")
        assert error.value.candidates == ("G:3", "G:5")

    def test_an_unknown_name_offers_close_ones(self, genes: clew.Engine) -> None:
        with pytest.raises(
            UnknownName, match=r"no entity has the id or name 'fibrilin'; did you mean .*G:2 \(fibrillin\)"
        ):
            genes.resolve("fibrilin")
        with pytest.raises(UnknownName, match="no entity has the id or name"):
            genes.resolve("\ud800")

    @pytest.mark.parametrize("number", [-1, 6, 10**30, -(10**30)])
    def test_a_number_that_no_entity_has_is_refused(self, genes: clew.Engine, number: int) -> None:
        with pytest.raises(UnknownName, match=f"no entity has the number {number}: .* 0 to 5"):
            genes.resolve(number)
        with pytest.raises(UnknownName, match="no entity has the number"):
            genes.resolve(["G:1", number])


class TestSearch:
    def found(self, genes: clew.Engine, text: str, limit: int = 10) -> list[tuple[str, str]]:
        return [(hit.id, hit.how) for hit in genes.find(text, limit=limit)]

    def test_a_name_comes_before_a_synonym_before_a_prefix(self, genes: clew.Engine) -> None:
        # G:1 has the lower number, but "fibrillin" is only its synonym.
        assert self.found(genes, "fibrillin")[:3] == [("G:2", "name"), ("G:1", "synonym"), ("G:6", "prefix")]

    def test_whole_names_are_found_without_prefixes_or_misspellings(self, genes: clew.Engine) -> None:
        hits = genes.find(" FIBRILLIN", whole=True)
        assert [(hit.id, hit.how, hit.score) for hit in hits] == [("G:2", "name", 1.0), ("G:1", "synonym", 1.0)]
        assert genes.find("fibr", whole=True) == genes.find("marfn syndrome", whole=True) == []

    def test_an_id_comes_first(self, genes: clew.Engine) -> None:
        assert self.found(genes, "G:4", limit=1) == [("G:4", "id")]

    def test_case_and_spaces_do_not_matter(self, genes: clew.Engine) -> None:
        expected = [("G:3", "name"), ("G:4", "name"), ("G:5", "name")]
        assert self.found(genes, "  MARFAN   Syndrome ", limit=3) == expected

    def test_a_shorter_completion_of_a_prefix_comes_first(self, genes: clew.Engine) -> None:
        assert self.found(genes, "fibr", limit=3) == [("G:2", "prefix"), ("G:1", "prefix"), ("G:6", "prefix")]

    @pytest.mark.parametrize("text", ["marfan syndrom", "marfn syndrome", "syndrome marfan", "mafran syndrome"])
    def test_misspellings_are_found(self, genes: clew.Engine, text: str) -> None:
        assert {each for each, _ in self.found(genes, text, limit=3)} == {"G:3", "G:4", "G:5"}

    def test_synonyms_with_line_breaks_are_found_as_they_are(self, genes: clew.Engine) -> None:
        assert self.found(genes, "MFS  type\n1", limit=1) == [("G:6", "synonym")]

    def test_each_entity_once_and_no_more_than_asked(self, genes: clew.Engine) -> None:
        hits = genes.find("fibril", limit=2)
        assert [(hit.id, hit.how, hit.matched) for hit in hits] == [
            ("G:2", "synonym", "fibril"),
            ("G:1", "prefix", "fibrillin"),
        ]
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)

    @pytest.mark.parametrize("text", ["", "   ", "\ud800", "zzzzqqqq", "\0"])
    def test_nothing_found_is_empty(self, genes: clew.Engine, text: str) -> None:
        assert genes.find(text) == []
