"""Nothing leaves the machine: with every other connection and name look-up forbidden, the models work all the same."""

import subprocess
import sys

CHILD = """
import sys

def guard(event, arguments):
    if event == "socket.getaddrinfo" and arguments[0] not in ("127.0.0.1", "localhost", None):
        raise SystemExit(f"looks up {arguments[0]}")
    if event in ("socket.gethostbyname", "socket.gethostbyaddr"):
        raise SystemExit(f"looks up {arguments[0]}")
    if event in ("socket.connect", "socket.bind", "socket.sendto"):
        address = arguments[1]
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1"):
            raise SystemExit(f"{event} {address}")
    if event == "socket.__new__" and not allowed:
        raise SystemExit("opens a socket")

allowed = False
sys.addaudithook(guard)
import clew
import clew.lm
import clew.models
from pathlib import Path
allowed = True
with clew.lm.open_model(threads=1, context=256, listen=True) as model:
    asked = clew.lm.Request(prompt="The capital of France is", max_tokens=1)
    assert model.complete(asked).text == " Paris"
    with clew.lm.CLIENTS.load("openai")(model.listening, api_key=model.key) as server:
        assert server.complete(asked).text == " Paris"
        assert server.score(asked, [" Paris"])[0].tokens == 1
    ours = {str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()}
    for table in ("tcp", "tcp6", "udp", "udp6"):
        path = Path("/proc/net") / table
        for line in path.read_text().splitlines()[1:] if path.exists() else ():
            fields = line.split()
            if f"socket:[{fields[9]}]" in ours:
                assert fields[1].startswith("0100007F:"), f"{table} {fields[1]}"
print("done")
"""


def test_the_models_work_with_the_world_shut_off() -> None:
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("done\n", "")
