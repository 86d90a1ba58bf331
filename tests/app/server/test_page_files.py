"""The files of the page: small, from here alone, and the vendored ones as published."""

import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

PAGE = Path(str(files("clew.app.server").joinpath("page")))
VENDOR = PAGE / "vendor"
MOST_BYTES, MOST_LINES = 1_500_000, 400
OWN = sorted(
    path for ending in ("js", "css", "html") for path in PAGE.rglob(f"*.{ending}") if VENDOR not in path.parents
)


def test_the_whole_page_is_small() -> None:
    assert sum(path.stat().st_size for path in PAGE.rglob("*") if path.is_file()) <= MOST_BYTES


def test_vendored_files_are_as_published() -> None:
    stated = dict(reversed(line.split()) for line in (VENDOR / "checksums.txt").read_text("utf-8").splitlines())
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in VENDOR.iterdir() if path.suffix != ".txt"}
    assert found == stated
    assert all((VENDOR / f"{name}-licence.txt").stat().st_size for name in ("d3", "inter"))


@pytest.mark.parametrize("path", OWN, ids=lambda path: str(path.relative_to(PAGE)))
def test_own_files_are_short_and_name_files_that_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    for name in re.findall(r"""(?:from|import) "(\.[^"]+)\"""", text):
        assert (path.parent / name).is_file(), name
    for name in re.findall(r"""["(]/page/([^")]+)""", text):
        assert (PAGE / name).is_file(), name


@pytest.mark.parametrize("path", OWN, ids=lambda path: str(path.relative_to(PAGE)))
def test_nothing_is_written_as_markup_or_loaded_from_elsewhere(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)
    assert not re.search(r"""(?:src|href)=["']https?:|@import|url\(["']?https?:|fetch\(["'`]https?:""", text)
    if path.suffix == ".html":
        assert not re.search(r"\son\w+=|\sstyle=|<style|<script>", text)
