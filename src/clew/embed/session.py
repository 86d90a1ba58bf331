"""Sessions of onnxruntime, opened in one place: without telemetry, and with threads that sleep while they wait."""

import os
from pathlib import Path
from typing import Any

__all__ = ["open_session"]


def open_session(model: Path, *, threads: int | None = None) -> Any:
    """The session of a model."""
    # onnxruntime sends telemetry unless this is set before it is imported; its own
    # disable_telemetry_events() comes too late to stop it from writing a device id and resolving a host.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if threads is not None:
        options.intra_op_num_threads = threads
    # Waiting threads sleep: spinning gains little on a quiet machine and loses half the speed on a busy one.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
