"""Name normalisation: pure functions from text to keys.

`key` ignores case, punctuation, accents, Greek letters, possessives and plurals; `loose_keys` also word order, stop
words, spaces, British spelling and Roman numerals. Names with the same key may be the same name; that is no proof.
Normalisation is idempotent: the key of a key is that key.
"""

import re
import unicodedata
from functools import lru_cache

__all__ = ["SMALL_WORDS", "WORDS", "fold", "key", "loose_keys", "plain", "singular", "us_spelling", "words_of"]

# A word is letters and digits with the accents on them; a possessive belongs to its word and is dropped when folded.
WORDS = re.compile(r"(?:[^\W_]|[\u0300-\u036f])+(?:['’][sS](?![^\W_]))?")
POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
# Without "a": hepatitis A is not hepatitis.
SMALL_WORDS = frozenset({"an", "and", "by", "due", "for", "from", "in", "of", "on", "or", "the", "to", "with"})
GREEK = {
    chr(code): unicodedata.name(chr(code)).rsplit(" ", 1)[-1].lower().replace("lamda", "lambda")
    for code in (*range(0x03B1, 0x03C2), *range(0x03C3, 0x03CA))
}
GREEK["ς"] = "sigma"  # at the end of a word
# Letters that Unicode does not decompose into a base letter and an accent.
PLAIN_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
TRANSLATION = str.maketrans({**GREEK, **PLAIN_LETTERS})
# Plural endings; the first that matches is used. (ending, replacement, shortest whole word)
PLURALS = (
    ("stases", "stasis", 0), ("oses", "osis", 6), ("yses", "ysis", 5), ("eses", "esis", 7), ("viruses", "virus", 0),
    ("mata", "ma", 6), ("ies", "y", 5), ("sses", "ss", 0), ("shes", "sh", 0), ("ches", "ch", 0), ("xes", "x", 4),
    ("ss", "ss", 0), ("us", "us", 0), ("is", "is", 0), ("s", "", 4),
)  # fmt: skip
BRITISH = (("ae", "e"), ("oe", "e"), ("our", "or"), ("sulph", "sulf"), ("isation", "ization"))
ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xi": "11", "xii": "12"}


def plain(text: str) -> str:
    """The text in lower case with single spaces, for comparison ignoring case.

    >>> plain("Marfan  Syndrome")
    'marfan syndrome'
    """
    return " ".join(text.casefold().split())


@lru_cache(maxsize=1 << 16)
def fold(word: str) -> str:
    """One word without case, accents, Greek letters, possessive and plural.

    >>> fold("Sjögren's"), fold("α"), fold("Stenoses")
    ('sjogren', 'alpha', 'stenosis')
    """
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word)
    word = POSSESSIVE.sub("", word).casefold()
    if not word.isascii():
        decomposed = unicodedata.normalize("NFKD", word)
        bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter)).translate(TRANSLATION)
        word = "".join(letter for letter in bare.casefold() if letter.isalnum())
    return singular(word)


def singular(word: str) -> str:
    """A folded word without its plural ending; word and plural give the same result, which need not be a real word.

    >>> [singular(word) for word in ("seizures", "cardiomyopathies", "metastases", "diagnoses", "virus", "gas")]
    ['seizure', 'cardiomyopathy', 'metastasis', 'diagnosis', 'virus', 'gas']
    """
    for ending, replacement, shortest in PLURALS:
        if len(word) >= shortest and word.endswith(ending):
            return word[: len(word) - len(ending)] + replacement
    return word


def words_of(text: str) -> list[str]:
    """The folded words of a text, in order.

    >>> words_of("β-Thalassaemia (Crohn's type)")
    ['beta', 'thalassaemia', 'crohn', 'type']
    """
    return [folded for word in WORDS.findall(text) if (folded := fold(word))]


def key(text: str) -> str:
    """The folded words separated by spaces; a text without words (such as "+" or an emoji) is kept.

    >>> key("Crohn's Diseases") == key("crohn disease")
    True
    """
    return " ".join(words_of(text)) or plain(unicodedata.normalize("NFKC", text))


def loose_keys(name_key: str) -> tuple[str, str]:
    """Two loose keys of a `key`: its words sorted without stop words, and all of it without spaces.

    >>> loose_keys("cancer of the lung")[0] == loose_keys("lung cancer")[0]
    True
    >>> loose_keys("beta blocker")[1] == loose_keys("betablocker")[1]
    True
    """
    words = [ROMAN.get(word, word) for word in map(us_spelling, name_key.split())]
    content = sorted(word for word in words if word not in SMALL_WORDS) or sorted(words)
    return " ".join(content), "".join(words)


def us_spelling(word: str) -> str:
    """A folded word in American spelling.

    >>> us_spelling("hyponatraemia"), us_spelling("tumour")
    ('hyponatremia', 'tumor')
    """
    for british, american in BRITISH:
        if british in word:
            word = word.replace(british, american)
    return word
