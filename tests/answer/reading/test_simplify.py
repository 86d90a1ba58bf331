"""Questions that say less: what is left out, in which order, and that it is said."""

from dataclasses import replace

from clew.answer import Asker
from clew.answer.kept import words_of
from clew.answer.reading.question import ParsedQuestion, understand
from clew.answer.reading.simplify import is_sure, simpler


def read(clinic: Asker, text: str) -> ParsedQuestion:
    return understand(text, clinic.resources.linker, words_of(clinic.resources))


def test_a_name_that_resembles_one_goes_first(clinic: Asker) -> None:
    question = read(clinic, "Which diseases show scoliosis and arachnodactily?")
    assert [is_sure(anchor) for anchor in question.anchors] == [True, False]
    ((less, note),) = simpler(question, fits=True)
    assert [anchor.text for anchor in less.anchors] == ["scoliosis"]
    assert less.unrecognised == (*question.unrecognised, "arachnodactily")
    assert note == "without 'arachnodactily': nothing matches with it"


def test_sure_names_only_go_where_nothing_fits(clinic: Asker) -> None:
    question = read(clinic, "Which diseases show scoliosis and arachnodactyly?")
    assert list(simpler(question, fits=True)) == []
    assert len(list(simpler(question, fits=False))) == 2
    assert list(simpler(replace(question, anchors=question.anchors[:1]), fits=False)) == []


def test_a_ranking_by_nothing_becomes_a_list(clinic: Asker) -> None:
    question = read(clinic, "Which diseases show arachnodactyly?")
    ((less, note),) = simpler(replace(question, operation="top", number=3), fits=False)
    assert (less.operation, less.number) == ("list", None)
    assert "not ranked" in note


def test_an_answer_without_a_part_says_so(clinic: Asker) -> None:
    """No disease here has both; what was only guessed to be a name is left out."""
    answer = clinic.ask("Which diseases show ectopia lentis and thoracic scoliosys?")
    assert [item.id for item in answer.items] == ["D:1"]
    assert "without 'thoracic scoliosys': nothing matches with it" in answer.interpretation
    assert "thoracic scoliosys" in answer.unrecognised
    sure = clinic.ask("Which diseases show ectopia lentis and thoracic scoliosis?")
    assert (sure.items, sure.abstained) == ((), None)  # nothing is the answer


def test_what_the_schema_cannot_join_is_left_out(clinic: Asker) -> None:
    answer = clinic.ask("Which genes are linked to Beals syndrome and Hospital?")
    assert [item.name for item in answer.items] == ["FBN2"]
    assert any(line.startswith("without 'Hospital'") for line in answer.interpretation)
