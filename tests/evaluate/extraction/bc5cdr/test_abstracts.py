"""PubTator files: mentions where they say they are, ids dropped and split, and what a broken file says."""

import gzip
from pathlib import Path

import pytest

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract, read_abstracts

SMALL = """1|t|Lithium and tremor.
1|a|Lithium or zinc gave one rash.
1\t0\t7\tLithium\tChemical\tD008094
1\t12\t18\ttremor\tDisease\tD014202
1\t20\t35\tLithium or zinc\tChemical\tD008094|D015032\tLithium|zinc
1\t41\t49\tone rash\tDisease\t-1
1\tCID\tD008094\tD014202
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "small.pubtator"
    path.write_text(text, "utf-8")
    return path


def test_ids_of_minus_one_are_dropped_and_composite_ids_split(tmp_path: Path) -> None:
    (abstract,) = read_abstracts(write(tmp_path, SMALL))
    assert abstract.ids("Chemical") == ("D008094", "D015032")
    assert abstract.ids("Disease") == ("D014202",)
    assert [each.text for each in abstract.of_type("Disease")] == ["tremor"]
    assert abstract.pairs() == [("D008094", "D014202"), ("D015032", "D014202")]
    assert abstract.induces == {("D008094", "D014202")}


def test_gzipped_and_windows_files_read_the_same(tmp_path: Path) -> None:
    plain = read_abstracts(write(tmp_path, SMALL))
    (tmp_path / "small.gz").write_bytes(gzip.compress(SMALL.replace("\n", "\r\n").encode()))
    assert read_abstracts(tmp_path / "small.gz") == plain


def test_the_whole_corpus_is_there_and_every_mention_stands_where_it_says(
    train: list[Abstract], dev: list[Abstract]
) -> None:
    assert (len(train), len(dev)) == (500, 500)
    assert sum(len(each.induces) for each in train + dev) == 2050
    for abstract in train + dev:
        assert all(abstract.text[each.start : each.end] == each.text for each in abstract.mentions)
        assert abstract.induces <= set(abstract.pairs())


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (SMALL.replace("\t0\t7", "\t1\t8"), ":1: characters 1 to 8"),
        ("1|t|Only a title.\n", ":1: document 1 has a title and no line"),
        ("\n\n1\t0\t7\tLithium\tChemical\tD1\nnothing\n", "holds no PubTator document"),
    ],
)
def test_a_broken_file_says_where(tmp_path: Path, broken: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_abstracts(write(tmp_path, broken))


def test_a_cut_gzip_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(SMALL.encode())[:-12])
    with pytest.raises(InputError, match="cannot read"):
        read_abstracts(path)
