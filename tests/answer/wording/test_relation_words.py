"""Relations in the forms that sentences need."""

from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Asker, Resources
from clew.answer.wording.relation_words import RelationWords


@pytest.mark.parametrize(
    ("relation", "one", "several", "infinitive"),
    [
        ("coaches", "coaches", "coach", "coach"),
        ("causes", "causes", "cause", "cause"),
        ("carries", "carries", "carry", "carry"),
        ("express", "expresses", "express", "express"),
        ("has modifier", "has modifier", "have modifier", "have modifier"),
        ("rival of", "is a rival of", "are rivals of", "be rivals of"),
        ("bordered by", "is bordered by", "are bordered by", "be bordered by"),
        ("written by", "is written by", "are written by", "be written by"),
        ("run by", "is run by", "are run by", "be run by"),
        ("is attacked by", "is attacked by", "are attacked by", "be attacked by"),
        ("hired out to", "is hired out to", "are hired out to", "be hired out to"),
        ("headquarters", "has the headquarters", "have the headquarters", "have the headquarters"),
        ("indication", "has the indication", "have the indication", "have the indication"),
        ("official language", "has the official language", "have the official language", "have the official language"),
        ("operators", "has the operator", "have the operator", "have the operator"),
        ("home subsidiaries", "has the home subsidiary", "have the home subsidiary", "have the home subsidiary"),
        ("played for", "played for", "played for", "have played for"),
        ("won", "won", "won", "have won"),
        ("similar to", "is similar to", "are similar to", "be similar to"),
        ("born in", "was born in", "were born in", "have been born in"),
        ("consists of", "consists of", "consist of", "consist of"),
        ("present with", "presents with", "present with", "present with"),
        ("last seen at", "was last seen at", "were last seen at", "have been last seen at"),
        ("currently owned by", "is currently owned by", "are currently owned by", "be currently owned by"),
        ("formerly called", "was formerly called", "were formerly called", "have been formerly called"),
        ("was derived from", "was derived from", "were derived from", "have been derived from"),
        ("has been tested with", "has been tested with", "have been tested with", "have been tested with"),
        ("is a member of", "is a member of", "are members of", "be members of"),
        ("is primary site of", "is a primary site of", "are primary sites of", "be primary sites of"),
        ("part of", "is part of", "are part of", "be part of"),
        ("cause of", "is a cause of", "are causes of", "be causes of"),
        ("die of", "dies of", "die of", "die of"),
        ("treatment for", "is a treatment for", "are treatments for", "be treatments for"),
        ("marker for", "is a marker for", "are markers for", "be markers for"),
        ("allergic to", "is allergic to", "are allergic to", "be allergic to"),
        ("same as", "is the same as", "are the same as", "be the same as"),
        ("narrower than", "is narrower than", "are narrower than", "be narrower than"),
        ("likely to cause", "is likely to cause", "are likely to cause", "be likely to cause"),
        ("of species", "has the species", "have the species", "have the species"),
        ("set designer", "has the set designer", "have the set designer", "have the set designer"),
        ("given", "is given", "are given", "be given"),
        ("set in", "is set in", "are set in", "be set in"),
        ("physically interacts with", "physically interacts with", "physically interact with",
         "physically interact with"),
        ("co occurs with", "co-occurs with", "co-occur with", "co-occur with"),
        ("co authored with", "co-authored with", "co-authored with", "have co-authored with"),
        ("co expressed with", "is co-expressed with", "are co-expressed with", "be co-expressed with"),
        ("up regulates", "up-regulates", "up-regulate", "up-regulate"),
        ("does not treat", "does not treat", "do not treat", "not treat"),
        ("went to", "went to", "went to", "have gone to"),
        ("can cause", "can cause", "can cause", "be able to cause"),
        ("last name", "has the last name", "have the last name", "have the last name"),
        ("related disease", "has the related disease", "have the related disease", "have the related disease"),
        ("number of employees", "has the number of employees", "have the number of employees",
         "have the number of employees"),
    ],
)  # fmt: skip
def test_forms(relation: str, one: str, several: str, infinitive: str) -> None:
    words = RelationWords(relation)
    assert (words.after(1), words.after(2), words.infinitive()) == (one, several, infinitive)


@pytest.mark.parametrize(
    ("relation", "object", "said", "kind"),
    [
        ("won award", "award", "won", "past"),
        ("causes side effect", "side effect", "causes", "verb"),
        ("member of class", "class", "member of", "noun of"),
        ("produced by studio", "studio", "produced by", "participle"),
        ("official language", "language", "official language", "noun"),
        ("country of origin", "country", "country of origin", "noun"),
        ("train class", "train class", "train class", "noun"),
        ("belongs to class", "drug class", "belongs to", "verb"),
        ("won gold medal", "medal", "won gold medal", "past"),
    ],
)
def test_the_type_of_the_object_is_not_repeated_before_its_name(
    relation: str, object: str, said: str, kind: str
) -> None:
    words = RelationWords.between(relation, "", object)
    assert (words.text, words.kind) == (said, kind)


