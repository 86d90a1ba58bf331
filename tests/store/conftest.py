"""A small graph of genes and diseases for the stores."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from arcadedb import arcadedb  # noqa: F401 (a fixture)
from clew.graph import Relation

Rows = list[tuple[str, str, str]]
TRIPLES: Rows = [
    ("G:1", "associated with", "D:1"),
    ("G:1", "associated with", "D:2"),
    ("G:2", "associated with", "D:2"),
    ("D:1", "resembles", "D:2"),
]
TYPES = {"G": "Gene", "D": "Disease", "X": "Other"}


def write(out: Path, triples: Rows, *, entities: tuple[str, ...] = (), wide: bool = False) -> clew.Engine:
    subject, relation, object_ = zip(*triples, strict=True) if triples else ((), (), ())
    ids = sorted({*subject, *object_, *entities})
    clew.build(
        pa.table(
            {
                "subject": pa.array(subject, pa.string()),
                "relation": pa.array(relation, pa.string()),
                "object": pa.array(object_, pa.string()),
                "source": pa.array(["S"] * len(triples), pa.string()),
            }
        ),
        entities=pa.table(
            {
                "id": pa.array(ids, pa.string()),
                "name": pa.array([f"name of {each}" for each in ids], pa.string()),
                "type": pa.array([TYPES[each[0]] for each in ids], pa.string()),
            }
        ),
        relations=[Relation("resembles", symmetric=True)],
        out=out,
        wide=wide,
        overwrite=True,
    )
    return clew.open(out)


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> clew.Engine:
    """The small graph, for the tests of a whole module."""
    return write(tmp_path_factory.mktemp("lasting") / "g.clew", TRIPLES)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., clew.Engine]:
    """Build a graph from triples."""

    def make(
        triples: Rows = TRIPLES, *, name: str = "g.clew", entities: tuple[str, ...] = (), wide: bool = False
    ) -> clew.Engine:
        return write(tmp_path / name, triples, entities=entities, wide=wide)

    return make
