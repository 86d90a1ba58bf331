"""One key for the different notations of an identifier.

"MESH:D008382", "MeSH D008382", "msh_d008382" and ".../mesh/D008382" have the same key; a bare "D008382" is its local
part.
"""

import re

__all__ = ["curie_key", "local_part"]

PREFIXES = {  # other spellings of a prefix, lower case without punctuation: the spelling used in keys
    "msh": "mesh",
    "meshd": "mesh",
    "meshc": "mesh",
    "umlscui": "umls",
    "cui": "umls",
    "snomedctus": "snomedct",
    "snomed": "snomedct",
    "sctid": "snomedct",
    "sct": "snomedct",
    "mim": "omim",
    "orphanet": "orpha",
    "entrez": "ncbigene",
    "entrezgene": "ncbigene",
    "geneid": "ncbigene",
    "db": "drugbank",
    "icd10cm": "icd10",
    "icd9cm": "icd9",
    "nci": "ncit",
}
PARTS = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*?)\s*[:_/ ]\s*([^\s:/]+)")
DIGIT = re.compile(r"\d")
PUNCTUATION = re.compile(r"[^a-z0-9]+")
SHORTEST_LOCAL = 4  # a bare "12" is more likely a number than a local id


def curie_key(text: str) -> str | None:
    """The key of a prefixed identifier; None for text that cannot be one.

    >>> curie_key("MeSH:D008382"), curie_key("http://purl.obolibrary.org/obo/HP_0001250"), curie_key("Marfan syndrome")
    ('mesh:d008382', 'hp:0001250', None)
    """
    text = text.strip()
    if "://" in text:
        text = text.rstrip("/").rsplit("/", 1)[-1] if "_" in text.rsplit("/", 1)[-1] else "/".join(text.split("/")[-2:])
    match = PARTS.fullmatch(text)
    if match is None or not DIGIT.search(match[2]):
        return None
    prefix = PUNCTUATION.sub("", match[1].lower())
    return f"{PREFIXES.get(prefix, prefix)}:{match[2].lower()}"


def local_part(text: str) -> str | None:
    """The local part of an id as a key, if it is long enough not to be mistaken for a number.

    >>> local_part("MESH:D008382"), local_part("X:12")
    ('d008382', None)
    """
    local = text.strip().rpartition(":")[2].strip().lower()
    if len(local) < SHORTEST_LOCAL or " " in local or not DIGIT.search(local):
        return None
    return local
