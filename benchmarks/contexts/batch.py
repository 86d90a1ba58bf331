"""Answer a file of requests by a GGUF file on a GPU, all together.

`python -m benchmarks.contexts.batch MODEL.gguf RESPONSES.jsonl REQUESTS.jsonl…`: requests as
`benchmarks.contexts.offline` notes them. Every response is appended when it is there; those that the file has are not
asked for again.
"""

import argparse
import json
import queue
import sys
import time
from pathlib import Path

import torch

from benchmarks.contexts.engine import Body, Engine, Job
from benchmarks.contexts.llama import Llama

__all__ = ["respond"]


def job_of(asked: Body, llama: Llama) -> Job:
    """The job of a request; continuations have to be one token each, such as letters."""
    prompt = llama.texts.chat(asked["messages"])
    wanted = [llama.texts.encode(text) for text in asked.get("continuations", ())]
    if any(len(tokens) != 1 for tokens in wanted):
        raise ValueError(f"continuations of one token are scored, not {asked['continuations']}")
    if len(prompt) + asked.get("max_tokens", 1) > llama.window:
        raise ValueError(f"a prompt of {len(prompt)} tokens does not fit into {llama.window}")
    return Job(prompt, asked, tuple(token for (token,) in wanted))


def respond(requests: list[Body], engine: Engine, out: Path) -> int:
    """Append a response to every request that has none yet; returns how many failed."""
    known = {json.loads(line)["key"] for line in _whole_lines(out)} if out.exists() else set()
    over: queue.Queue[tuple[str, Job]] = queue.Queue()
    todo = [each for each in requests if each["key"] not in known]
    jobs = [(asked["key"], job_of(asked, engine.llama)) for asked in todo]
    for key, job in sorted(jobs, key=lambda pair: len(pair[1].prompt)):  # little padding
        job.done = lambda job, key=key: over.put((key, job))  # type: ignore[misc]
        engine.submit(job)
    failed, begun = 0, time.monotonic()
    with out.open("a", encoding="utf-8") as file:
        for done in range(1, len(todo) + 1):
            key, job = over.get()
            if job.error:
                failed += 1
                print(f"{key}: {job.error}", file=sys.stderr)
                continue
            response = {
                "key": key,
                "text": engine.llama.texts.decode(job.made),
                "finish": job.finish,
                "prompt_tokens": len(job.prompt),
                "completion_tokens": len(job.made),
                "scores": job.scores,
            }
            file.write(json.dumps(response) + "\n")
            file.flush()
            if done % 500 == 0 or done == len(todo):
                print(f"{done} of {len(todo)} in {time.monotonic() - begun:.1f} s", flush=True)
    return failed


def _whole_lines(path: Path) -> list[bytes]:
    """The lines of a file, from which what a killed run began to write is removed."""
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if len(whole) < len(text):
        path.write_bytes(whole)
    return whole.splitlines()


def main() -> None:
    """Answer a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("responses", type=Path)
    parser.add_argument("requests", type=Path, nargs="+")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--slots", type=int, default=256)
    parser.add_argument("--window", type=int, default=2048)
    given = parser.parse_args()
    noted = [json.loads(line) for path in given.requests for line in path.read_text("utf-8").splitlines()]
    requests = list({asked["key"]: asked for asked in noted}.values())
    begun = time.monotonic()
    llama = Llama.open(given.model, device=given.device, slots=given.slots, window=given.window)
    print(f"{given.model.name} on {given.device} in {time.monotonic() - begun:.1f} s; {len(requests)} requests")
    raise SystemExit(1 if respond(requests, Engine(llama, given.slots), given.responses) else 0)


if __name__ == "__main__":
    main()
