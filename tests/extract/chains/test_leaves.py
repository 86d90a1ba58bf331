"""Leaves: tails become tokens on their heads' first tokens, and what does not fit is counted."""

import pyarrow as pa

from clew.extract.chains.leaves import grow_leaves
from clew.extract.mentions.heads import HEADS
from clew.extract.seed.selection import MATCHES
from clew.extract.sequences.packing import SEQUENCES
from extract.vocabularies import make_tokenizer, make_vocabulary


def test_tails_become_leaves_on_their_heads() -> None:
    vocabulary, tokenizer = make_vocabulary(), make_tokenizer().to_str()
    texts = ["aspirin fever", "pain of the liver"]
    rows = [
        {"sequence": at, "document": "T", "tokens": tokens, "starts": [0] * len(tokens), "ends": [1] * len(tokens)}
        for at, tokens in enumerate(vocabulary.encode(texts))
    ]
    sequences = pa.Table.from_pylist(rows, SEQUENCES)
    places = [(0, 0, 1), (0, 1, 2), (1, 0, 1), (1, 3, 4)]
    heads = pa.Table.from_pylist(
        [{"head": at, "sequence": s, "first": f, "last": e} for at, (s, f, e) in enumerate(places)], HEADS
    )
    tails = ["fever", "acute liver failure", "antidisestablishment", "日本"]
    injected = pa.Table.from_pylist(
        [
            {"head": at, "sequence": places[at][0], "relation": "qp"[at % 2], "tail": tail}
            for at, tail in enumerate(tails)
        ],
        MATCHES,
    )
    chains, counts = grow_leaves(sequences, heads, injected, vocabulary, tokenizer)
    assert chains.relations == ("p", "q")
    assert chains.leaf_sequence.tolist() == [0, 0]
    assert chains.leaf_root.tolist() == [0, 1]
    assert chains.leaf_relation.tolist() == [1, 0]
    words = [vocabulary.words(row[:length]) for row, length in zip(chains.tail, chains.tail_length, strict=True)]
    assert words == tails[:2]
    assert counts["tail of more than seven tokens, or of none"] == 1
    assert counts["tail with letters that the tokenizer does not know"] == 1
    assert (counts["leaves"], counts["sequences with a leaf"]) == (2, 1)
