"""Chains of relations as questions, from the names of the relations.

So that the text does not give the chain away: half of the questions name the last relation first and half the first
one; each word is replaced by a synonym, where one is known, half of the time; and the wording varies.
"""

import re
from random import Random

from clew.answer.context.sentences import relation_words, spaced

__all__ = ["Hop", "chain_question"]

Hop = tuple[str, bool, str]  # relation, forward, type of its subject (empty: none)

SYNONYMS = {
    "actor": "performer", "artist": "musician", "artists": "musicians", "award": "prize", "awards": "prizes",
    "campuses": "sites", "capital": "seat of government", "child": "subsidiary", "citytown": "town",
    "colors": "colours", "company": "firm", "contains": "parts", "country": "nation", "countries": "nations",
    "county": "district", "currency": "money", "director": "film maker", "district": "constituency",
    "ethnicity": "people group", "event": "happening", "film": "movie", "films": "movies", "friend": "companion",
    "gender": "sex", "genre": "style", "group": "band", "headquarters": "main office", "industry": "business sector",
    "influenced": "inspired", "institution": "school", "instrument": "musical instrument", "language": "tongue",
    "languages": "tongues", "list": "ranking", "location": "place", "locations": "places", "major": "main subject",
    "medal": "decoration", "member": "participant", "members": "participants", "music": "score composer",
    "nationality": "citizenship", "network": "channel", "nominated": "shortlisted", "nominee": "contender",
    "nominees": "contenders", "organization": "association", "origin": "home town", "participant": "partner",
    "peers": "equals", "person": "individual", "player": "sportsman", "players": "sportsmen",
    "politician": "statesman", "position": "role on the field", "produced": "financed", "producer": "maker",
    "profession": "occupation", "program": "show", "programs": "shows", "region": "area", "release": "publication",
    "religion": "faith", "religions": "faiths", "roster": "squad", "season": "year", "sibling": "brother or sister",
    "sport": "game", "sports": "games", "spouse": "husband or wife", "spouses": "marriages", "state": "province",
    "student": "graduate", "students": "graduates", "symptom": "sign", "team": "club", "teams": "clubs",
    "titles": "works", "type": "sort", "university": "college", "winner": "laureate", "winners": "laureates",
    "written": "authored", "zones": "belts",
}  # fmt: skip
THING = "thing"


def chain_question(hops: tuple[Hop, ...], topic: str, random: Random) -> str:
    """A question for the end of a chain that begins at a topic."""
    asked = (_inside_out if random.random() < 0.5 else _step_by_step)(hops, topic, random)
    return f"{asked[0].upper()}{asked[1:]}"


def _inside_out(hops: tuple[Hop, ...], topic: str, random: Random) -> str:
    """The last relation first: what is the C of the B of the A of the topic?"""
    said = topic
    for hop in hops:
        said = _phrase(hop, said, random)
    return random.choice((f"what is {said}?", f"name {said}.", f"which one is {said}?", f"find {said}."))


def _step_by_step(hops: tuple[Hop, ...], topic: str, random: Random) -> str:
    """The first relation first: take the A of the topic and the B of that; what is the C of it?"""
    parts = [_phrase(hops[0], topic, random)]
    parts += [_phrase(hop, random.choice(("that", "it")), random) for hop in hops[1:]]
    begin = random.choice(("consider", "take", "look up", "think of"))
    end = random.choice(("what is", "now name", "which one is", "and find"))
    return f"{begin} {', then '.join(parts[:-1])}; {end} {parts[-1]}?"


def _phrase(hop: Hop, inner: str, random: Random) -> str:
    """What a step leads to from `inner`."""
    relation, forward, subject_type = hop
    first, _, second = relation.partition("./")
    parts = [part for part in re.split(r"[/.:]+", first) if part]
    if len(parts) < 2:  # has_phenotype
        said = _varied(relation_words(relation), random)
        return f"what {inner} {said}" if forward else f"the {_noun(subject_type)} that {said} {inner}"
    own = _varied(_words(parts[-1]), random)
    kind = _varied(_words(parts[-2]) if not subject_type else spaced(subject_type), random)
    last = _varied(_words(second.split("/")[-1]), random) if second else ""
    if forward and last:
        return random.choice((f"the {last} in the {own} of {inner}", f"the {last} that goes with {own} of {inner}"))
    if forward:
        return random.choice((f"the {own} of {inner}", f"the {own} that {inner} has"))
    if last:
        return random.choice(
            (f"the {kind} whose {own} include {inner} as {last}", f"the {kind} with {inner} as {last} in its {own}")
        )
    return random.choice((f"the {kind} whose {own} is {inner}", f"the {kind} that has {inner} as {own}"))


def _noun(type: str) -> str:
    return spaced(type) or THING


def _words(part: str) -> str:
    """The words of a part of a name: release_date_s is release dates.

    >>> _words("release_date_s"), _words("place_of_birth")
    ('release dates', 'place of birth')
    """
    return re.sub(r"_s(?=_|$)", "s", part).replace("_", " ").strip()


def _varied(text: str, random: Random) -> str:
    return " ".join(SYNONYMS[word] if word in SYNONYMS and random.random() < 0.5 else word for word in text.split())
