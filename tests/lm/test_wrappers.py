"""Retries, time limits and accounting around any model."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from clew.errors import ContextOverflow, InputError, MissingModel, ModelError, Timeout
from clew.lm import BadAnswer, Metered, Request, Retrying, Timed, Unreachable, Usage
from clew.lm.clients.llamacpp import LlamaCpp
from clew.lm.clients.scripted import Scripted

ASKED = Request(prompt="Which gene causes it?", max_tokens=8)
WARM = replace(ASKED, temperature=0.7)
AWAY = Unreachable("the server is away")


def test_a_script_says_its_lines_and_keeps_the_requests() -> None:
    model = Scripted(["FBN1", "one two three four"], scores={" yes": -0.5})
    assert model.complete(ASKED).text == "FBN1"
    cut = model.complete(replace(ASKED, max_tokens=2))
    assert (cut.text, cut.finish, cut.usage.completion_tokens) == ("one two", "length", 2)
    assert [each.max_tokens for each in model.requests] == [8, 2]
    with pytest.raises(ModelError, match="has 2 responses, and one more was requested"):
        model.complete(ASKED)
    assert model.score(ASKED, [" yes"])[0].logprob == -0.5
    with pytest.raises(ModelError, match="no score for ' no'"):
        model.score(ASKED, [" no"])
    assert model.scored[0] == (ASKED, (" yes",))


def test_a_script_may_be_a_function_or_fail_or_be_too_small() -> None:
    assert Scripted(lambda request: str(request.seed)).complete(replace(ASKED, seed=7)).text == "7"
    with pytest.raises(Unreachable):
        Scripted([AWAY]).complete(ASKED)
    with pytest.raises(BadAnswer, match="returned nothing"):
        Scripted([""]).complete(ASKED)
    with pytest.raises(ContextOverflow, match="4 tokens and max_tokens is 8, but scripted has room for 11"):
        Scripted(["x"], context=11).complete(ASKED)
    assert Scripted(["x"], context=12).complete(ASKED).text == "x"


def test_what_is_away_is_tried_again_with_growing_waits() -> None:
    model = Scripted([AWAY, AWAY, "FBN1"])
    begun = time.monotonic()
    assert Retrying(model, attempts=3, wait=0.05).complete(ASKED).text == "FBN1"
    assert 0.15 <= time.monotonic() - begun < 5
    assert model.requests == [ASKED] * 3


def test_the_server_says_how_long_to_wait() -> None:
    model = Scripted([Unreachable("busy", wait=0.1), "FBN1"])
    begun = time.monotonic()
    Retrying(model, wait=60).complete(ASKED)
    assert 0.1 <= time.monotonic() - begun < 5


def test_attempts_end() -> None:
    model = Scripted([AWAY] * 9)
    with pytest.raises(Unreachable, match="the server is away"):
        Retrying(model, attempts=3, wait=0).complete(ASKED)
    assert len(model.requests) == 3


@pytest.mark.parametrize("error", [ModelError("no"), MissingModel("no"), ContextOverflow("no"), Timeout("no")])
def test_what_cannot_get_better_is_not_tried_again(error: Exception) -> None:
    model = Scripted([error, "FBN1"])
    with pytest.raises(type(error)):
        Retrying(model, wait=0).complete(WARM)
    assert len(model.requests) == 1


def test_bad_answers_are_drawn_again_only_where_chance_decides() -> None:
    cold = Scripted(["", "FBN1"])
    with pytest.raises(BadAnswer):
        Retrying(cold, wait=0).complete(ASKED)
    assert len(cold.requests) == 1
    warm = Scripted(["", "FBN1"])
    assert Retrying(warm, wait=0).complete(WARM).text == "FBN1"
    assert [each.seed for each in warm.requests] == [0, 1]


def test_nothing_is_streamed_twice() -> None:
    class BreaksOff(Scripted):
        def complete(self, request, *, stream=None, timeout=None):
            stream("FB")
            return super().complete(request, stream=stream, timeout=timeout)

    pieces: list[str] = []
    with pytest.raises(Unreachable):
        Retrying(BreaksOff([AWAY, "FBN1"]), wait=0).complete(ASKED, stream=pieces.append)
    assert pieces == ["FB"]


def test_scores_are_retried_too() -> None:
    class Awakes(Scripted):
        def score(self, request, continuations, *, timeout=None):
            if not self.scored:
                self.scored.append((request, ()))
                raise AWAY
            return super().score(request, continuations, timeout=timeout)

    assert Retrying(Awakes(scores={"a": -1.0}), wait=0).score(ASKED, ["a"])[0].logprob == -1.0


def test_a_model_without_a_clock_is_left_behind() -> None:
    class Deaf(Scripted):
        def complete(self, request, *, stream=None, timeout=None):
            released.wait(20)
            return super().complete(request, stream=stream)

    released = threading.Event()
    begun = time.monotonic()
    with pytest.raises(Timeout, match=r"within 0\.1 s"):
        Timed(Deaf(["FBN1"]), 0.1).complete(ASKED)
    assert time.monotonic() - begun < 5
    released.set()


def test_a_time_limit_is_the_smaller_one_and_lets_the_quick_pass() -> None:
    slow = Timed(Scripted(["a", "b"], delay=0.5), 30)
    with pytest.raises(Timeout, match=r"within 0\.1 s"):
        slow.complete(ASKED, timeout=0.1)
    assert slow.complete(ASKED).text == "b"
    with pytest.raises(Unreachable):
        Timed(Scripted([AWAY]), 5).complete(ASKED)
    with pytest.raises(InputError):
        Timed(Scripted(), 0)
    with pytest.raises(InputError, match="timeout must be a number of seconds above 0"):
        slow.complete(ASKED, timeout=0)


def test_a_limited_model_in_this_process_works_on_afterwards(model: LlamaCpp) -> None:
    limited = Timed(model, 0.2)
    with pytest.raises(Timeout):
        limited.complete(Request(prompt="Once", max_tokens=900, temperature=1.0))
    assert Timed(model, 30).complete(Request(prompt="The capital of France is", max_tokens=1)).text == " Paris"


def test_costs_add_up_over_threads() -> None:
    metered = Metered(Scripted(lambda request: "a b", scores={"x": -1.0}))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: metered.complete(ASKED), range(200)))
    usage = metered.usage
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (200, 800, 400)
    metered.score(ASKED, ["x", "x"])
    assert metered.reset().calls == 202
    assert metered.usage == Usage()


def test_failures_are_counted() -> None:
    metered = Metered(Scripted([AWAY]))
    with pytest.raises(Unreachable):
        metered.complete(ASKED)
    with pytest.raises(ModelError):
        metered.score(ASKED, ["x"])
    assert (metered.failures, metered.usage.calls) == (2, 0)


def test_wrappers_are_models_and_stack() -> None:
    with Metered(Retrying(Timed(Scripted([AWAY, "FBN1"], context=99), 5), wait=0)) as model:
        assert (model.name, model.identity, model.context) == ("scripted", "scripted:scripted", 99)
        assert model.count(ASKED) == 4
        assert model.complete(ASKED).text == "FBN1"
        assert model.usage.calls == 1
