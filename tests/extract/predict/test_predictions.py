"""A run that was prepared with another vocabulary than the model's is refused in one sentence."""

import json
from pathlib import Path

import pytest

from clew.errors import InputError
from clew.extract.predict.predictions import check_vocabulary


def tokenizer(*words: str) -> str:
    return json.dumps({"model": {"vocab": {word: number for number, word in enumerate(words)}}})


def test_texts_cut_with_another_vocabulary_are_refused(tmp_path: Path) -> None:
    (tmp_path / "sequences").mkdir()
    (tmp_path / "sequences" / "tokenizer.json").write_text(tokenizer("a", "b"))
    check_vocabulary(tmp_path, tokenizer("a", "b"), Path("small"))
    with pytest.raises(InputError, match=r"another vocabulary than that of small: .* --tokenizer small/tokenizer.json"):
        check_vocabulary(tmp_path, tokenizer("a", "c"), Path("small"))
