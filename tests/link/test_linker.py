"""Linking stage by stage, and against a linker that looks at every name."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.errors import InputError, UnknownName
from clew.graph import read_entities
from clew.link import STAGES, Linker, Settings
from effort import examples
from graphs import raw_graphs
from graphs import write as write_raw
from link.named_graphs import Entity, entities, names, reference_link, write
from oracle import RawGraph

ENTITIES: list[Entity] = [
    ("D:1001", "Marfan syndrome", "Disease", ["Marfan's syndrome", "MFS"], ["UMLS:C0024796"]),
    ("G:2200", "FBN1", "Gene", ["fibrillin 1"], []),
    ("P:1166", "Arachnodactyly", "Phenotype", ["Spider fingers", "Long slender fingers"], ["UMLS:C0003706"]),
    ("D:1002", "Diabetes mellitus type 1", "Disease", [], []),
    ("D:1003", "Diabetes mellitus type 2", "Disease", [], []),
    ("D:1004", "Same name", "Disease", [], []),
    ("P:1004", "Same name", "Phenotype", [], []),
    ("D:1005", "Congestive heart failure", "Disease", ["CHF"], []),
    ("G:1005", "CHF", "Gene", [], []),
    ("D:1006", "Hearing impairment", "Disease", [], []),
    ("D:1007", "Learning disorder", "Disease", [], []),
]


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return Linker(write(ENTITIES, tmp_path_factory.mktemp("linker") / "g.clew"))


@pytest.fixture(scope="module")
def hpo_linker(hpo: Path) -> Linker:
    return Linker(clew.open(hpo))


@pytest.mark.parametrize(
    ("mention", "identifier", "stage", "reason"),
    [
        ("P:1166", "P:1166", "id", "exact id"),
        ("p_1166", "P:1166", "id", "id 'P:1166' in another notation"),
        ("UMLS:C0003706", "P:1166", "xref", "exact cross-reference"),
        ("Marfan syndrome", "D:1001", "exact name", "exact name"),
        ("MARFAN SYNDROME", "D:1001", "exact name", "name, ignoring case"),
        ("Spider fingers", "P:1166", "synonym", "exact synonym"),
        ("spider  Fingers", "P:1166", "synonym", "synonym, ignoring case"),
        ("Spider-finger", "P:1166", "normalised", "synonym 'Spider fingers', ignoring punctuation, plural or accents"),
        ("fingers, long slender", "P:1166", "normalised", "ignoring word order, spaces or British spelling"),
        ("arachnodactly", "P:1166", "fuzzy", "1 of 14 letters differs from 'Arachnodactyly'"),
    ],
)
def test_each_stage_says_why(linker: Linker, mention: str, identifier: str, stage: str, reason: str) -> None:
    best = linker.link(mention).best
    assert best is not None
    assert (best.id, best.stage) == (identifier, stage)
    assert reason in best.reason


def test_surer_stages_score_higher(linker: Linker) -> None:
    mentions = ("P:1166", "Arachnodactyly", "Spider fingers", "spider-finger", "slender long fingers")
    scores = [linker.link(mention).best.score for mention in mentions]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores) - 1  # an id and a name are both certain


def test_entities_that_share_a_name_are_alternatives_and_never_merged(linker: Linker) -> None:
    linked = linker.link("Same name")
    assert linked.ambiguous
    assert linked.margin == 0
    assert {linked.best.id, *(alternative.id for alternative in linked.alternatives)} == {"D:1004", "P:1004"}


def test_a_type_decides_between_namesakes(linker: Linker) -> None:
    linked = linker.link("Same name", type="Phenotype")
    assert linked.best.id == "P:1004"
    assert not linked.alternatives
    assert {each.id for each in linker.link("Same name", type=["Disease", "Phenotype"]).candidates} == {
        "D:1004",
        "P:1004",
    }


def test_an_unknown_type_is_an_error_that_helps(linker: Linker) -> None:
    with pytest.raises(UnknownName, match="did you mean 'Disease'"):
        linker.link("Same name", type="Diseas")


def test_a_context_decides_between_namesakes(tmp_path: Path) -> None:
    import pyarrow as pa

    import clew

    table = pa.table(
        {
            "id": ["A:1001", "B:1001", "C:1001", "C:1002"],
            "name": ["Cold", "Cold", "sneezing nose", "winter weather"],
            "type": ["T"] * 4,
        }
    )
    triples = pa.table({"subject": ["A:1001", "B:1001"], "relation": ["r", "r"], "object": ["C:1001", "C:1002"]})
    clew.build(triples, entities=table, out=tmp_path / "g.clew")
    linker = Linker(clew.open(tmp_path / "g.clew"))
    for context, expected in (("a nose that keeps sneezing", "A:1001"), ("the weather in winter", "B:1001")):
        linked = linker.link("Cold", context=context)
        assert linked.best.id == expected
        assert "the text" in linked.best.reason
        assert len(linked.alternatives) == 1  # still a alternative: a context is no proof
        assert sorted(each.id for each in linked.candidates) == ["A:1001", "B:1001"]


def test_an_abbreviation_means_what_the_text_says(linker: Linker) -> None:
    alone = linker.link("CHF")
    assert alone.best.id == "G:1005"
    assert [alternative.id for alternative in alone.alternatives] == ["D:1005"]
    text = "Patients with congestive heart failure (CHF) were treated; CHF improved."
    linked = linker.link("CHF", context=text)
    assert (linked.best.id, linked.best.stage) == ("D:1005", "abbreviation")
    assert "short for 'congestive heart failure'" in linked.best.reason
    assert linker.link("CHFs", context=text).best.id == "D:1005"
    assert linker.link("CHF", long_form="no such thing at all").best.id == "G:1005"


def test_a_name_that_looks_like_an_id_is_still_a_name(tmp_path: Path) -> None:
    listed: list[Entity] = [
        ("X:1000", "Something", "T", [], []),
        ("Y:1", "X 1000", "T", [], []),
        ("Y:2", "X:1000", "T", [], []),
    ]
    linker = Linker(write(listed, tmp_path / "g.clew", writable=False))
    assert linker.link("X 1000").best.id == "Y:1"
    assert {each.id for each in linker.link("X 1000").alternatives} == {"X:1000", "Y:2"}
    assert {each.id for each in linker.link("X:1000").candidates} == {"X:1000", "Y:1", "Y:2"}


def test_numbers_are_never_guessed(linker: Linker) -> None:
    linked = linker.link("Diabetes mellitus type 3")
    assert linked.best is None
    assert {"D:1002", "D:1003"} <= {each.id for each in linked.candidates}


def test_a_word_that_is_a_word_is_no_misspelling(linker: Linker) -> None:
    assert linker.link("Hearin impairment").best.id == "D:1006"
    assert linker.link("Learning impairment").best is None


def test_a_deepest_stage_stops_the_guessing(linker: Linker) -> None:
    assert linker.link("arachnodactly", last_stage="normalised").candidates == ()
    assert linker.link("Spider-finger", last_stage="synonym").best is None
    assert linker.link("Spider fingers", last_stage="exact name").best is None
    with pytest.raises(UnknownName, match="no stage is called 'guess'"):
        linker.link("x", last_stage="guess")


@pytest.mark.parametrize("mention", ["", "   ", "\n", "?!", "x", "\ud800", "\x00", "a" * 5000, "🧬" * 50])
def test_odd_mentions_are_no_errors(linker: Linker, mention: str) -> None:
    assert linker.link(mention).best is None


def test_a_limit_shortens_candidates_only(linker: Linker) -> None:
    linked = linker.link("Same name", limit=1)
    assert len(linked.candidates) == 1
    assert len(linked.alternatives) == 1


def test_settings_are_checked() -> None:
    with pytest.raises(InputError, match="fuzzy_accept"):
        Settings(fuzzy_accept=2)
    with pytest.raises(InputError, match="at least 1"):
        Settings(most_read=0)


def test_stages_have_names() -> None:
    assert STAGES == ("id", "xref", "exact name", "synonym", "normalised", "abbreviation", "fuzzy", "embedding")


class TestAgainstTheReference:
    @settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(entities(), st.lists(names(), min_size=1, max_size=4), st.sampled_from((None, "Gene", "Disease")))
    def test_names_and_synonyms(self, listed: list[Entity], mentions: list[str], type: str | None) -> None:
        with tempfile.TemporaryDirectory() as folder:
            graph = write(listed, Path(folder) / "g.clew", writable=False)
            if type is not None and type not in graph.schema.types:
                type = None
            linker = Linker(graph)
            for mention in [*mentions, *(each[1] for each in listed)]:
                if not mention.strip() or linker.index.find_id(mention):
                    continue
                linked = linker.link(mention, type=type, last_stage="normalised", limit=100)
                expected = reference_link(graph, mention.strip(), type=type)
                assert {each.id: each.score for each in linked.candidates} == expected
                assert (linked.best is None) == (not expected)

    @settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(raw_graphs())
    def test_graphs_with_odd_ids(self, raw: RawGraph) -> None:
        with tempfile.TemporaryDirectory() as folder:
            write_raw(raw, Path(folder) / "g.clew")
            (Path(folder) / "g.clew" / "derived").write_text("a file where a folder should be")
            linker = Linker(clew.open(Path(folder) / "g.clew"))
            for row in read_entities(linker.engine).to_pylist():
                for mention in (row["id"], row["name"]):
                    linked = linker.link(mention)
                    assert row["id"] in {linked.best.id, *(alternative.id for alternative in linked.alternatives)}
                if row["name"] != row["id"] and not linker.index.find_id(row["name"]):
                    linked = linker.link(row["name"], last_stage="normalised", limit=100)
                    expected = reference_link(linker.engine, row["name"].strip())
                    assert {each.id: each.score for each in linked.candidates} == expected

    @settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(entities())
    def test_every_entity_is_found_by_its_own_name(self, listed: list[Entity]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            linker = Linker(write(listed, Path(folder) / "g.clew", writable=False))
            for identifier, name, type, synonyms, _ in listed:
                for mention, how in ((identifier, None), (name, type)):
                    if not mention.strip():
                        continue
                    linked = linker.link(mention, type=how)
                    assert identifier in {linked.best.id, *(alternative.id for alternative in linked.alternatives)}
                for each in linker.link(name).candidates:
                    _, called, _, others, _ = next(entity for entity in listed if entity[0] == each.id)
                    assert each.matched in (each.id, called, *others, *synonyms)


class TestOnHpo:
    def test_names_shared_in_the_ontology_give_alternatives(self, hpo_linker: Linker) -> None:
        linked = hpo_linker.link("Marfan syndrome")
        found = {linked.best.id, *(alternative.id for alternative in linked.alternatives)}
        assert {"OMIM:154700", "ORPHA:558"} <= found
        assert linked.margin == 0

    def test_every_thousandth_name_is_its_own(self, hpo_linker: Linker) -> None:
        described = read_entities(hpo_linker.engine).to_pylist()[::1000]
        for entity in described:
            linked = hpo_linker.link(entity["name"])
            assert entity["id"] in {linked.best.id, *(alternative.id for alternative in linked.alternatives)}
            assert hpo_linker.link(entity["id"]).best.id == entity["id"]

    def test_a_misspelling(self, hpo_linker: Linker) -> None:
        assert hpo_linker.link("marfan syndrom", type="Disease").best.name == "Marfan syndrome"
        assert hpo_linker.link("arachnodactly").best.id == "HP:0001166"
