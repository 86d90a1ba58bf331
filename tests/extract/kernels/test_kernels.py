"""The Triton kernels against plain operations, in the whole model, by Triton's interpreter."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from clew.extract.model.config import DECAYS


@pytest.mark.slow
@pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed")
def test_the_fused_kernels_give_the_same_losses_and_gradients() -> None:
    worker = Path(__file__).with_name("kernel_worker.py")
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, worker], env=environment, stdout=subprocess.PIPE, text=True, timeout=300, check=True
    )
    found = json.loads(done.stdout)
    assert found.keys() == set(DECAYS)
    for decay, apart in found.items():
        assert {"losses", "heads.bias", "encoder.layers.0.widen.weight", "encoder.layers.1.qkv.weight"} <= apart.keys()
        assert (decay == "none") == ("p" not in apart)
        assert max(apart.values()) < 1e-5, decay
