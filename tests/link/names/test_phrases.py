"""The walk over all positions at once finds what looking at every stretch of words finds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.link.names.phrases import Phrases, phrase_arrays

WORD = st.sampled_from(("a", "b", "c"))
NAMES = st.lists(st.lists(WORD, max_size=4).map(tuple), max_size=8, unique=True)


def opened(names: list[tuple[str, ...]]) -> Phrases:
    arrays = phrase_arrays(names)
    return Phrases(
        *(arrays[name] for name in ("word_hash", "word_count", "word_state", "step", "step_state", "state_key"))
    )


@settings(deadline=None)
@given(NAMES, st.lists(st.sampled_from(("a", "b", "c", "unknown")), max_size=20))
def test_every_stretch_that_is_a_name_is_found(names: list[tuple[str, ...]], text: list[str]) -> None:
    phrases = opened(names)
    at, lengths, rows = phrases.find(phrases.number(text))
    found = set(zip(at.tolist(), lengths.tolist(), rows.tolist(), strict=True))
    expected = {
        (start, len(name), row)
        for row, name in enumerate(names)
        for start in range(len(text))
        if name and tuple(text[start : start + len(name)]) == name
    }
    assert found == expected


def test_words_are_folded_and_unknown_ones_have_no_number() -> None:
    phrases = opened([("seizure",)])
    assert phrases.number(["Seizures", "seizure", "nothing"]).tolist() == [0, 0, -1]
    assert phrases.number(["Seizures", "other"]).tolist() == [0, -1]


def test_words_are_counted() -> None:
    phrases = opened([("a",), ("a", "b"), ("c", "a", "a")])
    assert [phrases.count(word) for word in ("a", "b", "nothing")] == [4, 1, 0]


def test_a_tree_of_nothing_finds_nothing() -> None:
    phrases = opened([()])
    assert [each.tolist() for each in phrases.find(phrases.number(["a", "b"]))] == [[], [], []]
