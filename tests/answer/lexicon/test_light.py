"""Light verbs and relations meet by sense, never by chance."""

import pytest

from clew.answer.lexicon.light import is_light, senses_of_relation, senses_of_verb
from clew.store.layout import Label, LabelPair, Relationship, StoreSchema


def relationship(name: str) -> Relationship:
    return Relationship(name.upper(), name, 0, False, False, False, (LabelPair("Thing", "Thing", 1),), ())


SCHEMA = StoreSchema("", (Label("Thing", "Thing", 2),), (), ())


@pytest.mark.parametrize(
    ("verb", "particle", "relation", "meet"),
    [
        ("uses", "", "has_currency", True),
        ("sit", "on", "lies_on", True),
        ("falls", "under", "film__genre", True),
        ("make", "up", "member_of", True),
        ("comes", "from", "country_of_origin", True),
        ("turn", "up", "starring", True),
        ("lie", "", "born_in", False),
        ("use", "", "resembles", False),
        ("go", "with", "treats", False),
        ("have", "", "directed_by", False),
    ],
)
def test_a_light_verb_meets_relations_of_its_sense(verb: str, particle: str, relation: str, meet: bool) -> None:
    senses = senses_of_verb(verb, [particle] if particle else [])
    assert senses
    assert bool(senses & senses_of_relation(relationship(relation), SCHEMA)) == meet


@pytest.mark.parametrize("verb", ["discover", "combined", "expresses", "invented", "live", "prescribe", "hate"])
def test_a_verb_with_a_content_of_its_own_is_not_light(verb: str) -> None:
    assert not is_light(verb)
