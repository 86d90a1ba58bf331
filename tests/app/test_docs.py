"""docs/cli.md shows what the commands really print. CLEW_UPDATE_DOCS=1 writes the help again."""

import json
import os
import re
from pathlib import Path

import pytest

from clew.app.cli.main import COMMANDS

DOCS = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
BLOCK = re.compile(r"```console\n\$ clew ((?:\w+ )*)--help\n(.*?)```", re.DOTALL)
JSON = re.compile(r"\n## (\w+)\n(?:(?!\n## ).)*?```json\n(.*?)```", re.DOTALL)


def plain(text: str) -> str:
    """Help without what differs between versions of typer: braces, types of arguments and spacing."""
    words = " ".join(re.sub(r"<(?:str|list\[str\])>|[{}]", " ", text).split())
    return re.sub(r"\.\.\.( ?\.\.\.)+", "...", words)


def test_the_help_is_not_stale(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = DOCS.read_text("utf-8")
    shown = {match[1].strip(): match[2] for match in BLOCK.finditer(text)}
    assert {name.partition(" ")[0] for name in shown} == {"", *COMMANDS}, "every command is documented"
    real = {name: run(*name.split(), "--help").out for name in shown}
    if os.environ.get("CLEW_UPDATE_DOCS"):
        DOCS.write_text(
            BLOCK.sub(lambda match: f"```console\n$ clew {match[1]}--help\n{real[match[1].strip()]}```", text), "utf-8"
        )
        return
    for name, said in shown.items():
        assert plain(said) == plain(real[name]), f"clew {name} --help has changed: run with CLEW_UPDATE_DOCS=1"


def test_the_json_examples_have_the_real_keys(run, graph: Path, tables: Path, tmp_path: Path) -> None:
    examples = {match[1]: json.loads(match[2]) for match in JSON.finditer(DOCS.read_text("utf-8"))}
    assert set(examples) == set(COMMANDS)
    real = {
        "build": run("build", tables / "triples.parquet", "--out", tmp_path / "g", "--json").json,
        "update": run("update", tmp_path / "g", tables / "triples.parquet", "--json").json,
        "log": run("log", tmp_path / "g", "--json").json,
        "diff": diff_of(run, tmp_path / "g", tables),
        "gc": run("gc", tmp_path / "g", "--json").json,
        "info": run("info", graph, "--json").json,
        "find": run("find", graph, "marfan", "--json").json,
        "hop": run("hop", graph, "FBN1", "--triples", "--json").json,
        "paths": run("paths", graph, "D:1", "P:1", "--json").json,
        "ask": run("ask", graph, "Which phenotypes does FBN1 have?", "--no-embedding", "--json").json,
        "context": run("context", graph, "What does FBN1 cause?", "--no-embedding", "--json").json,
        "diagnose": run("diagnose", graph, "Arachnodactyly", "--relation", "has", "--json").json,
        "index": run("index", graph, "--json").json,
        "link": run("link", graph, "marfan syndrom", "--json").json,
        "cypher": run("cypher", graph, "MATCH (n) RETURN n.name AS name LIMIT 1", "--json").json,
        "models": run("models", "--json").json,
        "export": run("export", graph, "--to", "kgx", "--out", tmp_path / "kgx", "--json").json,
        "doctor": run("doctor", graph, "--json").json,
    }
    for name, report in real.items():
        assert shape(examples[name]) == shape(report), name


def diff_of(run, graph: Path, tables: Path) -> dict:
    """A difference with an entity, a triple and a statement of it."""
    (tables / "more.csv").write_text("subject,relation,object,source\nNew:1,causes,New:2,mine\n")
    before = run("info", graph, "--json").json["snapshot"]
    assert run("update", graph, tables / "more.csv").code == 0
    return run("diff", graph, before, "--json").json


FREE = (
    "changes",
    "counts",
    "types",
    "problems",
    "qualifiers",
    "slots",
    "alternatives",
    "groups",
)  # objects whose keys come from the data
STATED = ("source_version", "license", "knowledge_level", "agent_type")  # keys that depend on the source


def shape(value: object) -> object:
    """The keys of a report, in their order, down to where the data begins."""
    if isinstance(value, dict):
        return {name: None if name in FREE else shape(inner) for name, inner in value.items() if name not in STATED}
    if isinstance(value, list):
        return [shape(value[0])] if value and isinstance(value[0], dict) else []
    return None
