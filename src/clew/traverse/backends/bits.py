"""Sets of entities as bits, inside compiled code: packing and listing.

A set is a `uint64` array, entity v being bit v & 63 of word v >> 6. Marks are the same set as one byte per entity.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

__all__ = [
    "ONE",
    "bits_to_ids",
    "compiled",
    "count_bits",
    "inlined",
    "lowest_bit",
    "marks_to_bits",
    "prefetch",
    "touched_to_ids",
    "word_to_ids",
]

Ints = NDArray[np.integer]
Marks = NDArray[np.uint8]
Words = NDArray[np.uint64]
F = TypeVar("F", bound=Callable[..., Any])

GATHER = np.uint64(0x0102040810204080)  # collects the low bit of eight bytes into the top byte of their product
TOP = np.uint64(56)
ONE = np.uint64(1)
BYTE = np.uint64(255)
FEW_BITS = 4  # in a word: listed one by one, more of them eight at a time


def compiled(function: F) -> F:
    """Compile a function the way all kernels are: cached on disk, no interpreter lock, no bounds checks."""
    made: F = njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")(function)
    return made


def inlined(function: F) -> F:
    """Compile a function into each one that calls it: a call would cost a walk of one hop 3 % of its time."""
    made: F = njit(inline="always")(function)
    return made


@intrinsic
def lowest_bit(typing_context, word):  # type: ignore[no-untyped-def]
    """Number of the lowest set bit of a uint64; 64 if there is none."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def count_bits(typing_context, word):  # type: ignore[no-untyped-def]
    """How many bits of a uint64 are set."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def prefetch(typing_context, array, at):  # type: ignore[no-untyped-def]
    """Ask for array[at] to be brought near; any position is safe, nothing is read."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        held = make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.bitcast(builder.gep(held.data, [arguments[1]]), ir.PointerType(ir.IntType(8)))
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [address, number(0), number(3), number(1)])  # for reading, to the nearest cache, data
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@compiled
def marks_to_bits(marks8: Words, words8: int, bits_bytes: Marks) -> None:
    """Pack marks (eight bytes a word) into bits (one byte for those eight)."""
    for word in range(words8):
        bits_bytes[word] = (marks8[word] * GATHER) >> TOP


@intrinsic
def _store_eight(typing_context, ids, at, table, row, base):  # type: ignore[no-untyped-def]
    """ids[at : at + 8] = base + table[row], in one vector store; table is (256, 8) uint8."""
    element = ids.dtype

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        ids_type, _, table_type, _, _ = signature.args
        ids_array = make_array(ids_type)(context, builder, arguments[0])
        table_array = make_array(table_type)(context, builder, arguments[2])
        width = ir.IntType(element.bitwidth)
        eight = ir.VectorType(width, 8)
        base = arguments[4] if element.bitwidth == 64 else builder.trunc(arguments[4], width)
        start = builder.mul(arguments[3], ir.Constant(ir.IntType(64), 8))
        offsets = builder.load(
            builder.bitcast(builder.gep(table_array.data, [start]), ir.PointerType(ir.VectorType(ir.IntType(8), 8))),
            align=1,
        )
        first = builder.insert_element(ir.Constant(eight, ir.Undefined), base, ir.IntType(32)(0))
        bases = builder.shuffle_vector(
            first, ir.Constant(eight, ir.Undefined), ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8)
        )
        target = builder.bitcast(builder.gep(ids_array.data, [arguments[1]]), ir.PointerType(eight))
        builder.store(builder.add(bases, builder.zext(offsets, eight)), target, align=element.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(ids, types.int64, table, types.int64, types.int64), generate


def _members_of_bytes() -> NDArray[np.uint8]:
    table = np.zeros((256, 8), np.uint8)
    for byte in range(256):
        members = [bit for bit in range(8) if byte >> bit & 1]
        table[byte, : len(members)] = members
    return table


MEMBERS = _members_of_bytes()  # (256, 8): which bits of a byte are set, in order


@compiled
def word_to_ids(word: np.uint64, first: int, ids: Ints, at: int) -> int:
    """Write the members of one word, the first entity of which is `first`; returns the position after the last.

    Few are written as four, whether there are as many or not; many as eight for each byte: hardly a branch to guess."""
    count = count_bits(word)
    if count > FEW_BITS:
        for byte in range(8):
            row = np.int64((word >> np.uint64(byte << 3)) & BYTE)
            _store_eight(ids, at, MEMBERS, row, first + (byte << 3))
            at += count_bits(np.uint64(row))
        return at
    rest = word
    for slot in range(FEW_BITS):
        ids[at + slot] = first + lowest_bit(rest)
        rest &= rest - ONE
    return at + int(count)


@intrinsic
def touched_words(typing_context, bits, start):  # type: ignore[no-untyped-def]
    """Which of the 64 words from `start` on are not zero, as bits: one comparison of vectors."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        held = make_array(signature.args[0])(context, builder, arguments[0])
        words = ir.VectorType(ir.IntType(64), 64)
        address = builder.bitcast(builder.gep(held.data, [arguments[1]]), ir.PointerType(words))
        found = builder.icmp_unsigned("!=", builder.load(address, align=8), ir.Constant(words, [0] * 64))
        return builder.bitcast(found, ir.IntType(64))

    return types.uint64(bits, types.int64), generate


@compiled
def bits_to_ids(bits: Words, words: int, ids: Ints, at: int) -> int:
    """Write the members of a set, ascending, into `ids` from `at` on; returns the position after the last.

    Up to eight positions after the last are overwritten too: `ids` must have that room."""
    whole = words & ~63
    for start in range(0, whole, 64):
        touched = touched_words(bits, start)
        while touched != 0:
            word = start + lowest_bit(touched)
            touched &= touched - ONE
            at = word_to_ids(bits[word], word << 6, ids, at)
    for word in range(whole, words):
        at = word_to_ids(bits[word], word << 6, ids, at)
    return at


@inlined
def touched_to_ids(bits: Words, summary: Words, ids: Ints, at: int) -> int:
    """`bits_to_ids` of a set whose words that are not zero are marked in `summary`, which saves looking for them.

    Clears both."""
    for block in range(len(summary)):
        touched = summary[block]
        if touched != 0:
            summary[block] = 0
            while touched != 0:
                word = (block << 6) + lowest_bit(touched)
                touched &= touched - ONE
                at = word_to_ids(bits[word], word << 6, ids, at)
                bits[word] = 0
    return at
