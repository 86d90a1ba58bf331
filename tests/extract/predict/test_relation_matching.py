"""Relations that make sense for a head."""

from collections.abc import Iterator

import pytest

from clew.errors import InputError
from clew.extract.predict.relation_matching import RelationChooser, RelationMatching, TypeCues, match_relations
from clew.extract.seed.signatures import Signatures
from clew.lm import LanguageModel, open_model
from clew.lm.clients.scripted import Scripted

SIGNATURES = Signatures(
    {
        "treats": {("Drug", "Disease"): 50},
        "induces": {("Drug", "Disease"): 70},
        "has_phenotype": {("Disease", "Phenotype"): 900},
        "is_a": {("Disease", "Disease"): 100, ("Drug", "Drug"): 5},
    }
)
NAMES = [*(f"condition {number} syndrome" for number in range(9)), "bone syndrome", "aspirin", "heparin"]
TYPES = [*["Disease"] * 9, "Phenotype", "Drug", "Drug"]


def relations_of(text: str, type: str | None, matching: RelationMatching | None = None) -> tuple[tuple[str, ...], str]:
    (matched,) = match_relations([text], [type], SIGNATURES, cues=TypeCues(NAMES, TYPES), matching=matching)
    return matched.relations, matched.how


def test_a_linked_head_has_the_relations_of_its_type() -> None:
    assert relations_of("aspirin", "Drug") == (("induces", "treats", "is_a"), "linked type")
    assert relations_of("aspirin", "Drug", RelationMatching(most=1)) == (("induces",), "linked type")
    assert relations_of("fever", "Phenotype") == ((), "linked type")  # no relation begins at one


def test_a_name_that_ends_like_many_has_their_type() -> None:
    assert relations_of("Stickler syndromes", None) == (("has_phenotype", "is_a"), "guessed type")
    sure = RelationMatching(least_share=0.95)
    assert relations_of("Stickler syndrome", None, sure)[1] == "commonest relations"  # one in ten is a phenotype


def test_an_unknown_head_has_the_commonest_relations() -> None:
    assert relations_of("ibuprofen", None, RelationMatching(unknown=2)) == (
        ("has_phenotype", "is_a"),
        "commonest relations",
    )
    assert relations_of("ibuprofen", None, RelationMatching(unknown=0)) == ((), "commonest relations")
    assert relations_of("+", None)[1] == "commonest relations"


def test_endings_tell_where_no_word_does() -> None:
    cues = TypeCues(["leukaemia", "anaemia", "toxaemia", "uraemia", "septicaemia"], ["Disease"] * 5)
    assert cues.guess("hypoglycaemia") == "Disease"
    assert cues.guess("hypoglycaemic") is None


def test_matching_is_checked() -> None:
    for wrong in ({"most": 0}, {"unknown": -1}, {"least_share": 0.5}):
        with pytest.raises(InputError):
            RelationMatching(**wrong)


@pytest.fixture(scope="module")
def smollm2() -> Iterator[LanguageModel]:
    with open_model("smollm2", threads=1, context=1024) as model:
        yield model


def test_a_model_chooses_among_the_list_only(smollm2: LanguageModel) -> None:
    asked = ["treats", "induces", "is_a"]
    chooser = RelationChooser(smollm2)
    chosen = chooser.choose(asked, head="Aspirin", sequence="Aspirin is used to treat headache.")
    assert set(chosen) <= set(asked)
    assert len(set(chosen)) == len(chosen)
    assert chooser.usage.calls == 1


def test_what_a_model_makes_up_is_left_out() -> None:
    chooser = RelationChooser(Scripted(["cures\ntreats\ntreats", "none"]))
    assert chooser.choose(["treats", "induces"], head="aspirin", sequence="…") == ("treats",)
    assert chooser.choose(["treats", "induces"], head="aspirin", sequence="…") == ()
    assert chooser.choose([], head="aspirin", sequence="…") == ()
