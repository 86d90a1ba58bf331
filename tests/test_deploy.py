"""The container and the service: what their files name exists, and what they run works."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONTAINER = (ROOT / "deploy" / "Containerfile").read_text("utf-8")
UNIT = (ROOT / "deploy" / "clew.service").read_text("utf-8")


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Containerfile, continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", CONTAINER)
    lines = [line for line in joined.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_container_copies_what_there_is_and_installs_extras_that_there_are() -> None:
    for word, rest in instructions():
        if word == "COPY":
            *sources, _ = rest.split()
            assert all((ROOT / each).exists() for each in sources), rest
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = re.search(r"'\.\[([\w,]+)\]'", CONTAINER)
    assert named is not None
    assert set(named[1].split(",")) <= set(extras)


def test_the_container_runs_as_nobody_in_particular() -> None:
    words = [word for word, _ in instructions()]
    assert words[0] == "FROM"
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert "root" not in dict(instructions())["USER"]
    assert "latest" not in dict(instructions())["FROM"]


def test_what_the_container_starts_is_a_command_that_clew_knows(tmp_path: Path) -> None:
    entry = json.loads(dict(instructions())["ENTRYPOINT"])
    token = tmp_path / "token"
    token.write_text("0123456789abcdef-secret")
    given = [str(token) if each.startswith("/run/secrets/") else each for each in entry[1:]]
    from clew.app.cli.main import main

    assert main([*given, str(tmp_path / "absent.clew"), "--port", "0"]) == 1, "the graph is missing, no option is wrong"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "clew.service"
    unit.write_text(UNIT.replace("/opt/clew/bin/clew", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert "clew.service" not in done.stderr, done.stderr
