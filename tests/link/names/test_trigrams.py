"""Look-alikes from the index are those that comparing every pair would give."""

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.link.names.strings import Strings, pack
from clew.link.names.trigrams import Trigrams, trigram_arrays, trigrams_of

KEYS = st.lists(st.text("abé 1", max_size=9), max_size=12, unique=True)


def opened(keys: list[str]) -> Trigrams:
    arrays = trigram_arrays(*pack(keys))
    return Trigrams(*(arrays[name] for name in ("gram_code", "gram_start", "gram_key", "key_grams")))


def jaccard(one: str, other: str) -> float:
    first, second = (set(trigrams_of(text).tolist()) for text in (one, other))
    return len(first & second) / len(first | second)


@settings(deadline=None)
@given(KEYS, st.text("abé 1", max_size=9))
def test_nearest_is_what_all_pairs_give(keys: list[str], text: str) -> None:
    found = opened(keys).nearest(text, limit=100, floor=0.2, most_read=10**9)
    expected = {row: jaccard(text, key) for row, key in enumerate(keys) if jaccard(text, key) >= 0.2}
    assert {row: round(score, 9) for row, score in found} == {row: round(score, 9) for row, score in expected.items()}
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_reading_less_finds_the_rare() -> None:
    keys = [f"syndrome {letter}" for letter in "abcdefgh"] + ["arachnodactyly"]
    found = opened(keys).nearest("arachnodactly", limit=3, floor=0.2, most_read=5)
    assert [row for row, _ in found] == [len(keys) - 1]


def test_a_limit_keeps_the_most_similar_and_their_equals() -> None:
    keys = ["abcd", "abce", "abcf", "zzzz", "abcdx"]
    assert [keys[row] for row, _ in opened(keys).nearest("abcd", limit=1, floor=0.1, most_read=10**9)] == ["abcd"]


@settings(deadline=None)
@given(st.lists(st.text()))
def test_packed_strings_come_back(texts: list[str]) -> None:
    clean = [text.encode("utf-8", "replace").decode() for text in texts]
    packed = Strings(*pack(texts))
    assert [packed[at] for at in range(len(packed))] == clean
