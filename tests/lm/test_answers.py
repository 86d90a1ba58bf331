"""Ugly outputs as real models give them, and what is meant by each."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.lm import BadAnswer, extract_json, strip

PLAIN = {
    "nothing": ("", ""),
    "space": ("  FBN1 \n", "FBN1"),
    "byte order mark": ("\ufeffFBN1", "FBN1"),
    "less than": ("p < 0.05 and a <b>bold</b> claim", "p < 0.05 and a <b>bold</b> claim"),
    "thinking as a word": ("I think: FBN1. Thinking helps.", "I think: FBN1. Thinking helps."),
    "answer as a word": ("The answer: FBN1", "The answer: FBN1"),
}
TRACES = {
    "deepseek": ("<think>\nMarfan is caused by...\n</think>\n\nFBN1", "FBN1"),
    "opened by the template": ("Marfan is caused by FBN1, so\n</think>\n\nFBN1", "FBN1"),
    "never closed": ("<think>\nLet me see. FBN1? Wait", ""),
    "answer, then a trace that never ends": ("FBN1\n<think>Is that right?", "FBN1"),
    "two traces": ("<think>a</think>FB<think>b</think>N1", "FBN1"),
    "nested": ("<think>a <think>b</think> c</think>FBN1", "FBN1"),
    "capitals and attributes": ('<Thinking mode="deep">x</Thinking>FBN1', "FBN1"),
    "reflection": ("<reasoning>x</reasoning><reflection>y</reflection>FBN1", "FBN1"),
    "magistral": ("[THINK]Hm.[/THINK]FBN1", "FBN1"),
    "command-a": ("<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>FBN1<|END_RESPONSE|>", "FBN1"),
    "kimi": ("◁think▷Hm.◁/think▷FBN1", "FBN1"),
    "seed-oss": ("<seed:think>Hm.</seed:think>FBN1", "FBN1"),
    "gpt-oss": (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>FBN1<|return|>",
        "FBN1",
    ),
    "gpt-oss without an answer": ("<|channel|>analysis<|message|>Hm, FBN1?", ""),
    "granite": ("Here is my thought process: Hm.\n\nHere is my response: FBN1", "FBN1"),
    "reasoning heading": ("Reasoning: it is a connective tissue disease\nAnswer: FBN1", "FBN1"),
    "headings in bold": ("**Reasoning:** Hm.\n\n**Final Answer:** FBN1", "FBN1"),
    "markdown headings": ("### Analysis:\nHm.\n### Response:\nFBN1", "FBN1"),
}
FENCES = {
    "fence": ("```\nMATCH (g) RETURN g\n```", "MATCH (g) RETURN g"),
    "fence with a language": ("Here you go:\n```cypher\nMATCH (g)\nRETURN g\n```\nEnjoy!", "MATCH (g)\nRETURN g"),
    "never closed": ("```json\n{}", "{}"),
    "one line": ("```FBN1```", "FBN1"),
    "one line with a language": ("```text FBN1```", "FBN1"),
    "tildes": ("~~~\nFBN1\n~~~", "FBN1"),
    "indented": ("  ```python\n  x\n  ```", "x"),
    "two": ("```\nfirst\n```\nor\n```\nsecond\n```", "first"),
    "inside a trace": ("<think>\n```\nwrong\n```\n</think>\n```\nright\n```", "right"),
    "inline code": ("Use `FBN1` here", "Use `FBN1` here"),
}
MARKERS = {
    "chatml": ("FBN1<|im_end|>\n<|im_start|>user\nAnd now?", "FBN1"),
    "chatml opener": ("<|im_start|>assistant\nFBN1<|im_end|>", "FBN1"),
    "llama 2": ("FBN1</s><s>[INST] more", "FBN1"),
    "llama 3": ("<|start_header_id|>assistant<|end_header_id|>\n\nFBN1<|eot_id|>", "FBN1"),
    "gemma": ("<start_of_turn>model\nFBN1<end_of_turn>\n", "FBN1"),
    "gpt": ("FBN1<|endoftext|>Unrelated", "FBN1"),
    "deepseek": ("FBN1<｜end▁of▁sentence｜>", "FBN1"),
    "phi": ("<|assistant|>FBN1<|end|>", "FBN1"),
    "after a fence": ("```\nFBN1\n```<|eot_id|>", "FBN1"),
    "all of it": ("<|im_start|>assistant\n<think>x</think>\n```\nFBN1\n```<|im_end|>\n", "FBN1"),
}
CASES = {f"{group}: {name}": case for group, cases in [
    ("plain", PLAIN), ("trace", TRACES), ("fence", FENCES), ("marker", MARKERS)
] for name, case in cases.items()}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_only_the_answer_remains(case: str) -> None:
    raw, meant = CASES[case]
    assert strip(raw) == meant
    assert strip(meant) == meant, "what is clean stays as it is"


@given(st.text())
def test_any_text_is_survived(text: str) -> None:
    assert len(strip(text)) <= len(text)


def test_long_traces_take_no_time() -> None:
    begun = time.monotonic()
    assert strip("<think>" * 2000 + "x" * 200_000) == ""
    assert strip("Reasoning: " + "word \n" * 20_000).startswith("Reasoning")
    assert strip("```" * 20_000) is not None
    assert time.monotonic() - begun < 5


JSON = {
    "bare": '{"gene": "FBN1"}',
    "fenced": 'Sure:\n```json\n{"gene": "FBN1"}\n```',
    "in a sentence": 'The answer is {"gene": "FBN1"}, as you see.',
    "after a trace": '<think>{"gene": "wrong"}</think>{"gene": "FBN1"}<|im_end|>',
    "after a broken one": 'First {"gene: then {"gene": "FBN1"}',
    "fence holds no JSON": '```\nplain\n```\n{"gene": "FBN1"}',
}


@pytest.mark.parametrize("case", JSON)
def test_json_is_found_wherever_it_stands(case: str) -> None:
    assert extract_json(JSON[case]) == {"gene": "FBN1"}


def test_arrays_and_scalars() -> None:
    assert extract_json("Genes: [1, 2]") == [1, 2]
    assert extract_json("42") == 42


@pytest.mark.parametrize(
    "text",
    ["", "no braces", '{"gene": ', "<think>{}", '{"genes": ["FBN1"], "more', '{"genes": ["FBN1"], ', "[" * 100_000],
)
def test_no_json_is_a_bad_answer(text: str) -> None:
    with pytest.raises(BadAnswer, match="contains no complete JSON"):
        extract_json(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists).map(lambda each: {"x": each}))
def test_any_object_survives_wrapping(value: dict[str, object]) -> None:
    assert extract_json(f"```json\n{json.dumps(value)}\n```") == value
