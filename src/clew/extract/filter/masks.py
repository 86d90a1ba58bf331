"""Which predicted triples are kept: each filter is a pure function from columns to a mask of rows that pass.

`FilteredTable` applies masks one after another and counts what each left out, under a name that stands in counts.json.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.embed import Encoder
from clew.errors import InputError
from clew.extract.mentions.syntax import FAULTS, Syntax, find_fault
from clew.extract.seed.signatures import Signatures
from clew.link.normalise import key, words_of
from clew.progress import Progress, silent

__all__ = [
    "FilteredTable",
    "are_attested",
    "are_best_of_duplicates",
    "are_most_likely",
    "are_words",
    "cosines",
    "find_faults",
    "fit_signatures",
    "have_different_ends",
    "threshold",
]

Mask = NDArray[np.bool_]
Strings = Sequence[str]
Known = Sequence[str | None]
UNKNOWN = "[UNK]"
ENCODED_AT_ONCE = 4096  # pairs, so that vectors of a large corpus do not fill the memory


@dataclass(slots=True)
class FilteredTable:
    """Rows that are left of a table, and how many each filter took away.

    >>> sieve = FilteredTable(pa.table({"tail": ["fever", "of"]}))
    >>> sieve.keep("no noun", np.array([True, False]))
    >>> sieve.table.num_rows, sieve.left_out
    (1, {'no noun': 1})
    """

    table: pa.Table
    left_out: dict[str, int] = field(default_factory=dict)

    def columns(self, *names: str) -> list[list[Any]]:
        """Some columns as lists."""
        return [self.table[name].to_pylist() for name in names]

    def keep(self, reason: str, mask: Mask) -> None:
        """Keep the rows of a mask; the others are counted under `reason`, also when there are none."""
        if len(mask) != self.table.num_rows:
            raise InputError(f"{reason}: a mask of {len(mask):,} rows for a table of {self.table.num_rows:,}")
        self.left_out[reason] = self.left_out.get(reason, 0) + int(len(mask) - np.count_nonzero(mask))
        self.table = self.table.filter(pa.array(mask))

    def keep_without_faults(self, faults: Known) -> None:
        """Keep the rows whose fault is None; the others are counted under their faults, as "tail …"."""
        counted = Counter(faults)
        for fault in FAULTS:
            self.left_out[f"tail {fault}"] = self.left_out.get(f"tail {fault}", 0) + counted[fault]
        self.table = self.table.filter(pa.array([fault is None for fault in faults], pa.bool_()))


def find_faults(tails: Strings, relations: Strings, linked: Mask, *, syntax: Syntax | None = None) -> list[str | None]:
    """What is wrong with each tail as a phrase, None where nothing is; the name of an entity is right as it is."""
    known: dict[tuple[str, str], str | None] = {}
    faults: list[str | None] = []
    for tail, relation, is_name in zip(tails, relations, linked.tolist(), strict=True):
        if is_name:
            faults.append(None)
            continue
        pair = tail, relation
        if pair not in known:
            known[pair] = find_fault(tail, relation=relation, syntax=syntax)
        faults.append(known[pair])
    return faults


def fit_signatures(subject_types: Known, relations: Strings, object_types: Known, signatures: Signatures) -> Mask:
    """Rows whose types the relation joins in the seed; an end that is not linked has no type and fits any."""
    rows = list(zip(subject_types, relations, object_types, strict=True))
    verdict = {row: signatures.fits(*row) for row in set(rows)}
    return np.fromiter((verdict[row] for row in rows), bool, len(rows))


def have_different_ends(subjects: Strings, objects: Strings, heads: Strings, tails: Strings) -> Mask:
    """Rows whose ends differ: neither the same entity, nor the same words ignoring case, plural and punctuation.

    >>> have_different_ends(["D:1", "D:1"], ["D:1", "D:2"], ["gout", "gout"], ["arthritis", "Gout"]).tolist()
    [False, False]
    """
    keys = {text: key(text) for text in {*heads, *tails}}
    rows = zip(subjects, objects, heads, tails, strict=True)
    return np.fromiter(
        (start != end and keys[head] != keys[tail] for start, end, head, tail in rows), bool, len(subjects)
    )


def are_best_of_duplicates(
    documents: Strings,
    subjects: Strings,
    relations: Strings,
    objects: Strings,
    scores: NDArray[np.floating],
    *,
    symmetric: frozenset[str] = frozenset(),
) -> Mask:
    """Rows that state a triple best in their document: of several the highest score, of equal scores the first.

    Statements of one triple in different documents are no duplicates: each is an assertion of its own.

    >>> are_best_of_duplicates("aab", "sss", ["r"] * 3, "ooo", np.array([1.0, 2.0, 0.0])).tolist()
    [False, True, True]
    """
    best: dict[tuple[str, str, str, str], int] = {}
    for at, (document, start, relation, end) in enumerate(zip(documents, subjects, relations, objects, strict=True)):
        if relation in symmetric and end < start:
            start, end = end, start
        triple = document, start, relation, end
        known = best.get(triple)
        if known is None or scores[at] > scores[known]:
            best[triple] = at
    mask = np.zeros(len(documents), bool)
    mask[list(best.values())] = True
    return mask


def are_most_likely(queries: NDArray[np.integer], scores: NDArray[np.floating], *, most: int) -> Mask:
    """The `most` best rows of each query, equal scores in their order.

    >>> are_most_likely(np.array([7, 7, 7, 9]), np.array([-1.0, -3.0, -2.0, -9.0]), most=2).tolist()
    [True, False, True, True]
    """
    if most < 1:
        raise InputError(f"at least one tail of each query is kept, not {most}")
    order = np.lexsort((np.arange(len(queries)), -scores, queries))
    sorted_queries = queries[order]
    starts = np.flatnonzero(np.concatenate(([True], sorted_queries[1:] != sorted_queries[:-1])))[: len(queries)]
    sizes = np.diff(np.append(starts, len(queries)))
    rank = np.arange(len(queries)) - np.repeat(starts, sizes)
    mask = np.zeros(len(queries), bool)
    mask[order] = rank < most
    return mask


def cosines(one: Strings, other: Strings, encoder: Encoder, *, progress: Progress = silent) -> NDArray[np.float32]:
    """The cosine of each text of `one` with its partner in `other`; a text that recurs is encoded once in a block.

    Rows with the same partner should be adjacent: then each partner is encoded about once.
    """
    found = np.empty(len(one), np.float32)
    progress("comparing with the text", 0, len(one))
    for start in range(0, len(one), ENCODED_AT_ONCE):
        end = min(start + ENCODED_AT_ONCE, len(one))
        texts = list(dict.fromkeys((*one[start:end], *other[start:end])))
        row = {text: at for at, text in enumerate(texts)}
        vectors = encoder.encode(texts)  # (texts, dimension), unit rows
        left = vectors[[row[text] for text in one[start:end]]]
        right = vectors[[row[text] for text in other[start:end]]]
        found[start:end] = np.einsum("ij,ij->i", left, right)
        progress("comparing with the text", end, len(one))
    return found


def threshold(scores: NDArray[np.floating], quantile: float) -> float:
    """The score below which a share `quantile` of some scores lies; -1, the least cosine, where there are none.

    >>> threshold(np.array([0.2, 0.4, 0.6]), 0.5)
    0.4
    """
    if not 0 <= quantile <= 1:
        raise InputError(f"a quantile lies between 0 and 1, not {quantile!r}")
    return float(np.quantile(scores.astype(np.float64), quantile)) if len(scores) else -1.0


def are_attested(tails: Strings, words: frozenset[str]) -> Mask:
    """Tails of which every word was written somewhere; `words` are folded, as `words_of` gives them.

    Pieces of different words can be put together to a word that nobody uses.

    >>> are_attested(["breast cancers", "breastglycemia"], frozenset(["breast", "cancer"])).tolist()
    [True, False]
    """
    verdict = {tail: all(word in words for word in words_of(tail)) for tail in set(tails)}
    return np.fromiter((verdict[tail] for tail in tails), bool, len(tails))


def are_words(tails: pa.ChunkedArray) -> Mask:
    """Tails that say something: not empty, and without a token that the vocabulary lacks."""
    blank = pc.equal(pc.utf8_trim_whitespace(tails), "")
    unknown = pc.match_substring(tails, UNKNOWN)
    return np.asarray(pc.invert(pc.or_(blank, unknown)).to_numpy(zero_copy_only=False), bool)
