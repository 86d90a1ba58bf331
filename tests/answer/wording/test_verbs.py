"""Relations in the forms that sentences need."""

from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Asker, Resources
from clew.answer.wording.verbs import RelationWords


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
    ],
)
def test_forms(relation: str, one: str, several: str, infinitive: str) -> None:
    words = RelationWords(relation)
    assert (words.after(1), words.after(2), words.infinitive) == (one, several, infinitive)


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
    ],
)
def test_the_type_of_the_object_is_not_repeated_before_its_name(
    relation: str, object: str, said: str, kind: str
) -> None:
    words = RelationWords.towards(relation, object)
    assert (words.text, words.kind) == (said, kind)


def test_who_did_what_was_done_by_them() -> None:
    assert [RelationWords(each).by_people for each in ("directed by", "written by", "treats")] == [
        "directed",
        "wrote",
        None,
    ]


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
