"""A recipe changes with what a graph is made from, and with nothing else."""

import ast
from pathlib import Path
from types import ModuleType

import pytest
from benchmarks.graphs.recipe import recipe_of

from benchmarks.graphs import disease_genes, hetionet, ibkh
from clew.errors import InputError

MODULE = "benchmarks.graphs.recipe"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.tsv").write_text("a\tb\n")
    (tmp_path / "one" / "b.tsv").write_text("c\n")
    return tmp_path / "one"


def test_the_same_files_and_code_give_the_same(folder: Path, tmp_path: Path) -> None:
    first = recipe_of([MODULE], [folder])
    assert first == recipe_of([MODULE], [folder])
    assert len(first) == 10
    copy = tmp_path / "elsewhere" / "one"
    copy.mkdir(parents=True)
    for path in folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    assert recipe_of([MODULE], [copy]) == first  # where the folder lies does not matter


def test_any_change_of_a_file_changes_it(folder: Path) -> None:
    seen = {recipe_of([MODULE], [folder])}
    (folder / "a.tsv").write_text("a\tB\n")
    seen.add(recipe_of([MODULE], [folder]))
    (folder / "b.tsv").rename(folder / "c.tsv")
    seen.add(recipe_of([MODULE], [folder]))
    (folder / "d.tsv").write_text("")
    seen.add(recipe_of([MODULE], [folder]))
    assert len(seen) == 4


def test_the_code_counts(folder: Path) -> None:
    assert recipe_of([MODULE], [folder]) != recipe_of(["clew.evaluate.coverage"], [folder])


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hetionet is missing"):
        recipe_of([MODULE], [tmp_path / "hetionet"])


@pytest.mark.parametrize("module", [disease_genes, hetionet, ibkh])
def test_builders_name_the_code_they_stand_on(module: ModuleType) -> None:
    """A module that a builder imports from beside itself changes the graph too."""
    tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
    imported = {each.module for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    beside = {each for each in imported if each and each.startswith(("benchmarks.graphs.", "clew.evaluate.benches."))}
    assert {module.__name__} | beside - {MODULE} == set(module.OURS)
