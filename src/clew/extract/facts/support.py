"""Short symbols that a document supports: SLN is a gene only where the text says so.

A symbol in capitals that the document does not define is kept if the document names the same entity in another way,
has words of its full name, or, for a gene, writes of genes beside it or lists it with a gene that it supports.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from clew.extract.mentions.heads import Head

__all__ = ["supported_heads"]

LONGEST = 6  # letters and digits of a symbol
BESIDE = 45  # characters on either side
LISTED = re.compile(r"[\s,;/()+-]*(?:and|or|versus|vs\.?)?[\s,;/()+-]*")
OF_GENES = re.compile(
    r"\b(?:genes?|genetic|protein|proteins|m?rna|express(?:ion|ed|ing|es)|mutat\w+|mutant|variants?|polymorphi\w+|allel\w+"
    r"|receptors?|kinase|knock\w*|transgenic|promoters?|antibod\w+|immunoreactiv\w+|transcript\w*|loc[iu]s?|encod\w+"
    r"|signal+ing|pathway|inhibitors?|ligand|haplotypes?|genotyp\w+|overexpress\w+|downregulat\w+|upregulat\w+|exons?|siRNA"
    r"|deficien\w+|null|immunohistochem\w+|levels?|cytokines?|chemokines?|positive|cells|phosphorylat\w+|activation)\b",
    re.IGNORECASE,
)
WORD = re.compile(r"[a-z]{5,}")
STEM = 6  # letters by which words are compared
GENE = "gene"


def supported_heads(
    text: str, heads: Sequence[tuple[Head, str]], names: Callable[[Head], Sequence[str]]
) -> list[tuple[Head, str]]:
    """The heads, with their types, that stay; `names` gives the names of a head's entity."""
    spelled: dict[str, set[str]] = {}
    for head, _ in heads:
        spelled.setdefault(head.entity or "", set()).add(head.text.casefold())
    words = {word[:STEM] for word in WORD.findall(text.casefold())}
    known: dict[tuple[str, str], bool] = {}
    for head, type_ in heads:
        key = head.entity or "", head.text
        if not known.get(key):
            known[key] = (
                not _is_symbol(head)
                or len(spelled[head.entity or ""]) > 1
                or _shares_words(names(head), words)
                or (type_ == GENE and _beside_genes(text, head))
            )
    for (head, type_), (after, after_type) in pairwise(heads):
        if type_ == after_type == GENE and LISTED.fullmatch(text[head.end : after.start]):
            for one, other in ((head, after), (after, head)):
                if known[one.entity or "", one.text]:
                    known[other.entity or "", other.text] = True
    return [each for each in heads if known[each[0].entity or "", each[0].text]]


def _is_symbol(head: Head) -> bool:
    """Whether a head is a short word in capitals that its document does not define."""
    letters = [letter for letter in head.text if letter.isalpha()]
    written = sum(map(str.isalnum, head.text))
    return (
        head.method != "abbreviation"
        and " " not in head.text
        and written <= LONGEST
        and 2 * sum(map(str.isupper, letters)) >= len(letters)
    )


def _shares_words(names: Sequence[str], words: set[str]) -> bool:
    return any(word[:STEM] in words for name in names for word in WORD.findall(name.casefold()))


def _beside_genes(text: str, head: Head) -> bool:
    return bool(OF_GENES.search(text[max(0, head.start - BESIDE) : head.end + BESIDE]))
