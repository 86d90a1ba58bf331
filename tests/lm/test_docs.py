"""The Python in docs/models.md runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "models.md"


def test_the_example_runs(model: object, monkeypatch) -> None:
    monkeypatch.setenv("CLEW_THREADS", "1")
    [example] = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    answer, margin = done.stdout.splitlines()[-1].split()
    assert answer in ("yes", "no")
    assert (float(margin) > 0) == (answer == "yes")
