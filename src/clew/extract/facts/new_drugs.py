"""Drugs that the seed does not name, told by the stem of their international nonproprietary name.

New drugs are what new texts are about and what a seed lacks: *pembrolizumab* ends as every monoclonal antibody does.
Stems that end other words too (*-terol*, *-mycin*) are left out.
"""

import re
from collections.abc import Sequence

from clew.extract.filter.assertions import mint
from clew.extract.mentions.heads import Head

__all__ = ["CHEMICAL", "new_drugs"]

CHEMICAL = "Chemical"
METHOD = "drug stem"
STEMS = (
    # antibodies, fusion proteins, nucleic acids, cells
    "mab", "bercept", "tacept", "nercept", "rsen", "siran", "leucel",
    # kinases, cancer
    "tinib", "rafenib", "metinib", "panib", "danib", "lisib", "ciclib", "parib", "zomib", "degib", "denib", "sertib",
    "platin", "taxel", "rubicin", "trexed", "citabine", "lutamide", "limus", "domide",
    # infections
    "ciclovir", "amivir", "navir", "tegravir", "buvir", "asvir", "previr", "desivir", "cavir", "fovir", "pravir",
    "conazole", "fungin", "floxacin", "cycline", "penem", "cillin", "zolid", "bactam",
    # metabolism, heart, blood
    "gliptin", "gliflozin", "glitazone", "glutide", "sartan", "vaptan", "xaban", "gatran", "grelor", "dronate",
    # nerves, stomach, lungs and others
    "setron", "triptan", "gepant", "ditan", "orexant", "piprazole", "peridone", "oxetine", "prazole", "prazan",
    "lukast", "tropium", "fenacin", "begron", "caftor", "afil", "citinib",
)  # fmt: skip
CONJUGATED = r"(?: (?:vedotin|mafodotin|deruxtecan|govitecan|ozogamicin|emtansine|tesirine|soravtansine)\b)?"
NAME = re.compile(rf"(?<![\w-])(?:\w+gene )?[A-Z]?[a-z]{{2,}}(?:{'|'.join(STEMS)})\b{CONJUGATED}(?!-like)")


def new_drugs(text: str, heads: Sequence[Head]) -> list[Head]:
    """The names of drugs that overlap no head.

    >>> [each.text for each in new_drugs("Pembrolizumab and enfortumab vedotin were given.", [])]
    ['Pembrolizumab', 'enfortumab vedotin']
    """
    taken = [(head.start, head.end) for head in heads]
    return [
        Head(match.start(), match.end(), match[0], mint(match[0]), CHEMICAL, 1.0, METHOD)
        for match in NAME.finditer(text)
        if not any(match.start() < end and start < match.end() for start, end in taken)
    ]
