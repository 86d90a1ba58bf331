"""Heads from a helper model: only what stands literally in the text counts, whatever the model says."""

import pytest

from clew.errors import InputError
from clew.extract.mentions.discovery import Discoverer
from clew.lm.clients.scripted import Scripted

TEXT = "Aspirin caused gastric bleeding; the bleeding stopped."


def test_only_literal_names_count_and_the_longest_first() -> None:
    discoverer = Discoverer(Scripted(["bleeding\ngastric bleeding\nAspirin\nheparin\naspirin"]))
    assert [TEXT[start:end] for start, end in discoverer.discover(TEXT)] == ["Aspirin", "gastric bleeding", "bleeding"]
    assert discoverer.counts == {"listed": 3, "not in the text": 2}


def test_a_part_of_a_word_is_no_mention_and_none_is_nothing() -> None:
    discoverer = Discoverer(Scripted(["stop\nbleed", "none"]))
    assert discoverer.discover(TEXT) == []
    assert discoverer.discover(TEXT) == []
    assert discoverer.counts["not in the text"] == 2


def test_the_model_is_shown_the_passage() -> None:
    model = Scripted(["none"])
    Discoverer(model, most=3).discover(TEXT)
    (request,) = model.requests
    assert TEXT in request.messages[0].content
    assert request.grammar is not None
    with pytest.raises(InputError):
        Discoverer(model, most=0)
