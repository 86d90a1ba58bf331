"""The engine on Ray: the results of the engine in memory, also when actors are killed; nothing listens to the network.

Slow tests: `make slow` installs Ray. What does not depend on Ray is tested by `test_engine` and the conformance suite.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew
from clew.app.cli.main import main
from clew.graph import Where
from clew.traverse.walk import DIRECTIONS, MODES

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'clew[ray]'"),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
    pytest.mark.xdist_group("ray"),
]
LISTENS = "0A"


@pytest.fixture(scope="module")
def cluster(sixteen: Path) -> Iterator[clew.Engine]:
    opened = clew.open(sixteen, engine="ray", actors=2)
    yield opened
    import ray

    ray.shutdown()


def random_walk(rng: np.random.Generator) -> tuple[int, dict[str, Any]]:
    """Hops and options: every mode, direction and filter comes up."""
    k = int(rng.integers(0, 5))
    options: dict[str, Any] = {"mode": rng.choice(MODES).item(), "direction": rng.choice(DIRECTIONS).item()}
    filters: dict[str, Any] = {
        "relations": [["r1", "r3"], [["r0", "r2"]] * k][rng.integers(0, 2)],
        "types": ["T1"],
        "through": ["T0", "T2"],
        "max_degree": int(rng.integers(5, 80)),
        "where": Where(sources=("s1",)),
    }
    chosen = rng.choice(list(filters), int(rng.integers(0, 3)), replace=False).tolist()
    return k, options | {name: filters[name] for name in chosen}


def compare(cluster: clew.Engine, memory: clew.Engine, queries: int, seed: int) -> None:
    """Random queries: one by one, in batches, with their triples and paths."""
    rng = np.random.default_rng(seed)
    count = memory.counts["entities"]
    for at in range(queries):
        k, options = random_walk(rng)
        seeds = [np.unique(rng.integers(0, count, rng.integers(1, 5))).astype(np.int32) for _ in range(100)]
        one, expected = (each.hop(seeds[0], k, **options) for each in (cluster, memory))
        assert np.array_equal(one.ids, expected.ids), (seed, at, k, options)
        if at % 4 == 0:
            many, several = (each.hop_batch(seeds, k, **options) for each in (cluster, memory))
            assert np.array_equal(many.ids, several.ids), (seed, at, k, options)
        if at % 4 == 1 and k:
            led, leading = (each.hop_triples(expected, k, leading_to_result=True) for each in (cluster, memory))
            assert np.array_equal(led.numbers, leading.numbers), (seed, at, k, options)
        if at % 4 == 2:
            paths = [each.paths(seeds[0], seeds[1], 2, direction="both", limit=5) for each in (cluster, memory)]
            assert [str(path) for path in paths[0]] == [str(path) for path in paths[1]]


@pytest.mark.slow
def test_results_are_those_in_memory(cluster: clew.Engine, sixteen: Path) -> None:
    compare(cluster, clew.open(sixteen), 24, seed=1)


@pytest.mark.soak
def test_a_thousand_random_queries(cluster: clew.Engine, sixteen: Path) -> None:
    compare(cluster, clew.open(sixteen), 1000, seed=2)


def processes_below(process: int) -> set[int]:
    """A process and all that it started."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, before = {process}, 0
    while len(found) > before:
        before = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found


def listening(processes: set[int]) -> list[str]:
    """The addresses at which some processes listen, as /proc writes them."""
    held = set()
    for process in processes:
        for handle in Path(f"/proc/{process}/fd").glob("*"):
            try:
                held.add(str(handle.readlink()))
            except OSError:
                continue
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and f"socket:[{fields[9]}]" in held:
                found.append(fields[1].partition(":")[0])
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="sockets are read from /proc")
def test_only_this_machine_can_connect(cluster: clew.Engine) -> None:
    """No process of Ray listens on another interface; no dashboard; no usage statistics; a token is needed."""
    import ray
    from ray._common.usage.usage_lib import usage_stats_enabled

    addresses = listening(processes_below(os.getpid()))
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    assert len(addresses) >= 4, "the server, the raylet and two actors"
    assert set(addresses) <= loopback
    assert not usage_stats_enabled()
    assert not ray._private.worker._global_node.webui_url
    assert os.environ["RAY_AUTH_MODE"] == "token"
    assert len(os.environ["RAY_AUTH_TOKEN"]) == 64


def kill_mid_query(cluster: clew.Engine, memory: clew.Engine, seed: int, patch: pytest.MonkeyPatch) -> None:
    """A batch during which one of its actors gets SIGKILL, at a random call."""
    import ray

    rng = np.random.default_rng(seed)
    actors = cluster._graph.actors
    victim = actors._actors[rng.integers(0, len(actors._actors))]
    process = ray.get(victim.__ray_call__.remote(lambda part: os.getpid()))
    left, call, killed = int(rng.integers(3, 40)), actors.call, []

    def counting(*arguments: Any, **options: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(process, signal.SIGKILL)
            killed.append(process)
        return call(*arguments, **options)

    queries = [np.unique(rng.integers(0, memory.counts["entities"], 4)).astype(np.int32) for _ in range(300)]
    with patch.context() as patched:
        patched.setattr(actors, "call", counting)
        found = cluster.hop_batch(queries, 4, mode="within", direction="both")
        assert np.array_equal(found.ids, memory.hop_batch(queries, 4, mode="within", direction="both").ids)
    assert killed
    assert ray.get(victim.__ray_call__.remote(lambda part: os.getpid())) != process


@pytest.mark.slow
def test_a_killed_actor_changes_no_result(cluster: clew.Engine, sixteen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(2):
        kill_mid_query(cluster, clew.open(sixteen), seed, monkeypatch)


@pytest.mark.soak
def test_twenty_killed_actors(cluster: clew.Engine, sixteen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(20):
        kill_mid_query(cluster, clew.open(sixteen), 100 + seed, monkeypatch)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_a_lost_node_changes_no_result(sixteen: Path, seed: int) -> None:
    """One of two nodes of Ray, both on this machine, gets SIGKILL in the middle of a batch; its actors move."""
    command = [sys.executable, str(Path(__file__).with_name("lost_node.py")), str(sixteen), str(seed)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.endswith("equal\n")


@pytest.mark.soak
def test_a_cluster_at_an_address(sixteen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`clew hop --engine ray:HOST:PORT` finds what the command finds in memory; the Ray there is not stopped by it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ray, clew_command = (str(Path(sys.executable).with_name(name)) for name in ("ray", "clew"))
    loopback = {**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0",
                "RAY_AUTH_MODE": "disabled"}  # fmt: skip
    loopback.pop("RAY_AUTH_TOKEN", None)
    begin = [ray, "start", "--head", "--block", "--port", str(port), "--num-cpus", "2", "--include-dashboard", "false"]
    head = subprocess.Popen(begin, env=loopback, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.2)
        walk = ["hop", str(sixteen), "X:1", "X:7", "--k", "3", "--json"]
        command = [clew_command, *walk, "--engine", f"ray:127.0.0.1:{port}"]
        found = subprocess.run(command, env=loopback, capture_output=True, text=True, timeout=300)
        assert found.returncode == 0, found.stderr
        main(walk)
        assert found.stdout == capsys.readouterr().out
        assert head.poll() is None
    finally:
        head.terminate()
        head.wait(60)
