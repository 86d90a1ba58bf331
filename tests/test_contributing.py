"""docs/contributing.md: every example of how to extend Clew is complete and runs."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "contributing.md"
SECTION = re.compile(r"^## (.*?)$(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXTENSIONS = ("reader", "backend", "encoder", "model client", "store", "strategy", "filter")


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    for title, body in SECTION.findall(PAGE.read_text("utf-8")):
        for code in FENCE.findall(body):
            exec(compile(code, f"contributing.md: {title}", "exec"), namespace)
            assert len(code.splitlines()) < 60, title


def test_every_extension_point_has_an_example() -> None:
    shown = [title.lower() for title, body in SECTION.findall(PAGE.read_text("utf-8")) if FENCE.search(body)]
    assert [name for name in EXTENSIONS if not any(name in title for title in shown)] == []
