"""Prompts that fit, and the account of what was left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import ContextOverflow, InputError
from clew.lm import Message, Request, Section, fit
from clew.lm.clients.llamacpp import LlamaCpp
from clew.lm.clients.scripted import Scripted

SECTIONS = [
    Section("rules", "be brief", role="system"),
    Section("near triples", "a b c d", priority=2),
    Section("far triples", "e f g h", priority=1),
    Section("also far", "i j k l", priority=1),
    Section("question", "which gene"),
]


def test_what_fits_is_left_alone() -> None:
    fitted = fit(Scripted(context=26), SECTIONS, answer=10)
    assert fitted.messages == (
        Message("system", "be brief"),
        Message("user", "a b c d\n\ne f g h\n\ni j k l\n\nwhich gene"),
    )
    assert (fitted.tokens, fitted.dropped) == (16, ())


def test_without_a_budget_nothing_is_left_out() -> None:
    with pytest.raises(
        ContextOverflow, match=r"the prompt has 16 tokens, room is for 15 .scripted has 25, 10 are kept"
    ):
        fit(Scripted(context=25), SECTIONS, answer=10)


@pytest.mark.parametrize(
    ("budget", "dropped"),
    [
        (16, ()),
        (15, ("also far",)),
        (12, ("also far",)),
        (11, ("far triples", "also far")),
        (4, ("near triples", "far triples", "also far")),
    ],
)
def test_a_budget_drops_the_least_important_first_and_says_so(budget: int, dropped: tuple[str, ...]) -> None:
    fitted = fit(Scripted(context=1000), SECTIONS, answer=10, budget=budget)
    assert fitted.dropped == dropped
    assert fitted.tokens <= budget


def test_what_must_stay_and_does_not_fit_is_refused() -> None:
    with pytest.raises(
        ContextOverflow, match=r"the required part of the prompt has 4 tokens, room is for 3 .the budget is 3"
    ):
        fit(Scripted(), SECTIONS, answer=10, budget=3)
    with pytest.raises(InputError, match="leaves no room"):
        fit(Scripted(context=10), SECTIONS, answer=10)
    with pytest.raises(ContextOverflow, match="every section is optional"):
        fit(Scripted(), [Section("all", "a b c", priority=1)], answer=1, budget=2)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.none() | st.integers(0, 3)), min_size=1, max_size=12), st.integers(1, 60)
)
def test_no_more_is_dropped_than_needed(shape: list[tuple[int, int | None]], budget: int) -> None:
    sections = [Section(str(at), "w " * words, priority=level) for at, (words, level) in enumerate(shape)]
    sections.append(Section("question", "why"))
    model = Scripted()
    try:
        fitted = fit(model, sections, answer=1, budget=budget)
    except ContextOverflow:
        assert 1 + sum(words for words, level in shape if level is None) > budget
        return
    assert fitted.tokens <= budget
    if fitted.dropped:  # putting the most important one back would be too much
        back = min(fitted.dropped, key=lambda name: (-(shape[int(name)][1] or 0), int(name)))
        assert fitted.tokens + shape[int(back)][0] > budget


def test_a_real_model_counts_its_template(model: LlamaCpp) -> None:
    sections = [Section("evidence", "gene " * 300, priority=1), Section("question", "Which gene?")]
    fitted = fit(model, sections, answer=16, budget=100)
    assert fitted.dropped == ("evidence",)
    assert fitted.tokens == model.count(Request(fitted.messages)) < 100
    with pytest.raises(ContextOverflow, match="smollm2 has 1,024"):
        fit(model, [Section("evidence", "gene " * 1100)], answer=16)
