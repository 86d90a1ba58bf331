"""Grammars: how they are written, which mistakes are found, and that no answer ever breaks one."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.errors import InputError
from clew.lm import LanguageModel, Message, Request, choice, literal
from clew.lm.clients.llamacpp import LlamaCpp
from clew.lm.grammar import check_grammar
from effort import examples

ODD = 'a"b\\c\n\té🖐[x] | ::= #'


@dataclass(frozen=True)
class Part:
    """A piece of a grammar that can be written as GBNF and as an expression of `re`, and read by hand.

    `re` judges finished answers; `ends` judges those that max_tokens broke off, which may only be beginnings.
    """

    gbnf: str
    expression: str
    ends: Callable[[str, int], tuple[set[int], bool]]  # where it may end, and whether the text ran out inside


def _literal(text: str) -> Part:
    def ends(said: str, at: int) -> tuple[set[int], bool]:
        whole = said.startswith(text, at)
        return ({at + len(text)} if whole else set()), not whole and text.startswith(said[at:])

    return Part(literal(text), re.escape(text), ends)


def _class(text: str) -> Part:
    def ends(said: str, at: int) -> tuple[set[int], bool]:
        if at == len(said):
            return set(), True
        return ({at + 1} if re.fullmatch(text, said[at]) else set()), False

    return Part(text, text, ends)


def _choice(parts: list[Part]) -> Part:
    def ends(said: str, at: int) -> tuple[set[int], bool]:
        tried = [part.ends(said, at) for part in parts]
        return set().union(*(found for found, _ in tried)), any(ran_out for _, ran_out in tried)

    gbnf, expression = " | ".join(each.gbnf for each in parts), "|".join(each.expression for each in parts)
    return Part(f"({gbnf})", f"(?:{expression})", ends)


def _sequence(parts: list[Part]) -> Part:
    def ends(said: str, at: int) -> tuple[set[int], bool]:
        starts, ran_out = {at}, False
        for part in parts:
            tried = [part.ends(said, start) for start in starts]
            starts = set().union(*(found for found, _ in tried))
            ran_out = ran_out or any(out for _, out in tried)
        return starts, ran_out

    gbnf, expression = " ".join(each.gbnf for each in parts), "".join(each.expression for each in parts)
    return Part(f"({gbnf})", f"(?:{expression})", ends)


REPEATS = {"?": (0, 1), "*": (0, 99), "+": (1, 99), "{2}": (2, 2), "{1,3}": (1, 3)}


def _repeat(part: Part, sign: str) -> Part:
    least, most = REPEATS[sign]

    def ends(said: str, at: int) -> tuple[set[int], bool]:
        starts, found, ran_out = {at}, {at} if least == 0 else set(), False
        for times in range(1, most + 1):
            tried = [part.ends(said, start) for start in starts]
            starts = set().union(*(each for each, _ in tried))
            ran_out = ran_out or any(out for _, out in tried)
            if times >= least:
                if starts <= found:
                    break
                found = found | starts
        return found, ran_out

    return Part(f"({part.gbnf}){sign}", f"(?:{part.expression}){sign}", ends)


LITERALS = st.text(st.sampled_from('abcXYZ 019.-|()[]"\\\n€'), min_size=1, max_size=6).map(_literal)
CLASSES = st.sampled_from(["[a-c]", "[0-9]", "[A-Z]", "[^a-z \\n]", "[xyz_]", "[à-ü]"]).map(_class)
PARTS = st.recursive(
    LITERALS | CLASSES,
    lambda parts: (
        st.lists(parts, min_size=1, max_size=3).map(_choice)
        | st.lists(parts, min_size=1, max_size=3).map(_sequence)
        | st.tuples(parts, st.sampled_from(list(REPEATS))).map(lambda each: _repeat(*each))
    ),
    max_leaves=5,
)


@settings(max_examples=examples(40), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(PARTS, st.sampled_from([0.0, 1.5]), st.integers(0, 99))
def test_no_answer_breaks_its_grammar(model: LlamaCpp, part: Part, temperature: float, seed: int) -> None:
    grammar = f"root ::= {part.gbnf}"
    request = Request(prompt="Say:", grammar=grammar, max_tokens=10, temperature=temperature, seed=seed)
    answer = model.complete(request)
    found, ran_out = part.ends(answer.text, 0)
    if answer.finish == "stop":
        assert re.fullmatch(part.expression, answer.text), f"{answer.text!r} breaks {grammar}"
        assert len(answer.text) in found
    else:
        assert ran_out or len(answer.text) in found, f"{answer.text!r} cannot go on under {grammar}"


@given(PARTS, st.text("abcXYZ 019.", max_size=5))
def test_the_judges_agree(part: Part, text: str) -> None:
    assert (len(text) in part.ends(text, 0)[0]) == bool(re.fullmatch(part.expression, text))


@pytest.mark.parametrize("texts", [["has_phenotype", "is_a"], ["yes", "yes and no"], [ODD], ["HP:0001166"]])
def test_a_choice_is_one_of_its_texts(client: LanguageModel, texts: list[str]) -> None:
    request = Request([Message("user", "Choose.")], grammar=choice(texts), max_tokens=60, temperature=1.0, seed=3)
    answer = client.complete(request)
    assert answer.finish == "stop"
    assert answer.text in texts


def test_a_choice_needs_texts() -> None:
    with pytest.raises(InputError, match="at least one"):
        choice([])
    with pytest.raises(InputError, match="empty text"):
        choice(["a", ""])


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_any_choice_is_a_good_grammar(texts: list[str]) -> None:
    check_grammar(choice(texts))


GOOD = [
    'root ::= "a" | [0-9]+ other{2,3} .\nother ::= ("b" "c"?)* # a comment with "quotes" and ::=',
    'root ::= [^"\\]]+ "\\"" "x"',
    "root ::= <[12]> !<think> rule-2\nrule-2 ::= [a\\-z]",
    '# first a comment\n\nroot ::=\n  "a"\n  | "b"\n',
]
BAD = {
    "": "list of rules",
    "say yes": "list of rules",
    "%llguidance {}\nstart: /a/": "list of rules",
    'x ::= "a"': "needs a rule",
    'root ::= "a': "cannot be parsed",
    'root ::= ("a"': "brackets",
    'root ::= "a")': "brackets",
    "root ::= [a": "cannot be parsed",
    "root ::= other": "'other', which is not defined",
    'root ::= * "a"': "repeats nothing",
    'root ::= "a" & "b"': "cannot be parsed from '& ",
    'hello root ::= "a"': "begins with a rule",
}


@pytest.mark.parametrize("grammar", GOOD)
def test_good_grammars_pass(grammar: str) -> None:
    check_grammar(grammar)


@pytest.mark.parametrize(("grammar", "sentence"), BAD.items())
def test_mistakes_are_found_before_a_model_is_asked(grammar: str, sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        Request(prompt="x", grammar=grammar)
