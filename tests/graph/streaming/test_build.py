"""A build in bounded memory gives the same bytes as one in memory, reports the same rows, and resumes."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import clew
from clew.errors import BuildError, InputError
from clew.graph import Relation, Source
from clew.graph.staging import Problems
from clew.graph.storage.manifest import read_manifest
from clew.graph.storage.snapshots import snapshot_folder
from clew.graph.streaming import build as streaming
from clew.graph.streaming.build import Tables, stream_graph

ENTITIES, TRIPLES, MEMORY = 9000, 12000, 2_000_000  # several buckets, pieces and blocks
DECLARED = {
    "relations": [Relation("r0", symmetric=True), Relation("r1", negated=True), Relation("unused")],
    "sources": [Source("S", curated=True)],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables with everything that a statement and an entity may have, and rows that repeat."""
    rng = np.random.default_rng(3)
    folder = tmp_path_factory.mktemp("tables")

    def some(values: list[Any]) -> pa.Array:
        return pa.array([values[at] for at in rng.integers(0, len(values), TRIPLES)])

    ends = (ENTITIES * rng.random((2, TRIPLES)) ** 2).astype(int)
    days = pa.array([None if day % 3 else int(day) for day in rng.integers(0, 20000, TRIPLES)], pa.int32())
    triples = pa.table(
        {
            "subject": [f"X:{each}" for each in ends[0]],
            "relation": [f"r{each}" for each in rng.integers(0, 6, TRIPLES)],
            "object": [f"X:{each}" for each in ends[1]],
            "source": some(["S", "T", None]),
            "document": [f"d{each}" for each in rng.integers(0, 500, TRIPLES)],
            "negated": some([True, False, None, False]),
            "confidence": some([0.5, None, 0.25]),
            "evidence": some([["a", "b"], None, ["c"], []]),
            "qualifier:frequency": some(["rare", "often", None]),
            "qualifier:none": pa.nulls(TRIPLES, pa.string()),
            "valid_from": days.cast(pa.date32()),
        }
    )
    triples = pa.concat_tables([triples, triples.slice(100, 3000)])
    numbers = range(ENTITIES)
    entities = pa.table(
        {
            "id": [f"X:{each}" for each in rng.permutation(ENTITIES)],
            "name": [None if each % 7 == 0 else f"Näme {each % 4000} of Ö" for each in numbers],
            "type": [["A", "B", None, "C"][each % 4] for each in numbers],
            "synonyms": pa.array(
                [[f"Syn {each}", "x"] if each % 5 == 0 else ([] if each % 3 else None) for each in numbers],
                pa.list_(pa.string()),
            ),
            "weight": rng.random(ENTITIES),
            "note": [f"n{each % 9}" for each in numbers],
        }
    )
    pq.write_table(triples, folder / "triples.parquet", row_group_size=7000)
    pq.write_table(entities, folder / "entities.parquet")
    plain = triples.select(["subject", "relation", "object", "source"])
    pa_csv.write_csv(plain.slice(0, 4000), folder / "plain.csv")
    return folder


@pytest.mark.parametrize(
    ("options", "described"),
    [
        ({}, True),
        ({"partitions": 4}, True),
        ({"partitions": 4, "partitioning": "local"}, True),
        ({"partitions": 3, "wide": True}, True),
        ({"partitions": 4}, False),
    ],
)
def test_the_same_bytes_as_in_memory(folder: Path, tmp_path: Path, options: dict[str, Any], described: bool) -> None:
    entities = folder / "entities.parquet" if described else None
    given: dict[str, Any] = {"entities": entities, **DECLARED, **options}
    whole = clew.build(folder / "triples.parquet", out=tmp_path / "whole.clew", **given)
    streamed = clew.build(folder / "triples.parquet", out=tmp_path / "streamed.clew", memory=MEMORY, **given)
    assert streamed.snapshot.id == whole.snapshot.id  # the name of a snapshot is a checksum of all its files
    assert streamed.counts == whole.counts
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []
    streamed.verify()


def test_text_and_several_files(folder: Path, tmp_path: Path) -> None:
    files = [folder / "plain.csv", folder / "triples.parquet"]
    made = [
        clew.build(files, out=tmp_path / f"{memory}.clew", partitions=2, memory=memory).snapshot.id
        for memory in (None, MEMORY)
    ]
    assert made[0] == made[1]


