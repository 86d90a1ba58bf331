"""Serve a GGUF file from a GPU, with as much of vLLM's protocol as Clew's client uses; requests are decoded together.

`python -m benchmarks.contexts.serve_model MODEL.gguf --port 8101`, then `--model http://127.0.0.1:8101/v1#smollm2`.
Completions with log-probabilities, token counts and scores of continuations; no grammars. A temperature above 0 samples
from the whole distribution (llama.cpp cuts its tail).
"""

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch

from benchmarks.contexts.engine import Body, Engine, Job
from benchmarks.contexts.llama import Llama

__all__ = ["serve"]

MODEL = "smollm2"


def answer(engine: Engine, name: str, path: str, body: Body) -> tuple[int, Body]:
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
    job = engine.finish(Job(prompt, body))
    if job.error:
        return 400, {"error": {"message": job.error}}
    text = texts.decode(job.made)
    choice: Body = {"index": 0, "finish_reason": job.finish, "logprobs": {"content": job.said} if job.said else None}
    if "messages" in body:
        choice["message"] = {"role": "assistant", "content": text}
    else:
        choice |= {"text": text, "logprobs": {"token_logprobs": job.echoed} if job.echoed else None}
    used = {"prompt_tokens": len(prompt), "completion_tokens": len(job.made)}
    return 200, {"model": name, "choices": [choice], "usage": used}


def serve(engine: Engine, port: int, name: str = MODEL) -> ThreadingHTTPServer:
    """A server at a port of this machine, not yet running."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version, disable_nagle_algorithm, wbufsize = "HTTP/1.1", True, -1

        def do_GET(self) -> None:
            record = {"id": name, "owned_by": "vllm", "max_model_len": engine.llama.window}
            self._send(200, {"data": [record]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(*answer(engine, name, self.path, body))

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
    parser.add_argument("--name", default=MODEL)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--slots", type=int, default=32)
    parser.add_argument("--window", type=int, default=4096)
    given = parser.parse_args()
    llama = Llama.open(given.model, device=given.device, slots=given.slots, window=given.window)
    serve(Engine(llama, given.slots), given.port, given.name).serve_forever()


if __name__ == "__main__":
    main()
