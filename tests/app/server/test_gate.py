"""Who gets in: names of the host, origins, tokens, bodies, slow clients; and the headers of answers."""

import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from app.server.conftest import Server, serving
from clew.app.server.settings import ServerSettings, name_graphs, read_tokens
from clew.errors import InputError

TOKEN = "0123456789abcdef-secret"
JSON = {"content-type": "application/json"}
HOP = {"seeds": ["G:1"]}


@pytest.fixture(scope="module")
def locked(settings: ServerSettings) -> Iterator[Server]:
    """A server with two tokens, and a name that is allowed."""
    tokens = (TOKEN, "another-token-0123456789")
    with serving(replace(settings, tokens=tokens, allowed_hosts=("kg.example.org",))) as server:
        yield server


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1@evil", "", "[::1", "localhost:x"]
)
@pytest.mark.parametrize("path", ["/", "/page/main.js", "/health", "/api/server", "/v1/models", "/nothing"])
def test_other_names_of_the_host_are_refused(client: httpx.Client, host: str, path: str) -> None:
    refused = client.get(path, headers={"host": host})
    assert refused.status_code == 403
    assert refused.json()["error"]["kind"] == "Refused"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "LOCALHOST:8000", "[::1]:80"])
def test_names_of_loopback_get_in(client: httpx.Client, host: str) -> None:
    assert client.get("/api/server", headers={"host": host}).status_code == 200


def test_a_name_can_be_allowed(locked: Server) -> None:
    with locked.client() as client:
        assert client.get("/health", headers={"host": "kg.example.org"}).status_code == 200
        assert client.get("/health", headers={"host": "example.org"}).status_code == 403


@pytest.mark.parametrize("path", ["/api/server", "/api/graphs/small/schema", "/metrics", "/v1/models", "/mcp"])
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_pages_of_other_sites_get_nothing(client: httpx.Client, path: str, headers: dict[str, str]) -> None:
    for method in ("GET", "POST"):
        refused = client.request(method, path, headers={**headers, **JSON}, content=b"{}" if method == "POST" else None)
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers


def test_this_page_gets_in(client: httpx.Client, server: Server) -> None:
    origin = server.address.rstrip("/")
    answer = client.get("/api/server", headers={"origin": origin, "sec-fetch-site": "same-origin"})
    assert answer.status_code == 200
    assert client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200, "a link to the page"


def test_a_token_is_asked_for_everywhere_but_the_page_and_health(locked: Server) -> None:
    with locked.client() as client:
        for path in ("/api/server", "/api/openapi.json", "/metrics", "/v1/models", "/api/graphs/small", "/nothing"):
            refused = client.get(path)
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer realm="clew"')
        for path in ("/", "/page/main.js", "/health"):
            assert client.get(path).status_code == 200


@pytest.mark.parametrize(
    "given",
    ["", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "Bearer \xff", TOKEN],
)
def test_wrong_tokens_are_refused(locked: Server, given: str) -> None:
    with locked.client() as client:
        assert client.get("/api/server", headers={"authorization": given.encode("latin-1")}).status_code == 401
        assert client.get(f"/api/server?token={TOKEN}").status_code == 401, "never in an address"


def test_either_token_gets_in(locked: Server) -> None:
    for token in (TOKEN, "another-token-0123456789"):
        with locked.client(headers={"authorization": f"Bearer {token}"}) as client:
            assert client.get("/api/server").json()["token"] is True
            assert client.post("/api/graphs/small/hop", json=HOP).status_code == 200
    with locked.client(headers=[("authorization", f"Bearer {TOKEN}"), ("authorization", "Bearer x")]) as client:
        assert client.get("/api/server").status_code == 400


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_only_json_is_posted(client: httpx.Client, kind: str) -> None:
    sent = client.post("/api/graphs/small/hop", content=json.dumps(HOP), headers={"content-type": kind})
    assert sent.status_code == 415


def test_bodies_are_bounded(client: httpx.Client) -> None:
    large = b'{"seeds": ["' + b"x" * (1 << 20) + b'"]}'
    assert client.post("/api/graphs/small/hop", content=large, headers=JSON).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(1 << 12):
            yield b" " * 1024

    assert client.post("/api/graphs/small/hop", content=endless(), headers=JSON).status_code == 413
    deep = b"[" * 100_000
    assert client.post("/api/graphs/small/hop", content=deep, headers=JSON).status_code == 400
    nested = b'{"seeds": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"
    assert client.post("/api/graphs/small/hop", content=nested, headers=JSON).status_code == 400


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(client: httpx.Client, method: str) -> None:
    assert client.request(method, "/api/server").status_code == 405


def test_a_wrong_method_is_told_the_right_one(client: httpx.Client) -> None:
    for method, path, allowed, takes in (
        ("GET", "/api/graphs/small/hop", "POST", "takes POST with a JSON object, not GET"),
        ("GET", "/v1/chat/completions", "POST", "takes POST with a JSON object, not GET"),
        ("POST", "/api/server", "GET", "takes GET, not POST"),
    ):
        refused = client.request(method, path, json={} if method == "POST" else None)
        assert (refused.status_code, refused.headers["allow"]) == (405, allowed)
        assert takes in refused.json()["error"]["message"]


