"""Registries: names are listed without importing anything, and what is missing says how to get it."""

import sys

import pytest

from clew.errors import MissingDependency, UnknownName
from clew.graph.readers import READERS
from clew.graph.writers import WRITERS
from clew.registry import Entry, Registry
from clew.traverse.backend import BACKENDS

SHAPES = Registry(
    "shape",
    {
        "deque": Entry("collections:deque", "a queue"),
        "ghost": Entry("a_library_that_nobody_has:thing", "needs a library", extra="ghost"),
        "broken": Entry("a_library_that_nobody_has:thing", "needs a library that is always there"),
    },
)


def test_an_implementation_is_loaded_by_name() -> None:
    assert list(SHAPES.load("deque")([1])) == [1]
    assert SHAPES.entry("deque").summary == "a queue"


def test_names_can_be_listed_without_loading() -> None:
    assert list(SHAPES) == ["deque", "ghost", "broken"]
    assert "ghost" in SHAPES
    assert "a_library_that_nobody_has" not in sys.modules


def test_an_unknown_name_lists_the_known_and_a_close_one() -> None:
    with pytest.raises(UnknownName, match=r"no shape is called 'dequeue': did you mean 'deque'.*known: deque, ghost"):
        SHAPES.load("dequeue")


def test_a_missing_library_names_the_extra() -> None:
    with pytest.raises(MissingDependency, match=r"'ghost' shape needs .*: pip install 'clew\[ghost\]'"):
        SHAPES.load("ghost")


def test_a_library_that_is_no_extra_is_an_ordinary_import_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        SHAPES.load("broken")


@pytest.mark.parametrize("registry", [READERS, WRITERS, BACKENDS], ids=lambda registry: registry.family)
def test_every_entry_can_be_loaded(registry: Registry) -> None:
    for name in registry:
        assert callable(registry.load(name))
        assert registry.entry(name).summary