def test_an_empty_table(tmp_path: Path) -> None:
    (tmp_path / "none.csv").write_text("subject,relation,object\n")
    made = [
        clew.build(tmp_path / "none.csv", out=tmp_path / f"{memory}.clew", memory=memory).snapshot.id
        for memory in (None, "1MB")
    ]
    assert made[0] == made[1]


def test_bad_rows_are_reported_as_in_memory(tmp_path: Path) -> None:
    rows = [f"X:{at},r,X:{at + 1}" for at in range(300)]
    rows[70] = "X:1,r"
    rows[200] = "X:1,,X:2"
    rows[250] = "X:1,q,X:missing"
    (tmp_path / "rows.csv").write_text("subject,relation,object\n" + "\n".join(rows) + "\n")
    (tmp_path / "entities.csv").write_text("id\n" + "\n".join(f"X:{at}" for at in range(301)) + "\n")
    found = []
    for memory in (None, 300_000):
        given: dict[str, Any] = {"entities": tmp_path / "entities.csv", "memory": memory}
        with pytest.raises(BuildError) as refused:
            clew.build(tmp_path / "rows.csv", out=tmp_path / "refused.clew", **given)
        made = clew.build(tmp_path / "rows.csv", out=tmp_path / f"{memory}.clew", on_error="skip", **given)
        found.append((str(refused.value), made.snapshot.id, dict(made.snapshot.problems)))
    assert found[0] == found[1]
    assert found[0][2] == {"malformed row": 2, "dangling reference": 1}
    assert not (tmp_path / "refused.clew").exists()


@pytest.mark.parametrize("phase", [0, 2, 4, 7])
def test_an_interrupted_build_resumes(
    folder: Path, tmp_path: Path, phase: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = Tables(folder / "triples.parquet", folder / "entities.parquet", **DECLARED)
    done: list[str] = []

    def stop(what: str, step: int, steps: int) -> None:
        done.append(what)
        if len(done) == phase + 2:
            raise KeyboardInterrupt

    out = tmp_path / "g.clew"
    with pytest.raises(KeyboardInterrupt):
        stream_graph(tables, out, memory=MEMORY, problems=Problems(), partitions=2, progress=stop)
    assert not out.exists()
    begun: list[str] = []
    for name in ("described_entities", "number_triples", "number_entities", "write_entities", "write_names"):
        real = getattr(streaming, name)
        monkeypatch.setattr(
            streaming, name, lambda *a, _real=real, _name=name, **k: (begun.append(_name), _real(*a, **k))[1]
        )
    stream_graph(tables, out, memory=MEMORY, problems=Problems(), partitions=2)
    steps = ["described_entities", "number_triples", "number_entities", "", "", "", "write_entities", "write_names"]
    assert begun == [name for name in steps[phase + 1 :] if name]
    whole = clew.build(
        folder / "triples.parquet",
        entities=folder / "entities.parquet",
        out=tmp_path / "w.clew",
        partitions=2,
        **DECLARED,
    )
    assert read_manifest(snapshot_folder(out)).snapshot == whole.snapshot.id


def test_what_is_refused(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.clew"
    with pytest.raises(InputError, match=r"memory=100\.0 KB is too little to number 9,000 entities: allow at least"):
        clew.build(folder / "triples.parquet", entities=folder / "entities.parquet", out=out, memory="100KB")
    with pytest.raises(InputError, match="memory must be a size such as"):
        clew.build(folder / "triples.parquet", out=out, memory="much")
    with pytest.raises(InputError, match="merge= cannot be given with memory="):
        clew.build(folder / "triples.parquet", out=out, memory="1GB", merge=["xrefs"])
    with pytest.raises(InputError, match=r"memory= builds from tables .*, not from hpo"):
        clew.build("hpo", out=out, memory="1GB")
    twice = pa.table({"id": ["a", "b", "a"]})
    with pytest.raises(BuildError, match=r"'a' is described twice \(rows 1 and 3 of the entities\)"):
        clew.build(
            pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]}), entities=twice, out=out, memory="1MB"
        )
    described = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"], "subject_name": ["A"]})
    with pytest.raises(InputError, match=r"describes its ends \(subject_name\)"):
        clew.build(described, out=out, memory="1MB")
    assert not out.exists()
