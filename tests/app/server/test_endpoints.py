"""Every endpoint, against what the library and the command line say about the same graph."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

import clew
from app.conftest import NEWLINE, QUOTES, Ran
from app.server.conftest import Server
from clew.answer import STRATEGIES
from clew.app.cli.main import main
from clew.app.server.settings import ServerSettings

SMALL = "/api/graphs/small"


def post(client: httpx.Client, path: str, body: object, status: int = 200) -> dict:
    answer = client.post(f"{SMALL}/{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def get(client: httpx.Client, path: str, status: int = 200, **query: object) -> dict:
    answer = client.get(f"{SMALL}{path}", params=query)
    assert answer.status_code == status, answer.text
    return answer.json()


def printed(run: Callable[..., Ran], server: Server, *arguments: object) -> dict:
    """What the command line prints about the graph, under its name on the server."""
    command, *rest = arguments
    return {**run(command, server.path, *rest, "--json").json, "graph": "small"}


def test_what_is_served(client: httpx.Client, server: Server) -> None:
    about = client.get("/api/server").json()
    counts = clew.open(server.path).counts
    assert about["graphs"] == [
        {
            "name": "small",
            "snapshot": clew.open(server.path).snapshot.id,
            "entities": counts["entities"],
            "triples": counts["triples"],
            "title": about["graphs"][0]["title"],
        }
    ]
    assert about["strategies"] == ["readers", *sorted(set(STRATEGIES) - {"readers"})]  # the default first
    assert about["model"] is None
    assert about["token"] is False
    assert str(server.path) not in json.dumps(about)


def test_contents_schema_and_words_are_those_of_the_command_line(
    client: httpx.Client, server: Server, run: Callable[..., Ran]
) -> None:
    assert get(client, "") == printed(run, server, "info")
    assert get(client, "/schema") == printed(run, server, "cypher", "--schema")
    assert get(client, "/words") == printed(run, server, "words")


def test_examples_are_answered(client: httpx.Client) -> None:
    for example in get(client, "/examples")["examples"]:
        assert post(client, "ask", example)["abstained"] is None


def test_entities_are_found(client: httpx.Client, server: Server, run: Callable[..., Ran]) -> None:
    assert get(client, "/entities", text="marfan syndrom") == printed(run, server, "find", "marfan syndrom")
    assert [each["id"] for each in get(client, "/entities", text="arach", limit=1)["found"]] == ["P:1"]


def test_entities_are_listed_page_by_page(client: httpx.Client, server: Server) -> None:
    listed, cursor = [], None
    while True:
        page = get(client, "/entities", limit=3, **({} if cursor is None else {"cursor": cursor}))
        listed += page["entities"]
        cursor = page["next"]
        if cursor is None:
            break
    assert len(listed) == page["count"] == 10
    assert {each["name"] for each in listed} >= {NEWLINE, QUOTES, "Lonely\x1b[31m"}
    genes = get(client, "/entities", type="Gene")
    assert {each["id"] for each in genes["entities"]} == {"G:1", "G:2"}
    assert genes["next"] is None
    assert get(client, "/entities", type="Genes", status=404)["error"]["kind"] == "UnknownName"


def test_an_entity_and_its_neighbourhood(client: httpx.Client) -> None:
    entity = get(client, "/entity", id="Marfan syndrome")
    assert (entity["id"], entity["type"]) == ("D:1", "Disease")
    assert {"relation": "causes", "direction": "in", "triples": 1} in entity["relations"]
    assert {"relation": "has", "direction": "out", "triples": 2} in entity["relations"]
    near = get(client, "/neighbourhood", id="D:1")
    assert near["entities"][0] == {"id": "D:1", "name": "Marfan syndrome", "type": "Disease", "distance": 0}
    assert {each["id"] for each in near["entities"]} == {"D:1", "D:3", "G:1", "P:1", "P:2"}
    has = next(each for each in near["triples"] if (each["subject"], each["object"]) == ("D:1", "P:1"))
    assert (has["relation"], has["origin"], has["negated"], has["documents"]) == ("has", "curated", False, 3)
    assert near["count"] == 5
    assert near["truncated"] is False
    few = get(client, "/neighbourhood", id="D:1", limit=2, triples=1, k=2)
    assert (len(few["entities"]), len(few["triples"]), few["truncated"]) == (2, 1, True)


def test_triples_have_their_statements(client: httpx.Client) -> None:
    near = get(client, "/neighbourhood", id="D:1")
    numbers = [each["triple"] for each in near["triples"]]
    listed = post(client, "triples", {"snapshot": near["snapshot"], "numbers": numbers})["triples"]
    assert [{key: value for key, value in each.items() if key != "assertions"} for each in listed] == near["triples"]
    has = next(each for each in listed if (each["subject"], each["object"]) == ("D:1", "P:1"))
    assert {said["source"] for said in has["assertions"]} == {"A", "B"}
    replaced = post(client, "triples", {"snapshot": "0123456789abcdef", "numbers": [0]}, status=409)
    assert "ask again" in replaced["error"]["message"]
    assert post(client, "triples", {"snapshot": near["snapshot"], "numbers": [10**9]}, status=400)


@pytest.mark.parametrize("seeds", [["G:1"], ["FBN1"], ["G:1", "D:1"]])
def test_hops_are_those_of_the_command_line(
    client: httpx.Client, server: Server, run: Callable[..., Ran], seeds: list[str]
) -> None:
    for mode in ("exact", "within", "shortest"):
        made = post(client, "hop", {"seeds": seeds, "k": 2, "mode": mode})
        assert made.pop("next") is None
        assert made == printed(run, server, "hop", *seeds, "--k", 2, "--mode", mode)
    made = post(client, "hop", {"seeds": seeds, "metapath": [["causes"], None], "triples": True})
    assert made.pop("next") is None
    assert made == printed(run, server, "hop", *seeds, "--metapath", "causes ; *", "--triples")


def test_hops_take_conditions_and_come_in_pages(client: httpx.Client) -> None:
    body = {"seeds": ["P:1"], "direction": "in", "limit": 1}
    pages, cursor = [], None
    while True:
        page = post(client, "hop", {**body, "cursor": cursor})
        pages += [each["id"] for each in page["entities"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert (page["count"], set(pages)) == (3, {"D:1", "D:2", "D:3"})
    of_b = post(client, "hop", {"seeds": ["P:1"], "direction": "in", "where": {"sources": ["B"]}, "ids_only": True})
    assert set(of_b["ids"]) == {"D:1", "D:2"}
    assert "entities" not in of_b
    often = post(client, "hop", {"seeds": ["P:1"], "direction": "in", "where": {"qualifiers": {"frequency": "often"}}})
    assert [each["id"] for each in often["entities"]] == ["D:1"]
    assert post(client, "hop", {**body, "cursor": "00000000-1"}, status=409)
    assert post(client, "hop", {**body, "cursor": "../../etc"}, status=400)


def test_paths_are_those_of_the_command_line(client: httpx.Client, server: Server, run: Callable[..., Ran]) -> None:
    made = post(client, "paths", {"source": "FBN1", "target": "Arachnodactyly", "k": 3})
    assert made == printed(run, server, "paths", "FBN1", "Arachnodactyly")
    walks = post(client, "paths", {"source": "G:1", "target": "G:2", "k": 10, "kind": "walks", "direction": "both"})
    assert int(walks["count"]) > 10


def test_questions_are_answered_as_by_the_command_line(
    client: httpx.Client, server: Server, run: Callable[..., Ran]
) -> None:
    asked = "Which phenotypes does Marfan syndrome have?"
    made = post(client, "ask", {"question": asked})
    said = printed(run, server, "ask", asked, "--no-embedding")
    for each in (made, said):
        each.pop("usage"), each.pop("trace")
    assert made == said
    again = post(client, "ask", {"cypher": made["query"]})
    assert again["items"] == made["items"]
    assert again["evidence"]["triples"] == made["evidence"]["triples"]
    curated = post(client, "ask", {"question": "Which diseases have Arachnodactyly?", "filters": {"sources": ["B"]}})
    assert {each["id"] for each in curated["items"]} == {"D:1", "D:2"}
    assert post(client, "ask", {}, status=400)
    assert post(client, "ask", {"question": asked, "strategy": "guess"}, status=404)


def test_every_strategy_answers(client: httpx.Client) -> None:
    for strategy in STRATEGIES:
        made = post(client, "ask", {"question": "Which diseases does FBN1 cause?", "strategy": strategy})
        assert made["kind"]
        assert made["abstained"] is None or made["text"]


def test_the_context_is_that_of_the_command_line(client: httpx.Client, server: Server, run: Callable[..., Ran]) -> None:
    asked = "Which phenotypes does Marfan syndrome have?"
    for options in ({}, {"budget": 60, "style": "table"}):
        made = post(client, "context", {"question": asked, **options})
        flags = [part for name, value in options.items() for part in (f"--{name}", value)]
        said = printed(run, server, "context", asked, "--no-embedding", *flags)
        assert {**made, "seconds": 0} == {**said, "seconds": 0}
        assert 0 < made["tokens"] <= made["budget"]
        assert all(line["sources"] for line in made["lines"])
    of_b = post(client, "context", {"question": asked, "filters": {"sources": ["B"]}})
    assert of_b["found"] < made["found"]
    assert all("B" in line["sources"] for line in of_b["lines"])
    assert post(client, "context", {"question": "Who won?"})["lines"] == []
    assert post(client, "context", {"question": asked, "budget": 0}, status=400)


def test_queries_are_read_only(client: httpx.Client, server: Server, run: Callable[..., Ran]) -> None:
    query = "MATCH (n:Gene {name: $name}) RETURN n.id AS id"
    made = post(client, "query", {"query": query, "parameters": {"name": "FBN1"}})
    said = printed(run, server, "cypher", query, "--param", "name=FBN1")
    assert {**made, "seconds": 0} == {**said, "seconds": 0}
    for forbidden in ("CREATE (n) RETURN n", "MATCH (n) DELETE n", "LOAD CSV FROM '/etc/passwd' AS x RETURN x"):
        assert post(client, "query", {"query": forbidden}, status=400)["error"]["kind"] == "QueryError"


def test_mentions_are_marked(client: httpx.Client, server: Server, run: Callable[..., Ran]) -> None:
    text = "No arachnodactyly. FBN1 causes Marfan syndrome."
    made = post(client, "mentions", {"text": text})
    assert made == printed(run, server, "link", "--text", text)
    assert made["mentions"][0]["marks"]["negated"] is True
    assert post(client, "mentions", {"text": text, "types": ["gene"]})["types"] == ["Gene"]


def test_without_a_model_nothing_is_extracted(client: httpx.Client) -> None:
    assert client.get("/api/server").json()["extraction"] is None
    answer = client.post("/api/extract", json={"text": "Cisplatin caused nephrotoxicity."})
    assert (answer.status_code, answer.json()["error"]["kind"]) == (501, "MissingModel")


@pytest.mark.slow
def test_facts_are_extracted(start: Callable[[ServerSettings], Server], settings: ServerSettings) -> None:
    text = "Background.\n\nAmiodarone induced hypothyroidism in two patients."
    with start(replace(settings, extraction="small")).client() as client:
        while (answer := client.post("/api/extract", json={"text": text, "confidence": 0.1})).status_code == 422:
            pass  # the model is being opened
        made = answer.json()
        assert made["model"] == "small"
        assert made["total"] == len(made["facts"]) > 0
        for fact in made["facts"]:
            assert text[fact["subject_start"] : fact["subject_end"]] == fact["subject_text"]
            assert fact["sentence"] in text


def test_drawings_are_self_contained(client: httpx.Client) -> None:
    near = get(client, "/neighbourhood", id="D:3")
    numbers = [each["triple"] for each in near["triples"]]
    body = {"snapshot": near["snapshot"], "triples": numbers, "starts": ["D:3"], "title": "<script>alert(1)</script>"}
    drawn = client.post(f"{SMALL}/drawing", json={**body, "format": "svg"})
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert drawn.text.startswith("<svg")
    page = client.post(f"{SMALL}/drawing", json={**body, "format": "html"})
    assert "<script>alert(1)" not in page.text
    assert "sandbox" in page.headers["content-security-policy"]
    assert page.headers["content-disposition"] == 'attachment; filename="evidence.html"'


def test_unknown_names_list_close_ones(client: httpx.Client) -> None:
    unknown = post(client, "hop", {"seeds": ["FBN"]}, status=404)["error"]
    assert unknown["kind"] == "UnknownName"
    assert unknown["close"]
    assert post(client, "hop", {"seeds": ["Same"]}, status=400)["error"]["kind"] == "AmbiguousName"
    graph = client.get("/api/graphs/smal")
    assert (graph.status_code, graph.json()["error"]["close"]) == (404, ["small"])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"seeds": []},
        {"seeds": "G:1"},
        {"seeds": [1]},
        {"seeds": ["G:1"], "k": 1000},
        {"seeds": ["G:1"], "k": "2"},
        {"seeds": ["G:1"], "k": True},
        {"seeds": ["G:1"], "unknown": 1},
        {"seeds": ["G:1"], "limit": 10**9},
        {"seeds": ["G:1"], "timeout": -1},
        {"seeds": ["G:1"], "where": {"layer": "secret"}},
        {"seeds": ["G:1"], "where": {"as_of": "2020-99-99"}},
        {"seeds": ["G:1"], "k": 3, "metapath": [["causes"]]},
        {"seeds": ["\ud800"]},
        [],
        None,
        "G:1",
    ],
)
def test_unusable_bodies_are_refused_in_one_sentence(client: httpx.Client, body: object) -> None:
    sent = client.post(f"{SMALL}/hop", content=json.dumps(body), headers={"content-type": "application/json"})
    assert sent.status_code == 400, sent.text
    error = sent.json()["error"]
    assert "\n" not in error["message"]
    assert error["message"]


def test_a_new_snapshot_is_picked_up(
    start: Callable[[ServerSettings], Server], settings: ServerSettings, graph: Path, tables: Path
) -> None:
    server = start(replace(settings, graphs={"small": graph}))
    with server.client() as client:
        before = get(client, "/entities", limit=0)["snapshot"]
        cursor = get(client, "/entities", limit=1)["next"]
        built = main(["build", str(tables / "triples.parquet"), "--out", str(graph), "--overwrite"])
        assert built == 0
        ends = time.monotonic() + 60
        while (now := get(client, "/entities", limit=0)["snapshot"]) == before:
            assert time.monotonic() < ends
            time.sleep(0.05)
        assert now == clew.open(graph).snapshot.id
        assert get(client, "/entities", status=409, cursor=cursor)["error"]["kind"] == "SnapshotReplaced"
        assert post(client, "hop", {"seeds": ["G:1"]})["snapshot"] == now
