"""Prompts are read in one way, wherever they lie."""

import re
from pathlib import Path

import pytest

import clew
from clew.lm import load_prompt

PACKAGE = Path(clew.__file__).parent
PROMPTS = sorted(PACKAGE.rglob("prompts/*.*"))
SOURCES = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.name)
def test_every_prompt_is_loaded_as_it_stands(path: Path) -> None:
    package = ".".join(("clew", *path.parent.parent.relative_to(PACKAGE).parts))
    assert load_prompt(package, path.name) == path.read_text("utf-8").strip() != ""


def test_there_is_no_other_way_to_read_one() -> None:
    reading = [path.name for path, text in SOURCES.items() if re.search(r"joinpath\(f?[\"']prompts", text)]
    assert reading == ["prompts.py"]