@pytest.mark.parametrize(
    ("relation", "subject", "said"),
    [
        ("drug targets gene", "drug", "targets"),
        ("gene targets gene", "gene", "targets"),
        ("drug targets gene", "compound", "drug targets gene"),
        ("drug", "drug", "drug"),
    ],
)
def test_the_type_of_the_subject_is_not_repeated_after_its_name(relation: str, subject: str, said: str) -> None:
    assert RelationWords.between(relation, subject, "gene").text == said


@pytest.mark.parametrize(
    "relation",
    [
        "casualty taken to",
        "samples stored in",
        "drug targets gene",
        "p31",
        "ct d",
        "cls",
        "is parent",
        "of",
        "to station",
    ],
)
def test_words_that_are_no_phrase_are_left_as_they_are(relation: str) -> None:
    words = RelationWords(relation, own="TheRelation")
    assert (words.kind, words.after(1), words.after(2), words.role) == ("name", *["TheRelation"] * 3)


def test_short_names_in_capitals_are_codes() -> None:
    assert [RelationWords(each.lower(), own=each).kind for each in ("SAT", "OWN", "IN")] == [
        "name",
        "verb",
        "participle",
    ]


@pytest.mark.parametrize(
    ("relation", "complement"),
    [
        ("belongs to class", "class"),
        ("holds position", "position"),
        ("found in species", "species"),
        ("used to treat", ""),
        ("used to treat disease", "disease"),
        ("takes part in", ""),
        ("has won", ""),
        ("does not treat", ""),
        ("may treat", ""),
        ("official language", ""),
    ],
)
def test_the_noun_after_a_verb(relation: str, complement: str) -> None:
    assert RelationWords(relation).complement == complement


def test_who_did_what_was_done_by_them() -> None:
    assert [RelationWords(each).by_people for each in ("directed by", "first described by", "written by")] == [
        "directed",
        "first described",
        "wrote",
    ]
    assert [RelationWords(each).by_people for each in ("treats", "now owned by")] == [None, None]


def test_headlines_of_a_graph_of_sports(tmp_path: Path) -> None:
    rows = [
        ("Anneke", "Person", "coaches", "Reds", "Team"),
        ("Bogdan", "Person", "coaches", "Blues", "Team"),
        ("Cidney", "Person", "coaches", "Blues", "Team"),
        ("Reds", "Team", "rival_of", "Blues", "Team"),
        ("Blues", "Team", "located_in", "Rome", "City"),
        ("Reds", "Team", "located_in", "Bonn", "City"),
        ("Reds", "Team", "owners", "Acme", "Company"),
        ("Blues", "Team", "owners", "Acme", "Company"),
        ("Blues", "Team", "owners", "Globex", "Company"),
        ("Acme", "Company", "sponsor", "Umbra", "Sponsor"),
        ("Globex", "Company", "sponsor", "Volta", "Sponsor"),
    ]
    columns = ("subject", "subject_type", "relation", "object", "object_type")
    engine = clew.build(
        pa.table(dict(zip(columns, zip(*rows, strict=True), strict=True))), out=tmp_path / "sports.clew"
    )
    asker = Asker(Resources(engine, encoder=None))
    try:
        assert asker.ask("Who coaches the Reds?").text == "1 person who coaches Reds: Anneke."
        assert asker.ask("Which persons coach the Blues?").text == "2 people who coach Blues: Bogdan and Cidney."
        assert asker.ask("Which teams are a rival of the Blues?").text == "1 team that is a rival of Blues: Reds."
        assert asker.ask("Which cities are the teams that Bogdan coaches located in?").text.startswith(
            "1 city that teams that Bogdan coaches are located in: "
        )
        assert asker.ask("Which companies are owners of the Blues?").text == (
            "2 companies listed as owner of Blues: Acme and Globex."
        )
        assert asker.ask("Which teams have the owners Acme and Globex?").text == (
            "1 team with both Acme and Globex as owners: Blues."
        )
        assert asker.ask("Which sponsor does Acme have?").text == "1 sponsor of Acme: Umbra."
        assert asker.ask("Which teams have owners with the sponsor Volta?").text == (
            "1 team whose owner is among companies with the sponsor Volta: Blues."
        )
    finally:
        asker.close()
