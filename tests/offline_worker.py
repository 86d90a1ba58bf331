"""The whole language layer, run once in a process that tells every attempt to leave the machine.

Python's own attempts are refused and listed by an audit hook. Native code is seen by the kernel: in a network namespace
without routes every attempt adds to OutNoRoutes. Prints one JSON object.
"""

import fcntl
import json
import socket
import struct
import sys
import time
from pathlib import Path

UP_AND_RUNNING, SET_FLAGS = 0x1 | 0x40, 0x8914
LOCAL = ("127.", "::1", "localhost", "/", "\0")
LATE_SECONDS = 8  # a library that reports its use does so after a while
attempts: list[str] = []


def raise_loopback() -> None:
    """A new network namespace has a loopback that is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SET_FLAGS, struct.pack("16sh", b"lo", UP_AND_RUNNING))


def refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        host = str(address[0]) if isinstance(address, tuple) else str(address)
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = str(arguments[0])
    else:
        return
    if not host.startswith(LOCAL) and host not in ("None", ""):
        attempts.append(f"{event} {host}")
        raise OSError(f"{event} to {host} is not allowed here")


def unrouted() -> int:
    """Packets for which the kernel found no way out."""
    count = 0
    for name, key in (("/proc/net/snmp", "OutNoRoutes"), ("/proc/net/snmp6", "Ip6OutNoRoutes")):
        lines = [line.split() for line in Path(name).read_text().splitlines()]
        if name.endswith("6"):
            count += sum(int(line[1]) for line in lines if line[0] == key)
        else:
            titles, values = (line for line in lines if line[0] == "Ip:")
            count += int(values[titles.index(key)])
    return count


def run_everything(graph_path: str) -> list[str]:
    import clew
    from clew.answer import Asker, Resources
    from clew.embed import open_encoder
    from clew.link import Linker, build_vectors
    from clew.lm import Message, Request, open_model
    from clew.store.store import open_store

    done = []
    graph = clew.open(graph_path)
    encoder = open_encoder()
    build_vectors(graph, encoder)
    linker = Linker(graph, encoder=encoder)
    assert linker.link("arachnodactyli").best is not None
    assert linker.detect("No sign of arachnodactyly.")
    done.append("link")
    with open_model("smollm2", threads=1, context=512, listen=True) as model:
        request = Request(messages=(Message("user", "Say yes."),), max_tokens=4)
        said = model.complete(request).text
        with open_model(model.listening, api_key=model.key) as client:
            assert client.complete(request).text == said
    done.append("lm")
    with open_store("embedded", graph, build=True) as store:
        assert store.run("MATCH (g) RETURN count(g) AS n").rows[0][0] > 0
        answer = Asker(Resources(graph, store=store, encoder=encoder)).ask("Which genes are linked to arachnodactyly?")
        assert answer.items
    done.append("store")
    time.sleep(LATE_SECONDS)
    return done


def main() -> None:
    if "--raise-loopback" in sys.argv:
        raise_loopback()
    sys.addaudithook(refuse)
    before = unrouted()
    done = run_everything(sys.argv[1])
    print(json.dumps({"done": done, "attempts": attempts, "unrouted": unrouted() - before}))


if __name__ == "__main__":
    main()
