"""The index on disk: opened without reading, refused when stale or damaged, and equal to looking at every name."""

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import clew
from clew.errors import DerivedError
from clew.graph import read_entities
from clew.link import build_names, open_index, open_or_build, write_names
from clew.link.names.name_index import LAYOUT, LinkIndex, index_path
from clew.link.normalise import key
from effort import examples
from link.named_graphs import Entity, entities, write

ENTITIES: list[Entity] = [
    ("MESH:D008382", "Marfan syndrome", "Disease", ["Marfan's syndrome", "MFS"], ["UMLS:C0024796", "OMIM:154700"]),
    ("NCBIGene:2200", "FBN1", "Gene", ["fibrillin 1"], ["UMLS:C1414591"]),
    ("X:odd id", "Odd", "Other", [], []),
    ("NAMELESS:12345", "NAMELESS:12345", "Other", [], ["UMLS:C0024796"]),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph with its index, to be copied before it is touched."""
    graph = write(ENTITIES, tmp_path_factory.mktemp("made") / "g.clew")
    write_names(graph, build_names(graph))
    return graph.snapshot.folder


@pytest.fixture
def graph(made: Path, tmp_path: Path) -> clew.Engine:
    return clew.open(shutil.copytree(made, tmp_path / "g.clew"))


@pytest.fixture
def index(graph: clew.Engine) -> LinkIndex:
    return open_index(graph)


def ids(graph: clew.Engine, index: LinkIndex, text: str) -> list[str]:
    return [graph.describe([form.entity])["id"][0].as_py() for form in index.find_id(text)]


def test_ids_in_many_spellings(graph: clew.Engine, index: LinkIndex) -> None:
    for text in ("MESH:D008382", "mesh:d008382", "MeSH D008382", "D008382", "https://id.nlm.nih.gov/mesh/D008382"):
        assert ids(graph, index, text) == ["MESH:D008382"], text
    assert ids(graph, index, "OMIM:154700") == ["MESH:D008382"]
    assert ids(graph, index, "X:odd id") == ["X:odd id"]
    assert ids(graph, index, "MESH:D000000") == []


def test_a_shared_cross_reference_gives_all_who_carry_it(graph: clew.Engine, index: LinkIndex) -> None:
    assert set(ids(graph, index, "UMLS:C0024796")) == {"MESH:D008382", "NAMELESS:12345"}


def test_a_bare_number_of_two_prefixes_is_nobodys(tmp_path: Path) -> None:
    graph = write([("A:12345", "a", "T", [], []), ("B:12345", "b", "T", [], ["C:99999"])], tmp_path / "g.clew")
    index = open_or_build(graph)
    assert ids(graph, index, "12345") == []
    assert ids(graph, index, "99999") == ["B:12345"]


def test_an_id_is_no_name(index: LinkIndex) -> None:
    assert index.find(key("NAMELESS:12345")) is None
    assert index.form_count == 6
    assert index.id_count == 8


def test_opening_is_one_pass_over_the_files(hpo: Path) -> None:
    """20 MB are compared with their checksums; nothing else is computed."""
    graph = clew.open(hpo)
    open_or_build(graph)
    times = []
    for _ in range(5):
        begun = time.process_time()
        open_index(graph)
        times.append(time.process_time() - begun)
    assert min(times) < 0.15


def test_an_index_of_another_graph_is_refused(tmp_path: Path, graph: clew.Engine) -> None:
    other = write(ENTITIES[:2], tmp_path / "other.clew")
    shutil.copytree(index_path(graph), index_path(other))
    with pytest.raises(DerivedError, match=r"made for snapshot.*clew index"):
        open_index(other)
    assert open_or_build(other).find(key("Odd")) is None  # made anew


def test_no_index_is_one_sentence(graph: clew.Engine) -> None:
    shutil.rmtree(index_path(graph))
    with pytest.raises(DerivedError, match="does not exist yet: run `clew index"):
        open_index(graph)


@pytest.mark.parametrize("name", LAYOUT)
def test_every_damaged_array_is_found(graph: clew.Engine, name: str) -> None:
    file = index_path(graph) / f"{name}.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 0xFF
    file.write_bytes(bytes(content))
    with pytest.raises(DerivedError, match=r"block 0 \(bytes 0 to \d+\) differs: run `clew index"):
        open_index(graph)
    file.write_bytes(bytes(content[:-1]))
    with pytest.raises(DerivedError, match=r"has \d+ bytes, not \d+"):
        open_index(graph)
    file.unlink()
    with pytest.raises(DerivedError, match="missing"):
        open_index(graph)


@pytest.mark.parametrize("name", [name for name, (_, _, target) in LAYOUT.items() if target is not None])
def test_numbers_out_of_range_never_index(graph: clew.Engine, name: str) -> None:
    """Those of a forger, who makes the seal fit."""
    arrays = build_names(graph)
    assert len(arrays[name])  # something to damage
    write_names(graph, arrays | {name: np.full_like(arrays[name], np.iinfo(arrays[name].dtype).max)})
    index = open_index(graph)
    with pytest.raises(DerivedError, match=r"damaged.*clew index"):
        index._get(name)


def test_where_nothing_can_be_written_it_stays_in_memory(
    graph: clew.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "file"))
    shutil.rmtree(graph.snapshot.folder / "derived")
    (graph.snapshot.folder / "derived").write_text("in the way")
    index = open_or_build(graph)
    row = index.find(key("marfan syndromes"))
    assert row is not None
    assert {form.text for form in index.forms(row)} == {"Marfan syndrome", "Marfan's syndrome"}


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(entities())
def test_what_is_in_memory_is_what_is_on_disk(listed: list[Entity]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        graph = write(listed, Path(folder) / "g.clew")
        arrays = build_names(graph)
        write_names(graph, arrays)
        stored, held = open_index(graph), LinkIndex(arrays.__getitem__)
        for name in LAYOUT:
            assert np.array_equal(stored._get(name), held._get(name)), name
        described, details = read_entities(graph).to_pylist(), read_entities(graph).to_pylist()
        for row, more in zip(described, details, strict=True):
            for form in (row["name"], *(more["synonyms"] or ())):
                found = stored.find(key(form))
                assert row["name"] == row["id"] or form in {each.text for each in stored.forms(found)}
