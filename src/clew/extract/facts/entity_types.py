"""Which type a named entity has for the statement model, or none: laboratory materials and general words have none.

The seed's vocabularies file proteins under chemicals and behaviour under diseases; the gold corpora do not.
"""

import re
from functools import cache
from pathlib import Path

__all__ = ["statement_type"]

TYPES = {
    "Chemical": "chemical",
    "Compound": "chemical",
    "Drug": "chemical",
    "Disease": "disease",
    "Phenotype": "disease",
    "SideEffect": "disease",
    "Symptom": "disease",
    "Gene": "gene",
}
# Names of proteins by their last word; enzymes that are drugs are not among them.
PROTEIN = re.compile(
    r"\b(?:proteins?|receptors?|interleukins?|chemokines?|cytokines?|antigens?|integrins?|cadherins?|kinases?|keratins?"
    r"|selectins?|histones?|transporters?|channels?|(?:growth|transcription|necrosis|differentiation) factors?"
    r"|\w{2,}ases?"
    r"|(?:caspase|cyclin|keratin|interleukin|chemokine|sirtuin|lipocalin|gasdermin|\w*catenin|myostatin)[- ]?\d*\w*"
    r"|(?:stat|cd)-?\d+\w*|adipokines?|\w*globins?|\w+-related peptides?|converting enzyme|nf-?kappa|beclin|cortactin)"
    r"(?:[ ,-]+(?:[0-9]+[a-z]?|[a-z]|alpha|beta|gamma|delta|i+|type [0-9ivx]+))*$"
    r"|^receptors, ",
    re.IGNORECASE,
)
ENZYME_DRUGS = re.compile(
    r"\b(?:\w+plase|urokinase|streptokinase|l?-?asparaginase|hyaluronidase|collagenase|phosphate\w*)\b", re.IGNORECASE
)
NO_PROTEIN = re.compile(r"\b(?:o-antigen|lipopolysaccharides?|endotoxins?)\b", re.IGNORECASE)
NO_DRUG = re.compile(
    r"\b(?:antibod|autoantibod|immunoglobulin|globulins?\b|\w*rnas?\b|\w*dnas?\b|codons?\b|ribonucleic|deoxyribonucleic"
    r"|nucleotides?\b|epitopes?\b|isotopes?\b|primers?\b)",
    re.IGNORECASE,
)


def statement_type(name: str, type_: str | None, text: str) -> str | None:
    """The type of an entity of that name, as a text writes it, for the statement model.

    >>> statement_type("cisplatin", "Chemical", "cisplatin"), statement_type("Interleukin-8", "Chemical", "IL-8")
    ('chemical', 'gene')
    >>> statement_type("Immunoglobulin G", "Chemical", "IgG") is statement_type("Communication", "Disease", "speech")
    True
    """
    found = TYPES.get(type_ or "")
    if found is None or not any(map(str.isalpha, text)):
        return None
    if {name.casefold(), text.casefold()} & _general():
        return None
    if found == "chemical":
        if NO_DRUG.search(name):
            return None
        if PROTEIN.search(name) and not ENZYME_DRUGS.search(name) and not NO_PROTEIN.search(name):
            return "gene"
    return found


@cache
def _general() -> frozenset[str]:
    """Names, in lower case, that no statement is about."""
    lines = Path(__file__).with_name("general_names.txt").read_text("utf-8").splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split("|") if name)
