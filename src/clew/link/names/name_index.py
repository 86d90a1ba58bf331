"""The name index of a graph: every id, cross-reference, name and synonym, as memory-mapped arrays.

Names with the same key share one key row; rows are sorted by the hash of their key, so a look-up is one bisection.
Trigrams and a trie of words over the same rows serve misspellings and running text. It lives in
`snapshot.derived`, sealed with the graph's snapshot.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import DerivedError
from clew.graph import GraphContents
from clew.graph.storage.arrays import array_of, prove_ids, prove_offsets
from clew.link.names.curies import curie_key, local_part
from clew.link.names.phrases import Phrases
from clew.link.names.strings import Strings, hash_of
from clew.link.names.trigrams import Trigrams
from clew.link.normalise import loose_keys
from clew.sealed import Seal, open_seal

__all__ = ["KINDS", "LAYOUT", "VERSION", "Form", "LinkIndex", "index_identity", "index_path", "open_index", "remedy"]

Ints = NDArray[np.integer]
Arrays = Callable[[str], Ints]
VERSION = 4  # of the arrays and of the normaliser: increment it when either changes
KINDS = ("name", "synonym", "id", "xref")


@dataclass(frozen=True, slots=True)
class Form:
    """A surface form of an entity, as written in the graph."""

    text: str
    entity: int
    kind: str  # one of KINDS


# array: (type, length, what its numbers index). "x+1": offsets into the third.
LAYOUT: Mapping[str, tuple[str, str, str | None]] = {
    "key_hash": ("uint64", "keys", None),  # sorted
    "key_text": ("uint8", "key_bytes", None),
    "key_start": ("int64", "keys+1", "key_bytes"),
    "form_start": ("int64", "keys+1", "forms"),  # offsets of the forms of a key
    "form_text": ("uint8", "form_bytes", None),
    "form_text_start": ("int64", "forms+1", "form_bytes"),
    "form_entity": ("int64", "forms", "entities"),
    "form_kind": ("uint8", "forms", "kinds"),
    "loose_hash": ("uint64", "loose", None),  # sorted
    "loose_key": ("int32", "loose", "keys"),
    "id_hash": ("uint64", "ids", None),  # sorted
    "id_text": ("uint8", "id_bytes", None),
    "id_text_start": ("int64", "ids+1", "id_bytes"),
    "id_entity": ("int64", "ids", "entities"),
    "id_kind": ("uint8", "ids", "kinds"),
    "local_hash": ("uint64", "locals", None),  # sorted
    "local_id": ("int64", "locals", "ids"),
    "gram_code": ("uint32", "grams", None),  # sorted
    "gram_start": ("int64", "grams+1", "postings"),
    "gram_key": ("int32", "postings", "keys"),
    "key_grams": ("uint16", "keys", None),
    "word_hash": ("uint64", "words", None),  # sorted
    "word_count": ("int64", "words", None),
    "word_state": ("int32", "words", "-states"),  # "-": or -1
    "step": ("uint64", "steps", None),  # sorted
    "step_state": ("int32", "steps", "states"),
    "state_key": ("int32", "states", "-keys"),
}


class LinkIndex:
    """Looks up forms by key, loose key, id and trigrams, and in running text."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._used: dict[str, Ints] = {}

    @property
    def form_count(self) -> int:
        """The number of names and synonyms."""
        return len(self._get("form_entity"))

    @property
    def id_count(self) -> int:
        """The number of ids and cross-references."""
        return len(self._get("id_entity"))

    def find(self, key: str) -> int | None:
        """The row of this exact key."""
        return next((row for row in _equal(self._get("key_hash"), hash_of(key)) if self.keys[row] == key), None)

    def find_loose(self, key: str) -> list[int]:
        """Rows with the same words in another order, or the same text ignoring spaces and stop words."""
        loose = loose_keys(key)
        found: dict[int, None] = {}
        for each in dict.fromkeys(loose):
            for at in _equal(self._get("loose_hash"), hash_of(each)):
                row = int(self._get("loose_key")[at])
                if each in loose_keys(self.keys[row]):
                    found.setdefault(row)
        return list(found)

    def forms(self, row: int) -> list[Form]:
        """Every form of a row: names before synonyms, then by entity."""
        start, end = self._get("form_start")[row : row + 2].tolist()
        entities, kinds = self._get("form_entity")[start:end].tolist(), self._get("form_kind")[start:end].tolist()
        return [Form(self._texts[start + at], entities[at], KINDS[kinds[at]]) for at in range(end - start)]

    def forms_of(self, entities: Ints) -> list[Form]:
        """Every name and synonym of some entities."""
        whose, kinds = self._get("form_entity"), self._get("form_kind")
        rows = np.flatnonzero(np.isin(whose, entities)).tolist()
        return [Form(self._texts[row], int(whose[row]), KINDS[int(kinds[row])]) for row in rows]

    def find_id(self, text: str) -> list[Form]:
        """Ids and cross-references that `text` may denote; a bare local id if only one prefix has it."""
        key = curie_key(text)
        if key is not None:
            rows = [at for at in _equal(self._get("id_hash"), hash_of(key)) if curie_key(self._id_texts[at]) == key]
            if rows:
                return [self._id_form(at) for at in rows]
        local = local_part(text) if ":" not in text else None
        if local is None:
            return self._plain_ids(text)
        at_local = list(_equal(self._get("local_hash"), hash_of(local)))
        rows = [int(self._get("local_id")[at]) for at in at_local]
        found = [form for form in map(self._id_form, rows) if local_part(form.text) == local]
        return found or self._plain_ids(text)

    def _plain_ids(self, text: str) -> list[Form]:
        """Ids that are not CURIEs, by their own text."""
        rows = _equal(self._get("id_hash"), hash_of(text))
        return [form for form in map(self._id_form, rows) if form.text == text]

    def _id_form(self, at: int) -> Form:
        kind = KINDS[int(self._get("id_kind")[at])]
        return Form(self._id_texts[at], int(self._get("id_entity")[at]), kind)

    @cached_property
    def keys(self) -> Strings:
        """The key of every row."""
        return Strings(self._bytes("key_text"), self._starts("key_start"))

    @cached_property
    def _texts(self) -> Strings:
        return Strings(self._bytes("form_text"), self._starts("form_text_start"))

    @cached_property
    def _id_texts(self) -> Strings:
        return Strings(self._bytes("id_text"), self._starts("id_text_start"))

    @cached_property
    def trigrams(self) -> Trigrams:
        """The trigram index of the rows."""
        return Trigrams(*map(self._get, ("gram_code", "gram_start", "gram_key", "key_grams")))

    @cached_property
    def phrases(self) -> Phrases:
        """The rows as a trie of words."""
        return Phrases(*map(self._get, ("word_hash", "word_count", "word_state", "step", "step_state", "state_key")))

    def _get(self, name: str) -> Ints:
        array = self._used.get(name)
        if array is None:
            array = self._used[name] = self._arrays(name)
        return array

    def _bytes(self, name: str) -> NDArray[np.uint8]:
        return self._get(name).view(np.uint8)

    def _starts(self, name: str) -> NDArray[np.int64]:
        return self._get(name).view(np.int64)


