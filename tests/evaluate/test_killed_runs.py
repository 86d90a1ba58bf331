"""kill -9 in the middle of evaluations: they resume, ask nothing twice, and end with the same numbers."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ward import build_ward

WORKER = Path(__file__).with_name("killed_worker.py")
TIMED = {"seconds", "milliseconds"}


def run(folder: Path, records: int = 0) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, WORKER, folder, str(records)], capture_output=True, text=True, check=False)


def untimed(report: Any) -> Any:
    """A report without what depends on the clock."""
    if isinstance(report, dict):
        return {name: untimed(each) for name, each in report.items() if name not in TIMED}
    return [untimed(each) for each in report] if isinstance(report, list) else report


@pytest.mark.slow
def test_killed_evaluations_end_with_the_same_numbers(tmp_path: Path) -> None:
    (tmp_path / "killed").mkdir()
    build_ward(tmp_path / "killed")
    shutil.copytree(tmp_path / "killed", tmp_path / "whole")
    whole = run(tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    deaths = 0
    for records in (5, 7, 8, 9, 9, 23):  # within each of the six evaluations, after what the journals have already
        died = run(tmp_path / "killed", records)
        deaths += died.returncode == -signal.SIGKILL
        journals = sorted(path.name for path in (tmp_path / "killed").glob("*.jsonl"))
        assert len(journals) == deaths  # each death was in another evaluation
    assert deaths == 6
    ended = run(tmp_path / "killed")
    assert ended.returncode == 0, ended.stderr
    assert untimed(json.loads(ended.stdout)) == untimed(json.loads(whole.stdout))
    for journal in (tmp_path / "whole").glob("*.jsonl"):
        resumed = (tmp_path / "killed" / journal.name).read_text("utf-8").splitlines()
        assert len(resumed) == len(set(resumed)) == len(journal.read_text("utf-8").splitlines())
