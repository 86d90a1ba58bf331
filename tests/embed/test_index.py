"""Indexes of both kinds: found rows, limits, restrictions, and everything that can be wrong on disk."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from clew.checksums import json_text, record_files
from clew.embed import VectorIndex, build_index
from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import DerivedError, InputError, MissingDependency
from clew.sealed import SEAL

WHAT, REMEDY = "the name vectors of toy.clew", "clew index toy.clew"
ENCODER = HashedEncoder(dimension=96)
TEXTS = [f"{kind} of the {organ}" for kind in ("pain", "atrophy", "tumour", "absence", "ache") for organ in (
    "hand", "foot", "eye", "ear", "heart", "liver", "kidney", "nose", "tongue", "lung", "skin", "bone"
)] + ["Seizure", "Seizure", "seizure"]  # fmt: skip


@pytest.fixture(params=["exact", "approximate"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    build_index(tmp_path / "index", TEXTS, ENCODER, identity={"snapshot": "abc"}, what=WHAT, kind=request.param)
    return tmp_path / "index"


@pytest.fixture
def index(path: Path) -> VectorIndex:
    return VectorIndex.open(path, {"snapshot": "abc"}, what=WHAT, remedy=REMEDY)


def test_it_says_what_it_is(index: VectorIndex) -> None:
    assert (len(index), index.dimension) == (63, 96)
    assert index.identity["encoder"] == ENCODER.identity
    assert index.identity["snapshot"] == "abc"
    assert index.identity["count"] == 63
    assert not index.vectors.flags.writeable
    np.testing.assert_allclose(index.vectors, ENCODER.encode(TEXTS), atol=1e-3)


def test_the_nearest_is_the_text_itself_and_ties_go_by_row(index: VectorIndex) -> None:
    found = index.nearest(ENCODER.encode(["seizure", "pain of the eye"]), k=4)
    assert found.rows.shape == found.scores.shape == (2, 4)
    assert found.rows[0, :3].tolist() == [60, 61, 62]
    assert found.rows[1, 0] == TEXTS.index("pain of the eye")
    np.testing.assert_allclose(found.scores[:, 0], 1, atol=1e-3)
    assert (np.diff(found.scores, axis=1) <= 0).all()


def test_one_query_is_a_batch_of_one_and_need_not_have_unit_length(index: VectorIndex) -> None:
    query = ENCODER.encode(["tumour of the lung"])[0]
    found = index.nearest(7 * query, k=3)
    assert found.rows.shape == (1, 3)
    np.testing.assert_array_equal(found.rows, index.nearest(query[None], k=3).rows)
    assert found.scores.max() <= 1.001


def test_more_than_there_are_is_padded(index: VectorIndex) -> None:
    found = index.nearest(ENCODER.encode(["ache"]), k=80)
    assert sorted(found.rows[0, :63]) == list(range(63))
    assert set(found.rows[0, 63:]) == {-1}
    assert np.isneginf(found.scores[0, 63:]).all()


def test_a_search_among_rows_finds_no_others(index: VectorIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    among = [5, 3, 3, 61, 40]
    query = ENCODER.encode(["seizure"])
    for few in (2048, 0):  # one by one, and through the index
        monkeypatch.setattr("clew.embed.index.FEW", few)
        found = index.nearest(query, k=2, rows=among)
        assert found.rows[0, 0] == 61
        assert set(index.nearest(query, k=9, rows=among).rows[0]) == {3, 5, 40, 61, -1}
        assert set(index.nearest(query, k=2, rows=[]).rows[0]) == {-1}


@pytest.mark.parametrize("rows", [[-1], [63], [0, 99]])
def test_rows_that_are_not_there_are_refused(index: VectorIndex, rows: list[int]) -> None:
    with pytest.raises(InputError, match="this index has rows 0 to 62"):
        index.nearest(ENCODER.encode(["x"]), rows=rows)


@pytest.mark.parametrize(
    ("query", "k", "said"),
    [
        (np.ones((2, 95)), 1, r"expected \(m, 96\)"),
        (np.ones((1, 1, 96)), 1, "expected"),
        (np.full(96, np.nan), 1, "finite"),
        (np.ones(96), 0, "k is 0"),
    ],
)
def test_queries_that_cannot_be_asked(index: VectorIndex, query: np.ndarray, k: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        index.nearest(query, k=k)


def test_no_queries_and_no_length(index: VectorIndex) -> None:
    assert index.nearest(np.empty((0, 96)), k=3).rows.shape == (0, 3)
    assert (index.nearest(np.zeros(96), k=3).scores == 0).all()


def test_another_model_is_refused_with_the_command_that_rebuilds(path: Path) -> None:
    with pytest.raises(DerivedError, match=r"was made for encoder 'hashed-96', not 'minilm-1': run `clew index toy"):
        VectorIndex.open(path, {"encoder": "minilm-1"}, what=WHAT, remedy=REMEDY)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(DerivedError, match=r"the name vectors of toy\.clew does not exist yet: run `clew index"):
        VectorIndex.open(tmp_path / "none", {}, what=WHAT, remedy=REMEDY)


@pytest.mark.parametrize("name", ["vectors.npy", "heads.npy", "directions.npy"])
def test_a_damaged_header_is_one_sentence(path: Path, name: str) -> None:
    content = bytearray((path / name).read_bytes())
    content[:90] = b"\x93NUMPY" + b"\xff" * 84
    (path / name).write_bytes(content)
    seal = json.loads((path / SEAL).read_text())  # as a forger would make it
    del seal["checksum"]
    seal["files"][name] = asdict(record_files(path)[name])
    (path / SEAL).write_text(json_text(seal))
    with pytest.raises(DerivedError, match=r"cannot be read \(.*\): run `clew index toy"):
        VectorIndex.open(path, {}, what=WHAT, remedy=REMEDY)


def test_an_altered_graph_is_not_walked(tmp_path: Path) -> None:
    build_index(tmp_path / "index", TEXTS, ENCODER, identity={}, what=WHAT, kind="approximate")
    file = tmp_path / "index" / "graph.usearch"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    index = VectorIndex.open(tmp_path / "index", {}, what=WHAT, remedy=REMEDY)
    with pytest.raises(DerivedError, match=r"graph\.usearch is damaged: block 0 .* differs: run `clew index toy"):
        index.nearest(ENCODER.encode(["x"]))


def test_an_empty_index(tmp_path: Path) -> None:
    index = build_index(tmp_path / "index", [], ENCODER, identity={}, what=WHAT)
    assert len(index) == 0
    assert set(index.nearest(ENCODER.encode(["x"]), k=2).rows[0]) == {-1}


def test_without_usearch_a_large_index_is_exact_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("clew.embed.build.EXACT_BELOW", 10)
    monkeypatch.setattr("clew.embed.build.usearch_installed", lambda: False)
    monkeypatch.setitem(__import__("sys").modules, "usearch.index", None)
    assert build_index(tmp_path / "index", TEXTS, ENCODER, identity={}, what=WHAT).identity["kind"] == "exact"
    assert "clew[vectors]" in caplog.text
    with pytest.raises(MissingDependency, match=r"clew\[vectors\]"):
        build_index(tmp_path / "index", TEXTS, ENCODER, identity={}, what=WHAT, kind="approximate")


def test_large_means_approximate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.embed.build.EXACT_BELOW", 10)
    assert build_index(tmp_path / "index", TEXTS, ENCODER, identity={}, what=WHAT).identity["kind"] == "approximate"


def test_recall_of_the_approximate_kind(tmp_path: Path) -> None:
    """Clustered vectors, as names give them; benchmarks/linking/vectors.py measures on real ones."""
    random = np.random.default_rng(0)
    centres = random.normal(size=(60, 48))
    rows = centres[random.integers(0, 60, 6000)] + 0.7 * random.normal(size=(6000, 48))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)

    class Given:
        name = identity = "given"
        dimension = 48

        def encode(self, texts: list[str], *, progress: object = None) -> np.ndarray:
            return rows[[int(text) for text in texts]].astype(np.float32)

    texts = [str(number) for number in range(6000)]
    both = [
        build_index(tmp_path / kind, texts, Given(), identity={}, what=WHAT, kind=kind).nearest(rows[::60], k=10).rows
        for kind in ("exact", "approximate")
    ]
    recall = np.mean([len(set(exact) & set(found)) / 10 for exact, found in zip(*both, strict=True)])
    assert recall >= 0.98


def test_threads_may_search_at_once(index: VectorIndex) -> None:
    from concurrent.futures import ThreadPoolExecutor

    queries = ENCODER.encode(TEXTS)
    wanted = index.nearest(queries, k=3).rows
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: index.nearest(queries, k=3).rows, range(8)):
            np.testing.assert_array_equal(rows, wanted)