def _equal(hashes: Ints, wanted: int) -> Iterator[int]:
    """The positions of a number in a sorted array."""
    at = int(np.searchsorted(hashes, np.uint64(wanted)))
    while at < len(hashes) and int(hashes[at]) == wanted:
        yield at
        at += 1


def index_path(contents: GraphContents, *, new: bool = False) -> Path:
    """Where the name index of a graph lives, or is to be written."""
    return contents.snapshot.derived("names", new=new)


def index_identity(contents: GraphContents) -> dict[str, str | int]:
    """The identity that the index must have been built from."""
    return {"version": VERSION, "snapshot": contents.snapshot.id}


def remedy(contents: GraphContents) -> str:
    """The command that rebuilds the index."""
    return f"clew index {contents.snapshot}"


def open_index(contents: GraphContents) -> LinkIndex:
    """The index on disk; raises `DerivedError` if it is missing, damaged or belongs to another graph.

    All files are proved and mapped now, so that the index stays what it is until it is closed. The numbers of an array
    are looked through on its first use: whatever the files say, nothing is ever read out of bounds.
    """
    path, again = index_path(contents), remedy(contents)
    seal = open_seal(path, index_identity(contents), what=f"the name index of {contents.snapshot}", remedy=again)
    try:
        counts = {name.removeprefix("count_"): int(n) for name, n in seal.identity.items() if name.startswith("count_")}
        counts |= {"entities": contents.counts["entities"], "kinds": len(KINDS)}
        arrays = {name: _mapped(seal, name, counts) for name in LAYOUT}
    except (KeyError, TypeError, ValueError) as error:
        raise DerivedError(f"{path} does not have the arrays of a name index: run `{again}`") from error

    def get(name: str) -> Ints:
        _, length, target = LAYOUT[name]
        if not _proof("+" in length, target, counts)(arrays[name]):
            raise DerivedError(f"{path / name}.npy is damaged (numbers out of range): run `{again}`")
        return arrays[name]

    return LinkIndex(get)


def _mapped(seal: Seal, name: str, counts: Mapping[str, int]) -> Ints:
    dtype, length, _ = LAYOUT[name]
    count, _, more = length.partition("+")
    return array_of(seal.map(f"{name}.npy"), dtype, counts[count] + bool(more))


def _proof(starts: bool, target: str | None, counts: Mapping[str, int]) -> Callable[[Ints], bool]:
    if target is None:
        return lambda numbers: True
    if starts:
        return prove_offsets(counts[target])
    if target.startswith("-"):
        below = counts[target[1:]]
        return lambda numbers: len(numbers) == 0 or (int(numbers.min()) >= -1 and int(numbers.max()) < below)
    return prove_ids(counts[target])
