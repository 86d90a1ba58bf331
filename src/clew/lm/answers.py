"""Parse a model's raw output: the text without reasoning traces, fences and end markers, and the JSON in it.

Pure functions. Reasoning models emit their reasoning before the answer, chat models wrap answers in code fences, and
base models continue past their end marker: none of that is part of the answer.
"""

import json
import re
from typing import Any

from clew.lm.failures import BadAnswer

__all__ = ["extract_json", "strip"]

THINKING = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|seed:think"
TAG = re.compile(
    rf"(?P<open><(?:{THINKING})(?:\s[^<>]*)?>|\[THINK\]|<\|START_THINKING\|>|◁think▷)"
    rf"|</(?:{THINKING})\s*>|\[/THINK\]|<\|END_THINKING\|>|◁/think▷",
    re.IGNORECASE,
)
# gpt-oss: channels; only the final one is meant for the reader.
FINAL_CHANNEL = re.compile(r"\A.*<\|channel\|>\s*final\s*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>", re.DOTALL)
OTHER_CHANNEL = re.compile(r"<\|channel\|>\s*(?:analysis|commentary)\b.*\Z", re.DOTALL)
# Granite, Nemotron and prompted models: a headed block, then a headed answer.
HEADED = re.compile(
    r"\A\W*(?:reasoning|thoughts?|thinking|here is my thought process|analysis)\W*:.*?"
    r"^\W*(?:here is my response|(?:the )?(?:final )?(?:answer|response|output))\W*:[*_ ]*",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
END_MARKERS = (
    "<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>", "<|end|>", "<|return|>", "<|eom_id|>", "</s>",
    "<end_of_turn>", "<eos>", "<|END_OF_TURN_TOKEN|>", "<|END_RESPONSE|>", "<|end_of_role|>", "<｜end▁of▁sentence｜>",
    "<|endofprompt|>", "[/INST]", "<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<|user|>", "<|eor|>",
)  # fmt: skip
OPENERS = re.compile(
    r"\A(?:\s*(?:<\|im_start\|>\s*assistant|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>"
    r"|<start_of_turn>\s*model|<\|assistant\|>|<\|START_RESPONSE\|>|<\|START_OF_TURN_TOKEN\|>|<s>))+\s*"
)
FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
ONE_LINE_FENCE = re.compile(r"\A```(?:[a-zA-Z]+ )?(.*?)```\Z", re.DOTALL)


def strip(text: str) -> str:
    """The answer without reasoning trace and code fence, up to the first end marker.

    If there are fences, the answer is the content of the first. An output that is only a trace gives "".

    >>> strip("<think>Marfan... FBN1.</think>\\n```text\\nFBN1\\n```<|im_end|>\\n<|im_start|>user")
    'FBN1'
    """
    return _unfence(_spoken(text)).strip()


def extract_json(text: str) -> Any:
    """The first JSON object or array in an output; raises `BadAnswer` if there is none.

    >>> extract_json('Sure! Here it is: {"gene": "FBN1"} Anything else?')
    {'gene': 'FBN1'}
    """
    bare = text.strip()
    for candidate in (bare, _unfence(bare) if bare.startswith(("```", "~~~")) else bare):
        try:
            return json.loads(candidate)  # unmodified, because a text inside may look like an end marker
        except (ValueError, RecursionError):
            continue
    spoken = _spoken(text)
    for candidate in (_unfence(spoken), spoken):
        found, value = _first_json(candidate)
        if found:
            return value
    raise BadAnswer(f"the model's answer contains no complete JSON: {_glimpse(spoken)}")


def _spoken(text: str) -> str:
    """The text without reasoning, opening phrases and anything after an end marker."""
    text = OPENERS.sub("", text.lstrip("\ufeff"))
    final = FINAL_CHANNEL.match(text)
    text = text[final.end() :] if final else OTHER_CHANNEL.sub("", text)
    text = OPENERS.sub("", _without_traces(text))
    ends = [at for marker in END_MARKERS if (at := text.find(marker)) >= 0]
    text = text[: min(ends)] if ends else text
    return HEADED.sub("", text, count=1).strip()


def _first_json(text: str) -> tuple[bool, Any]:
    """Whether there is a JSON object or array, and its value; a truncated one hides anything nested in it."""
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        pass
    decoder = json.JSONDecoder()
    for start in (match.start() for match in re.finditer(r"[{\[]", text)):
        try:
            return True, decoder.raw_decode(text, start)[0]
        except json.JSONDecodeError as error:
            if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
                break
        except RecursionError:
            break
    return False, None


def _without_traces(text: str) -> str:
    """The text outside reasoning tags; a closing tag without an opening one was opened by the template."""
    kept: list[str] = []
    depth = at = 0
    for tag in TAG.finditer(text):
        if depth == 0:
            kept.append(text[at : tag.start()])
        if tag["open"]:
            depth += 1
        elif depth == 0:
            kept.clear()
        else:
            depth -= 1
        at = tag.end()
    return "".join(kept) + (text[at:] if depth == 0 else "")


def _unfence(text: str) -> str:
    """The content of the first code fence, even an unclosed one; the text itself if there is none."""
    if match := ONE_LINE_FENCE.match(text):
        return match[1] if "\n" not in match[1] else _inner(text)
    return _inner(text)


def _inner(text: str) -> str:
    match = FENCE.search(text)
    return match[2].strip("\n") if match else text


def _glimpse(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "…") if text else "it is empty"
