"""graph-tool, packaged by Debian for its own Python: a worker of that Python holds the graph and times itself."""

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.khop.peers.peer import Ids, Peer

__all__ = ["GraphTool"]

PYTHON = "/usr/bin/python3"
OPERATOR_ABOVE = 5_000  # entities in the frontier: more and a product over the whole graph is cheaper
WORKER = Path(__file__).with_name("graph_tool_worker.py")


class GraphTool(Peer):
    """The worker answers one line of JSON with one line of JSON and then the ids as bytes."""

    name = "graph-tool"

    @staticmethod
    @cache
    def absent() -> str | None:
        """Why it cannot be used here, or None."""
        if not Path(PYTHON).exists():
            return f"no {PYTHON}"
        check = [PYTHON, "-I", "-c", "import graph_tool.spectral"]
        found = subprocess.run(check, capture_output=True, check=False).returncode == 0
        return None if found else f"{PYTHON} cannot import graph_tool (apt install python3-graph-tool)"

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        idle = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # its threads must not spin while others are timed
        command = [PYTHON, "-I", str(WORKER)]
        self._worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=idle)
        descriptor, path = tempfile.mkstemp(suffix=".npy")
        try:
            with os.fdopen(descriptor, "wb") as file:
                np.save(file, np.column_stack([subject, object]).astype(np.int64))
            self.version = self._ask({"entities": n, "pairs": path, "operator_above": OPERATOR_ABOVE})["version"]
        finally:
            Path(path).unlink()

    def exact(self, seeds: np.ndarray, k: int) -> Ids:
        return self.timed(seeds, k)[1]

    def timed(self, seeds: np.ndarray, k: int) -> tuple[float, Ids]:
        answer = self._ask({"seeds": seeds.tolist(), "k": k})
        ids = np.frombuffer(self._worker.stdout.read(answer["count"] * 8), np.int64)
        return answer["seconds"], ids

    def timed_batch(self, queries: Sequence[np.ndarray], k: int) -> tuple[float, list[Ids]]:
        answers = [self.timed(seeds, k) for seeds in queries]
        return sum(seconds for seconds, _ in answers), [ids for _, ids in answers]

    def close(self) -> None:
        self._worker.stdin.close()
        self._worker.wait()
        self._worker.stdout.close()

    def _ask(self, request: dict) -> dict:
        self._worker.stdin.write(json.dumps(request).encode() + b"\n")
        self._worker.stdin.flush()
        answer = self._worker.stdout.readline()
        if not answer:
            raise RuntimeError(f"the graph-tool worker ended with status {self._worker.wait()}: see its message above")
        return json.loads(answer)
