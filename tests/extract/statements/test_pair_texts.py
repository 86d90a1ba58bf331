"""The sentences of a pair: which are read, and whose mentions are marked."""

from clew.extract.statements.pair_texts import LONGEST, MOST, cut_pair_text
from clew.extract.statements.pairing import Layout, TokenMention

LAYOUT = Layout(begin=1000, end=1001, vocabulary=2000, positions=1024)
DRUG, END_DRUG, ILL, END_ILL = 2000, 2001, 2006, 2007


def mention(first: int, after: int, kind: str) -> TokenMention:
    return TokenMention(first, after, kind, (kind,), 0)


def cut(tokens: range, sentences: list[int], drug: list[int], ill: list[int]) -> list[int]:
    mentions = ([mention(at, at + 1, "chemical") for at in drug], [mention(at, at + 2, "disease") for at in ill])
    return cut_pair_text(tokens, sentences, mentions, LAYOUT).tolist()


def test_mentions_of_the_pair_are_marked_and_the_title_is_read() -> None:
    found = cut(range(12), [0, 3, 6, 9], drug=[6], ill=[7])
    assert found == [1000, 0, 1, 2, DRUG, 6, END_DRUG, ILL, 7, 8, END_ILL, 1001]  # the sentences without them are not


def test_a_mention_that_leaves_its_sentence_is_closed_at_its_end() -> None:
    found = cut(range(9), [0, 3, 6], drug=[3], ill=[5])
    assert found == [1000, 0, 1, 2, DRUG, 3, END_DRUG, 4, ILL, 5, END_ILL, 1001]


def test_ends_in_different_sentences_are_read_in_the_order_of_the_text() -> None:
    found = cut(range(12), [0, 3, 6, 9], drug=[10], ill=[3])
    assert found == [1000, 0, 1, 2, ILL, 3, 4, END_ILL, 5, 9, DRUG, 10, END_DRUG, 11, 1001]


def test_sentences_that_name_both_come_first_where_not_all_fit() -> None:
    size = MOST // 2 + 10
    sentences = [each * size for each in range(4)]
    found = cut(range(4 * size), sentences, drug=[size, 3 * size], ill=[2 * size, 3 * size + 5])
    assert found[1] == DRUG
    assert found[2] == 3 * size
    assert len(found) == size + 2 + 4


def test_one_endless_sentence_is_cut() -> None:
    found = cut(range(5000), [0], drug=[1], ill=list(range(2, 5000, 3)))
    assert len(found) <= LONGEST + 2
