"""Generates for many requests at once: prompts that wait are read together, then every running sequence gets a token.

One thread runs the network. A request is a body of OpenAI's protocol; `wanted` asks for the log-probabilities of some
tokens right after the prompt, and nothing is generated. With a `pattern` the likeliest token is taken after which what
is written can still become a match.
"""

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex
import torch
from torch import Tensor

from benchmarks.contexts.llama import Llama

__all__ = ["Body", "Engine", "Job"]

Body = dict[str, Any]
TOGETHER = 1 << 15  # tokens of prompts that are read at once, padding included
LIKELIEST = 512  # tokens that are tried for a pattern
ENOUGH = 8  # prompts are read when one slot of this many is free, so that few are not read alone


@dataclass
class Job:
    """A prompt on its way, with what has been generated."""

    prompt: list[int]
    body: Body
    wanted: tuple[int, ...] = ()
    done: Callable[["Job"], None] = lambda job: None
    made: list[int] = field(default_factory=list)
    said: list[Body] = field(default_factory=list)  # log-probabilities of `made`, in the chat format
    echoed: list[float | None] = field(default_factory=list)  # log-probabilities of the prompt's own tokens
    scores: list[float] = field(default_factory=list)  # of the wanted tokens
    finish: str = "length"
    error: str = ""
    dice: torch.Generator | None = None


class Engine:
    """Runs jobs in the order in which they come, as many together as there are slots."""

    def __init__(self, llama: Llama, slots: int) -> None:
        self.llama, self._free = llama, list(range(slots))
        self._enough = -(-slots // ENOUGH)
        self._waiting: queue.Queue[Job] = queue.Queue()
        self._running: dict[int, Job] = {}
        threading.Thread(target=self._work, daemon=True).start()

    def submit(self, job: Job) -> None:
        """Begin a job; its `done` is called from the engine's thread."""
        self._waiting.put(job)

    def finish(self, job: Job) -> Job:
        """Wait until a job is done."""
        over = threading.Event()
        job.done = lambda job: over.set()
        self.submit(job)
        over.wait()
        return job

    def _work(self) -> None:
        held: Job | None = None  # the first that did not fit into the last batch
        while True:
            if held is None and not self._running:
                held = self._waiting.get()
            jobs, held = self._next(held)
            try:
                if jobs:
                    self._begin(jobs)
                self._step()
            except Exception as error:  # out of memory, say: those that run fail, the next ones are tried
                for slot in list(self._running):
                    self._running[slot].error = f"{type(error).__name__}: {error}"
                    self._end(slot)

    def _next(self, held: Job | None) -> tuple[list[Job], Job | None]:
        """The jobs to begin together, and the one that has to wait for the next batch."""
        jobs: list[Job] = []
        while len(jobs) < len(self._free) >= self._enough:
            if held is None:
                try:
                    held = self._waiting.get_nowait()
                except queue.Empty:
                    break
            longest = max(len(job.prompt) for job in (*jobs, held))
            if jobs and longest * (len(jobs) + 1) > TOGETHER:
                break
            jobs.append(held)
            held = None
        return jobs, held

    def _begin(self, jobs: Sequence[Job]) -> None:
        """Read prompts, padded on the right: no token sees what comes after it."""
        slots = [self._free.pop() for _ in jobs]
        self._running |= dict(zip(slots, jobs, strict=True))
        longest = max(len(job.prompt) for job in jobs)
        padded = [job.prompt + [0] * (longest - len(job.prompt)) for job in jobs]
        hidden = self.llama.run(padded, [0] * len(jobs), slots)  # (b, longest, width)
        ends = torch.tensor([len(job.prompt) - 1 for job in jobs], device=hidden.device)
        for at, job in enumerate(jobs):
            if job.body.get("echo"):
                shown = self.llama.logprobs(hidden[at, : len(job.prompt) - 1])
                own = torch.tensor(job.prompt[1:], device=shown.device)[:, None]
                job.echoed = [None, *shown.gather(1, own)[:, 0].tolist()]
        self._accept(slots, self.llama.logprobs(hidden[torch.arange(len(jobs), device=hidden.device), ends]))

    def _step(self) -> None:
        running = list(self._running.items())
        if running:
            last = [[job.made[-1]] for _, job in running]
            first = [len(job.prompt) + len(job.made) - 1 for _, job in running]
            slots = [slot for slot, _ in running]
            self._accept(slots, self.llama.logprobs(self.llama.run(last, first, slots)[:, 0]))

    def _accept(self, slots: Sequence[int], logprobs: Tensor) -> None:
        """Choose the next token of each; a sequence ends with an end marker or at its limit."""
        likeliest = logprobs.argmax(-1).tolist()
        for row, slot, token in zip(logprobs, slots, likeliest, strict=True):
            job = self._running[slot]
            if job.wanted:
                job.scores = row[list(job.wanted)].tolist()
                self._end(slot)
                continue
            token = self._drawn(job, row, token)
            if token in self.llama.texts.ends:
                job.finish = "stop"
                self._end(slot)
                continue
            job.made.append(token)
            if top := int(job.body.get("top_logprobs") or 0):
                job.said.append(self._described(row, token, top))
            if len(job.made) >= int(job.body.get("max_tokens") or 16):
                self._end(slot)

    def _drawn(self, job: Job, logprobs: Tensor, likeliest: int) -> int:
        """The likeliest token (that suits the pattern), or one drawn from the distribution at the job's temperature."""
        if pattern := job.body.get("pattern"):
            return self._matching(job, logprobs, regex.compile(pattern))
        heat = float(job.body.get("temperature") or 0.0)
        if not heat:
            return likeliest
        if job.dice is None:
            job.dice = torch.Generator(logprobs.device).manual_seed(int(job.body.get("seed") or 0))
        return int(torch.multinomial((logprobs / heat).softmax(-1), 1, generator=job.dice))

    def _matching(self, job: Job, logprobs: Tensor, pattern: regex.Pattern[str]) -> int:
        """The likeliest token with which the text can become a match, or ends as one; an end marker without any."""
        texts = self.llama.texts
        for token in logprobs.topk(min(LIKELIEST, len(logprobs))).indices.tolist():
            if token in texts.ends:
                if pattern.fullmatch(texts.decode(job.made)):
                    return token
            elif pattern.fullmatch(texts.decode([*job.made, token]), partial=True):
                return token
        return min(texts.ends)

    def _described(self, logprobs: Tensor, token: int, top: int) -> Body:
        best = zip(*(each.tolist() for each in logprobs.topk(top)), strict=True)
        listed = [{"token": self.llama.texts.decode([at]), "logprob": value} for value, at in best]
        said = {"token": self.llama.texts.decode([token]), "logprob": float(logprobs[token])}
        return {**said, "top_logprobs": listed}

    def _end(self, slot: int) -> None:
        job = self._running.pop(slot)
        self._free.append(slot)
        job.done(job)
