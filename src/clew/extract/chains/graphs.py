"""Leafy chain graphs as plain arrays: what the model is trained on.

A chain is a sequence of text tokens, its *roots*; on the first token of a head may hang a *leaf*, the tail of a triple
of up to seven tokens, with its relation. Rows with the same sequence and root are alternatives of one leaf.
Read and written as a sealed directory of .npy files; nothing but numpy is needed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.files import write_text
from clew.sealed import check_seal, new_sealed

__all__ = [
    "END",
    "FIRST_WORD",
    "MASK",
    "NONE",
    "PAD",
    "ROOTS",
    "SLOTS",
    "UNKNOWN",
    "Chains",
    "read_chains",
    "save_chains",
    "write_chains",
]

ROOTS = 128  # root tokens in a sequence, at most
SLOTS = 7  # tokens in a leaf, at most

PAD, UNKNOWN, MASK, END, NONE = 0, 1, 4, 5, 6  # ids of the special tokens that the model meets
FIRST_WORD = 7  # ids from here on are pieces of words

WHAT = "leafy chain graphs"
TYPES: dict[str, Any] = {
    "roots": np.uint16,
    "offsets": np.int64,
    "leaf_sequence": np.int32,
    "leaf_root": np.int16,
    "head_first": np.int16,
    "head_last": np.int16,
    "leaf_relation": np.int16,
    "tail": np.uint16,
    "tail_length": np.int8,
}

Ints = NDArray[np.integer]


@dataclass(frozen=True)
class Chains:
    """Sequences of roots and the leaves that hang on them; checked when made."""

    roots: Ints  # (tokens,) uint16: all sequences, one after the other
    offsets: Ints  # (sequences + 1,) int64
    leaf_sequence: Ints  # (leaves,) int32, ascending
    leaf_root: Ints  # (leaves,) int16: index of the head's first token inside its sequence
    head_first: Ints  # (leaves,) int16
    head_last: Ints  # (leaves,) int16, exclusive
    leaf_relation: Ints  # (leaves,) int16
    tail: Ints  # (leaves, 7) uint16, padded with 0
    tail_length: Ints  # (leaves,) int8, 1..7
    relations: tuple[str, ...]
    tokenizer: str  # the content of tokenizer.json

    def __post_init__(self) -> None:
        for name, kind in TYPES.items():
            array = np.ascontiguousarray(getattr(self, name), kind)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        _check_shapes(self)
        _check_sequences(self)
        _check_leaves(self)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Roots in each sequence: (sequences,)."""
        return np.diff(self.offsets)

    @cached_property
    def leaf_offsets(self) -> NDArray[np.int64]:
        """Where each sequence's leaf rows begin: (sequences + 1,)."""
        return np.searchsorted(self.leaf_sequence, np.arange(len(self) + 1)).astype(np.int64)

    @cached_property
    def vocabulary(self) -> int:
        """How many token ids there are."""
        return count_tokens(self.tokenizer)

    @cached_property
    def longest_head(self) -> int:
        """Tokens in the longest head; 1 if there is no leaf."""
        return int((self.head_last - self.head_first).max(initial=1))


def count_tokens(tokenizer: str) -> int:
    """One more than the highest token id in the text of a tokenizer.json."""
    try:
        stated = json.loads(tokenizer)
        ids = [*stated["model"]["vocab"].values(), *(token["id"] for token in stated.get("added_tokens", ()))]
        return int(max(ids)) + 1
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"tokenizer.json has no vocabulary that can be read ({error}): expected a WordPiece one"
        ) from error


def write_chains(path: Path, chains: Chains, *, identity: Mapping[str, str | int | float | bool]) -> None:
    """Write chains as a sealed directory."""
    with new_sealed(path, identity, what=WHAT) as directory:
        save_chains(directory, chains)


def save_chains(directory: Path, chains: Chains) -> None:
    """Write the files of chains into a directory."""
    for name in TYPES:
        np.save(directory / f"{name}.npy", getattr(chains, name))
    write_text(directory / "relations.json", json.dumps(list(chains.relations)) + "\n")
    write_text(directory / "tokenizer.json", chains.tokenizer)


def read_chains(path: Path, *, verify: bool = False) -> Chains:
    """Chains from a sealed directory; with `verify` its checksums are compared too."""
    path = Path(path)
    check_seal(path, {}, what=f"the chains at {path}", remedy="clew extract prepare", verify=verify)
    arrays = {name: np.load(path / f"{name}.npy", allow_pickle=False) for name in TYPES}
    relations = tuple(json.loads((path / "relations.json").read_text("utf-8")))
    return Chains(**arrays, relations=relations, tokenizer=(path / "tokenizer.json").read_text("utf-8"))


def _check_shapes(chains: Chains) -> None:
    leaves = len(chains.leaf_sequence)
    for name in ("leaf_root", "head_first", "head_last", "leaf_relation", "tail_length"):
        _expect(getattr(chains, name).shape == (leaves,), f"{name} has another length than leaf_sequence")
    _expect(chains.tail.shape == (leaves, SLOTS), f"tail is {chains.tail.shape}, expected ({leaves}, {SLOTS})")
    _expect(chains.roots.ndim == 1 and chains.offsets.ndim == 1, "roots and offsets must have one dimension")


def _check_sequences(chains: Chains) -> None:
    offsets = chains.offsets
    _expect(len(offsets) >= 1 and offsets[0] == 0, "offsets must begin with 0")
    _expect(offsets[-1] == len(chains.roots), f"offsets end at {offsets[-1]}, but there are {len(chains.roots)} roots")
    lengths = np.diff(offsets)
    _expect(
        bool(((lengths >= 1) & (lengths <= ROOTS)).all()), f"a sequence must have 1 to {ROOTS} roots, not fewer or more"
    )
    if len(chains.roots):
        highest = int(chains.roots.max())
        _expect(highest < chains.vocabulary, f"root token {highest} is not in the vocabulary of {chains.vocabulary}")


def _check_leaves(chains: Chains) -> None:
    sequence, first, last, length = chains.leaf_sequence, chains.head_first, chains.head_last, chains.tail_length
    if not len(sequence):
        return
    _expect(bool((np.diff(sequence) >= 0).all()), "leaf_sequence must be ascending")
    _expect(sequence[0] >= 0 and sequence[-1] < len(chains), "a leaf hangs on a sequence that is not there")
    roots = chains.lengths[sequence]
    _expect(bool(((first >= 0) & (first < last) & (last <= roots)).all()), "a head reaches outside its sequence")
    _expect(bool((chains.leaf_root == first).all()), "a leaf must hang on its head's first token")
    relation = chains.leaf_relation
    _expect(
        bool(((relation >= 0) & (relation < len(chains.relations))).all()),
        f"a leaf has a relation outside 0..{len(chains.relations) - 1}",
    )
    _expect(bool(((length >= 1) & (length <= SLOTS)).all()), f"a tail must have 1 to {SLOTS} tokens")
    filled = np.arange(SLOTS) < length[:, None]  # (leaves, 7)
    words = (chains.tail >= NONE) | (chains.tail == UNKNOWN)  # [NONE]: the head has no such relation here
    _expect(bool((words | ~filled).all()), "a tail holds a special token")
    _expect(bool((chains.tail[~filled] == PAD).all()), "a tail must be padded with 0 after its length")
    _expect(int(chains.tail.max()) < chains.vocabulary, f"a tail token is not in the vocabulary of {chains.vocabulary}")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise InputError(f"these chains cannot be used: {otherwise}")
