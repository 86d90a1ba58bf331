"""`score` against a log-softmax made by hand from the logprobs of the whole vocabulary."""

from collections.abc import Iterator
from contextlib import closing
from functools import cache
from typing import Any

import numpy as np
import pytest

from clew.lm import LanguageModel, Message, Request
from clew.lm.clients.http import Connection
from clew.lm.clients.llamacpp import LlamaCpp
from clew.lm.wrappers.time_limit import TimeLimit

PROMPT = Request(prompt="The capital of France is")
CHAT = Request([Message("user", "Is Paris in France?")])


class ByHand:
    """Scores one token at a time: every logit of the vocabulary, exponentiated and normalised here.

    Goes through the server's own /completion with nothing kept in the KV cache and no grammar; `n_probs` over the
    whole vocabulary gives the logits up to a constant, which the normalisation takes away.
    """

    def __init__(self, model: LlamaCpp) -> None:
        self._connection = Connection(model.listening, who="by hand", key=model.key)

    def tokens(self, text: str, *, special: bool) -> list[int]:
        return self._post("/tokenize", {"content": text, "add_special": special, "parse_special": special})["tokens"]

    def template(self, request: Request) -> str:
        turns = [{"role": each.role, "content": each.content} for each in request.messages]
        return self._post("/apply-template", {"messages": turns})["prompt"]

    def close(self) -> None:
        self._connection.close()

    @cache  # noqa: B019 - it lives as long as the tests anyway
    def score(self, prompt: str, continuation: str) -> tuple[float, int]:
        before, total = self.tokens(prompt, special=True), 0.0
        continued = self.tokens(continuation, special=False)
        for token in continued:
            logits = self._logits(before)
            largest = max(logits.values())
            total += logits[token] - largest - np.log(sum(np.exp(np.array(list(logits.values())) - largest)))
            before = [*before, token]
        return total, len(continued)

    def _logits(self, tokens: list[int]) -> dict[int, float]:
        asked = {"prompt": tokens, "n_predict": 1, "temperature": 0, "n_probs": 1 << 20, "cache_prompt": False}
        logprobs = self._post("/completion", asked)["completion_probabilities"][0]["top_logprobs"]
        assert len(logprobs) == 49_152, "the whole vocabulary of SmolLM2"
        return {int(each["id"]): float(each["logprob"]) for each in logprobs}

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._connection.post(path, body, TimeLimit(60, "by hand"))


@pytest.fixture(scope="module")
def by_hand(model: LlamaCpp) -> Iterator[ByHand]:
    with closing(ByHand(model)) as opened:
        yield opened


@pytest.mark.parametrize("continuation", [" Paris, of", "is", " Zürich"], ids=["likely", "border", "bytes"])
def test_a_score_is_the_log_softmax_made_by_hand(client: LanguageModel, by_hand: ByHand, continuation: str) -> None:
    [score] = client.score(PROMPT, [continuation])
    expected, tokens = by_hand.score("The capital of France is", continuation)
    assert score.tokens == tokens
    assert score.logprob == pytest.approx(expected, abs=1e-3)


def test_chats_are_scored_after_the_template(model: LlamaCpp, by_hand: ByHand) -> None:
    [score] = model.score(CHAT, ["Yes"])
    assert (score.logprob, score.tokens) == pytest.approx(by_hand.score(by_hand.template(CHAT), "Yes"), abs=1e-3)


def test_scores_come_in_the_order_asked_and_rank_sensibly(client: LanguageModel) -> None:
    texts = [" Berlin", " Paris", " Zanzibar", ""]
    scores = client.score(PROMPT, texts)
    assert [each.text for each in scores] == texts
    assert max(scores[:3], key=lambda each: each.logprob).text == " Paris"
    assert (scores[3].logprob, scores[3].tokens) == (0.0, 0)


def test_a_score_agrees_with_the_chances_of_an_answer(model: LlamaCpp) -> None:
    answer = model.complete(Request(prompt="The capital of France is", max_tokens=2, logprobs=1))
    [score] = model.score(PROMPT, [answer.text])
    assert score.logprob == pytest.approx(sum(each.logprob for each in answer.logprobs), abs=1e-3)