def test_addresses_are_bounded(client: httpx.Client) -> None:
    assert client.get("/api/graphs/small/entities", params={"text": "x" * 9_000}).status_code == 414


@pytest.mark.parametrize(
    "path",
    [
        "/page/../settings.py",
        "/page/%2e%2e/settings.py",
        "/page/..%2fsettings.py",
        "/page//etc/passwd",
        "/page/%00",
        "/page/",
        "/docs",
        "/redoc",
        "/openapi.json",
        "/api/graphs/..%2f..%2fetc",
        "/api/graphs/%2e%2e/schema",
        "/api/graphs/small/../../etc/passwd",
    ],
)
def test_nothing_else_is_there(server: Server, path: str) -> None:
    """Sent as it is: a client's library would tidy it."""
    status, body = raw(server, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert status == 404
    assert b"root:" not in body


def raw(server: Server, sent: bytes) -> tuple[int, bytes]:
    """The status and the body of a request sent byte for byte."""
    where = urlsplit(server.address)
    with socket.create_connection((where.hostname, where.port), timeout=30) as connection:
        connection.sendall(sent)
        received = b""
        while some := connection.recv(1 << 16):
            received += some
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, body


def test_slow_clients_are_cut_off(start: Callable[[ServerSettings], Server], settings: ServerSettings) -> None:
    """Whether a head or a body does not arrive."""
    server = start(replace(settings, limits=replace(settings.limits, sending=0.3)))
    where = urlsplit(server.address)
    post = b"POST /api/graphs/small/hop HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    unfinished = {
        b"": b"",
        b"GET /health HT": b"",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ": b"",
        post + b"Content-Length: 100\r\n\r\n{": b"HTTP/1.1 408",
    }
    opened = [socket.create_connection((where.hostname, where.port), timeout=30) for _ in unfinished]
    for connection, sent in zip(opened, unfinished, strict=True):
        connection.sendall(sent)
    for connection, answer in zip(opened, unfinished.values(), strict=True):
        with connection:
            assert connection.recv(12) == answer


def test_endless_heads_are_cut_off(server: Server) -> None:
    where = urlsplit(server.address)
    head = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (64 << 20)
    connection = socket.create_connection((where.hostname, where.port), timeout=30)
    with connection, pytest.raises(ConnectionError):
        connection.sendall(head)


def test_answers_are_locked_down(client: httpx.Client) -> None:
    for path in ("/", "/page/main.js", "/health", "/api/server", "/nothing"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert len(headers["x-request-id"]) == 16
        assert "server" not in headers
    policy = client.get("/").headers["content-security-policy"]
    assert "unsafe" not in policy
    assert client.get("/api/server").headers["cache-control"] == "no-store"


def test_the_page_loads_nothing_from_elsewhere(client: httpx.Client) -> None:
    page = client.get("/").text
    assert "http://" not in page
    assert "https://" not in page
    tag = client.get("/page/main.js").headers["etag"]
    assert client.get("/page/main.js", headers={"if-none-match": tag}).status_code == 304


def test_a_public_address_needs_a_token_and_a_name(tmp_path: Path) -> None:
    graphs = {"g": tmp_path}
    with pytest.raises(InputError, match="CLEW_TOKEN"):
        ServerSettings(graphs, host="0.0.0.0")
    with pytest.raises(InputError, match="--allow-host"):
        ServerSettings(graphs, host="0.0.0.0", tokens=(TOKEN,))
    with pytest.raises(InputError, match="CLEW_TOKEN"):
        ServerSettings(graphs, host="192.0.2.1")
    assert ServerSettings(graphs, host="192.0.2.1", tokens=(TOKEN,)).hosts == {"192.0.2.1"}
    assert "[::1]" in ServerSettings(graphs, host="::1").hosts
    with pytest.raises(InputError, match="--trust-proxy"):
        ServerSettings(graphs, trusted_proxies=("nginx",))


def test_tokens_come_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLEW_TOKEN", raising=False)
    assert read_tokens(None) == ()
    monkeypatch.setenv("CLEW_TOKEN", TOKEN)
    assert read_tokens(None) == (TOKEN,)
    file = tmp_path / "tokens"
    file.write_text(f"{TOKEN}\n\nanother-token-0123456789\n")
    assert read_tokens(file) == (TOKEN, "another-token-0123456789")
    for unusable in ("", "short", "with space 0123456789"):
        file.write_text(unusable)
        with pytest.raises(InputError, match="token"):
            read_tokens(file)
    file.chmod(0o666)
    with pytest.raises(InputError, match="written by everybody"):
        read_tokens(file)
    with pytest.raises(InputError, match="cannot be read"):
        read_tokens(tmp_path / "absent")


def test_graphs_have_names(tmp_path: Path) -> None:
    assert list(name_graphs(["a/hpo.clew", "mine=b.clew"])) == ["hpo", "mine"]
    with pytest.raises(InputError, match="two graphs"):
        name_graphs(["a/hpo.clew", "b/hpo.clew"])
    with pytest.raises(InputError, match="NAME="):
        name_graphs(["a/my graph"])
