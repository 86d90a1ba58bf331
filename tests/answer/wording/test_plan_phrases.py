"""Plans in plain English: in answers, and in how a question was read."""

import pytest

from clew.answer import Asker
from clew.answer.wording.value_words import type_name

TEXTS = {
    "Which genes are linked to Beals syndrome?": "1 gene associated with Beals syndrome: FBN2.",
    "Which genes are linked to Marfan syndrome?": "1 gene associated with Marfan syndrome: FBN1.",
    "Which diseases are linked to FBN2?": "1 disease associated with FBN2: Beals syndrome.",
    "What are the symptoms of Beals syndrome?": (
        "2 phenotypes of Beals syndrome: Arachnodactyly and Thoracic scoliosis."
    ),
    "Which diseases show both arachnodactyly and thoracic scoliosis?": (
        "1 disease with both Arachnodactyly and Thoracic scoliosis: Beals syndrome."
    ),
    "Which diseases show arachnodactyly but not thoracic scoliosis?": (
        "2 diseases with Arachnodactyly but without Thoracic scoliosis: "
        "Marfan syndrome (D:1) and Marfan syndrome (D:2)."
    ),
    "How many diseases show arachnodactyly?": "3 diseases with Arachnodactyly.",
    "How many diseases show myopia?": "1 disease with Myopia.",
    "Which genes are linked to arachnodactyly?": "2 genes associated with diseases with Arachnodactyly: FBN1 and FBN2.",
    "Does Beals syndrome show arachnodactyly?": "Yes: Beals syndrome has_phenotype Arachnodactyly.",
    "Is FBN2 associated with Marfan syndrome?": "No: FBN2 associated_with Marfan syndrome is not in this graph.",
    "How is FBN2 connected to arachnodactyly?": "1 shortest path connects FBN2 and Arachnodactyly.",
    "How is FBN2 connected to myopia?": "No path of up to 4 hops connects FBN2 and Myopia in this graph.",
    "Which genes are linked to both Beals syndrome and Marfan syndrome?": (
        "No genes associated with both Beals syndrome and Marfan syndrome were found in this graph."
    ),
}


@pytest.mark.parametrize("question", TEXTS)
def test_answers_read_as_people_write_them(clinic: Asker, question: str) -> None:
    assert clinic.ask(question).text == TEXTS[question]


def test_the_interpretation_is_the_same_phrase(clinic: Asker) -> None:
    for question, phrase in (
        ("Which genes are linked to arachnodactyly?", "genes associated with diseases with Arachnodactyly"),
        ("How many diseases show myopia?", "number of diseases with Myopia"),
        ("Which two genes are associated with the most diseases?", "genes associated with the most diseases"),
        ("Does Beals syndrome show arachnodactyly?", "whether Beals syndrome has_phenotype Arachnodactyly"),
    ):
        answer = clinic.ask(question)
        assert answer.interpretation[0] == f"interpreted as: {phrase}"
    assert clinic.ask("Which diseases show thoracic scoliosis?").interpretation[-1] == (
        "direct annotations only (subclasses not included)"
    )
    assert clinic.ask("Which diseases show scoliosis?").interpretation[-1] == "including subclasses"


def test_types_have_their_own_names() -> None:
    assert [type_name(each) for each in ("SideEffect", "Gene", "cell line", "RNA")] == [
        "side effect",
        "gene",
        "cell line",
        "RNA",
    ]
