"""Arrays on disk: a file is mapped while an array over it lives, and no descriptor of it stays open."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.files import map_regular, open_regular
from clew.graph.storage.arrays import texts_as_arrow
from clew.link import Linker

DESCRIPTORS, MAPS = Path("/proc/self/fd"), Path("/proc/self/maps")
pytestmark = pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="needs /proc")


def held(below: Path) -> list[Path]:
    """The files in that folder of which this process holds a descriptor."""
    found = []
    for descriptor in DESCRIPTORS.iterdir():
        try:
            found.append(descriptor.readlink())
        except OSError:  # the descriptor of this listing itself
            continue
    return [path.relative_to(below) for path in found if path.is_relative_to(below)]


def mapped(below: Path) -> set[str]:
    return {Path(line.split()[-1]).name for line in MAPS.read_text().splitlines() if str(below) in line}


def test_an_opened_graph_holds_one_descriptor_however_much_of_it_is_mapped(tmp_path: Path) -> None:
    rows = {"subject": ["A:1", "A:2", "A:3"], "relation": ["causes"] * 3, "object": ["B:1", "B:1", "A:1"]}
    graph = clew.build(pa.table(rows), out=tmp_path / "g.clew")
    for direction in ("out", "in", "both"):
        graph.hop("A:1", k=2, direction=direction)
        graph.hop("A:1", k=2, direction=direction, relations=["causes"])
    list(graph.paths("A:3", "B:1", k=2))
    graph.triples("A:1")
    linker = Linker(graph)
    assert linker.link("A:2")
    assert len(mapped(tmp_path)) > 40
    assert [path.name for path in held(tmp_path)] == [
        "manifest.json"
    ]  # by which others see that the snapshot is in use


def test_a_file_stays_mapped_while_an_array_over_it_lives(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(10))
    with open_regular(tmp_path / "a.npy") as file:
        buffer = map_regular(file)
    array = np.frombuffer(buffer, np.int64, 10, buffer.size - 80)
    del buffer
    (tmp_path / "a.npy").unlink()
    assert array.tolist() == list(range(10))
    assert not array.flags.writeable
    assert mapped(tmp_path)
    del array
    assert not mapped(tmp_path)


def test_a_file_that_is_replaced_between_opening_and_mapping_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"proved")
    (tmp_path / "b").write_bytes(b"other.")
    with open_regular(tmp_path / "a") as file:
        (tmp_path / "b").replace(tmp_path / "a")
        with pytest.raises(OSError, match="was replaced while it was being opened"):
            map_regular(file)


@pytest.mark.parametrize("texts", [[], ["a", "", "Bräu", "\U0001f9ec gene"]])
def test_texts_are_as_arrow_would_make_them(texts: list[str]) -> None:
    made = texts_as_arrow(texts)
    made.validate(full=True)
    assert made.equals(pa.array(texts, pa.large_string()))


def test_half_a_surrogate_pair_is_no_text() -> None:
    with pytest.raises(UnicodeEncodeError):
        texts_as_arrow(["a", "\ud800"])
