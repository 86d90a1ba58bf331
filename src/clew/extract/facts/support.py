"""Short symbols that a document supports: SLN is a gene only where the text says so.

A symbol in capitals that the document does not define is kept if the document names the same entity in another way,
has words of its full name (half of them, for a disease or a chemical), or, for a gene, if it has three letters and a
digit (FOXO1), is beside words about genes, or is listed with a gene that the document supports. A name that is a symbol
does not count in lower case: carp is a fish, not CARP.
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
    r"|deficien\w+|null|immunohistochem\w+|levels?|cytokines?|chemokines?|positive|cells|phosphorylat\w+|activation"
    r"|inhibit(?:s|ed|ing|ion)|(?:ant)?agonists?|concentrations?|binds?|binding|silenc\w+)\b",
    re.IGNORECASE,
)
WORD = re.compile(r"[a-z]{5,}")
STEM = 6  # letters by which words are compared
SHARE = 0.5  # of the words of a full name
FEWEST = 3  # words of a name that its initials stand for
# Beginnings of words of many names, which support none.
GENERAL = re.compile(
    r"(?:syndro|diseas|disord|defici|famili|acute|chroni|congen|primar|suscep|autoso|domina|recess|infant|juveni|adult"
    r"|relate|associ|abnorm|increa|decrea|stress|oxidat)"
)
GENE = "gene"
GENE_SYMBOL = re.compile(r"(?=(?:[^a-z]*[a-z]){3})(?=[^0-9]*[0-9])[a-z0-9-]+", re.IGNORECASE)


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
                _is_written_so(head, names(head))
                if not _is_symbol(head)
                else len(spelled[head.entity or ""]) > 1
                or _shares_words(names(head), words, least=0.0 if type_ == GENE else SHARE)
                or (type_ == GENE and (GENE_SYMBOL.fullmatch(head.text) is not None or _beside_genes(text, head)))
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


def _is_written_so(head: Head, names: Sequence[str]) -> bool:
    """Whether a word without capitals is more than the initials of a longer name."""
    text = head.text
    if not text.islower() or not text.isalpha() or len(text) > LONGEST or head.method == "abbreviation":
        return True
    spelled = {"".join(sorted(word)) for word in (text, text.removesuffix("s"), text.removesuffix("es"))}
    return not any(
        "".join(sorted(word[0] for word in words)) in spelled
        for words in (re.findall(r"[a-z]+", name.casefold()) for name in names)
        if len(words) >= FEWEST
    )


def _shares_words(names: Sequence[str], words: set[str], *, least: float) -> bool:
    """Whether a document has one word of a name, and at least this share of its words; general ones do not count."""
    for name in names:
        own = {word[:STEM] for word in WORD.findall(name.casefold()) if not GENERAL.match(word)}
        shared = len(own & words)
        if shared and shared >= least * len(own):
            return True
    return False


def _beside_genes(text: str, head: Head) -> bool:
    return bool(OF_GENES.search(text[max(0, head.start - BESIDE) : head.end + BESIDE]))
