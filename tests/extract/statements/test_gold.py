"""Gold corpora: what is read, and that no abstract of a development set is ever trained on."""

from pathlib import Path

import pytest

from clew.errors import InputError
from clew.extract.statements.gold import CORPORA, is_held_out, read_corpus, read_development, read_training

BIORED = CORPORA["biored"]


def test_mentions_and_relations(corpora: Path) -> None:
    document = read_corpus(corpora / BIORED.training, BIORED)[1]
    assert document.id == "201"
    assert [(document.text[each.start : each.end], each.type, each.ids) for each in document.mentions] == [
        ("lithium", "chemical", ("ID:lithium",)),
        ("nausea", "disease", ("ID:nausea",)),
        ("gout", "disease", ("ID:gout",)),
    ]
    assert document.relations == {("negative_correlation", "ID:nausea", "ID:lithium")}


def test_abstracts_of_either_development_set_are_left_out(corpora: Path) -> None:
    assert {each.id for each in read_training(corpora)} == {str(100 + n) for n in range(1, 8)} | {
        str(200 + n) for n in range(1, 8)
    }


def test_no_real_training_abstract_is_in_a_development_set(data: Path) -> None:
    training, development = read_training(data), read_development(data)
    assert not {each.id for each in training} & {each.id for each in development}
    counts = {name: sum(each.corpus == name for each in training) for name in CORPORA}
    assert counts == {"bc5cdr": 490, "biored": 303}  # 10 of 500 and 44 of 347 are in the other's development set


def test_a_held_out_abstract_is_held_out_of_every_corpus_and_the_share_is_about_right() -> None:
    held_out = [each for each in map(str, range(10_000)) if is_held_out(each, share=0.15)]
    assert 1400 < len(held_out) < 1600
    assert set(held_out) <= {each for each in map(str, range(10_000)) if is_held_out(each, share=0.2)}


def test_several_ids_and_none(tmp_path: Path) -> None:
    path = tmp_path / "a.pubtator"
    rows = "\n1\t0\t4\tMODY\tGeneOrGeneProduct\t3172,6927\n1\t5\t7\tat\tDiseaseOrPhenotypicFeature\t-\n"
    path.write_text(f"1|t|MODY\n1|a|at{rows}")
    (document,) = read_corpus(path, BIORED)
    assert [each.ids for each in document.mentions] == [("3172", "6927"), ()]


@pytest.mark.parametrize("content", ["1|t|Gout\n", "1|t|Gout\n1|a|x\n1\t0\t4\tGoat\tDiseaseOrPhenotypicFeature\tD1\n"])
def test_damaged_files_are_one_clear_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.pubtator"
    path.write_text(content)
    with pytest.raises(InputError, match="line 1"):
        read_corpus(path, BIORED)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cdr_dev"):
        read_training(tmp_path)
