"""Names of which a question has only a part, where no other name has it: "Fellside" for Fellside Brewery."""

import re

import pyarrow as pa
import pyarrow.compute as pc

from clew.answer.names.meanings import Anchor, Meaning
from clew.graph import read_entities
from clew.link import Linker

__all__ = ["shortened"]

BY_PART = 0.96  # score of the only name with these words
SHORTEST = 4  # letters


def shortened(text: str, start: int, end: int, linker: Linker) -> Anchor | None:
    """What a stretch of a question names, if its words are in one name alone; a name that begins so comes first."""
    said = text[start:end]
    words = said.split()
    if len(said) < SHORTEST or not all(word[:1].isupper() and linker.index.phrases.count(word) for word in words):
        return None
    entities = read_entities(linker.engine, ("id", "name", "type"))
    for pattern in (rf"(?i)^(?:the )?{re.escape(said)}\b", rf"(?i)\b{re.escape(said)}\b"):
        found = entities.filter(pc.match_substring_regex(entities["name"], pattern))
        if len(found):
            return _only(found, said, start, end)
    return None


def _only(found: pa.Table, said: str, start: int, end: int) -> Anchor | None:
    if len(found) > 1:
        return None
    (only,) = found.to_pylist()
    meaning = Meaning(only["type"], (only["id"],), only["name"], BY_PART, f"the only name with {said!r}")
    return Anchor(start, end, said, (meaning,))
