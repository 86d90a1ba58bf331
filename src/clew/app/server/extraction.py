"""The extraction model of a server, if it is on this machine: opened in the background, then kept."""

import re
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import asdict
from pathlib import Path
from typing import Any

from clew.cancellation import POLL, check_cancelled
from clew.errors import ClewError
from clew.extract.facts.finding import FactFinder
from clew.extract.facts.status import STATED
from clew.extract.packaging.locate import find_statements

__all__ = ["Extraction", "find_extraction"]

PARAGRAPH = re.compile(r"\n\s*\n")


class Extraction:
    """Facts of texts by one model."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._guard = threading.Lock()
        self._opening: Future[FactFinder] | None = None

    def facts(self, text: str, *, confidence: float | None = None) -> list[dict[str, Any]]:
        """The facts that a text states, surest first; each paragraph is read on its own."""
        finder = self._opened()
        found: list[dict[str, Any]] = []
        start = 0
        for end, following in [*(match.span() for match in PARAGRAPH.finditer(text)), (len(text), len(text))]:
            check_cancelled()
            stated = (each for each in finder.find(text[start:end], confidence=confidence) if each.status == STATED)
            for fact in stated:
                record = asdict(fact)
                places = ("subject_start", "subject_end", "object_start", "object_end")
                found.append({**record, **{name: record[name] + start for name in places}})
            start = following
        return sorted(found, key=lambda fact: -fact["confidence"])

    def open(self) -> "Future[FactFinder]":
        """Begin to open the model, in a thread of its own, unless that was done before."""
        with self._guard:
            if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
                opener = ThreadPoolExecutor(1, thread_name_prefix="clew-extraction")
                self._opening = opener.submit(FactFinder.open, Path(self.name), threads=1)
                opener.shutdown(wait=False)
            return self._opening

    def _opened(self) -> FactFinder:
        """The finder; opening it takes a while, in which whoever waits can be cancelled."""
        opening = self.open()
        while True:
            check_cancelled()
            try:
                return opening.result(POLL)
            except NotYet:
                if opening.done():
                    raise


def find_extraction(name: str | None) -> Extraction | None:
    """The extraction model of that name, if one is wanted and on this machine."""
    if name is None:
        return None
    try:
        find_statements(Path(name))
    except ClewError:
        return None
    return Extraction(name)
