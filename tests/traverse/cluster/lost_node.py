"""Run by test_ray in a process of its own: a batch on two nodes of Ray, of which one is killed in the middle of it.

Both nodes are on this machine. `python -m lost_node GRAPH SEED` ends with an error unless the result is the one in
memory and the actors of the lost node went on elsewhere.
"""

import os
import sys
import time
from typing import Any

import numpy as np

import clew

os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}


def main(path: str, seed: int) -> None:
    """Two nodes with a CPU for each of two actors; the second node is killed at a random call of a batch."""
    import ray
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    second = nodes.add_node(num_cpus=2)
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    engine, memory, rng = clew.open(path, engine="ray", actors=2), clew.open(path), np.random.default_rng(seed)
    actors = engine._graph.actors
    left, call, lost = int(rng.integers(3, 40)), actors.call, set(places(ray, actors))
    assert second.node_id in lost, "an actor on each node"

    def counting(*arguments: Any, **options: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            nodes.remove_node(second, allow_graceful=False)
        return call(*arguments, **options)

    actors.call = counting
    queries = [np.unique(rng.integers(0, memory.counts["entities"], 4)).astype(np.int32) for _ in range(300)]
    found = engine.hop_batch(queries, 4, mode="within", direction="both")
    assert np.array_equal(found.ids, memory.hop_batch(queries, 4, mode="within", direction="both").ids)
    assert left <= 0, "the node was not killed"
    for _ in range(60):  # an actor may outlive its node by a moment
        if set(places(ray, actors)) == {ray.get_runtime_context().get_node_id()}:
            break
        time.sleep(1)
    else:
        raise AssertionError("not all actors run on the node that is left")
    print("equal")


def places(ray: Any, actors: Any) -> list[str]:
    """The node of every actor; one that is moving is waited for."""
    for _ in range(60):
        try:
            asked = [
                each.__ray_call__.remote(lambda part: ray.get_runtime_context().get_node_id())
                for each in actors._actors
            ]
            found: list[str] = ray.get(asked)
        except ray.exceptions.RayActorError:
            time.sleep(1)
        else:
            return found
    raise AssertionError("an actor did not come back")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
