"""The server store: loading, and everything that can be wrong with a server. It is ArcadeDB; Neo4j is not to be had."""

import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

import clew
from arcadedb import Server, free_port
from clew.bolt import connection
from clew.bolt.address import PASSWORD_VARIABLE, read_address
from clew.errors import Cancelled, InputError, StoreError
from clew.store import server_load
from clew.store.server import ServerStore
from clew.store.server_load import load_server
from clew.store.store import open_store

Make = Callable[..., clew.Engine]


def test_loading_again_changes_nothing(make: Make, arcadedb: Server) -> None:
    graph, url = make(), arcadedb.database()
    told: list[tuple[str, int, int | None]] = []
    first = load_server(graph, url, progress=lambda *report: told.append(report))
    assert (first.entities, first.relationships, first.new_entities, first.new_relationships) == (4, 4, 4, 4)
    assert told[-1] == ("loading relationships", 4, 4)
    second = load_server(graph, url)
    assert (second.entities, second.relationships, second.new_entities, second.new_relationships) == (4, 4, 0, 0)
    assert arcadedb.password not in repr(second)
    with open_store(url, graph) as store:
        assert store.name == "server"
        assert store.run("MATCH (d:Disease)-[:RESEMBLES]->(e) RETURN d.id, e.id ORDER BY d.id").rows == [
            ("D:1", "D:2"),
            ("D:2", "D:1"),
        ]


def test_a_load_that_broke_off_is_taken_up(
    make: Make,
    arcadedb: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_load, "BATCH", 1)
    graph, url = make(), arcadedb.database()

    def stop(task: str, done: int, total: int | None) -> None:
        if (task, done) == ("loading relationships", 2):
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        load_server(graph, url, progress=stop)
    with pytest.raises(StoreError, match=r"holds 4 entities and 2 relationships, .* has 4 and 4: run `clew cypher"):
        ServerStore(graph, url)
    done = load_server(graph, url)
    assert (done.new_entities, done.new_relationships, done.relationships) == (0, 2, 4)


def test_a_database_with_something_else_in_it(make: Make, arcadedb: Server) -> None:
    graph, url = make(), arcadedb.database()
    load_server(make([("G:7", "associated with", "D:7")], name="other.clew"), url)
    with pytest.raises(StoreError, match="it contains other data"):
        load_server(graph, url)


def test_another_snapshot_of_the_same_size(make: Make, arcadedb: Server) -> None:
    url = arcadedb.database()
    load_server(make([("G:1", "associated with", "D:1"), ("G:2", "associated with", "D:2")]), url)
    other = make([("G:1", "associated with", "D:2"), ("G:2", "associated with", "D:1")], name="other.clew")
    with pytest.raises(StoreError, match="another snapshot"):
        ServerStore(other, url)


def test_a_wrong_password(make: Make, arcadedb: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, url = make(), arcadedb.database()
    wrong = url.replace(arcadedb.password, "not-the-password")
    with pytest.raises(StoreError, match=r"rejects the user 'root'.*CLEW_NEO4J_PASSWORD") as refused:
        load_server(graph, wrong)
    assert "not-the-password" not in str(refused.value)
    monkeypatch.setenv(PASSWORD_VARIABLE, arcadedb.password)
    load_server(graph, url.replace(f":{arcadedb.password}@", "@"))


def test_no_such_database(make: Make, arcadedb: Server) -> None:
    url = arcadedb.database()
    with pytest.raises(StoreError):
        ServerStore(make(), url.rsplit("/", 1)[0] + "/nothing-of-the-kind")


def test_a_server_that_is_down(make: Make) -> None:
    with pytest.raises(StoreError, match="no Bolt server answers at bolt://127"):
        load_server(make(), f"bolt://neo4j:secret@127.0.0.1:{free_port()}")


def test_a_port_that_speaks_http(make: Make, arcadedb: Server) -> None:
    begun = time.monotonic()
    with pytest.raises(StoreError, match="Bolt"):
        ServerStore(make(), f"bolt://root:{arcadedb.password}@127.0.0.1:{arcadedb.http_port}/kg1")
    assert time.monotonic() - begun < 2 * connection.CONNECT_SECONDS + 2


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_a_server_that_says_nothing(make: Make, silent_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.4)
    before = threading.active_count()
    begun = time.monotonic()
    with pytest.raises(StoreError, match="Bolt"):
        ServerStore(make(), f"bolt://neo4j:secret@127.0.0.1:{silent_port}")
    assert time.monotonic() - begun < 4
    patience = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < patience:
        time.sleep(0.05)
    assert threading.active_count() <= before


def test_a_closed_store_says_so(make: Make, arcadedb: Server) -> None:
    graph, url = make(), arcadedb.database()
    load_server(graph, url)
    store = ServerStore(graph, url)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.run("RETURN 1 AS x")


@pytest.mark.parametrize(
    ("text", "uri", "user", "database"),
    [
        ("bolt://neo4j:x@host:1/kg", "bolt://host:1", "neo4j", "kg"),
        ("neo4j+s://a%40b:p%2Fq@host", "neo4j+s://host:7687", "a@b", None),
        ("bolt://[::1]:7687", "bolt://[::1]:7687", "neo4j", None),
    ],
)
def test_addresses(text: str, uri: str, user: str, database: str | None) -> None:
    address = read_address(text)
    assert (address.uri, address.user, address.database) == (uri, user, database)
    assert "p/q" not in repr(address)
    assert address.password not in str(address) or not address.password


@pytest.mark.parametrize("text", ["bolt://", "bolt://host:99999", "bolt://host:x", "bolt://host/kg?a=1", "bolt://[x"])
def test_addresses_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="expected bolt://"):
        read_address(text)


@pytest.mark.parametrize(("spec", "said"), [("http://host", "begins with bolt"), ("server", "by its address")])
def test_stores_that_are_none(make: Make, spec: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        open_store(spec, make())
