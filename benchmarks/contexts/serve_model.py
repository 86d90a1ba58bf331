"""Serve a GGUF file from a GPU, with as much of vLLM's protocol as Clew's client uses; requests are decoded together.

`python -m benchmarks.contexts.serve_model MODEL.gguf --port 8101`, then `--model http://127.0.0.1:8101/v1#smollm2`.
Completions with log-probabilities, token counts and scores of continuations; no grammars. A temperature above 0 samples
from the whole distribution (llama.cpp cuts its tail).
"""

import argparse
import json
import queue
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch

from benchmarks.contexts.llama import Llama

__all__ = ["Engine", "serve"]

MODEL = "smollm2"
Body = dict[str, Any]


@dataclass
class Job:
    """A prompt on its way, with what has been generated."""

    prompt: list[int]
    body: Body
    made: list[int] = field(default_factory=list)
    said: list[Body] = field(default_factory=list)  # log-probabilities of `made`, in the chat format
    echoed: list[float | None] = field(default_factory=list)  # log-probabilities of the prompt's own tokens
    finish: str = "length"
    error: str = ""
    done: threading.Event = field(default_factory=threading.Event)
    dice: torch.Generator | None = None


class Engine:
    """One thread that runs the network: new prompts one by one, then a token for every running sequence together."""

    def __init__(self, llama: Llama, slots: int) -> None:
        self.llama, self._free = llama, list(range(slots))
        self._waiting: queue.Queue[Job] = queue.Queue()
        self._running: dict[int, Job] = {}
        threading.Thread(target=self._work, daemon=True).start()

    def finish(self, prompt: list[int], body: Body) -> Job:
        """Generate what a request asks for."""
        job = Job(prompt, body)
        self._waiting.put(job)
        job.done.wait()
        return job

    def _work(self) -> None:
        while True:
            while self._free and (not self._running or not self._waiting.empty()):
                self._begin(self._waiting.get())
            try:
                self._step()
            except Exception as error:  # out of memory, say: those that run fail, the next ones are tried
                for slot in list(self._running):
                    self._fail(slot, error)

    def _begin(self, job: Job) -> None:
        slot = self._free.pop()
        self._running[slot] = job
        try:
            hidden = self.llama.run([job.prompt], [0], [slot])[0]
            if job.body.get("echo"):
                shown = self.llama.logprobs(hidden[:-1])
                own = torch.tensor(job.prompt[1:], device=shown.device)[:, None]
                job.echoed = [None, *shown.gather(1, own)[:, 0].tolist()]
            self._accept(slot, job, self.llama.logprobs(hidden[-1]))
        except Exception as error:  # a request that fails must not end the others
            self._fail(slot, error)

    def _step(self) -> None:
        running = list(self._running.items())
        if not running:
            return
        last = [[job.made[-1]] for _, job in running]
        first = [len(job.prompt) + len(job.made) - 1 for _, job in running]
        logprobs = self.llama.logprobs(self.llama.run(last, first, [slot for slot, _ in running])[:, 0])
        for row, (slot, job) in zip(logprobs, running, strict=True):
            self._accept(slot, job, row)

    def _accept(self, slot: int, job: Job, logprobs: torch.Tensor) -> None:
        """Choose the next token; the sequence ends with an end marker or at its limit."""
        heat, top = float(job.body.get("temperature") or 0.0), int(job.body.get("top_logprobs") or 0)
        if heat:
            if job.dice is None:
                job.dice = torch.Generator(logprobs.device).manual_seed(int(job.body.get("seed") or 0))
            token = int(torch.multinomial((logprobs / heat).softmax(-1), 1, generator=job.dice))
        else:
            token = int(logprobs.argmax())
        if token in self.llama.texts.ends:
            job.finish = "stop"
            self._end(slot)
            return
        job.made.append(token)
        if top:
            best = zip(*(each.tolist() for each in logprobs.topk(top)), strict=True)
            listed = [{"token": self.llama.texts.decode([at]), "logprob": value} for value, at in best]
            said = {"token": self.llama.texts.decode([token]), "logprob": float(logprobs[token])}
            job.said.append({**said, "top_logprobs": listed})
        if len(job.made) >= int(job.body.get("max_tokens") or 16):
            self._end(slot)

    def _fail(self, slot: int, error: Exception) -> None:
        self._running[slot].error = f"{type(error).__name__}: {error}"
        self._end(slot)

    def _end(self, slot: int) -> None:
        self._running.pop(slot).done.set()
        self._free.append(slot)


def answer(engine: Engine, path: str, body: Body) -> tuple[int, Body]:
    """The status and the JSON for a request."""
    texts = engine.llama.texts
    asked = body.get("prompt", "")
    prompt = (
        texts.chat(body["messages"]) if "messages" in body else texts.encode(asked) if isinstance(asked, str) else asked
    )
    if path == "/tokenize":
        return 200, {"tokens": prompt, "count": len(prompt)}
    if not prompt or len(prompt) + int(body.get("max_tokens") or 16) > engine.llama.window:
        return 400, {"error": {"message": f"{len(prompt)} tokens: the context length is {engine.llama.window}"}}
    job = engine.finish(prompt, body)
    if job.error:
        return 400, {"error": {"message": job.error}}
    text = texts.decode(job.made)
    choice: Body = {"index": 0, "finish_reason": job.finish, "logprobs": {"content": job.said} if job.said else None}
    if "messages" in body:
        choice["message"] = {"role": "assistant", "content": text}
    else:
        choice |= {"text": text, "logprobs": {"token_logprobs": job.echoed} if job.echoed else None}
    used = {"prompt_tokens": len(prompt), "completion_tokens": len(job.made)}
    return 200, {"model": MODEL, "choices": [choice], "usage": used}


def serve(engine: Engine, port: int) -> ThreadingHTTPServer:
    """A server at a port of this machine, not yet running."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version, disable_nagle_algorithm, wbufsize = "HTTP/1.1", True, -1

        def do_GET(self) -> None:
            record = {"id": MODEL, "owned_by": "vllm", "max_model_len": engine.llama.window}
            self._send(200, {"data": [record]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(*answer(engine, self.path, body))

        def _send(self, status: int, body: Body) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            self.wfile.flush()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, default=8101)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--slots", type=int, default=32)
    parser.add_argument("--window", type=int, default=4096)
    given = parser.parse_args()
    llama = Llama(given.model, device=given.device, slots=given.slots, window=given.window)
    serve(Engine(llama, given.slots), given.port).serve_forever()


if __name__ == "__main__":
    main()
