"""Windows: the title before each, every mention whole in one, nothing longer than asked, every token where it says."""

from itertools import pairwise
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.extraction.bc5cdr.windows import cut_windows, mention_range


@pytest.mark.parametrize("length", [96, 128])
def test_windows_hold_title_and_every_token(train: list[Abstract], tokenizer: Path, length: int) -> None:
    loaded = Tokenizer.from_file(str(tokenizer))
    missed = mentions = 0
    for abstract in train[:100]:
        windows = cut_windows(abstract, loaded, length=length)
        title = [each for each in loaded.encode(abstract.text).offsets if each[0] < len(abstract.title)]
        assert all(len(each.tokens) <= length for each in windows)
        assert all(list(each.spans[: each.title]) == title[:48] for each in windows)
        covered = {span for each in windows for span in each.spans}
        assert covered >= set(loaded.encode(abstract.text).offsets) - set(title[48:])
        for mention in abstract.mentions:
            mentions += 1
            missed += not any(mention_range(each, mention) for each in windows)
    assert missed <= mentions * 0.01  # a mention may lie where a long sentence is cut


def test_a_mention_covers_its_tokens_and_no_others(train: list[Abstract], tokenizer: Path) -> None:
    loaded = Tokenizer.from_file(str(tokenizer))
    for abstract in train[:20]:
        for window in cut_windows(abstract, loaded):
            for mention in abstract.mentions:
                if covered := mention_range(window, mention):
                    first, last = covered
                    assert window.spans[first][0] <= mention.start < window.spans[first][1]
                    assert window.spans[last - 1][0] < mention.end <= window.spans[last - 1][1]


def test_windows_overlap_so_that_neighbours_are_seen_together(train: list[Abstract], tokenizer: Path) -> None:
    loaded = Tokenizer.from_file(str(tokenizer))
    windows = [cut_windows(each, loaded) for each in train[:100]]
    pairs = [pair for each in windows for pair in pairwise(each)]
    shared = [set(one.spans[one.title :]) & set(other.spans[other.title :]) for one, other in pairs]
    assert len(pairs) > 100
    assert sum(map(bool, shared)) > 0.7 * len(pairs)  # a sentence that fills a window stands alone


def test_an_abstract_without_body_is_its_title(tokenizer: Path) -> None:
    loaded = Tokenizer.from_file(str(tokenizer))
    (window,) = cut_windows(Abstract("1", "Lithium and tremor.", "Lithium and tremor. ", (), frozenset()), loaded)
    assert window.title == len(window.tokens) > 0
