"""Verdicts on what an earlier adapter wrote, as the next one learns them."""

import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

FOLDERS = ("questions/training", "contexts")  # scripts of a GPU machine import each other without packages
GROWS = "MATCH (farm)-[:GROWS]->(crop {id: $crop1}) RETURN farm"
SELLS = GROWS.replace("GROWS", "SELLS")


def test_new_packs_get_what_was_written_and_whether_it_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmarks = Path(__file__).parents[3] / "benchmarks"
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(benchmarks / folder)
    import query_adapter

    written: list[dict[str, Any]] = [
        {"text": GROWS, "ended": True, "others": [{"text": SELLS, "ended": True}, {"text": GROWS, "ended": True}]},
        {"text": "NONE", "ended": True, "forced": {"text": SELLS, "ended": True}},
        {"text": "MATCH (farm", "ended": False},  # cut off: nothing to judge
    ]
    monkeypatch.setattr(query_adapter, "answered", lambda *given, **options: written)
    known = {"graph": "a", "asked": [["Who?", GROWS]], "new": False}
    new = {"graph": "b", "asked": [["Who grows it?", GROWS], ["Who does?", GROWS], ["What?", SELLS]], "new": True}
    packs = query_adapter.with_verdicts(None, [known, new], None, "")
    assert packs[0] == known
    assert packs[1]["checked"] == [
        ["Who grows it?", GROWS, "yes"],
        ["Who grows it?", SELLS, "no"],  # nearly written
        ["Who does?", SELLS, "no"],
    ]
    for name in ("query_adapter", "query_network", "query_checks", "llama"):
        sys.modules.pop(name, None)
