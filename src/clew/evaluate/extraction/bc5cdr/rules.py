"""What rules alone find of chemicals that induce diseases: no model, no training, gold mentions given.

Two mentions share a sentence if both start in it. The chemicals an abstract is about are those of its title, or the
most frequent ones where it names none.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable

from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.extract.corpus.sentences import split_passage

__all__ = ["RULES", "document_pairs", "frequent_pairs", "sentence_pairs", "title_pairs"]

Pair = tuple[str, str]
Rule = Callable[[Abstract], set[Pair]]
TWICE = 2


def document_pairs(abstract: Abstract) -> set[Pair]:
    """Every chemical with every disease."""
    return set(abstract.pairs())


def sentence_pairs(abstract: Abstract) -> set[Pair]:
    """Chemicals with the diseases that share a sentence with them."""
    starts = [start for start, _ in split_passage(abstract.text)]
    diseases: dict[int, set[str]] = {}
    for each in abstract.of_type("Disease"):
        diseases.setdefault(bisect_right(starts, each.start), set()).update(each.ids)
    return {
        (chemical, disease)
        for each in abstract.of_type("Chemical")
        for chemical in each.ids
        for disease in diseases.get(bisect_right(starts, each.start), ())
    }


def title_pairs(abstract: Abstract) -> set[Pair]:
    """Those of `sentence_pairs` whose chemical is one the abstract is about."""
    about = _in_title(abstract, "Chemical")
    if not about:
        often = _frequency(abstract, "Chemical")
        about = {chemical for chemical, times in often.items() if times == max(often.values())}
    return {pair for pair in sentence_pairs(abstract) if pair[0] in about}


def frequent_pairs(abstract: Abstract) -> set[Pair]:
    """Those of `title_pairs` whose disease stands in the title or is mentioned twice."""
    often, titled = _frequency(abstract, "Disease"), _in_title(abstract, "Disease")
    return {pair for pair in title_pairs(abstract) if pair[1] in titled or often[pair[1]] >= TWICE}


RULES: dict[str, Rule] = {
    "document co-occurrence": document_pairs,
    "sentence co-occurrence": sentence_pairs,
    "chemical in title, else most frequent; same sentence": title_pairs,
    "the same; disease in title or twice": frequent_pairs,
}


def _in_title(abstract: Abstract, kind: str) -> set[str]:
    end = len(abstract.title)
    return {identifier for each in abstract.of_type(kind) if each.start < end for identifier in each.ids}


def _frequency(abstract: Abstract, kind: str) -> Counter[str]:
    return Counter(identifier for each in abstract.of_type(kind) for identifier in each.ids)
