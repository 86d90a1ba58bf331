"""Names in questions: written so, misspelt, sharing a head, said of a type, in lay words, paraphrased."""

from pathlib import Path

import pytest

from clew.answer.lexicon.forms import tokens_of
from clew.answer.lexicon.words import Words
from clew.answer.names.naming import find_anchors
from clew.answer.reading.intent import is_cue
from clew.answer.reading.question import ParsedQuestion, understand
from clew.link import Linker, Paraphrases
from clew.store.layout import lay_out
from link.named_graphs import Entity, write
from link.test_vectors import WordEncoder

ENTITIES: list[Entity] = [
    ("D:1", "Glanzmann thrombasthenia", "Disease", [], []),
    ("D:2", "Apert syndrome", "Disease", [], []),
    ("D:3", "Pfeiffer syndrome", "Disease", [], []),
    ("D:4", "Rett syndrome", "Disease", [], []),
    ("D:5", "Hirschsprung disease", "Disease", [], []),
    ("P:1", "Thrombasthenia", "Phenotype", [], []),
    ("P:2", "Aganglionic megacolon", "Phenotype", ["Hirschsprung disease"], []),
    ("P:3", "Seizure", "Phenotype", [], []),
    ("P:4", "Falls", "Phenotype", [], []),
    ("P:5", "Renal failure", "Phenotype", [], []),
    ("P:6", "Hearing loss", "Phenotype", [], []),
    ("P:7", "Vision loss", "Phenotype", [], []),
    ("I:1", "Y-linked inheritance", "Inheritance", [], []),
    ("I:2", "Mitochondrial inheritance", "Inheritance", [], []),
    ("C:1", "Adult onset", "ClinicalCourse", ["Onset in adulthood"], []),
    ("C:2", "Neonatal onset", "ClinicalCourse", ["Onset in neonatal period"], []),
    ("C:3", "Death in adolescence", "ClinicalCourse", [], []),
    ("G:1", "COL1A1", "Gene", [], []),
    ("G:2", "COL1A2", "Gene", [], []),
]


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return Linker(write(ENTITIES, Path(tmp_path_factory.mktemp("names")) / "names.clew"))


def read(text: str, linker: Linker) -> ParsedQuestion:
    return understand(text, linker, Words(lay_out(linker.engine)))


def named(text: str, linker: Linker) -> list[tuple[str, ...]]:
    return [anchor.meanings[0].ids for anchor in read(text, linker).anchors]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Which genes cause Apert syndrome?", [("D:2",)]),
        ("symptoms of glanzman thrombasthenia", [("D:1",)]),
        ("Which genes cause Apert sydrome?", [("D:2",)]),
        ("Features common to Apert and Pfeifer syndrome", [("D:2",), ("D:3",)]),
        ("What do Apert, Rett and Pfeiffer syndrome share?", [("D:2",), ("D:4",), ("D:3",)]),
        ("diseases with hearing and vision loss", [("P:6",), ("P:7",)]),
        ("Which diseases start in adulthood?", [("C:1",)]),
        ("Which diseases begin in the neonatal period?", [("C:2",)]),
        ("Name the diseases in which patients die in adolescence.", [("C:3",)]),
        ("Which conditions are passed on through the Y chromosome?", [("I:1",)]),
        ("Which mitochondrially inherited diseases are there?", [("I:2",)]),
        ("Which diseases have fits?", [("P:3",)]),
        ("Which disease fits?", []),
        ("Which diseases are caused by COL1A1 or COL1A2?", [("G:1", "G:2")]),
        ("Which diseases are caused by COL1A1 and COL1A2?", [("G:1",), ("G:2",)]),
        ("What broader term does a seizure fall under?", [("P:3",)]),
        ("Which diseases show seizures (a seizure)?", [("P:3",)]),
        ("Which diseases start in Marrakesh adulthood?", []),  # a proper name that no entity has
    ],
)
def test_names_are_found(linker: Linker, text: str, ids: list[tuple[str, ...]]) -> None:
    assert named(text, linker) == ids


def test_a_name_that_says_its_type_is_of_that_type(linker: Linker) -> None:
    (anchor,) = read("Which genes cause Hirschsprung disease?", linker).anchors
    assert [meaning.type for meaning in anchor.meanings] == ["Disease"]


def test_paraphrases_take_an_encoder(linker: Linker) -> None:
    words = Words(lay_out(linker.engine))
    text = "Which diseases lead to a failure of the kidney?"
    (anchor,) = understand(text, linker, words, paraphrases=Paraphrases(linker, WordEncoder())).anchors
    assert anchor.text == "failure of the kidney"
    assert anchor.meanings[0].ids == ("P:5",)
    assert understand(text, linker, words).anchors == ()


def test_slips_in_words_that_ask_are_put_right(linker: Linker) -> None:
    question = read("wich sympoms does Rett syndrome have", linker)
    assert question.asked == ("Phenotype",)
    assert [anchor.text for anchor in question.anchors] == ["Rett syndrome"]
    assert question.unrecognised == ()


def test_words_before_a_name_speak_of_its_relation(tmp_path: Path) -> None:
    linker = Linker(write(ENTITIES, tmp_path / "g.clew"))
    words = Words(lay_out(linker.engine), more={"relations": {"near": ["close to"]}})
    question = understand("Which genes are close to Rett syndrome or without Apert syndrome?", linker, words)
    assert [anchor.beside for anchor in question.anchors] == [("NEAR",), ()]


def test_types_that_other_graphs_have_cannot_be_asked_for(linker: Linker) -> None:
    assert read("Which drugs treat Rett syndrome?", linker).foreign
    assert not read("Which genes cause Rett syndrome?", linker).foreign


@pytest.mark.parametrize(
    ("text", "spelt", "all_"),
    [
        ("Which diseases start in adulthood?", [], ["start in adulthood"]),
        (
            "Is Apert syndrome mitochondrially inherited?",
            ["Apert syndrome"],
            ["Apert syndrome", "mitochondrially inherited"],
        ),
    ],
)
def test_what_only_describes_a_name_can_be_left_out(
    text: str, spelt: list[str], all_: list[str], linker: Linker
) -> None:
    words = Words(lay_out(linker.engine))
    for spelt_only, expected in ((True, spelt), (False, all_)):
        found = find_anchors(text, tokens_of(text), linker, words, is_cue=is_cue, spelt_only=spelt_only)
        assert [anchor.text for anchor in found] == expected
