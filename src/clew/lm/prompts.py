"""Prompts: text files with named slots, under `prompts/` of the package that uses them."""

from functools import cache
from importlib.resources import files

__all__ = ["load_prompt"]


@cache
def load_prompt(package: str, file: str) -> str:
    """The text of a file under `prompts/` of a package, without white space around it; `format` fills its slots.

    >>> load_prompt("clew.answer", "choose.txt").format(question="Which genes?", options="A. genes")[-23:]
    'Answer with one letter.'
    """
    return files(package).joinpath("prompts", file).read_text("utf-8").strip()
