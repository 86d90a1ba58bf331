"""The interface of OpenAI's chat completions: a graph is a model, and the last message of the user its question."""

import json
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from clew.answer import Answer, Item, Question, Step
from clew.app.server.routes.documented import answers
from clew.app.server.serving import as_json, json_response, serving_of
from clew.app.server.streams import SSE, start_stream
from clew.errors import InputError

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["chat"])
ITEMS, CITED = 20, 10  # of an answer, in a message
PIECE = 80  # characters of a streamed piece
MODELS = {"object": "list", "data": [{"id": "hpo", "object": "model", "created": 0, "owned_by": "clew"}]}
COMPLETION = {
    "id": "chatcmpl-1f2e3d4c",
    "object": "chat.completion",
    "created": 1_790_000_000,
    "model": "hpo",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "72 genes linked to Arachnodactyly: …"},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
}


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str
    text: str | None = None


class Message(BaseModel):
    """One turn of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Annotated[str, Field(max_length=200_000)] | Annotated[list[Part], Field(max_length=100)] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(each.text for each in self.content if each.text)
        return self.content or ""


class StreamOptions(BaseModel):
    """What a stream holds beside the text."""

    include_usage: bool = False


class ChatBody(BaseModel):
    """A conversation; options of language models, such as temperature, have no effect."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"model": "hpo", "messages": [{"role": "user", "content": "Which genes cause Marfan syndrome?"}]}
            ]
        }
    )
    model: Annotated[str, Field(max_length=64, description="The name of a graph.")]
    messages: Annotated[list[Message], Field(min_length=1, max_length=1_000)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None

    @property
    def question(self) -> str:
        """The last message of the user."""
        said = next((each.text.strip() for each in reversed(self.messages) if each.role == "user"), "")
        if not said:
            raise InputError("the conversation has no question: add a message of the user")
        return said


@router.get("/models", responses=answers("The graphs of this server.", MODELS))
async def models(request: Request) -> Response:
    """The graphs, as models."""
    serving = serving_of(request)
    listed = [{"id": name, "object": "model", "created": 0, "owned_by": "clew"} for name in serving.settings.graphs]
    return json_response(as_json({"object": "list", "data": listed}))


@router.post(
    "/chat/completions",
    responses=answers("The answer as a message.", COMPLETION, also={SSE: {"example": "data: {}\n\ndata: [DONE]\n\n"}}),
)
async def complete(body: ChatBody, request: Request) -> Response:
    """Answer the last question of a conversation over the graph named as `model`, at once or as a stream."""
    serving = serving_of(request)
    opened = serving.graph(request, body.model)
    asker, seconds = opened.asker(), serving.seconds(None, question=True)
    question = Question(body.question, timeout=seconds)
    if serving.settings.log_questions:
        serving.note(request, question=question.text)
    head = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": body.model}

    def work(report: Callable[[Step], None] | None) -> bytes:
        answer = asker.ask(replace(question, report=report))
        return as_json({"content": message_of(answer), "usage": _usage(answer)})

    if body.stream:
        usage = body.stream_options is not None and body.stream_options.include_usage
        return start_stream(serving, work, seconds=seconds, media_type=SSE, encode=_Chunks(head, with_usage=usage))
    made = json.loads(await serving.run(request, lambda: work(None), seconds=seconds))
    message = {"role": "assistant", "content": made["content"]}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json_response(as_json({**head, "object": "chat.completion", "choices": [choice], "usage": made["usage"]}))


class _Chunks:
    """Events as chunks of a completion."""

    def __init__(self, head: dict[str, Any], *, with_usage: bool) -> None:
        self._head, self._with_usage = {**head, "object": "chat.completion.chunk"}, with_usage

    def __call__(self, event: tuple[str, bytes]) -> Iterable[bytes]:
        name, body = event
        if name == "error":
            yield b"data: %b\n\n" % body
        elif name != "answer":
            yield b": %b\n\n" % name.encode()  # a comment: the connection is alive
        else:
            made = json.loads(body)["answer"]
            content = made["content"]
            yield self._chunk({"role": "assistant", "content": ""})
            for start in range(0, len(content), PIECE):
                yield self._chunk({"content": content[start : start + PIECE]})
            yield self._chunk({}, finish="stop")
            if self._with_usage:
                yield b"data: %b\n\n" % as_json({**self._head, "choices": [], "usage": made["usage"]})
            yield b"data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, str], *, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return b"data: %b\n\n" % as_json({**self._head, "choices": [choice]})


def _usage(answer: Answer) -> dict[str, int]:
    used = answer.usage
    total = used.prompt_tokens + used.completion_tokens
    return {
        "prompt_tokens": used.prompt_tokens,
        "completion_tokens": used.completion_tokens,
        "total_tokens": total,
    }


def message_of(answer: Answer) -> str:
    """An answer in Markdown: the text, the first items, the query and the sources."""
    parts = [_plain(answer.text)]
    if answer.abstained is None and answer.certainty != "sure":
        parts.append(f"({answer.certainty}; interpreted as: {_plain('; '.join(answer.interpretation))})")
    if answer.late:
        parts.append(f"({_plain(answer.late)})")
    if answer.items:
        listed = [f"- {_plain(item.name)} (`{_code(item.id)}`){_notes(item)}" for item in answer.items[:ITEMS]]
        more = answer.total - len(listed)
        parts.append("\n".join([*listed, *([f"- and {more:,} more"] if more > 0 else [])]))
    if answer.query:
        parts.append(f"```cypher\n{answer.query.replace('```', '` ` `')}\n```")
    if documents := answer.evidence.documents:
        others = f" and {len(documents) - CITED:,} more" if len(documents) > CITED else ""
        parts.append(f"Sources: {_plain(', '.join(documents[:CITED]))}{others}")
    return "\n\n".join(parts)


def _notes(item: Item) -> str:
    """The number of an item, and what was asked for beside it."""
    said = [f"{item.number:,}"] if item.number is not None else []
    said += [", ".join(map(str, row)) for row in item.beside[:ITEMS]]
    return f" — {_plain('; '.join(said))}" if said else ""


def _plain(text: str) -> str:
    """Text whose markup is not obeyed."""
    return text.replace("\\", "\\\\").replace("<", "\\<")


def _code(text: str) -> str:
    return text.replace("`", "'")
