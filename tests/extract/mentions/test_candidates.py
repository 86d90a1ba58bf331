"""Mentions that may be tails: linked, of a type that fits, and of another entity than the head."""

import pyarrow as pa

from clew.extract.mentions.candidates import Mention, find_candidates, mentions_by_sequence

HEADS = pa.table(
    {
        "head": pa.array([0, 1, 2, 3], pa.int32()),
        "sequence": pa.array([4, 4, 4, 9], pa.int32()),
        "first": pa.array([5, 0, 3, 0], pa.int16()),
        "last": pa.array([6, 2, 4, 1], pa.int16()),
        "entity": ["D:1", "C:1", None, "D:2"],
        "type": ["Disease", "Drug", None, "Disease"],
    }
)


def test_linked_mentions_come_by_sequence_in_the_order_of_the_text() -> None:
    (four, first), (nine, second) = mentions_by_sequence(HEADS)
    assert (four, nine) == (4, 9)
    assert first == [Mention(1, 0, 2, "C:1", "Drug"), Mention(0, 5, 6, "D:1", "Disease")]
    assert [each.head for each in second] == [3]


def test_candidates_fit_by_type_entity_and_length() -> None:
    there = [
        Mention(0, 0, 2, "D:1", "Disease"),
        Mention(1, 3, 4, "C:1", "Drug"),
        Mention(2, 5, 7, "D:2", "Disease"),
        Mention(3, 8, 16, "D:3", "Disease"),  # longer than a leaf
        Mention(4, 20, 22, "D:4", "Disease"),  # spelt as D:2 is
    ]
    tokens = [*range(20), 5, 6]
    found = find_candidates("D:1", ("Disease",), there, tokens)
    assert {spelt: [each.head for each in mentions] for spelt, mentions in found.items()} == {(5, 6): [2, 4]}
    assert find_candidates(None, ("Gene",), there, tokens) == {}
