"""What opening the parser imports, and leaves as it was."""

import subprocess
import sys

import pytest

OPENED = """
import sys
from clew.answer.grammar.parse import open_parser
assert open_parser() is not None
print(*(name for name in ("torch", "spacy.cli", "spacy.cli.info") if name in sys.modules))
import spacy, spacy.cli
print(spacy.info(silent=True)["spacy_version"] == spacy.__version__, callable(spacy.cli.download))
"""


def test_spacy_is_imported_without_what_is_not_needed_and_others_find_it_whole() -> None:
    pytest.importorskip("spacy")
    done = subprocess.run([sys.executable, "-c", OPENED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["", "True True"]
