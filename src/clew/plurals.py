"""English plurals: the noun after a number, for every sentence that counts."""

__all__ = ["counted", "plural", "singular"]

IRREGULAR = {
    "aircraft": "aircraft",
    "child": "children",
    "criterion": "criteria",
    "foot": "feet",
    "lens": "lenses",
    "man": "men",
    "offspring": "offspring",
    "person": "people",
    "phenomenon": "phenomena",
    "series": "series",
    "sheep": "sheep",
    "species": "species",
    "staff": "staff",
    "tooth": "teeth",
    "woman": "women",
}
LATIN = {"bacterium": "bacteria", "datum": "data", "locus": "loci", "medium": "media", "taxon": "taxa"}
SIBILANT = ("ss", "us", "as", "os", "x", "z", "ch", "sh")  # these take -es


def plural(noun: str, number: int = 2) -> str:
    """A noun, perhaps of several words, as it reads after `number`; one that is in the plural already stays so.

    >>> [plural(each) for each in ("gene", "country", "illness", "analysis", "body part", "virus", "diabetes")]
    ['genes', 'countries', 'illnesses', 'analyses', 'body parts', 'viruses', 'diabetes']
    >>> plural("person", 1), plural("person", 0), plural("Species")
    ('person', 'people', 'Species')
    """
    if number == 1 or not noun:
        return noun
    rest, space, last = noun.rpartition(" ")
    lowered = last.lower()
    known = IRREGULAR.get(lowered) or LATIN.get(lowered)
    if known:
        return f"{rest}{space}{last[0]}{known[1:]}"
    if lowered.endswith("y") and lowered[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    if lowered.endswith("is"):
        return f"{noun[:-2]}es"
    if lowered.endswith(SIBILANT):
        return f"{noun}es"
    return noun if lowered.endswith("s") else f"{noun}s"


def singular(noun: str) -> str:
    """A noun in the plural, perhaps of several words, as it names one; one that is in the singular already stays so.

    >>> [singular(each) for each in ("operators", "subsidiaries", "branches", "people", "home bases", "bus", "species")]
    ['operator', 'subsidiary', 'branch', 'person', 'home base', 'bus', 'species']
    """
    rest, space, last = noun.rpartition(" ")
    one = next((one for one, many in (*IRREGULAR.items(), *LATIN.items()) if many == last), None)
    if one is None and last.endswith("ies"):
        one = f"{last[:-3]}y"
    elif one is None and last.endswith(("sses", "xes", "zes", "ches", "shes")):
        one = last[:-2]
    elif one is None:
        one = last if last.endswith(("ss", "us", "is")) else last.removesuffix("s")
    return f"{rest}{space}{one}"


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "entity"), counted(0, "hop"), counted(1234, "entity")
    ('1 entity', '0 hops', '1,234 entities')
    """
    return f"{number:,} {plural(noun, number)}"
