"""Starting Ray on this machine, or joining a cluster: quiet, without dashboard and usage statistics.

A Ray that is started here listens on the loopback interface alone and admits only processes that know its token. What
the environment or an earlier `ray.init` settles otherwise is left as it is.
"""

import os
import secrets
import socket
import sys
from typing import Any

from clew.errors import ClewError, InputError, MissingDependency

__all__ = ["connect"]

REACH_SECONDS = 5
# Ray has no other switch for its own address; despite the name it is heeded on every system, when Ray is imported.
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
QUIET = {  # a lost actor is handled by the engine, not reported as an error nobody looked at
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_IGNORE_UNHANDLED_ERRORS": "1",
}


def connect(address: str | None, *, cpus: int) -> Any:
    """The library, connected: to HOST:PORT, or to a Ray of this process with `cpus`, started if there is none."""
    host = "localhost" if address is None else _reachable(address)
    _prepare(local=host == "localhost" or host.startswith("127."), alone=address is None)
    try:
        import ray
    except ImportError as error:
        raise MissingDependency("the engine 'ray' needs the library 'ray': pip install 'clew[ray]'") from error
    if not ray.is_initialized():
        _begin(ray, address, cpus)
    elif address is not None and not _same(ray.get_runtime_context().gcs_address, address):
        raise InputError(
            f"this process is connected to the Ray cluster {ray.get_runtime_context().gcs_address}, not to {address}: "
            "call ray.shutdown() first, or use another process"
        )
    return ray


def _prepare(*, local: bool, alone: bool) -> None:
    """Set what Ray reads from the environment when it is imported, unless it is set or Ray is imported already."""
    for name, value in (QUIET | LOOPBACK if local else QUIET).items():
        os.environ.setdefault(name, value)
    if alone and "ray" not in sys.modules and "RAY_AUTH_MODE" not in os.environ:
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))


def _begin(ray: Any, address: str | None, cpus: int) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        options |= {"address": "local", "num_cpus": cpus, "include_dashboard": False}
    else:
        options |= {"address": address}
    try:
        ray.init(**options)
    except Exception as error:  # Ray raises what it finds, from ValueError to bare Exception
        where = "on this machine" if address is None else f"at {address}"
        raise ClewError(f"Ray {where} could not be used: {_first_line(error)}") from error
    if address is None and not ray.util.get_node_ip_address().startswith("127."):
        ray.shutdown()
        raise ClewError(
            "Ray would listen on all network interfaces, because it was imported before Clew could set "
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0: set it before importing ray, or call ray.init() yourself"
        )


def _reachable(address: str) -> str:
    """The host of an address at which something listens."""
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise InputError(f"a Ray cluster is given as ray:HOST:PORT, such as ray:10.0.0.1:6379, not 'ray:{address}'")
    try:
        socket.create_connection((host, int(port)), timeout=REACH_SECONDS).close()
    except OSError as error:
        raise ClewError(
            f"no Ray cluster can be reached at {address} ({error.strerror or error}): start one there with "
            f"`ray start --head --port {port}`, or check host and port"
        ) from error
    return host


def _same(one: str, other: str) -> bool:
    """Whether two addresses are the same; a host may be written as a name or as a number."""
    (host, _, port), (other_host, _, other_port) = one.rpartition(":"), other.rpartition(":")
    return port == other_port and socket.gethostbyname(host) == socket.gethostbyname(other_host)


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
