"""docs/serving.md shows what `clew bench serve` wrote last. CLEW_UPDATE_DOCS=1 writes its figures again."""

import json
import os
import re
from pathlib import Path

from benchmarks.serving.load import show

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "serving.md"
BLOCK = re.compile(r"(<!-- clew bench serve -->\n).*?(\n<!-- end -->)", re.DOTALL)


def test_the_figures_are_those_of_the_last_run() -> None:
    report = json.loads((ROOT / "benchmarks" / "results" / "serve.json").read_text("utf-8"))
    shown, text = show(report), PAGE.read_text("utf-8")
    if os.environ.get("CLEW_UPDATE_DOCS"):
        PAGE.write_text(BLOCK.sub(lambda found: f"{found[1]}{shown}{found[2]}", text), "utf-8")
        return
    block = BLOCK.search(text)
    assert block is not None
    assert block[0] == f"{block[1]}{shown}{block[2]}", "the figures have changed: run with CLEW_UPDATE_DOCS=1"
