"""Nothing leaves the machine: every attempt to connect elsewhere or to look a name up would be seen."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from clew.models import models_directory

WORKER = Path(__file__).with_name("offline_worker.py")
TRIPLES = [("G:1", "associated_with", "D:1"), ("D:1", "has_phenotype", "P:1"), ("G:2", "associated_with", "D:1")]
NAMES = {
    "G:1": ("FBN1", "Gene"),
    "G:2": ("FBN2", "Gene"),
    "D:1": ("Marfan", "Disease"),
    "P:1": ("Arachnodactyly", "Phenotype"),
}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    triples, entities = tmp_path / "triples.csv", tmp_path / "entities.csv"
    triples.write_text("subject,relation,object\n" + "".join(",".join(row) + "\n" for row in TRIPLES))
    entities.write_text("id,name,type\n" + "".join(f"{key},{name},{type}\n" for key, (name, type) in NAMES.items()))
    clew.build(triples, entities=entities, out=tmp_path / "small.clew")
    return tmp_path / "small.clew"


def own_network() -> list[str]:
    """The command that runs another with a network of its own, where this system lets us."""
    command = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*command, "true"], capture_output=True).returncode:
        return []
    return command


@pytest.mark.slow
def test_the_whole_layer_stays_on_the_machine(small: Path, tmp_path: Path) -> None:
    isolated = own_network()
    command = [*isolated, sys.executable, str(WORKER), str(small)] + ["--raise-loopback"] * bool(isolated)
    home = tmp_path / "home"
    home.mkdir()
    settings = {"HOME": str(home), "CLEW_MODELS": str(models_directory()), "CLEW_THREADS": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, **settings})
    assert ran.returncode == 0, ran.stderr[-2000:]
    report = json.loads(ran.stdout.splitlines()[-1])
    assert report["done"] == ["link", "lm", "store"]
    assert report["attempts"] == []
    assert [path for path in home.rglob("*") if "Microsoft" in path.parts] == []  # onnxruntime's device id
    if isolated:
        assert report["unrouted"] == 0


def test_the_watch_sees_who_leaves() -> None:
    """The counter that the other test reads does move."""
    isolated = own_network()
    if not isolated:
        pytest.skip("this system gives no process a network of its own")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import offline_worker as w, socket; w.raise_loopback()\n"
        "before = w.unrouted()\n"
        "try: socket.create_connection(('10.1.2.3', 80), timeout=1)\n"
        "except OSError: pass\n"
        "print(w.unrouted() - before)"
    )
    ran = subprocess.run([*isolated, sys.executable, "-c", code, str(WORKER.parent)], capture_output=True, text=True)
    assert int(ran.stdout) > 0, ran.stderr


def test_import_opens_no_socket() -> None:
    code = (
        "import sys; seen = []\n"
        "sys.addaudithook(lambda event, _: seen.append(event) if event.startswith('socket.') else None)\n"
        "import clew, clew.lm, clew.embed, clew.link, clew.store, clew.answer\n"
        "clew.open, clew.build, clew.Engine\n"
        "print([each for each in seen if each != 'socket.gethostname'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
