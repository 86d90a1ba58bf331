"""The chat interface, with the official client."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from app.conftest import QUOTES
from app.server.conftest import Server

if TYPE_CHECKING:
    import openai

QUESTION = [{"role": "user", "content": "Which diseases does FBN1 cause?"}]


@pytest.fixture(scope="module")
def chat(server: Server) -> Iterator["openai.OpenAI"]:
    import openai

    with openai.OpenAI(base_url=f"{server.address}v1", api_key="unused", max_retries=0) as client:
        yield client


def test_graphs_are_models(chat: "openai.OpenAI") -> None:
    assert [each.id for each in chat.models.list()] == ["small"]


def test_a_question_is_answered_with_query_and_sources(chat: "openai.OpenAI") -> None:
    said = chat.chat.completions.create(model="small", messages=QUESTION, temperature=0.7, max_tokens=5)
    content = said.choices[0].message.content
    assert said.choices[0].finish_reason == "stop"
    assert "- Marfan syndrome (`D:1`)" in content
    assert "```cypher\nMATCH" in content
    assert "PMID:11" in content
    assert QUOTES not in content, "markup in names is not obeyed"
    assert QUOTES.replace("<", "\\<") in content
    assert said.usage.total_tokens == 0


def test_it_is_streamed(chat: "openai.OpenAI") -> None:
    whole = chat.chat.completions.create(model="small", messages=QUESTION).choices[0].message.content
    chunks = list(
        chat.chat.completions.create(
            model="small", messages=QUESTION, stream=True, stream_options={"include_usage": True}
        )
    )
    assert "".join(each.choices[0].delta.content or "" for each in chunks if each.choices) == whole
    assert len(chunks) > 4
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None


def test_the_last_message_of_the_user_counts(chat: "openai.OpenAI") -> None:
    parts = [{"type": "text", "text": "Which diseases does FBN1 cause?"}]
    said = chat.chat.completions.create(
        model="small",
        messages=[
            {"role": "system", "content": "You are a pirate."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Ahoy"},
            {"role": "user", "content": parts},
        ],
    )
    assert "Marfan syndrome" in said.choices[0].message.content


def test_errors_are_those_of_the_client(chat: "openai.OpenAI") -> None:
    import openai

    with pytest.raises(openai.NotFoundError, match="no graph is called 'gpt-4'"):
        chat.chat.completions.create(model="gpt-4", messages=QUESTION)
    with pytest.raises(openai.BadRequestError, match="no question"):
        chat.chat.completions.create(model="small", messages=[{"role": "system", "content": "?"}])
    with pytest.raises(openai.BadRequestError):
        chat.chat.completions.create(model="small", messages=[])


def test_what_cannot_be_answered_is_said(chat: "openai.OpenAI") -> None:
    said = chat.chat.completions.create(model="small", messages=[{"role": "user", "content": "Who won the world cup?"}])
    assert said.choices[0].message.content
    assert "```cypher" not in said.choices[0].message.content


def test_no_chunk_is_more_than_a_line(server: Server) -> None:
    with server.client() as client:
        body = {"model": "small", "messages": QUESTION, "stream": True}
        lines = client.post("/v1/chat/completions", json=body).text.split("\n\n")
    data = [each.removeprefix("data: ") for each in lines if each.startswith("data: ")]
    assert data[-1] == "[DONE]"
    assert all(json.loads(each) for each in data[:-1])
