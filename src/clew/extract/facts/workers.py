"""Documents to rows of facts, in this process or in several, part by part and in order."""

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import astuple
from pathlib import Path
from typing import Any

from clew.errors import ClewError, InputError
from clew.extract.corpus.document import Document, lay_out
from clew.extract.facts.finding import FactFinder
from clew.progress import Progress

__all__ = ["rows_of_parts"]

Rows = list[tuple[Any, ...]]
WAITING = 2  # parts a process has ahead of it


def rows_of_parts(
    parts: Iterable[Sequence[Document]],
    model: Path,
    *,
    confidence: float | None,
    processes: int,
    progress: Progress,
) -> Iterator[tuple[Sequence[Document], Rows]]:
    """Each part with the rows of its documents, in the order of the parts."""
    if processes < 1:
        raise InputError(f"documents are read by at least one process, not {processes}")
    finder = FactFinder.open(model, threads=None if processes == 1 else 1, progress=progress)  # also makes its caches
    if processes == 1:
        for part in parts:
            yield part, _rows(finder, part, confidence)
        return
    del finder
    context = multiprocessing.get_context("spawn")
    waiting: deque[tuple[Sequence[Document], Future[Rows]]] = deque()
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_open, initargs=(model,)) as pool:
        try:
            for part in parts:
                waiting.append((part, pool.submit(_find, part, confidence)))
                if len(waiting) >= WAITING * processes:
                    yield _done(waiting)
            while waiting:
                yield _done(waiting)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _done(waiting: "deque[tuple[Sequence[Document], Future[Rows]]]") -> tuple[Sequence[Document], Rows]:
    part, found = waiting.popleft()
    try:
        return part, found.result()
    except BrokenProcessPool as error:
        raise ClewError(
            "a process that reads documents ended (perhaps for want of memory): repeat the call, which resumes, with"
            " fewer processes"
        ) from error


def _rows(finder: FactFinder, part: Sequence[Document], confidence: float | None) -> Rows:
    return [
        (document.id, document.license, *astuple(fact))
        for document in part
        for fact in finder.find(lay_out(document).text, confidence=confidence)
    ]


_finder: FactFinder  # of a process of its own


def _open(model: Path) -> None:
    global _finder
    _finder = FactFinder.open(model, threads=1)


def _find(part: Sequence[Document], confidence: float | None) -> Rows:
    return _rows(_finder, part, confidence)
