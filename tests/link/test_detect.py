"""Mentions in running text: the longest, whole words only, guarded against ordinary words."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.graph import read_entities
from clew.link import Linker
from link.named_graphs import Entity, write

ENTITIES: list[Entity] = [
    ("P:1001", "Seizure", "Phenotype", ["Fits"], []),
    ("P:1002", "Febrile seizure", "Phenotype", ["Seizures, febrile"], []),
    ("D:1001", "Crohn disease", "Disease", [], []),
    ("D:1002", "Congestive heart failure", "Disease", [], []),
    ("G:1001", "WAS", "Gene", [], []),
    ("G:1002", "REST", "Gene", [], []),
    ("G:1003", "FBN1", "Gene", [], []),
    ("G:1004", "T", "Gene", [], []),
    ("X:1001", "All", "Root", [], []),
    ("X:1002", "Pain. Relief", "Odd", [], []),
    ("P:1003", "Pain relief", "Phenotype", [], []),
    ("P:1004", "Pain", "Phenotype", [], []),
    ("P:1005", "Sjögren sicca", "Phenotype", [], []),
    ("P:1006", "failure to thrive", "Phenotype", [], []),
    ("P:1007", "Hyponatremia", "Phenotype", [], []),
    ("G:1005", "MTOR", "Gene", [], []),
]


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return Linker(write(ENTITIES, tmp_path_factory.mktemp("detect") / "g.clew"))


def found(linker: Linker, text: str, **options: object) -> list[tuple[str, str]]:
    mentions = linker.detect(text, **options)
    for mention in mentions:
        assert text[mention.start : mention.end] == mention.text
    return [(mention.text, mention.linked.best.id) for mention in mentions]


def test_the_longest_name_counts(linker: Linker) -> None:
    assert found(linker, "A febrile seizure, then seizures.") == [("febrile seizure", "P:1002"), ("seizures", "P:1001")]


def test_overlaps_go_to_the_longest(linker: Linker) -> None:
    text = "congestive heart failure to thrive"
    assert found(linker, text) == [("congestive heart failure", "D:1002")]


def test_writing_habits_are_forgiven(linker: Linker) -> None:
    text = "Crohn’s  disease, CROHN-DISEASES and Sjo\u0308gren sicca"
    assert [each for _, each in found(linker, text)] == ["D:1001", "D:1001", "P:1005"]


def test_british_spelling_is_found(linker: Linker) -> None:
    assert found(linker, "Hyponatraemia and hyponatremia") == [("Hyponatraemia", "P:1007"), ("hyponatremia", "P:1007")]


def test_never_inside_a_word(linker: Linker) -> None:
    assert found(linker, "Unpainted seizureless FBN12 Painting") == []


def test_symbols_need_their_capitals(linker: Linker) -> None:
    assert found(linker, "He was at rest, and Was and Rest.") == []
    assert found(linker, "Activation of mTOR, not of mtor or Mtor.") == [("mTOR", "G:1005")]
    assert found(linker, "Mutations in WAS and REST, fbn1 too.") == [
        ("WAS", "G:1001"),
        ("REST", "G:1002"),
        ("fbn1", "G:1003"),
    ]


def test_a_text_that_shouts_says_nothing_by_capitals(linker: Linker) -> None:
    assert found(linker, "THE PATIENT WAS AT REST AND HAD FBN1 SEIZURES") == [
        ("FBN1", "G:1003"),
        ("SEIZURES", "P:1001"),
    ]


def test_single_letters_and_common_words_are_no_names(linker: Linker) -> None:
    assert found(linker, "T and t. All of it, all.") == []


def test_a_name_does_not_reach_over_the_end_of_a_sentence(linker: Linker) -> None:
    assert found(linker, "No seizure. She felt pain; relief came. Fever.") == [
        ("seizure", "P:1001"),
        ("pain", "P:1004"),
    ]
    assert found(linker, "Pain relief") == [("Pain relief", "P:1003")]
    assert found(linker, "Pain. Relief") == [("Pain. Relief", "X:1002")]  # a name that has the sign itself


def test_abbreviations_mean_their_long_forms(linker: Linker) -> None:
    text = "Congestive heart failure (CHF) is common. CHF kills. CHFX and chf do not."
    mentions = linker.detect(text)
    assert [mention.text for mention in mentions] == ["Congestive heart failure", "CHF", "CHF"]
    assert {mention.linked.best.id for mention in mentions} == {"D:1002"}
    assert [mention.abbreviation_of for mention in mentions] == [None, *["Congestive heart failure"] * 2]
    assert mentions[1].linked.best.stage == "abbreviation"


def test_an_abbreviation_of_a_name_with_adjectives_means_the_name(linker: Linker) -> None:
    text = "Severe, recurrent congestive heart failure (SRCHF) is common. SRCHF kills."
    assert found(linker, text)[1:] == [("SRCHF", "D:1002"), ("SRCHF", "D:1002")]
    assert found(linker, "A heartless congestive heart failure (HCHF): HCHF.") == [
        ("congestive heart failure", "D:1002")
    ]


def test_an_abbreviation_of_something_unknown_is_left_alone(linker: Linker) -> None:
    assert found(linker, "Random other thing (ROT) and ROT.") == []


def test_a_symbol_that_the_text_defines_otherwise_is_no_name(linker: Linker) -> None:
    assert found(linker, "The word association scale (WAS) was used; WAS rose.") == []
    assert found(linker, "The WAS gene.") == [("WAS", "G:1001")]


def test_types_are_asked_for_before_the_longest_is_chosen(linker: Linker) -> None:
    text = "WAS and congestive heart failure to thrive"
    assert found(linker, text, types="Phenotype") == [("failure to thrive", "P:1006")]
    assert found(linker, text, types=["Gene"]) == [("WAS", "G:1001")]


def test_mentions_are_marked(linker: Linker) -> None:
    mentions = linker.detect("No evidence of seizure. Mother has Crohn disease. Pain is present.")
    assert [mention.marks.negated for mention in mentions] == [True, False, False]
    assert [mention.marks.family for mention in mentions] == [False, True, False]
    assert linker.detect("No seizure.", marks=False)[0].marks is None


@pytest.mark.parametrize("text", ["", " ", "🧬", "...", "\n\n", "a", "\ud800 seizure"])
def test_odd_texts_are_no_errors(linker: Linker, text: str) -> None:
    assert len(linker.detect(text)) == ("seizure" in text)


PIECES = st.sampled_from(
    [
        "seizure",
        "febrile",
        "Seizures",
        "WAS",
        "was",
        "pain",
        "relief",
        ". ",
        " ",
        " ",
        "-",
        "x",
        "é",
        "(",
        ")",
        "CHF",
        "1",
    ]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_matches_are_whole_words_in_order_without_overlaps(linker: Linker, text: str) -> None:
    mentions = linker.detect(text)
    end = 0
    for mention in mentions:
        assert mention.start >= end
        end = mention.end
        assert text[mention.start : mention.end] == mention.text
        assert not re.match(r"[^\W_]", text[mention.start - 1 : mention.start])
        assert not re.match(r"[^\W_]", text[mention.end : mention.end + 1])
        assert mention.linked.best is not None


def test_every_name_of_the_ontology_is_found_in_a_sentence(hpo: Path) -> None:
    linker = Linker(clew.open(hpo))
    rows = [
        row
        for row in read_entities(linker.engine).to_pylist()[::97]
        if re.fullmatch(r"[A-Za-z][a-z]+( [a-z]+)+", row["name"])
    ]
    assert len(rows) > 100
    for row in rows:
        mentions = linker.detect(f"There was {row['name']}.", marks=False)
        whole = next(mention for mention in mentions if mention.text == row["name"])
        assert row["id"] in {whole.linked.best.id, *(alternative.id for alternative in whole.linked.alternatives)}
