"""Chains drawn at random, for tests of the model: every structure that real ones may have, none of their meaning."""

import json

import numpy as np

from clew.extract.chains.graphs import FIRST_WORD, ROOTS, SLOTS, Chains

__all__ = ["make_chains", "make_tokenizer"]


def make_tokenizer(vocabulary: int) -> str:
    """A WordPiece tokenizer.json with so many tokens."""
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[END]", "[NONE]"]
    words = [*specials, *(f"w{number}" for number in range(FIRST_WORD, vocabulary))]
    return json.dumps({"model": {"type": "WordPiece", "vocab": {word: number for number, word in enumerate(words)}}})


def make_chains(
    sequences: int = 12,
    *,
    seed: int = 0,
    vocabulary: int = 60,
    relations: int = 3,
    leaves: int = 4,
    longest: int = ROOTS,
) -> Chains:
    """Sequences of 1 to `longest` roots with up to `leaves` leaf rows each, some of them alternatives of one leaf."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, longest + 1, sequences)
    lengths[0] = longest
    rows = []
    for sequence, length in enumerate(lengths):
        for _ in range(random.integers(0, leaves + 1)):
            first = int(random.integers(0, length))
            last = int(min(length, first + random.integers(1, 5)))
            size = int(random.integers(1, SLOTS + 1))
            tail = np.zeros(SLOTS, np.int64)
            tail[:size] = random.integers(FIRST_WORD, vocabulary, size)
            rows.append((sequence, first, last, int(random.integers(0, relations)), size, tail))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    return Chains(
        roots=random.integers(FIRST_WORD, vocabulary, lengths.sum()),
        offsets=np.concatenate(([0], np.cumsum(lengths))),
        leaf_sequence=np.array(columns[0], np.int32),
        leaf_root=np.array(columns[1], np.int16),
        head_first=np.array(columns[1], np.int16),
        head_last=np.array(columns[2], np.int16),
        leaf_relation=np.array(columns[3], np.int16),
        tail=np.array(columns[5], np.uint16).reshape(-1, SLOTS),
        tail_length=np.array(columns[4], np.int8),
        relations=tuple(f"relation_{number}" for number in range(relations)),
        tokenizer=make_tokenizer(vocabulary),
    )
