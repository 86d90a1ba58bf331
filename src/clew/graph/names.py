"""Finding entities by what they are called: exact ids, exact names, prefixes and misspellings.

Two structures on disk. `id_hash` holds the sorted 64-bit hashes of all ids with the entity of each, so an id is found
by bisection without loading any. `names.arrow` holds every name and synonym, lower-cased and sorted, with its entity.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.graph.storage.arrays import arrow_of, numbers_of, texts_as_arrow

__all__ = ["MULTIPLIER", "Found", "IdArrays", "NameIndex", "SortedText", "hash_strings", "name_table"]

Ints = NDArray[np.integer]
Hashes = NDArray[np.uint64]
MULTIPLIER = 0x9E3779B97F4A7C15  # odd, so it has an inverse modulo 2**64
INVERSE = pow(MULTIPLIER, -1, 2**64)
MODULUS = 2**64
HOW = ("id", "name", "synonym", "prefix", "close")  # the better before the worse where scores are alike
FEW = 4  # ids that are looked up one by one


class IdArrays(NamedTuple):
    """All ids as plain arrays: sorted hashes with the entity of each, and the texts one after another by entity."""

    hash: Hashes
    entity: Ints
    starts: Ints  # (entities + 1,)
    text: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Found:
    """An entity that answers to a searched text: how it matched and how well, 1.0 for an exact match."""

    entity: int
    id: str
    name: str
    type: str
    matched: str  # the name or synonym that matched
    how: str  # one of HOW
    score: float


def hash_string(text: str) -> int:
    """The 64-bit polynomial hash of one string; `hash_strings` gives the same for many at once."""
    value, power = 0, 1
    for byte in text.encode("utf-8"):
        value += (byte + 1) * power
        power = power * MULTIPLIER % MODULUS
    return value * MULTIPLIER % MODULUS


def hash_strings(strings: pa.Array) -> Hashes:
    """Hashes of a string array, without making Python strings.

    Sum of (byte + 1)·p^position over all bytes gives prefix sums; the sum of one string, divided by p to the power of
    its start, is its hash. All arithmetic is modulo 2**64, where the odd p can be divided by.
    """
    strings = strings.cast(pa.large_string())
    offsets = np.frombuffer(strings.buffers()[1], np.int64)[strings.offset : strings.offset + len(strings) + 1]
    if len(strings) == 0:
        return np.empty(0, np.uint64)
    first, last = int(offsets[0]), int(offsets[-1])
    if first == last:
        return np.zeros(len(strings), np.uint64)
    text = np.frombuffer(strings.buffers()[2], np.uint8)[first:last].astype(np.uint64) + np.uint64(1)
    powers = np.full(len(text) + 1, MULTIPLIER, np.uint64)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    sums = np.zeros(len(text) + 1, np.uint64)
    np.cumsum(text * powers[:-1], out=sums[1:])
    del text, powers
    inverses = np.full(last - first + 1, INVERSE, np.uint64)
    inverses[0] = MULTIPLIER
    np.multiply.accumulate(inverses, out=inverses)
    starts = offsets[:-1] - first
    hashes: Hashes = (sums[offsets[1:] - first] - sums[starts]) * inverses[starts]
    return hashes


def name_table(names: pa.Array, synonyms: pa.Array | None, *, entity_type: str) -> pa.Table:
    """Every name and synonym, lower-cased and sorted, with the entity it belongs to."""
    import pyarrow.compute as pc

    entities = pa.array(np.arange(len(names), dtype=entity_type))
    forms, owners = [names.cast(pa.large_string())], [entities]
    kinds = [np.zeros(len(names), np.int8)]
    if synonyms is not None and synonyms.null_count < len(synonyms):
        flat = pc.list_flatten(synonyms).cast(pa.large_string())
        owner = entities.take(pc.list_parent_indices(synonyms))
        present = flat.is_valid()
        forms.append(flat.filter(present))
        owners.append(owner.filter(present))
        kinds.append(np.ones(len(forms[-1]), np.int8))
    table = pa.table(
        {
            "form": pa.chunked_array([pc.utf8_lower(form) for form in forms]),
            "entity": pa.chunked_array(owners),
            "kind": pa.array(np.concatenate(kinds)),  # 0 name, 1 synonym
        }
    )
    return table.sort_by([("form", "ascending"), ("kind", "ascending"), ("entity", "ascending")]).combine_chunks()


class NameIndex:
    """Looks names up; everything stays on disk until it is needed."""

    def __init__(self, entities: pa.Table, names: Callable[[], pa.Table], id_hash: Hashes, id_entity: Ints) -> None:
        self._entities = entities
        self._read_names = names
        self._id_hash = id_hash
        self._id_entity = id_entity

    @cached_property
    def id_arrays(self) -> IdArrays:
        """What a compiled look-up works on; mapped, not copied."""
        column = _array(self._entities["id"])
        if not len(column):
            return IdArrays(self._id_hash, self._id_entity, np.zeros(1, np.int64), np.zeros(0, np.uint8))
        wide = "int64" if pa.types.is_large_string(column.type) else "int32"
        _, starts, text = column.buffers()
        offsets: Ints = np.frombuffer(starts, wide)[column.offset : column.offset + len(column) + 1]
        held = np.zeros(0, np.uint8) if text is None else np.frombuffer(text, np.uint8)
        return IdArrays(self._id_hash, self._id_entity, offsets, held)

    def by_id(self, identifier: str) -> int | None:
        """The entity with exactly this id."""
        if not _is_text(identifier):
            return None
        wanted = np.uint64(hash_string(identifier))
        at = int(np.searchsorted(self._id_hash, wanted))
        ids = self._entities["id"]
        while at < len(self._id_hash) and self._id_hash[at] == wanted:
            entity = int(self._id_entity[at])
            if ids[entity].as_py() == identifier:
                return entity
            at += 1
        return None

    def lookup(self, identifiers: Sequence[str] | pa.Array | pa.ChunkedArray) -> NDArray[np.int64]:
        """The entity with exactly each of these ids, -1 where there is none; all are looked up together."""
        texts: Any = identifiers
        if isinstance(texts, list | tuple):
            try:
                texts = texts_as_arrow(texts) if len(texts) > FEW else None
            except UnicodeEncodeError:  # half a surrogate pair is no text
                texts = None
            if texts is None:
                found = (self.by_id(each) for each in identifiers)
                return np.array([-1 if each is None else each for each in found], np.int64)
        texts = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
        texts = texts.dictionary_decode() if pa.types.is_dictionary(texts.type) else texts
        texts = texts.cast(pa.large_string())
        entity = np.full(len(texts), -1, np.int64)
        if not len(texts) or not len(self._id_hash):
            return entity
        texts = texts.fill_null("") if texts.null_count else texts
        hashes = hash_strings(texts)
        at = np.searchsorted(self._id_hash, hashes)
        at[at == len(self._id_hash)] = 0
        likely = np.flatnonzero(self._id_hash[at] == hashes)
        entities = self._id_entity[at[likely]].astype(np.int64)
        same = _array(self._entities["id"]).take(arrow_of(entities)).cast(pa.large_string())
        alike = _equal(same, texts.take(arrow_of(likely)))
        entity[likely[alike]] = entities[alike]
        for collided in likely[~alike].tolist():  # another id has the same hash: look further
            other = self.by_id(texts[collided].as_py())
            entity[collided] = -1 if other is None else other
        return entity

    def by_name(self, name: str) -> list[int]:
        """Every entity with exactly this name."""
        if not _is_text(name):
            return []
        column = self._entities["name"]
        found = {entity for _, entity, kind in self._from(_lowered(name), whole=True) if kind == 0}
        return sorted(entity for entity in found if column[entity].as_py() == name)

    def search(self, text: str, *, limit: int = 10, whole: bool = False) -> list[Found]:
        """Entities that answer to a text, best first: its id, its name or a synonym; unless `whole`, a prefix, a near
        miss, which is compared with every name of the graph."""
        found: dict[int, Found] = {}
        exact = self.by_id(text)
        if exact is not None:
            self._note(found, exact, text, "id", 1.0)
        lowered = _lowered(text.encode("utf-8", "replace").decode())
        form = " ".join(lowered.split())
        if not form:
            return list(found.values())[:limit]
        for written in dict.fromkeys((lowered, form)):  # a name may hold line breaks or runs of spaces itself
            for matched, entity, kind in self._from(written, whole=True):
                self._note(found, entity, matched, ("name", "synonym")[kind], 1.0)
        prefixed = [] if whole else sorted(self._prefixed(form, 50 * limit), key=lambda hit: len(hit[0]))
        for matched, entity, _ in prefixed:
            self._note(found, entity, matched, "prefix", 0.9 + 0.09 * len(form) / len(matched))
        if len(found) < limit and not whole:
            for matched, score, row in self._close(form, 4 * limit):
                self._note(found, int(self._owner[row]), matched, "close", score / 100 * 0.98)
        return sorted(found.values(), key=lambda hit: (-hit.score, HOW.index(hit.how), hit.entity))[:limit]

    def close(self, text: str, *, limit: int = 3) -> tuple[str, ...]:
        """What was probably meant by an unknown name or id: "id (name)" of the nearest entities."""
        return tuple(
            f"{hit.id} ({hit.name})" if hit.name != hit.id else hit.id for hit in self.search(text, limit=limit)
        )

    def _note(self, found: dict[int, Found], entity: int, matched: str, how: str, score: float) -> None:
        known = found.get(entity)
        if known is None or score > known.score:
            row = self._entities.slice(entity, 1).to_pylist()[0]
            found[entity] = Found(entity, row["id"], row["name"], row["type"], matched, how, round(score, 4))

    @cached_property
    def table(self) -> pa.Table:
        """Every name and synonym, lower-cased and sorted, with its entity."""
        return self._read_names()

    @cached_property
    def _form(self) -> Any:
        return _array(self.table["form"])

    @cached_property
    def _owner(self) -> Ints:
        return numbers_of(_array(self.table["entity"]))

    @cached_property
    def _kind(self) -> Ints:
        return numbers_of(_array(self.table["kind"]))

    @cached_property
    def _forms(self) -> list[str]:
        return self._form.to_pylist()  # type: ignore[no-any-return]

    def _from(self, form: str, *, whole: bool) -> Iterator[tuple[str, int, int]]:
        at = bisect_left(SortedText(self._form), form.encode())
        while at < len(self._form):
            here = self._form[at].as_py()
            if not (here == form if whole else here.startswith(form)):
                return
            yield here, int(self._owner[at]), int(self._kind[at])
            at += 1

    def _prefixed(self, form: str, limit: int) -> Iterator[tuple[str, int, int]]:
        for count, hit in enumerate(self._from(form, whole=False)):
            if count == limit:
                return
            yield hit

    def _close(self, form: str, limit: int) -> list[tuple[str, float, int]]:
        from rapidfuzz import fuzz, process

        near = process.extract(form, self._forms, scorer=fuzz.ratio, limit=limit, score_cutoff=60)
        turned = process.extract(form, self._forms, scorer=fuzz.token_sort_ratio, limit=limit, score_cutoff=75)
        return [*near, *((matched, score * 0.97, row) for matched, score, row in turned)]


def _equal(left: pa.Array, right: pa.Array) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    same = np.zeros(len(left), bool)
    same[numbers_of(pc.indices_nonzero(pc.equal(left, right)))] = True
    return same


def _is_text(text: str) -> bool:
    """Whether a string can be UTF-8, as all text of a graph is; half a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _lowered(text: str) -> str:
    """Lower case as Arrow has it, in which names.arrow is written: Python's differs for İ and for Σ at the end."""
    if text.isascii():
        return text.lower()
    import pyarrow.compute as pc

    return str(pc.utf8_lower(pa.scalar(text)).as_py())


class SortedText(Sequence[bytes]):
    """A sorted array of large strings as bytes, in the order Arrow sorts by, one at a time."""

    def __init__(self, array: Any) -> None:
        _, starts, text = array.buffers()
        self._count = len(array)
        self._starts = np.frombuffer(starts, np.int64)[array.offset :] if self._count else np.zeros(1, np.int64)
        self._text = memoryview(b"" if text is None else text)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: Any) -> Any:
        return bytes(self._text[self._starts[at] : self._starts[at + 1]])


def _array(column: pa.ChunkedArray) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
