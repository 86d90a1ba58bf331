"""A thousand documents: memory stays where it is, and an extraction killed in the middle resumes to the same facts."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clew.extract.facts.folder import extract_facts, read_facts
from shipped_models import CAUSED, RELIEVED

DOCUMENTS = 1000
GROWTH = 64 << 20  # bytes between the 200th and the last document
READ = """
import sys
from pathlib import Path
from clew.extract.facts.finding import FactFinder
finder = FactFinder.open(Path(sys.argv[1]), threads=1)
for number in range(int(sys.argv[2])):
    finder.find(f"Case {number}. {sys.argv[3]}")
    if number in (199, int(sys.argv[2]) - 1):
        print(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1])
"""
EXTRACT = """
import sys
from pathlib import Path
from clew.extract.facts.folder import extract_facts
extract_facts([sys.argv[1]], Path(sys.argv[2]), model=Path(sys.argv[3]))
"""

pytestmark = [pytest.mark.soak, pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs /proc")]


def test_memory_does_not_grow(shipped: Path) -> None:
    command = [sys.executable, "-c", READ, str(shipped), str(DOCUMENTS), CAUSED]
    early, late = (
        1024 * int(each) for each in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    )
    assert late - early < GROWTH


def test_a_killed_extraction_resumes_to_the_same_facts(shipped: Path, tmp_path: Path) -> None:
    rows = ({"id": f"PMID:{each}", "text": (CAUSED, RELIEVED)[each % 2]} for each in range(DOCUMENTS))
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    running = subprocess.Popen([sys.executable, "-c", EXTRACT, str(texts), str(tmp_path / "facts"), str(shipped)])
    deadline = time.monotonic() + 300
    while not (parts := list(tmp_path.rglob("*facts*.arrow")) + list(tmp_path.rglob("*facts*.parquet"))):
        assert running.poll() is None, "ended before a part was written"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    assert parts
    assert not (tmp_path / "facts").exists()
    counts = extract_facts([texts], tmp_path / "facts", model=shipped)
    whole = extract_facts([texts], tmp_path / "whole", model=shipped)
    assert counts == whole
    assert counts["documents"] == DOCUMENTS
    assert read_facts(tmp_path / "facts").equals(read_facts(tmp_path / "whole"))
