"""MCP with the official client, over stdin and stdout and over HTTP, and an agent that works with the tools."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.server.conftest import Server
from clew.app.server.agents import fit
from clew.lm import Message, Request
from clew.lm.clients.scripted import Scripted

if TYPE_CHECKING:
    from mcp import StdioServerParameters
    from mcp.client import Client

TOOLS = {"schema", "find_entity", "hop", "paths", "ask", "context", "read_cypher"}


def talk(server: Any, work: Callable[["Client"], Awaitable[None]]) -> None:
    from mcp.client import Client

    async def play() -> None:
        async with Client(server) as client:
            await work(client)

    asyncio.run(asyncio.wait_for(play(), 120))


async def call(client: "Client", tool: str, **arguments: object) -> Any:
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    assert not result.is_error, text
    return json.loads(text)


@pytest.fixture
def process(served_graph: Path) -> "StdioServerParameters":
    """The command in a process of its own."""
    from mcp import StdioServerParameters

    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "clew.app.cli.main", "mcp", str(served_graph), "--no-embedding"],
        env=dict(os.environ),
    )


async def use_every_tool(client: "Client") -> None:
    listed = (await client.list_tools()).tools
    assert {each.name for each in listed} == TOOLS
    assert all(len(each.description or "") > 40 for each in listed), "a model reads them"
    schema = await call(client, "schema")
    assert {"Gene", "Disease"} <= {each["label"] for each in schema["labels"]}
    assert (await call(client, "find_entity", text="marfan syndrom"))["found"][0]["id"] == "D:1"
    near = await call(client, "hop", seeds=["G:1"], relations=["causes"], direction="out")
    assert {each["id"] for each in near["entities"]} == {"D:1", "D:2", "D:3"}
    assert "FBN1 —causes→ Marfan syndrome" in near["triples"]
    paths = await call(client, "paths", source="FBN1", target="P:1", limit=1)
    assert len(paths["paths"]) == 1
    assert paths["paths"][0]["sources"]
    answer = await call(client, "ask", question="Which diseases does FBN1 cause?")
    assert answer["answered"]
    assert {each["id"] for each in answer["items"]} == {"D:1", "D:2", "D:3"}
    read = await client.call_tool("context", {"question": "What does FBN1 cause?", "max_tokens": 200})
    assert "Marfan syndrome" in read.content[0].text
    assert "PMID:11" in read.content[0].text
    rows = await call(client, "read_cypher", query="MATCH (g:Gene) RETURN g.name AS name ORDER BY name")
    assert rows["rows"] == [["FBN1"], ["Other gene"]]


async def meet_every_limit(client: "Client") -> None:
    unknown = await client.call_tool("hop", {"seeds": ["FBN"]})
    assert unknown.is_error
    assert "did you mean" in unknown.content[0].text
    written = await client.call_tool("read_cypher", {"query": "CREATE (n) RETURN n"})
    assert written.is_error
    for tool, arguments in (("hop", {"seeds": ["G:1"], "k": 99}), ("ask", {"question": ""}), ("hop", {"seeds": []})):
        assert (await client.call_tool(tool, arguments)).is_error
    few = await call(client, "read_cypher", query="MATCH (n) RETURN n.id", limit=2)
    assert (few["count"], few["truncated"]) == (2, True)
    other = await client.call_tool("schema", {"graph": "other"})
    assert "no graph is called 'other'" in other.content[0].text


def test_every_tool_over_stdin_and_stdout(process: "StdioServerParameters") -> None:
    talk(process, use_every_tool)


def test_every_tool_and_limit_over_http(server: Server) -> None:
    talk(f"{server.address}mcp", use_every_tool)
    talk(f"{server.address}mcp", meet_every_limit)


def test_an_agent_finds_its_way(server: Server) -> None:
    """A model that sees the tools' answers and chooses the next call, as any agent's loop does."""

    def decide(request: Request) -> str:
        seen = request.messages[-1].content
        if "found" not in seen and "paths" not in seen:
            return json.dumps({"tool": "find_entity", "arguments": {"text": "arachnodactily"}})
        if "found" in seen:
            target = json.loads(seen)["found"][0]["id"]
            return json.dumps({"tool": "paths", "arguments": {"source": "FBN1", "target": target}})
        return json.dumps({"answer": json.loads(seen)["paths"][0]["path"]})

    model = Scripted(decide)

    async def loop(client: "Client") -> None:
        tools = [each.name for each in (await client.list_tools()).tools]
        messages = [Message("system", f"Tools: {tools}"), Message("user", "How is FBN1 connected to long fingers?")]
        for _ in range(5):
            said = json.loads(model.complete(Request(messages)).text)
            if "answer" in said:
                break
            result = await client.call_tool(said["tool"], said["arguments"])
            messages += [Message("assistant", json.dumps(said)), Message("user", result.content[0].text)]
        assert said["answer"].startswith("FBN1 —causes→")
        assert said["answer"].endswith("—has→ Arachnodactyly")
        assert len(model.requests) == 3

    talk(f"{server.address}mcp", loop)


def test_answers_fit() -> None:
    long = {"a": ["x" * 50] * 100, "b": list(range(10))}
    text = fit(long, ("a", "b"), 200)
    assert len(text) <= 800
    made = json.loads(text)
    assert made["left_out"]["a"] == 100 - len(made["a"])
    assert fit({"a": [1]}, ("a",), 200) == '{"a": [1]}'
    assert len(fit({"text": "x" * 10_000, "a": []}, ("a",), 200)) < 900
