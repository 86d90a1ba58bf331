"""The replay cache: a second run asks nothing, whoever runs it, and damage is survived."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from clew.errors import ModelError
from clew.lm import Completion, Message, Metered, Replayed, Request
from clew.lm.clients.llamacpp import LlamaCpp
from clew.lm.clients.scripted import Scripted

ASKED = Request([Message("user", "Which gene?")], max_tokens=4)


def test_a_second_identical_run_makes_no_call(model: LlamaCpp, tmp_path: Path) -> None:
    requests = [
        Request(prompt="The capital of France is", max_tokens=2, logprobs=2),
        Request(prompt="A", temperature=0.9, seed=4, max_tokens=2),
    ]

    def run() -> tuple[list[Completion], list[float], Metered]:
        metered = Metered(model)
        replayed = Replayed(metered, tmp_path)
        answers = [replayed.complete(each) for each in requests]
        scores = replayed.score(requests[0], [" Paris", " Rome"])
        return answers, [each.logprob for each in scores], metered

    answers, scores, first = run()
    again, same_scores, second = run()
    assert first.usage.calls == 4
    assert second.usage.calls == 0
    assert [replace(each, usage=answers[0].usage) for each in again] == [
        replace(each, usage=answers[0].usage) for each in answers
    ]
    assert same_scores == scores
    assert [(each.usage.calls, each.usage.replayed) for each in again] == [(0, 1), (0, 1)]
    assert again[0].usage.prompt_tokens == answers[0].usage.prompt_tokens


def test_anything_else_asks_again(tmp_path: Path) -> None:
    inner = Scripted(lambda request: "x")
    model = Replayed(inner, tmp_path)
    different = [
        ASKED,
        replace(ASKED, seed=1),
        replace(ASKED, temperature=0.5),
        replace(ASKED, max_tokens=5),
        replace(ASKED, stop="a"),
        replace(ASKED, logprobs=1),
        replace(ASKED, grammar='root ::= "x"'),
        replace(ASKED, messages=[Message("system", "Which gene?")]),
        Request(prompt="Which gene?", max_tokens=4),
    ]
    for each in different * 2:
        model.complete(each)
    assert len(inner.requests) == len(different)
    other = Scripted(lambda request: "y", name="other")
    assert Replayed(other, tmp_path).complete(ASKED).text == "y", "another model answers for itself"


def test_only_the_scores_that_are_missing_are_asked_for(tmp_path: Path) -> None:
    inner = Scripted(scores={"a": -1.0, "b": -2.0, "c": -3.0})
    model = Replayed(inner, tmp_path)
    model.score(ASKED, ["a", "b"])
    assert [each.logprob for each in model.score(ASKED, ["c", "b", "a"])] == [-3.0, -2.0, -1.0]
    assert [texts for _, texts in inner.scored] == [("a", "b"), ("c",)]


DAMAGE = [b"", b"{", b"[]", b'{"key": 1}', b"\xff\xfe", None]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_entries_cost_a_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: bytes | None
) -> None:
    Replayed(Scripted(["FBN1"]), tmp_path).complete(ASKED)
    [entry] = tmp_path.rglob("*.json")
    if damage is None:  # valid JSON whose answer was altered
        kept = json.loads(entry.read_text())
        kept["answer"]["text"] = "FBN2"
        damage = json.dumps(kept).encode()
    entry.write_bytes(damage)
    inner = Scripted(["FBN1"])
    assert Replayed(inner, tmp_path).complete(ASKED).text == "FBN1"
    assert len(inner.requests) == 1
    assert "damaged and ignored" in caplog.text
    assert Replayed(Scripted(), tmp_path).complete(ASKED).text == "FBN1", "it was mended"


def test_failures_are_not_kept(tmp_path: Path) -> None:
    model = Replayed(Scripted([ModelError("no"), "FBN1"]), tmp_path)
    with pytest.raises(ModelError, match="no"):
        model.complete(ASKED)
    assert model.complete(ASKED).text == "FBN1"


def test_only_what_is_kept_on_request(tmp_path: Path) -> None:
    inner = Scripted(lambda request: "x")
    with pytest.raises(ModelError, match=r"no response of scripted to 'Which gene.' is cached"):
        Replayed(inner, tmp_path, only=True).complete(ASKED)
    assert not inner.requests
    Replayed(inner, tmp_path).complete(ASKED)
    pieces: list[str] = []
    assert Replayed(inner, tmp_path, only=True).complete(ASKED, stream=pieces.append).text == "x"
    assert pieces == ["x"]


def test_a_folder_that_cannot_be_written_is_survived(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    assert Replayed(Scripted(["x"]), tmp_path / "file").complete(ASKED).text == "x"
    assert "is not cached" in caplog.text


WRITER = """
import sys
from pathlib import Path
from clew.lm import Replayed, Request
from clew.lm.clients.scripted import Scripted
model = Replayed(Scripted(lambda request: request.prompt * 50), Path(sys.argv[1]))
for number in range(60):
    assert model.complete(Request(prompt=f"q{number}")).text == f"q{number}" * 50
"""


def test_several_processes_and_threads_share_a_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(lambda _: subprocess.run(command, capture_output=True, text=True, timeout=60), range(3)))
    assert [each.stderr for each in done] == ["", "", ""]
    assert len(list(tmp_path.rglob("*.json"))) == 60
    inner = Scripted()
    assert Replayed(inner, tmp_path, only=True).complete(Request(prompt="q7")).text == "q7" * 50
