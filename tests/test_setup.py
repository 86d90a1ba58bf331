"""Set-up: tests install from wheels without the libraries of the benchmarks, and every test runs in some tier of CI."""

import os
import re
import runpy
import tomllib
from pathlib import Path

import pytest

from scheduling import TOY_RUN, Scheduler

ROOT = Path(__file__).resolve().parents[1]
INSTALL = runpy.run_path(str(ROOT / ".ci" / "install.py"))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PEERS = {"faiss-cpu", "igraph", "networkit", "python-graphblas", "rustworkx"}


def packages(extra: str) -> set[str]:
    """The names of the packages that an extra asks for, those of the extras it names included."""
    found: set[str] = set()
    for requirement in EXTRAS[extra]:
        inner = re.fullmatch(r"clew\[(.*)\]", requirement)
        names = (packages(each) for each in inner[1].split(",")) if inner else [{re.split(r"[\[><=;]", requirement)[0]}]
        found = found.union(*names)
    return found


def recipe(target: str) -> str:
    found = re.search(rf"^{re.escape(target)}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert found is not None, target
    return found[1]


def test_libraries_to_compare_with_are_only_in_the_bench_extra() -> None:
    assert packages("bench") >= PEERS
    assert not packages("test") & PEERS


@pytest.mark.parametrize("target", ["$(VENV)/base", "$(VENV)/test", "$(VENV)/bench"])
def test_nothing_is_compiled(target: str) -> None:
    assert "$(INSTALL)" in recipe(target)
    assert re.search(r"^INSTALL := .*--only-binary :all: --constraint constraints\.txt", MAKEFILE, re.MULTILINE)


def test_uv_is_told_the_settings_of_pip() -> None:
    listed = """:env:.find-links='/wheels'
global.cert='/ca.pem'
global.extra-index-url='file:///a/simple https://b/simple'
global.find-links='/other'
install.no-index='true'
"""
    settings = INSTALL["read_settings"](listed)
    assert INSTALL["uv_options"](settings) == [
        "--no-index", "--index", "file:///a/simple", "--index", "https://b/simple", "--find-links", "/wheels",
    ]  # fmt: skip
    assert INSTALL["uv_environment"](settings)["SSL_CERT_FILE"] in ("/ca.pem", os.environ.get("SSL_CERT_FILE"))
    assert INSTALL["uv_options"]({}) == []


def test_tests_that_need_the_toy_model_are_one_group() -> None:
    scheduler = object.__new__(Scheduler)
    files = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py"))
    groups = {file: scheduler._split_scope(f"{file}::test_something[a::b]") for file in files}
    assert groups["tests/extract/packaging/test_locate.py"] == groups["tests/extract/run/test_pipeline.py"] == TOY_RUN
    assert groups["tests/test_setup.py"] == "tests/test_setup.py"
    assert all(group in (file, TOY_RUN) for file, group in groups.items())


def test_every_test_is_in_a_tier_that_ci_runs_or_in_the_soak() -> None:
    assert "lint fast" in recipe("test")
    assert '-m "not slow and not soak"' in recipe("fast")
    assert '-m "(slow or peers) and not soak"' in recipe("slow")
    assert '-m "soak or hypothesis"' in recipe("soak")
    commands = [line for line in (ROOT / ".ci" / "run").read_text("utf-8").splitlines() if line.startswith("make ")]
    assert commands == ["make install", "make test", "make slow"]
