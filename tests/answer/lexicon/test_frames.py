"""Words that frame a question: greetings, requests, thanks, and follow-ups that ask for a list."""

import time

import pytest

from clew.answer.lexicon.frames import find_frame


def inside(text: str) -> str:
    """The question without its frame."""
    for start, end in find_frame(text).spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text.strip()


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Would you be so kind as to tell me who wrote Ash Days?", "who wrote Ash Days?"),
        ("Hello, could you please list the pupils of Mr Hale?", "list the pupils of Mr Hale?"),
        ("So which genes cause X, please? Thanks!", "which genes cause X"),
        ("In this graph, which films are long?", "which films are long?"),
        ("I was wondering in which city it lies, as far as the graph knows", "in which city it lies"),
        ("Right ventricular hypertrophy genes", "Right ventricular hypertrophy genes"),
        ("Can you get epilepsy from X?", "Can you get epilepsy from X?"),
        ("What else is it called?", "What else is it called?"),
        ("thanks", "thanks"),
        ("I am looking for samples that failed A", "samples that failed A"),
        ("For the fire drill: list every group in A", "list every group in A"),
        ("Is there a sequel to A? Title?", "Is there a sequel to A"),
    ],
)
def test_a_frame_is_set_apart(text: str, question: str) -> None:
    assert inside(text).rstrip("?") == question.rstrip("?")


@pytest.mark.parametrize(
    ("text", "lists", "judges"),
    [
        ("Is there a drug that treats A? If so, which?", True, False),
        ("Are there patients with A? If so list them", True, False),
        ("Have any patients been given A? Tell me who.", True, False),
        ("Are there diseases in which A begins early? List them.", True, False),
        ("Which drugs treat A? Please list them.", False, False),  # it asks for them anyway
        ("Do you know whether A causes B?", False, True),
        ("Could you tell me if A causes B", False, True),
        ("Does A cause B?", False, False),
    ],
)
def test_a_frame_may_say_what_is_asked_for(text: str, lists: bool, judges: bool) -> None:
    frame = find_frame(text)
    assert (frame.lists, frame.judges) == (lists, judges)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("How many diseases involve any kind of lip pit, subtypes counted too?", "How many diseases involve lip pit?"),
        ("Which genes cause any form of epilepsy?", "Which genes cause epilepsy?"),
        ("Diseases with seizures, including all subtypes", "Diseases with seizures"),
    ],
)
def test_subclasses_are_asked_for_by_words(text: str, question: str) -> None:
    assert find_frame(text).subclasses
    assert " ".join(inside(text).split()).replace(" ?", "?") == question


@pytest.mark.parametrize("text", ["What kinds of seizure are there?", "List the subtypes of seizure"])
def test_a_list_of_subclasses_is_something_else(text: str) -> None:
    assert not find_frame(text).subclasses


@pytest.mark.parametrize("mark", ["(", "?", " ", ","])
def test_marks_without_end_take_no_time(mark: str) -> None:
    """A pattern that starts again at each of them took seconds."""
    begun = time.process_time()
    assert inside(f"Which genes are linked to {mark * 4_000} arachnodactyly?")
    assert time.process_time() - begun < 2
