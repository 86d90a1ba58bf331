"""xllamacpp's server for one GGUF file, inside this process: start, query, and clean shutdown.

It always listens on a socket: by default in a directory that only this user can enter, and always with a random key.
Requests run in separate threads, so that a waiting caller can stop waiting at any moment.
"""

import logging
import os
import queue
import secrets
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import xllamacpp

from clew.errors import ContextOverflow, ModelError
from clew.lm.clients.http import Connection
from clew.lm.wire import error_in
from clew.lm.wrappers.time_limit import TimeLimit

__all__ = ["LlamaEngine"]

CLOSE_SECONDS = 30.0
BATCH = 128  # prompt tokens between two checks for cancellation
KEPT_PROMPTS_MIB = 256  # memory for cached prefixes other than the last one
LONGEST_SOCKET = 100  # bytes of a socket's path that every system accepts
log = logging.getLogger(__name__)


class LlamaEngine:
    """A loaded model. `listening` is its address, which needs `key`; "" once it is closed.

    `states` is the folder into which it saves what it has read last, and from which it restores it.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        context: int,
        threads: int,
        listen: bool,
        adapter: Path | None = None,
        states: Path | None = None,
    ) -> None:
        self.name, self.key = name, secrets.token_urlsafe(32)
        self._lock = threading.Lock()
        self._running: dict[threading.Thread, threading.Event] = {}
        self._folder = None if listen else _private_folder()
        where = str(self._folder / "model.sock") if self._folder else None
        try:
            parameters = self._parameters(path, context, threads, where or "127.0.0.1")
            if adapter is not None:
                parameters.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
            if states is not None:
                parameters.slot_save_path = f"{states}{os.sep}"
            self._server: Any = xllamacpp.Server(parameters)
        except (RuntimeError, ValueError) as error:
            self._remove_folder()
            raise ModelError(f"llama.cpp cannot load {path}: it is damaged, or there is not enough memory") from error
        self.listening = str(self._server.listening_address)
        address = "http://localhost" if where else self.listening
        self.connection = Connection(address, who=name, key=self.key, socket=where)
        log.debug("%s: %d tokens of context, %d threads, listening on %s", name, context, threads, self.listening)

    def events(self, payload: Mapping[str, Any], limit: TimeLimit) -> Generator[Mapping[str, Any]]:
        """The server's events during a completion; closing the generator cancels it.

        llama.cpp checks for cancellation after every token, and after every batch of a long prompt because progress
        reports are requested.
        """
        received: queue.SimpleQueue[Any] = queue.SimpleQueue()
        stop = threading.Event()
        body = {**payload, "stream": True, "return_progress": True, "stream_options": {"include_usage": True}}

        def receive(event: Any) -> bool:
            received.put(event)
            return stop.is_set()

        def work(server: Any) -> None:
            try:
                server.handle_completions(body, receive)
                received.put(None)
            except Exception as error:  # raised in the waiting thread
                received.put(error)
            finally:
                with self._lock:
                    self._running.pop(threading.current_thread(), None)

        with self._lock:
            if self._server is None:
                raise ModelError(f"{self.name} is closed: open it again")
            thread = threading.Thread(target=work, args=(self._server,), name=f"clew {self.name}", daemon=True)
            self._running[thread] = stop
            thread.start()
        try:
            while (event := self._next(received, limit)) is not None:
                yield event
        finally:
            stop.set()

    def save(self, name: str, limit: TimeLimit) -> tuple[int, int]:
        """Save what was read last to a file in `states`; its tokens and bytes."""
        said = self._slot("save", name, limit)
        return int(said.get("n_saved", 0)), int(said.get("n_written", 0))

    def restore(self, name: str, limit: TimeLimit) -> int:
        """Go back to what was saved in a file; the number of its tokens.

        llama.cpp sets aside in memory what it has read before only when another prompt comes: a short one does.
        """
        for _ in self.events({"prompt": ".", "max_tokens": 1}, limit):
            pass
        return int(self._slot("restore", name, limit).get("n_restored", 0))

    def close(self) -> None:
        """Cancel running requests, then stop the server; Python must not exit while llama.cpp is working."""
        with self._lock:
            running, self._server = dict(self._running), None
            for stop in running.values():
                stop.set()
        ends = time.monotonic() + CLOSE_SECONDS
        for thread in running:
            thread.join(max(0.0, ends - time.monotonic()))
        self.connection.close()
        self.listening = ""
        self._remove_folder()

    def _parameters(self, path: Path, context: int, threads: int, where: str) -> Any:
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.model_alias = {self.name}
        parameters.n_ctx = context
        parameters.n_batch = parameters.n_ubatch = min(BATCH, context)
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
        parameters.cache_ram_mib = KEPT_PROMPTS_MIB
        parameters.api_keys = [self.key]
        parameters.hostnames = [where]
        parameters.ui = parameters.endpoint_slots = parameters.warmup = False
        parameters.verbosity = -1
        return parameters

    def _slot(self, action: str, name: str, limit: TimeLimit) -> Mapping[str, Any]:
        said = self.connection.post(f"/slots/0?action={action}", {"filename": name}, limit)
        return said if isinstance(said, Mapping) else {}

    def _next(self, received: "queue.SimpleQueue[Any]", limit: TimeLimit) -> Mapping[str, Any] | None:
        try:
            event = received.get(timeout=limit.left())
        except queue.Empty:
            raise limit.over() from None
        if isinstance(event, Exception):
            raise ModelError(f"{self.name} failed: {event}") from event
        if event is not None and (reason := error_in(event)) is not None:
            kind = ContextOverflow if "context size" in reason else ModelError
            raise kind(f"{self.name} rejects the request: {reason}")
        return event  # type: ignore[no-any-return]

    def _remove_folder(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _private_folder() -> Path | None:
    """A directory that only this user can enter; None if the system has no Unix sockets."""
    if not hasattr(socket, "AF_UNIX") or os.name == "nt":
        return None
    folder = Path(tempfile.mkdtemp(prefix="clew-"))
    if len(os.fsencode(folder / "model.sock")) > LONGEST_SOCKET:
        folder.rmdir()
        return None
    return folder
